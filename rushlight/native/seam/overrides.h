// Overrides: objects that say with `__torch_function__` how functions treat them, and modes that see every call.
#pragma once

#include "seam/python.h"

namespace rushlight {

// How many modes are entered, in all threads: none, nearly always.
extern int watching_modes;

// What a mode or somebody among the arguments makes of a call; nullptr without an exception if nobody has a word.
PyObject* divert(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names);

bool add_overrides(PyObject* module);

}  // namespace rushlight
