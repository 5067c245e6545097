// Rearranging: copies with the elements in another order. See ops/shape/rearranging.py.
#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// A C-contiguous copy, the order reversed along some dimensions; nullptr where Python must look.
PyArrayObject* flipped(PyArrayObject* array, PyObject* named) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), count = read_sizes(named, dims);
    DECLINE_IF(count < 0);
    Geometry from(array);
    npy_intp start = 0;
    bool seen[NPY_MAXDIMS] = {};
    for (int i = 0; i < count; i++) {
        DECLINE_IF(dims[i] < -ndim || dims[i] >= ndim);
        auto dim = static_cast<int>(dims[i] < 0 ? dims[i] + ndim : dims[i]);
        DECLINE_IF(seen[dim]);
        seen[dim] = true;
        start += (from.dims[dim] - 1) * from.strides[dim];
        from.strides[dim] = -from.strides[dim];
    }
    PyArrayObject* found = made(new_array(ndim, from.dims, PyArray_TYPE(array)));
    copy_elements(PyArray_BYTES(found), PyArray_STRIDES(found), PyArray_BYTES(array) + start, from.strides, ndim,
                  from.dims, static_cast<int>(PyArray_ITEMSIZE(array)));
    return found;
}

NAMES(Flip, input, dims);
NAMES(SavedOfFlip, dims);

bool flip_forward(Call& call) {
    PyArrayObject* input = call.array(Flip::input);
    return call.give(keep_unit_steps(flipped(input, call[Flip::dims]), input));
}

bool flip_backward(Gradient& gradient) {
    return gradient.give(flipped(gradient.grad(), gradient.option(SavedOfFlip::dims)));
}

KERNEL("flip")
    .forward(flip_forward, Flip::names)
    .takes(tensor(Flip::input).movable().rank_from(1).filled().dense())
    .gradient(flip_backward, SavedOfFlip::names)
    .given(tensor(GRADIENT).movable().rank_from(1).filled());

}  // namespace

}  // namespace rushlight
