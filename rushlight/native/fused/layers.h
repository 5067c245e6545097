// Layers: the base type of nn.Module. See nn/modules/module_calls.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

// module(input), without a tuple for the arguments where that is the native call.
PyObject* call_layer(PyObject* module, PyObject* input);

constexpr int HOOK_KINDS = 4;
// Whether there are hooks of all modules.
bool has_hooks_of_all();
// The dicts of a plain module's own hooks, which are empty; borrowed from its dict.
void own_hooks(PyObject* fields, PyObject* (&hooks)[HOOK_KINDS]);
// The dict of a module that is called natively and has no hooks, a new reference; nullptr, without an exception, for
// any other.
PyObject* plain_fields(PyObject* module);
// An attribute of such a module as its class finds it, if that runs no code: a field, or what is registered. Borrowed.
PyObject* find_attribute(PyObject* module, PyObject* fields, PyObject* name);

// Whether the object's class looks up attributes natively, and nothing of its own.
bool finds_natively(PyObject* object);

bool add_layers(PyObject* module);

}  // namespace rushlight
