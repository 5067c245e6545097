// Gathering: elements whose position along one dimension a tensor gives.
#pragma once

#include "seam/python.h"

namespace rushlight {

// Zeros of a shape, with the values added where `gather` reads; nullptr where Python has to look.
PyArrayObject* gathered_into(PyArrayObject* values, PyObject* dim, PyArrayObject* index, PyObject* shape);

}  // namespace rushlight
