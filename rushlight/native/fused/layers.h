// Layers: the base type of nn.Module. See nn/modules/module_calls.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

// module(input), without a tuple for the arguments where that is the native call.
PyObject* call_layer(PyObject* module, PyObject* input);

// Whether the object's class looks up attributes natively, and nothing of its own.
bool finds_natively(PyObject* object);

bool add_layers(PyObject* module);

}  // namespace rushlight
