// Creation: what functions that make a tensor have in common.
#pragma once

#include "memory/arrays.h"
#include "seam/python.h"
#include "seam/shortcut.h"

namespace rushlight {

// What functions that create a tensor take besides its data.
struct Options {
    int dtype = -1;  // of the table; -1 where none was asked for
    bool requires_grad = false;

    // The five options that most of them have, by their names in the list of what the shortcut reads. False where
    // Python must look.
    template <class List>
    bool read(const Arguments& arguments) {
        return !arguments.has(List::layout) && read_dtype(arguments[List::dtype]) &&
               read_device(arguments[List::device]) &&
               read_flags(arguments[List::pin_memory], arguments[List::requires_grad]);
    }
    bool read_dtype(PyObject* given);
    static bool read_device(PyObject* given);
    bool read_flags(PyObject* pin_memory, PyObject* requires);
};

// A leaf around the array, whose reference it takes, which remembers the user's line; see `finish` in options.py.
PyObject* finish(PyArrayObject* array, bool requires_grad);

}  // namespace rushlight
