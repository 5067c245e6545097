// Operators: Python's slots for +, *, ==, [] and the like, each going to the function of its op.
#pragma once

#include "seam/python.h"

namespace rushlight {

extern PyNumberMethods tensor_as_number;
extern PyMappingMethods tensor_as_mapping;
PyObject* tensor_compare(PyObject* one, PyObject* other, int operation);

// `x[index]`
PyObject* read_item(PyObject* self, PyObject* index);

// The same with tensors of positions or a mask as the index; nullptr without an exception for another index, or where
// Python must look.
PyObject* read_positions(PyObject* self, PyObject* index);

// `x[index] = value` with a plain index, and no history to record: 1 if it is done, 0 where Python must do it, -1 with
// an exception.
int write_part(PyObject* self, PyObject* index, PyObject* value);
// The same with tensors of positions or a mask as the index.
int write_positions(PyObject* self, PyObject* index, PyObject* value);

// set_operator(name, function): "add", "iadd", "neg", "lt" ...
PyObject* set_operator(PyObject*, PyObject* args);

}  // namespace rushlight
