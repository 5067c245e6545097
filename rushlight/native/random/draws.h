// Reading the arguments of random functions: shapes, dtypes, numbers. False means that Python has to look at them.
#pragma once

#include "memory/arrays.h"
#include "random/random.h"
#include "seam/python.h"

namespace rushlight {

struct Shape {
    int ndim = 0;
    npy_intp dims[NPY_MAXDIMS];

    // a tuple or list of plain integers
    bool read(PyObject* sizes);
    bool read(PyObject* const* sizes, Py_ssize_t count);
    // the shape that an array has together with those before it
    bool broadcast(PyArrayObject* array);
};

// A plain Python number; nullptr is the default.
bool read_number(PyObject* value, double fallback, double& number);
bool read_integer(PyObject* value, int64_t& number);
// True or False; nullptr is the default.
bool read_flag(PyObject* value, bool fallback, bool& flag);
// The type number of a NumPy dtype in native byte order.
bool read_type(PyObject* dtype, int& type);

// Whether loops can read or write the array as one stretch of memory.
inline bool is_plain(PyArrayObject* array) {
    return PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
}
// The array as a contiguous one of the shape that it broadcasts to: itself, or a copy.
Ref spread(PyArrayObject* array, const Shape& shape);

// A new array that `fill(data, count)` has filled; nullptr if it declines.
template <class Fill>
PyArrayObject* filled(int ndim, const npy_intp* dims, int type, Fill fill) {
    Ref made = Ref::steal(reinterpret_cast<PyObject*>(new_array(ndim, dims, type)));
    if (!made || !fill(PyArray_DATA(made.array()), static_cast<int64_t>(PyArray_SIZE(made.array())))) return nullptr;
    return reinterpret_cast<PyArrayObject*>(made.release());
}

// Indices drawn from each row of a C-contiguous array of one or two dims: a new int64 array.
PyArrayObject* multinomial(Stream& stream, PyArrayObject* weights, int64_t samples, bool replacement);

bool add_validation(PyObject* module);

}  // namespace rushlight
