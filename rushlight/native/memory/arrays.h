// Arrays: new ones over pooled memory, owned and freed as NumPy owns and frees its own.
#pragma once

#include <new>

#include "seam/python.h"

namespace rushlight {

// Without the call that PyArray_SIZE makes.
inline npy_intp element_count(PyArrayObject* array) {
    npy_intp count = 1;
    for (int i = 0; i < PyArray_NDIM(array); ++i) count *= PyArray_DIM(array, i);
    return count;
}

inline bool have_same_dims(int ndim, const npy_intp* dims, const npy_intp* others) {
    for (int i = 0; i < ndim; ++i) {
        if (dims[i] != others[i]) return false;
    }
    return true;
}
inline bool have_same_shape(PyArrayObject* one, PyArrayObject* other) {
    int ndim = PyArray_NDIM(one);
    return ndim == PyArray_NDIM(other) && have_same_dims(ndim, PyArray_DIMS(one), PyArray_DIMS(other));
}

template <class T>
T* elements(PyArrayObject* array) {
    return static_cast<T*>(PyArray_DATA(array));
}

// Thrown where an array cannot be made, Python's exception set: a kernel's call is then left to Python, which words it.
struct Unmade : std::bad_alloc {};

inline PyArrayObject* made(PyArrayObject* array) {
    if (array == nullptr) throw Unmade();
    return array;
}

// C-contiguous and uninitialised. nullptr with an exception set: out of memory, too large, negative or too many dims.
PyArrayObject* new_array(int ndim, const npy_intp* dims, int type_num);

// As an array that is C-contiguous and has `size` elements, at least one.
PyArrayObject* new_array_like(PyArrayObject* model, npy_intp size);

// As new_array, filled with zeros (False).
PyArrayObject* zeros_array(int ndim, const npy_intp* dims, int type_num);

// Dense and uninitialised, its dims in memory in the order of `strides` (in elements or bytes), as
// core/memory/layout.py's dense_strides gives a copy of such an array.
PyArrayObject* new_array_like_strides(int ndim, const npy_intp* dims, const npy_intp* strides, int type_num);

// Whether a C-contiguous array has the steps of a new one along dims of size 1 too; see core/memory/strides.py.
bool has_usual_steps(PyArrayObject* array);

// Give a new array the steps of another one of its shape along dims of size 1. Takes nullptr too, and returns `made`.
PyArrayObject* keep_unit_steps(PyArrayObject* made, PyArrayObject* model);

// Lets go of a reference. An array that dies with it serves the next one like it.
void drop(PyArrayObject* array);
inline void drop_object(PyObject* object) {
    if (object != nullptr && Py_TYPE(object) == &PyArray_Type) {
        drop(reinterpret_cast<PyArrayObject*>(object));
    } else {
        Py_XDECREF(object);
    }
}

// Bytes that dead arrays keep for the next ones; give them back to the pool.
int64_t spare_bytes();
void release_spares();

}  // namespace rushlight
