// Networks: the layers of a Sequential in a compiled function, without a tensor between them. See design/0010.
#pragma once

#include "seam/python.h"

namespace rushlight {

// What a Sequential of linear layers and activations gives, where nothing is recorded and nobody could see what lies
// between its layers; nullptr without an exception where that is not so: then nothing was done yet.
PyObject* run_network(PyObject* module, PyObject* input);

}  // namespace rushlight
