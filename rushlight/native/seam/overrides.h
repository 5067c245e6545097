// Overrides: objects that say with `__torch_function__` how functions treat them, and modes that see every call.
#pragma once

#include "seam/disguise.h"
#include "seam/python.h"
#include "seam/state.h"

namespace rushlight {

// How many modes are entered, in all threads: none, nearly always.
extern int watching_modes;

// Whether a function makes tensors, by its name.
bool makes_tensors(PyObject* name);
// Whether a call must ask before native code looks at it: a mode is there, or a transform for what makes tensors.
inline bool is_watched(const Disguise& function) {
    return watching_modes != 0 || (function.makes && state.levels != nullptr);
}

// What a mode or somebody among the arguments makes of a call; nullptr without an exception if nobody has a word.
PyObject* divert(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names);

bool add_overrides(PyObject* module);

}  // namespace rushlight
