// Softmax, log_softmax and logsumexp, and their gradients. See ops/reductions/softmax.py and
// ops/reductions/reductions.py.
#include "loops/folding.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// An op and its gradient; the kernel's data points to one.
struct Pair {
    RowOp forward, backward;
    const char* name;
    Function* function;  // found at first use
};

Pair softmax_pair{SOFTMAX, SOFTMAX_SLOPE, "softmax", nullptr};
Pair log_softmax_pair{LOG_SOFTMAX, LOG_SOFTMAX_SLOPE, "log_softmax", nullptr};

Pair& pair_of(const OpInfo& op) { return *static_cast<Pair*>(const_cast<void*>(op.kernel->data)); }

NAMES(Softmax, input, dim, dtype);
NAMES(LogSumExp, input, dim, keepdim);
NAMES(SavedOfSoftmax, result, dim);
NAMES(SavedOfLogSumExp, input, result, dim);

PyObject* forward(Call& call) {
    PyArrayObject* array = call.array(Softmax::input);
    RowRun rows(array);
    int dim;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(array) == 0);
    DECLINE_IF(call[Softmax::dtype] != Py_None);
    DECLINE_IF(!read_dim(call[Softmax::dim], PyArray_NDIM(array), dim));
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    DECLINE_IF(!rows.read(0, array, PyArray_SIZE(array)));
    if (!rows.write(0, PyArray_NDIM(array), PyArray_DIMS(array))) return nullptr;
    rows.run(pair_of(*call.op).forward, middle);
    return as_object(rows.take(0));
}

bool backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *result = gradient.array(SavedOfSoftmax::result);
    RowRun rows(grad);
    int dim;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(grad) == 0);
    DECLINE_IF(result == nullptr || !PyArray_SAMESHAPE(grad, result));
    DECLINE_IF(!read_dim(gradient.option(SavedOfSoftmax::dim), PyArray_NDIM(grad), dim));
    Middle middle;
    middle_of(PyArray_NDIM(grad), PyArray_DIMS(grad), Dims{1} << dim, middle);
    int64_t size = PyArray_SIZE(grad);
    DECLINE_IF(!rows.read(0, grad, size) || !rows.read(1, result, size));
    if (!rows.write_over(gradient)) return false;
    rows.run(pair_of(*gradient.plan->op).backward, middle);
    gradient.found[0] = rows.take(0);
    return true;
}

// nn.functional's
PyObject* route(Call& call) {
    Pair& pair = pair_of(*call.op);
    DECLINE_IF(!call.is_tensor(Softmax::input));
    DECLINE_IF(call[Softmax::dim] == Py_None);
    if (pair.function == nullptr) pair.function = find_function(pair.name);
    PyObject* args[] = {call[Softmax::input], call[Softmax::dim], call[Softmax::dtype]};
    DECLINE_IF(pair.function == nullptr);
    return call_function(pair.function, args, 3, nullptr);
}

PyObject* logsumexp(Call& call) {
    PyArrayObject* array = call.array(LogSumExp::input);
    RowRun rows(array);
    Dims dims;
    bool keepdim;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(array) == 0);
    DECLINE_IF(call[LogSumExp::dim] == Py_None);
    DECLINE_IF(!read_dims(call[LogSumExp::dim], PyArray_NDIM(array), dims));
    DECLINE_IF(!read_flag(call[LogSumExp::keepdim], keepdim));
    Middle middle;
    Ref held = in_rows(array, dims, middle);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape);
    if (!held) return nullptr;
    DECLINE_IF(!rows.read(0, held.array(), PyArray_SIZE(array)));
    if (!rows.write(0, ndim, shape)) return nullptr;
    rows.run(LOGSUMEXP, middle);
    return as_object(rows.take(0));
}

bool logsumexp_slope(Gradient& gradient) {
    PyArrayObject* input = gradient.array(SavedOfLogSumExp::input);
    PyArrayObject* result = gradient.array(SavedOfLogSumExp::result);
    PyObject* dim = gradient.option(SavedOfLogSumExp::dim);
    RowRun rows(input);
    Dims dims;
    Middle middle;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(input) == 0);
    DECLINE_IF(dim == nullptr || !read_dims(dim, PyArray_NDIM(input), dims));
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), dims, middle));
    DECLINE_IF(!rows.read(0, input, PyArray_SIZE(input)) || !rows.read(1, result, middle.rows()));
    DECLINE_IF(!rows.read(2, gradient.grad(), middle.rows()));
    if (!rows.write(0, PyArray_NDIM(input), PyArray_DIMS(input))) return false;
    rows.run(LOGSUMEXP_SLOPE, middle);
    gradient.found[0] = rows.take_like(0, input);
    return true;
}

KERNEL("softmax").forward(forward, Softmax::names).gradient(backward, SavedOfSoftmax::names).with(&softmax_pair);
KERNEL("log_softmax")
    .forward(forward, Softmax::names)
    .gradient(backward, SavedOfSoftmax::names)
    .with(&log_softmax_pair);
KERNEL("nn.functional.softmax").route(route, Softmax::names).with(&softmax_pair);
KERNEL("nn.functional.log_softmax").route(route, Softmax::names).with(&log_softmax_pair);
KERNEL("logsumexp").forward(logsumexp, LogSumExp::names).gradient(logsumexp_slope, SavedOfLogSumExp::names);

}  // namespace

}  // namespace rushlight
