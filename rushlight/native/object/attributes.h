// Attributes: what a tensor answers without arithmetic, in C where the answer is plain.
#pragma once

#include "seam/python.h"

namespace rushlight {

// What Python does in the rare cases, by name; see NAMES in attributes.cpp.
enum Attribute {
    SHAPE,
    DTYPE,
    NDIM,
    REQUIRES_GRAD,
    IS_LEAF,
    GRAD_FN,
    GRAD,
    DATA,
    SIZE,
    DIM,
    NDIMENSION,
    NUMEL,
    NELEMENT,
    STRIDE,
    STORAGE_OFFSET,
    DATA_PTR,
    CPU,
    ITEM,
    TOLIST,
    NUMPY,
    DETACH,
    REQUIRES_GRAD_,
    TO_FLOAT,
    TO_DOUBLE,
    TO_LONG,
    TO_INT,
    TO_BYTE,
    TO_BOOL,
    TO,
    CONTIGUOUS,
    IS_CONTIGUOUS,
    COPY_,
    COPY_INNER,
    ZERO_,
    FILL_,
    PUT_INNER,
    FLOAT,
    INT,
    BOOLEAN,
    INDEX,
    ITER,
    ATTRIBUTES,
};

// The Python form; borrowed, nullptr before Python gave it.
PyObject* form_of(Attribute which);
// Its answer, for a property or a method without arguments.
PyObject* ask(Attribute which, PyObject* self);
PyObject* call_python(Attribute which, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);

// For the tables of methods: those with arguments.
constexpr int KEYWORDS = METH_FASTCALL | METH_KEYWORDS;
using WithKeywords = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyCFunction plain_function(WithKeywords function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// Whether an object is one of Rushlight's dtypes.
bool is_dtype(PyObject* object);

// Put the methods, fields and slots into the base type; before PyType_Ready.
void prepare_attributes();

// adopt(name, form): take the Python form of a method or property that the base type has, for its rare cases; False
// where the base type has none of this name, and the form belongs on the class.
PyObject* adopt_attribute(PyObject*, PyObject* args);

}  // namespace rushlight
