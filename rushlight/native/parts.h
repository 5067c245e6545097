// The parts of the extension: each adds its functions and types to the module, and its kernels to the table.
#pragma once

#include "python.h"

namespace rushlight {

// All of them; false with an exception.
bool add_parts(PyObject* module);

void register_pointwise();

}  // namespace rushlight
