// Creation: what functions that make a tensor have in common.
#pragma once

#include "python.h"
#include "shortcut.h"

namespace rushlight {

// Where an option stands among the arguments; -1 if the function does not have it.
struct Places {
    int dtype, device, requires_grad, pin_memory, layout = -1, out = -1, memory_format = -1;
};

// What functions that create a tensor take besides its data.
struct Options {
    int dtype = -1;  // of the table; -1 where none was asked for
    bool requires_grad = false;

    // False where Python must look.
    bool read(const Arguments& arguments, const Places& places);

private:
    bool read_dtype(PyObject* given);
};

template <class T>
T* elements(PyArrayObject* array) {
    return static_cast<T*>(PyArray_DATA(array));
}

// A leaf around the array, whose reference it takes, which remembers the user's line; see `finish` in options.py.
PyObject* finish(PyArrayObject* array, bool requires_grad);

}  // namespace rushlight
