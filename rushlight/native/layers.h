// Layers: the base type of nn.Module. See nn/modules/module_calls.py.
#pragma once

#include "python.h"

namespace rushlight {

bool add_layers(PyObject* module);

}  // namespace rushlight
