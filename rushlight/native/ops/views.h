// Views: arrays that show another array's memory.
#pragma once

#include <algorithm>

#include "seam/python.h"

namespace rushlight {

// The array's memory with other sizes and byte strides, `offset` bytes from its first element; nullptr with an
// exception.
PyArrayObject* view_of(PyArrayObject* array, int ndim, const npy_intp* dims, const npy_intp* strides,
                       npy_intp offset = 0);

// Sizes and byte strides, to be changed step by step.
struct Geometry {
    int ndim = 0;
    npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS];

    explicit Geometry(PyArrayObject* array) : ndim(PyArray_NDIM(array)) {
        std::copy_n(PyArray_DIMS(array), ndim, dims);
        std::copy_n(PyArray_STRIDES(array), ndim, strides);
    }
    PyArrayObject* of(PyArrayObject* array, npy_intp offset = 0) const {
        return view_of(array, ndim, dims, strides, offset);
    }
    void swap(int one, int other) {
        std::swap(dims[one], dims[other]);
        std::swap(strides[one], strides[other]);
    }
    void insert(int dim, npy_intp extent, npy_intp stride) {
        std::copy_backward(dims + dim, dims + ndim, dims + ndim + 1);
        std::copy_backward(strides + dim, strides + ndim, strides + ndim + 1);
        dims[dim] = extent;
        strides[dim] = stride;
        ndim++;
    }
    // a dim of size 1, with the step that torch gives it
    void insert_single(int dim, npy_intp element) { insert(dim, 1, dim < ndim ? dims[dim] * strides[dim] : element); }
    void remove(int dim) {
        std::copy(dims + dim + 1, dims + ndim, dims + dim);
        std::copy(strides + dim + 1, strides + ndim, strides + dim);
        ndim--;
    }
};

// A dimension counted from the front; false if there is none, or for what is no plain integer.
bool read_dim(PyObject* object, int ndim, int& dim);
// A plain integer.
bool read_index(PyObject* object, npy_intp& value);
// A tuple or list of plain integers; the count, or -1.
int read_sizes(PyObject* object, npy_intp* sizes);

}  // namespace rushlight
