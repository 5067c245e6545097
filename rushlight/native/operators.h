// Operators: Python's slots for +, *, ==, [] and the like, each going to the function of its op.
#pragma once

#include "python.h"

namespace rushlight {

extern PyNumberMethods tensor_as_number;
extern PyMappingMethods tensor_as_mapping;
PyObject* tensor_compare(PyObject* one, PyObject* other, int operation);

// set_operator(name, function): "add", "iadd", "neg", "lt" ...
PyObject* set_operator(PyObject*, PyObject* args);

}  // namespace rushlight
