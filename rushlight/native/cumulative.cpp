// Cumulative sums and their gradients, which are sums from the other end. See ops/cumulative.py.
#include "folding.h"
#include "parts.h"

namespace rushlight {

namespace {

// A running sum along a dimension, into a new array; nullptr if it declines.
PyArrayObject* running_sum(RowOp op, PyArrayObject* array, PyObject* named) {
    RowRun rows(array);
    int dim;
    if (!rows.is_float() || PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0 ||
        !read_dim(named, PyArray_NDIM(array), dim)) {
        return nullptr;
    }
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    if (!rows.read(0, array, PyArray_SIZE(array)) || !rows.write(0, PyArray_NDIM(array), PyArray_DIMS(array))) {
        return nullptr;
    }
    rows.run(op, middle);
    return rows.take(0);
}

// (input, dim, dtype)
PyObject* forward(Call& call) {
    return call[2] == Py_None ? as_object(running_sum(CUMSUM, call.array(0), call[1])) : nullptr;
}

// reads dim
bool backward(Gradient& gradient) {
    gradient.found[0] = running_sum(CUMSUM_SLOPE, gradient.grad(), gradient.option(0));
    return gradient.found[0] != nullptr;
}

}  // namespace

void register_cumulative() { add_kernel({"cumsum", forward, backward, {"dim"}}); }

}  // namespace rushlight
