// Lifting: a call with a lifted tensor goes to the highest level among its arguments. See
// ops/machine/transforms/lifting.py.
#pragma once

#include "seam/call.h"

namespace rushlight {

// An op where function transforms run; nullptr without an exception if no argument takes part in one, or if the call
// is Python's.
PyObject* call_lifted(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names);

bool add_lifting(PyObject* module);

}  // namespace rushlight
