// Rearranging: copies with the elements in another order. See ops/rearranging.py.
#include "arrays.h"
#include "call.h"
#include "copies.h"
#include "parts.h"
#include "views.h"

namespace rushlight {

namespace {

// A C-contiguous copy, the order reversed along some dimensions; nullptr where Python must look.
PyArrayObject* flipped(PyArrayObject* array, PyObject* named) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), count = read_sizes(named, dims);
    if (count < 0 || ndim == 0 || !is_movable(array) || PyArray_SIZE(array) == 0) return nullptr;
    Geometry from(array);
    npy_intp start = 0;
    bool seen[NPY_MAXDIMS] = {};
    for (int i = 0; i < count; i++) {
        if (dims[i] < -ndim || dims[i] >= ndim) return nullptr;
        auto dim = static_cast<int>(dims[i] < 0 ? dims[i] + ndim : dims[i]);
        if (seen[dim]) return nullptr;
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

// flip(input, dims)
PyObject* flip_forward(Call& call) {
    PyArrayObject* input = call.array(0);
    return PyArray_IS_C_CONTIGUOUS(input) ? as_object(keep_unit_steps(flipped(input, call[1]), input)) : nullptr;
}

// reads dims
bool flip_backward(Gradient& gradient) {
    gradient.found[0] = flipped(gradient.grad(), gradient.option(0));
    return gradient.found[0] != nullptr;
}

}  // namespace

void register_rearranging() { add_kernel({"flip", flip_forward, flip_backward, {"dims"}}); }

}  // namespace rushlight
