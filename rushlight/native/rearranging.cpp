// Rearranging: copies with the elements in another order. See ops/rearranging.py.
#include "arrays.h"
#include "call.h"
#include "copies.h"
#include "views.h"

namespace rushlight {

namespace {

// A C-contiguous copy, the order reversed along some dimensions; nullptr where Python must look.
PyArrayObject* flipped(PyArrayObject* array, PyObject* named) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), count = read_sizes(named, dims);
    DECLINE_IF(count < 0);
    DECLINE_IF(ndim == 0 || !is_movable(array) || PyArray_SIZE(array) == 0);
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
    PyArrayObject* made = new_array(ndim, from.dims, PyArray_TYPE(array));
    if (made == nullptr) return nullptr;
    copy_elements(PyArray_BYTES(made), PyArray_STRIDES(made), PyArray_BYTES(array) + start, from.strides, ndim,
                  from.dims, static_cast<int>(PyArray_ITEMSIZE(array)));
    return made;
}

NAMES(Flip, input, dims);
NAMES(SavedOfFlip, dims);

PyObject* flip_forward(Call& call) {
    PyArrayObject* input = call.array(Flip::input);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(input));
    return as_object(keep_unit_steps(flipped(input, call[Flip::dims]), input));
}

bool flip_backward(Gradient& gradient) {
    gradient.found[0] = flipped(gradient.grad(), gradient.option(SavedOfFlip::dims));
    return gradient.found[0] != nullptr;
}

KERNEL("flip").forward(flip_forward, Flip::names).gradient(flip_backward, SavedOfFlip::names);

}  // namespace

}  // namespace rushlight
