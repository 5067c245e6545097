// Softmax, log_softmax and logsumexp, and their gradients. See ops/reductions/softmax.py and
// ops/reductions/reductions.py.
#include "loops/folding.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// An op and its gradient; the kernel's data points to one.
struct Pair {
    RowOp forward, backward;
    Inner op;
};

Pair softmax_pair{SOFTMAX, SOFTMAX_SLOPE, Inner("softmax")};
Pair log_softmax_pair{LOG_SOFTMAX, LOG_SOFTMAX_SLOPE, Inner("log_softmax")};

Pair& pair_of(const OpInfo& op) { return *static_cast<Pair*>(const_cast<void*>(op.kernel->data)); }

NAMES(Softmax, input, dim, dtype);
NAMES(LogSumExp, input, dim, keepdim);
NAMES(SavedOfSoftmax, result, dim);
NAMES(SavedOfLogSumExp, input, result, dim);

bool forward(Call& call) {
    PyArrayObject* array = call.array(Softmax::input);
    RowRun rows(array);
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << call.dim(Softmax::dim), middle);
    rows.read(0, array, PyArray_SIZE(array));
    rows.write_like(0, array);
    rows.run(pair_of(*call.op).forward, middle);
    return call.give(rows.take(0));
}

bool backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    RowRun rows(grad);
    Middle middle;
    middle_of(PyArray_NDIM(grad), PyArray_DIMS(grad), Dims{1} << gradient.dim(SavedOfSoftmax::dim), middle);
    rows.read(0, grad, PyArray_SIZE(grad));
    rows.read(1, gradient.array(SavedOfSoftmax::result), PyArray_SIZE(grad));
    rows.write_over(gradient);
    rows.run(pair_of(*gradient.plan->op).backward, middle);
    return gradient.give(rows.take(0));
}

// nn.functional's
PyObject* route(Call& call) {
    DECLINE_IF(call[Softmax::dim] == Py_None);
    return pair_of(*call.op).op.either(call[Softmax::input], call[Softmax::dim], call[Softmax::dtype]);
}

bool logsumexp(Call& call) {
    PyArrayObject* array = call.array(LogSumExp::input);
    Dims dims = call.dims(LogSumExp::dim);
    DECLINE_IF(call[LogSumExp::dim] == Py_None);
    RowRun rows(array);
    Middle middle;
    Ref held = in_rows(array, dims, middle);
    if (!held) return false;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, call.flag(LogSumExp::keepdim), shape);
    rows.read(0, held.array(), PyArray_SIZE(array));
    rows.write(0, ndim, shape);
    rows.run(LOGSUMEXP, middle);
    return call.give(rows.take(0));
}

bool logsumexp_slope(Gradient& gradient) {
    using Saved = SavedOfLogSumExp;
    return slope_of_rows(gradient, LOGSUMEXP_SLOPE, gradient.array(Saved::input), gradient.dims(Saved::dim),
                         gradient.array(Saved::result));
}

constexpr TensorWant rows = tensor(Softmax::input).floats().widened().filled();

KERNEL("softmax")
    .forward(forward, Softmax::names)
    .takes(rows, dim(Softmax::dim, Softmax::input), none(Softmax::dtype))
    .gradient(backward, SavedOfSoftmax::names)
    .given(tensor(GRADIENT).floats().widened().filled(), tensor(SavedOfSoftmax::result).shaped(GRADIENT),
           dim(SavedOfSoftmax::dim, GRADIENT))
    .with(&softmax_pair);
KERNEL("log_softmax").as("softmax").with(&log_softmax_pair);
KERNEL("nn.functional.softmax").route(route, Softmax::names).takes(tensor(Softmax::input)).with(&softmax_pair);
KERNEL("nn.functional.log_softmax").as("nn.functional.softmax").with(&log_softmax_pair);
KERNEL("logsumexp")
    .forward(logsumexp, LogSumExp::names)
    .takes(rows, dims(LogSumExp::dim, LogSumExp::input), flag(LogSumExp::keepdim))
    .gradient(logsumexp_slope, SavedOfLogSumExp::names)
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfLogSumExp::input).like(GRADIENT).filled(),
           tensor(SavedOfLogSumExp::result).like(GRADIENT), dims(SavedOfLogSumExp::dim, SavedOfLogSumExp::input));

}  // namespace

}  // namespace rushlight
