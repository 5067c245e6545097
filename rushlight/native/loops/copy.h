// Copies: elements moved from one place in memory to another, whatever the strides.
#pragma once

#include "memory/arrays.h"
#include "seam/python.h"

namespace rushlight {

// Whether there is an array, and its elements are bytes that may be moved: no objects, and of a size that loops know.
bool is_movable(PyArrayObject* array);

// Whether there is an array, and loops that add up may run over it: float32 or float64, as they stand.
bool is_addable(PyArrayObject* array);

// Whether the dimensions stand in memory in their own order, so that what NumPy makes of it is C-contiguous.
bool is_ordered(PyArrayObject* array);

// Whether the memory that one array spans reaches into the other's.
bool may_overlap(PyArrayObject* one, PyArrayObject* other);

// Elements of one size between two places of the same shape; they must not overlap. Strides are in bytes.
void copy_elements(char* to, const npy_intp* to_strides, const char* from, const npy_intp* from_strides, int ndim,
                   const npy_intp* dims, int itemsize);

// The elements of an array to a place of the same shape and dtype.
inline void copy_to(char* to, const npy_intp* strides, PyArrayObject* from) {
    copy_elements(to, strides, PyArray_BYTES(from), PyArray_STRIDES(from), PyArray_NDIM(from), PyArray_DIMS(from),
                  static_cast<int>(PyArray_ITEMSIZE(from)));
}
// The same between arrays.
inline void copy_into(PyArrayObject* to, PyArrayObject* from) { copy_to(PyArray_BYTES(to), PyArray_STRIDES(to), from); }

// A C-contiguous copy in pooled memory; nullptr with an exception.
PyArrayObject* packed_copy(PyArrayObject* array);

// The array itself if it is C-contiguous, else such a copy.
inline Ref in_c_order(PyArrayObject* array) {
    if (PyArray_IS_C_CONTIGUOUS(array)) return Ref::borrow(reinterpret_cast<PyObject*>(array));
    return Ref::steal(reinterpret_cast<PyObject*>(made(packed_copy(array))));
}

// A Python number as an element of the array's dtype (8 bytes); false for what Python has to look at.
bool read_element(PyObject* value, PyArrayObject* like, char* element);

// The array with one element for all, written everywhere: `value` points to an element.
void fill_elements(PyArrayObject* array, const char* value);

}  // namespace rushlight
