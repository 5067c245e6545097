// Locations: the user's line behind a call, kept as (code object, instruction).
#pragma once

#include "seam/python.h"

namespace rushlight {

// A place in the user's code; never a frame, which would keep the user's variables alive.
struct Place {
    PyCodeObject* code = nullptr;  // owned, or nullptr where nobody knows
    int instruction = 0;
};

// The innermost line outside rushlight on the stack.
Place user_place();

// The place as Python knows it: (code, instruction), or None; a new reference.
PyObject* place_tuple(const Place& place);
// The other way; false (with an exception) if the object is no place.
bool place_from(PyObject* object, Place& place);

inline void clear_place(Place& place) { Py_CLEAR(place.code); }

// Python gives the folder of the package once, at import.
PyObject* set_package(PyObject*, PyObject* folder);
PyObject* user_line(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace rushlight
