// Forwards: the `forward` of common layers, without a Python frame. See nn/modules/passing.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

// What `forward(self, input)` gives, where `input` is not nullptr (the call has other arguments), if it is a function
// that is known here; nullptr without an exception if it is not, or if something is unusual: then nothing was done yet.
// `fields` is the module's dict.
PyObject* run_forward(PyObject* forward, PyObject* self, PyObject* fields, PyObject* input);

// The function of an op that a plain module's forward passes its input on to, and how many attributes follow it;
// nullptr where it is none. It stands in the dict `space`. Where the module runs others in turn, `space` is their dict
// instead. Borrowed.
struct Function;
Function* passed_function(PyObject* module, PyObject* fields, int& options, PyObject*& space);

bool add_forwards(PyObject* module);

// The class of compiled modules around networks, once one was called.
extern PyTypeObject* wrapper_class;
// The network in a compiled module that was called before and has not changed; nullptr, with or without an exception,
// where the call must go its usual way.
PyObject* run_known_wrapper(PyObject* module, PyObject* input);

}  // namespace rushlight
