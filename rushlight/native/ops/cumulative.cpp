// Cumulative sums and their gradients, which are sums from the other end. See ops/reductions/cumulative.py.
#include "loops/folding.h"

namespace rushlight {

namespace {

// A running sum along a dimension, into a new array.
PyArrayObject* running_sum(RowOp op, PyArrayObject* array, int dim) {
    RowRun rows(array);
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    rows.read(0, array, PyArray_SIZE(array));
    rows.write_like(0, array);
    rows.run(op, middle);
    return rows.take(0);
}

NAMES(Cumsum, input, dim, dtype);
NAMES(SavedOfCumsum, dim);

bool forward(Call& call) { return call.give(running_sum(CUMSUM, call.array(Cumsum::input), call.dim(Cumsum::dim))); }

bool backward(Gradient& gradient) {
    return gradient.give(running_sum(CUMSUM_SLOPE, gradient.grad(), gradient.dim(SavedOfCumsum::dim)));
}

KERNEL("cumsum")
    .forward(forward, Cumsum::names)
    .takes(tensor(Cumsum::input).floats().rank_from(1).filled(), dim(Cumsum::dim, Cumsum::input), none(Cumsum::dtype))
    .gradient(backward, SavedOfCumsum::names)
    .given(tensor(GRADIENT).floats().rank_from(1).filled(), dim(SavedOfCumsum::dim, GRADIENT));

}  // namespace

}  // namespace rushlight
