// Cumulative sums and their gradients, which are sums from the other end. See ops/cumulative.py.
#include "folding.h"

namespace rushlight {

namespace {

// A running sum along a dimension, into a new array; nullptr if it declines.
PyArrayObject* running_sum(RowOp op, PyArrayObject* array, PyObject* named) {
    RowRun rows(array);
    int dim;
    DECLINE_IF(!rows.is_float() || PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0);
    DECLINE_IF(!read_dim(named, PyArray_NDIM(array), dim));
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    DECLINE_IF(!rows.read(0, array, PyArray_SIZE(array)));
    if (!rows.write(0, PyArray_NDIM(array), PyArray_DIMS(array))) return nullptr;
    rows.run(op, middle);
    return rows.take(0);
}

NAMES(Cumsum, input, dim, dtype);
NAMES(SavedOfCumsum, dim);

PyObject* forward(Call& call) {
    DECLINE_IF(call[Cumsum::dtype] != Py_None);
    return as_object(running_sum(CUMSUM, call.array(Cumsum::input), call[Cumsum::dim]));
}

bool backward(Gradient& gradient) {
    gradient.found[0] = running_sum(CUMSUM_SLOPE, gradient.grad(), gradient.option(SavedOfCumsum::dim));
    return gradient.found[0] != nullptr;
}

KERNEL("cumsum").forward(forward, Cumsum::names).gradient(backward, SavedOfCumsum::names);

}  // namespace

}  // namespace rushlight
