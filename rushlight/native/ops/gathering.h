// Gathering: elements whose position along one dimension a tensor gives.
#pragma once

#include "ops/views.h"
#include "seam/call.h"
#include "seam/decline.h"
#include "seam/python.h"

namespace rushlight {

// Whether an in-place call would read what it has written.
bool reads_target(const Call& call, PyArrayObject* index, PyArrayObject* source);
// The result, to be written to: a copy of the input, or what an in-place call brings.
PyArrayObject* target_of(Call& call, PyArrayObject* input);

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
