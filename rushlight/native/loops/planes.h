// Planes: the last dimensions of a batch of rows or images, one after the other in memory.
#pragma once

#include <algorithm>

#include "loops/folding.h"
#include "memory/threads.h"

namespace rushlight {

// An array of floats in C order, seen as planes of its last one or two dimensions.
struct Planes {
    Ref array;
    int dims = 0, ndim = 0;
    int64_t count = 1, height = 1, width = 1;

    // False where Python has to look: another dtype, nothing in it, another order in memory. A gradient that one number
    // was spread over is copied.
    bool read(PyArrayObject* given, int last) {
        if (given == nullptr || last < 1 || last > 2 || PyArray_NDIM(given) < last || PyArray_SIZE(given) == 0)
            return false;
        int dtype = dtype_of(given);
        if (dtype != FLOAT32 && dtype != FLOAT64) return false;
        if (!PyArray_IS_C_CONTIGUOUS(given) && !is_spread(given)) return false;
        array = in_c_order(given);
        if (!array) return false;
        dims = last;
        ndim = PyArray_NDIM(given);
        width = PyArray_DIM(given, ndim - 1);
        if (last == 2) height = PyArray_DIM(given, ndim - 2);
        count = PyArray_SIZE(given) / (height * width);
        return true;
    }
    int which() const { return PyArray_TYPE(array.array()) == NPY_FLOAT64; }
    int64_t item() const { return PyArray_ITEMSIZE(array.array()); }
    int64_t size() const { return height * width; }
    const char* at(int64_t plane) const { return PyArray_BYTES(array.array()) + plane * size() * item(); }
    int64_t extent(int dim) const { return dims == 1 && dim == 0 ? 1 : PyArray_DIM(array.array(), ndim - 2 + dim); }

    // A new array of planes of another size; nullptr with an exception.
    PyArrayObject* resized(int64_t new_height, int64_t new_width, int type) const {
        npy_intp shape[NPY_MAXDIMS];
        std::copy_n(PyArray_DIMS(array.array()), ndim, shape);
        shape[ndim - 1] = new_width;
        if (dims == 2) shape[ndim - 2] = new_height;
        return new_array_of(shape, type);
    }
    PyArrayObject* resized(int64_t new_height, int64_t new_width) const {
        return resized(new_height, new_width, PyArray_TYPE(array.array()));
    }

private:
    PyArrayObject* new_array_of(const npy_intp* shape, int type) const;

    static bool is_spread(PyArrayObject* given) {
        for (int d = 0; d < PyArray_NDIM(given); d++) {
            if (PyArray_STRIDE(given, d) == 0 && PyArray_DIM(given, d) > 1) return true;
        }
        return false;
    }
};

// Planes that one thread takes at least, of so many elements each.
inline int64_t plane_grain(int64_t size) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(size, 1)); }

// The maxima of windows, of whichever kind, and where they stand within their plane: a tuple of two arrays.
template <class Sizes, class Loop>
PyObject* maxima_of(const Planes& planes, const Sizes& rows, const Sizes& columns, Loop loop) {
    Ref values = Ref::steal(as_object(planes.resized(rows.outputs, columns.outputs)));
    Ref places = Ref::steal(as_object(planes.resized(rows.outputs, columns.outputs, NPY_INT64)));
    if (!values || !places) return nullptr;
    int64_t made = rows.outputs * columns.outputs;
    char* to = PyArray_BYTES(values.array());
    auto* at = static_cast<int64_t*>(PyArray_DATA(places.array()));
    parallel(planes.count, plane_grain(planes.size()), [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; plane++) {
            loop(rows, columns, planes.at(plane), to + plane * made * planes.item(), at + plane * made);
        }
    });
    return PyTuple_Pack(2, values.get(), places.get());
}

}  // namespace rushlight
