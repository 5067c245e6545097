// Rearranging: copies with the elements in another order. See ops/shape/rearranging.py.
#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// Whether a copy in the same order of memory has but one form: nothing is spread out, and no dim has one element.
bool has_clear_order(PyArrayObject* array) {
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (PyArray_STRIDE(array, d) <= 0 || PyArray_DIM(array, d) < 2) return false;
    }
    return true;
}

// A copy, the order reversed along some dimensions, in rows or as the array stands; nullptr where Python must look.
PyArrayObject* flipped(PyArrayObject* array, PyObject* named, bool in_rows) {
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
    int type = PyArray_TYPE(array);
    PyArrayObject* found = made(in_rows ? new_array(ndim, from.dims, type)
                                        : new_array_like_strides(ndim, from.dims, PyArray_STRIDES(array), type));
    copy_elements(PyArray_BYTES(found), PyArray_STRIDES(found), PyArray_BYTES(array) + start, from.strides, ndim,
                  from.dims, static_cast<int>(PyArray_ITEMSIZE(array)));
    return found;
}

NAMES(Flip, input, dims);
NAMES(SavedOfFlip, dims);

bool flip_forward(Call& call) {
    PyArrayObject* input = call.array(Flip::input);
    bool in_rows = PyArray_IS_C_CONTIGUOUS(input);
    DECLINE_IF(!in_rows && !has_clear_order(input));
    PyArrayObject* found = flipped(input, call[Flip::dims], in_rows);
    return call.give(in_rows ? keep_unit_steps(found, input) : found);
}

bool flip_backward(Gradient& gradient) {
    return gradient.give(flipped(gradient.grad(), gradient.option(SavedOfFlip::dims), true));
}

KERNEL("flip")
    .forward(flip_forward, Flip::names)
    .takes(tensor(Flip::input).movable().rank_from(1).filled())
    .gradient(flip_backward, SavedOfFlip::names)
    .given(tensor(GRADIENT).movable().rank_from(1).filled());

}  // namespace

}  // namespace rushlight
