// Softmax, log_softmax and logsumexp, and their gradients. See ops/softmax.py and ops/reductions.py.
#include "call.h"
#include "folding.h"
#include "parts.h"

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

// (input, dim, dtype)
PyObject* forward(Call& call) {
    PyArrayObject* array = call.array(0);
    RowRun rows(array);
    int dim;
    if (!rows.is_float() || call[2] != Py_None || PyArray_SIZE(array) == 0 ||
        !read_dim(call[1], PyArray_NDIM(array), dim)) {
        return nullptr;
    }
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    if (!rows.read(0, array, PyArray_SIZE(array)) || !rows.write(0, PyArray_NDIM(array), PyArray_DIMS(array))) {
        return nullptr;
    }
    rows.run(pair_of(*call.op).forward, middle);
    return as_object(rows.take(0));
}

// reads result, dim
bool backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *result = gradient.array(0);
    RowRun rows(grad);
    int dim;
    if (!rows.is_float() || result == nullptr || !PyArray_SAMESHAPE(grad, result) || PyArray_SIZE(grad) == 0 ||
        !read_dim(gradient.option(1), PyArray_NDIM(grad), dim)) {
        return false;
    }
    Middle middle;
    middle_of(PyArray_NDIM(grad), PyArray_DIMS(grad), Dims{1} << dim, middle);
    int64_t size = PyArray_SIZE(grad);
    if (!rows.read(0, grad, size) || !rows.read(1, result, size) || !rows.write_over(gradient)) return false;
    rows.run(pair_of(*gradient.plan->op).backward, middle);
    gradient.found[0] = rows.take(0);
    return true;
}

// nn.functional's: (input, dim, _stacklevel, dtype)
PyObject* route(Call& call) {
    Pair& pair = pair_of(*call.op);
    if (!call.is_tensor(0) || call[1] == Py_None) return nullptr;
    if (pair.function == nullptr) pair.function = find_function(pair.name);
    PyObject* args[] = {call[0], call[1], call[3]};
    return pair.function == nullptr ? nullptr : call_function(pair.function, args, 3, nullptr);
}

// (input, dim, keepdim)
PyObject* logsumexp(Call& call) {
    PyArrayObject* array = call.array(0);
    RowRun rows(array);
    Dims dims;
    bool keepdim;
    if (!rows.is_float() || call[1] == Py_None || PyArray_SIZE(array) == 0 ||
        !read_dims(call[1], PyArray_NDIM(array), dims) || !read_flag(call[2], keepdim)) {
        return nullptr;
    }
    Middle middle;
    Ref held = in_rows(array, dims, middle);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape);
    if (!held || !rows.read(0, held.array(), PyArray_SIZE(array)) || !rows.write(0, ndim, shape)) return nullptr;
    rows.run(LOGSUMEXP, middle);
    return as_object(rows.take(0));
}

// reads input, result, dim
bool logsumexp_slope(Gradient& gradient) {
    PyArrayObject* input = gradient.array(0);
    PyObject* dim = gradient.option(2);
    RowRun rows(input);
    Dims dims;
    Middle middle;
    if (!rows.is_float() || dim == nullptr || PyArray_SIZE(input) == 0 ||
        !read_dims(dim, PyArray_NDIM(input), dims) ||
        !middle_of(PyArray_NDIM(input), PyArray_DIMS(input), dims, middle) ||
        !rows.read(0, input, PyArray_SIZE(input)) || !rows.read(1, gradient.array(1), middle.rows()) ||
        !rows.read(2, gradient.grad(), middle.rows()) || !rows.write(0, PyArray_NDIM(input), PyArray_DIMS(input))) {
        return false;
    }
    rows.run(LOGSUMEXP_SLOPE, middle);
    gradient.found[0] = rows.take_like(0, input);
    return true;
}

}  // namespace

void register_softmax() {
    add_kernel({"softmax", forward, backward, {"result", "dim"}, nullptr, &softmax_pair});
    add_kernel({"log_softmax", forward, backward, {"result", "dim"}, nullptr, &log_softmax_pair});
    add_kernel({"nn.functional.softmax", nullptr, nullptr, {}, route, &softmax_pair});
    add_kernel({"nn.functional.log_softmax", nullptr, nullptr, {}, route, &log_softmax_pair});
    add_kernel({"logsumexp", logsumexp, logsumexp_slope, {"input", "result", "dim"}});
}

}  // namespace rushlight
