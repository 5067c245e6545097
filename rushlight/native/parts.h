// The parts of the extension: each adds its functions and types to the module.
#pragma once

#include "python.h"

namespace rushlight {

// All of them; false with an exception.
bool add_parts(PyObject* module);

// The rows of kernels/ as kernels; false with an exception.
bool register_pointwise();

}  // namespace rushlight
