// Forwards: the `forward` of common layers, without a Python frame. See nn/modules/passing.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

// What `forward(self, input)` gives, where `input` is not nullptr (the call has other arguments), if it is a function
// that is known here; nullptr without an exception if it is not, or if something is unusual: then nothing was done yet.
// `fields` is the module's dict.
PyObject* run_forward(PyObject* forward, PyObject* self, PyObject* fields, PyObject* input);

bool add_forwards(PyObject* module);

}  // namespace rushlight
