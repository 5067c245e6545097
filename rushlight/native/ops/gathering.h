// Gathering: elements whose position along one dimension a tensor gives.
#pragma once

#include "ops/views.h"
#include "seam/decline.h"
#include "seam/python.h"

namespace rushlight {

// Add values to a whole where `gather` would read them; false, with nothing added, where Python has to look.
bool add_gathered(PyArrayObject* whole, PyArrayObject* values, int dim, PyArrayObject* index);

// Zeros of a shape, with the values added where `gather` reads: the result of a Call, or what a Gradient finds.
template <class Output>
bool gather_into(Output& output, PyArrayObject* values, PyObject* dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int place, count = read_sizes(shape, sizes);
    DECLINE_IF(count < 1 || !read_dim(dim, count, place));
    return add_gathered(output.make_zeros(count, sizes, PyArray_TYPE(values)), values, place, index);
}

}  // namespace rushlight
