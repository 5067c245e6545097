// Shortcuts: Python functions whose common calls have a native way; the others go on to the Python function.
#pragma once

#include "python.h"

namespace rushlight {

// One call: the arguments in the order of the Python function's parameters, nullptr where none was given.
struct Arguments {
    static constexpr int MOST = 14;
    PyObject* given[MOST] = {};           // borrowed
    PyObject* const* many = nullptr;      // what its `*parameter` takes
    Py_ssize_t many_count = 0;
    int bound = 0;                        // how many parameters have a name
    mutable bool decided = false;         // set by a way that cannot go back: its exceptions are the user's

    PyObject* operator[](int position) const { return given[position]; }
    bool has(int position) const { return given[position] != nullptr && given[position] != Py_None; }
};

// A new reference, or nullptr where it declines (an exception that is set is forgotten, unless it had decided).
using ShortcutRun = PyObject* (*)(const Arguments& arguments);

// The native way of the Python function with this name, such as "core.random.uniform"; known before Python asks.
void add_shortcut(const char* name, ShortcutRun run);

// shortcut(function): the function with its native way before it, or itself where there is none.
bool add_shortcuts(PyObject* module);

}  // namespace rushlight
