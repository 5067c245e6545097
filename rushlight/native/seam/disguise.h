// Disguise: the base type of native objects that stand in for Python functions and look like them.
#pragma once

#include "seam/python.h"

namespace rushlight {

struct Disguise {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* python;  // the function it looks like, and asks for what is rare
    PyObject* dict;
    PyObject* weak_references;
    bool makes;  // whether it makes tensors, which function transforms have a word in
};

extern PyTypeObject DisguiseType;

// Flags of a type that is derived from it.
constexpr unsigned long DISGUISED =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;

// For the derived type's own functions; before_dealloc is the first thing that its dealloc does.
int traverse_disguise(PyObject* self, visitproc visit, void* arg);
int clear_disguise(PyObject* self);
void before_dealloc(PyObject* self);

}  // namespace rushlight
