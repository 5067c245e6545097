// Networks: the layers of a Sequential in a compiled function, in one pass. See design/0010.
#pragma once

#include "seam/python.h"

namespace rushlight {

// What a Sequential of linear layers and activations gives, with the graph that its layers would record; where nothing
// is recorded, without a tensor between them. nullptr without an exception for others: then nothing was done yet.
PyObject* run_network(PyObject* module, PyObject* input);

}  // namespace rushlight
