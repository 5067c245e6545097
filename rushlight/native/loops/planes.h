// Planes: the last dimensions of a batch of rows, images or volumes, one after the other in memory.
#pragma once

#include <algorithm>
#include <vector>

#include "loops/folding.h"
#include "memory/threads.h"

namespace rushlight {

// An array of numbers in C order, seen as planes of its last one, two or three dimensions.
struct Planes {
    Ref array;
    int dims = 0, ndim = 0;
    int64_t count = 1, depth = 1, height = 1, width = 1;

    // False where Python has to look: fewer dims, or another order in memory. A gradient that one number was spread
    // over is copied.
    bool read(PyArrayObject* given, int last) {
        ndim = PyArray_NDIM(given);
        DECLINE_IF(last < 1 || last > 3 || ndim < last);
        DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(given) && !is_spread(given));
        array = in_c_order(given);
        dims = last;
        width = PyArray_DIM(given, ndim - 1);
        if (last > 1) height = PyArray_DIM(given, ndim - 2);
        if (last > 2) depth = PyArray_DIM(given, ndim - 3);
        count = PyArray_SIZE(given) / size();
        return true;
    }
    int which() const { return PyArray_TYPE(array.array()) == NPY_FLOAT64; }
    int64_t item() const { return PyArray_ITEMSIZE(array.array()); }
    int64_t size() const { return depth * height * width; }
    const char* at(int64_t plane) const { return PyArray_BYTES(array.array()) + plane * size() * item(); }
    int64_t extent(int dim) const { return dim == 0 ? depth : dim == 1 ? height : width; }

    // Planes of another size as the next result of a call; of the same dtype, or of this one.
    PyArrayObject* resized(Call& call, int64_t new_depth, int64_t new_height, int64_t new_width, int type = -1) const {
        Geometry shape(array.array());
        shape.dims[ndim - 1] = new_width;
        if (dims > 1) shape.dims[ndim - 2] = new_height;
        if (dims > 2) shape.dims[ndim - 3] = new_depth;
        return call.make(ndim, shape.dims, type < 0 ? PyArray_TYPE(array.array()) : type);
    }

private:
    static bool is_spread(PyArrayObject* given) {
        for (int d = 0; d < PyArray_NDIM(given); d++) {
            if (PyArray_STRIDE(given, d) == 0 && PyArray_DIM(given, d) > 1) return true;
        }
        return false;
    }
};

// Planes that one thread takes at least, of so many elements each.
inline int64_t plane_grain(int64_t size) { return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(size, 1)); }

// Call `work(plane, spare)` on all planes, threads with spare memory of their own.
template <class Work>
void each_plane(const Planes& planes, int64_t size, int64_t spare, Work work) {
    parallel(planes.count, plane_grain(size), [&](int64_t begin, int64_t end) {
        std::vector<double> memory(spare);
        for (int64_t plane = begin; plane < end; plane++) work(plane, memory.data());
    });
}

// The maxima of windows, of whichever kind, and where they stand within their plane: both results of a call.
template <class Sizes, class Loop>
bool give_maxima(Call& call, const Planes& planes, const Sizes& depth, const Sizes& rows, const Sizes& columns,
                 Loop loop) {
    char* to = PyArray_BYTES(planes.resized(call, depth.outputs, rows.outputs, columns.outputs));
    auto* at = elements<int64_t>(planes.resized(call, depth.outputs, rows.outputs, columns.outputs, NPY_INT64));
    int64_t made = depth.outputs * rows.outputs * columns.outputs;
    each_plane(planes, planes.size(), 0, [&](int64_t plane, double*) {
        loop(depth, rows, columns, planes.at(plane), to + plane * made * planes.item(), at + plane * made);
    });
    return true;
}

}  // namespace rushlight
