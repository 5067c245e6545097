// Shortcuts: Python functions whose common calls have a native way; the others go on to the Python function.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "seam/kernel.h"
#include "seam/python.h"

namespace rushlight {

// One call: the arguments of a Python function, nullptr where none was given.
struct Arguments {
    static constexpr int MOST = 14;
    PyObject* given[MOST] = {};       // in the order of the function's parameters; borrowed
    const int8_t* places = nullptr;   // where what the shortcut reads stands among them
    PyObject* const* many = nullptr;  // what its `*parameter` takes
    Py_ssize_t many_count = 0;
    mutable bool decided = false;  // set by a way that cannot go back: its exceptions are the user's

    // an argument by its name among what the shortcut reads; borrowed
    template <class Name>
    PyObject* operator[](Name name) const {
        static_assert(std::is_enum_v<Name>, "arguments are read by name: see NAMES");
        return given[places[name]];
    }
    template <class Name>
    bool has(Name name) const {
        return (*this)[name] != nullptr && (*this)[name] != Py_None;
    }
};

// "core.random.random.uniform" of a function that rushlight.core.random.random defines. False with an exception.
bool qualified_name(PyObject* function, std::string& name);

// shortcut(function): the function with its native way before it, or itself where there is none.
// Let arguments and modes have a word before a shortcut; false for what is none.
bool mark_overridable(PyObject* object);
bool add_shortcuts(PyObject* module);

}  // namespace rushlight
