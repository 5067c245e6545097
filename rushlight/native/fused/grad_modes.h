// Modes of recording: `with no_grad():` without a Python frame. See autograd/modes.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

bool add_grad_modes(PyObject* module);

}  // namespace rushlight
