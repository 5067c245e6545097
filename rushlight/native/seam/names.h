// Names: interned strings, and values that dicts hold under them.
#pragma once

#include <initializer_list>

#include "seam/python.h"

namespace rushlight {

struct Name {
    PyObject** place;
    const char* text;
};

// Fill the places; false with an exception.
inline bool intern(std::initializer_list<Name> names) {
    for (const Name& each : names) {
        *each.place = PyUnicode_InternFromString(each.text);
        if (*each.place == nullptr) return false;
    }
    return true;
}

// The value of a dict, or nullptr, never with an exception. Borrowed: looking up may run a key's code.
inline PyObject* find(PyObject* dict, PyObject* key) {
    PyObject* found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr) PyErr_Clear();
    return found;
}

}  // namespace rushlight
