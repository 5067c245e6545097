// Grids: images read at places that a grid of coordinates names, and values shared out there; planes, read linearly or
// at the nearest element. See ops/images/resampling/grids.py.
#include "loops/grids.h"

#include <algorithm>

#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

NAMES(Sampled, input, grid, mode, padding, align, orders);
NAMES(Spread, values, grid, shape, mode, padding, align, orders);

// False where Python has to look: cubes, cubic weights, second derivatives.
bool read(Reading& reading, npy_intp mode, npy_intp padding, PyObject* orders, npy_intp height, npy_intp width) {
    npy_intp given[NPY_MAXDIMS];
    DECLINE_IF(mode < LINEAR || mode > NEAREST || padding < ZEROS || padding > REFLECTION);
    DECLINE_IF(read_sizes(orders, given) != 2);
    DECLINE_IF(std::max(given[0], given[1]) > 1 || std::min(given[0], given[1]) < 0);
    reading.mode = static_cast<int>(mode);
    reading.border = static_cast<int>(padding);
    reading.sizes[0] = height, reading.sizes[1] = width;
    reading.orders[0] = given[0], reading.orders[1] = given[1];
    return true;
}

template <class T>
void take(const Reading& reading, PyArrayObject* input, PyArrayObject* grid, PyArrayObject* result) {
    int64_t size = reading.sizes[0] * reading.sizes[1], points = PyArray_DIM(grid, 1) * PyArray_DIM(grid, 2);
    const T *plane = elements<const T>(input), *places = elements<const T>(grid);
    T* to = elements<T>(result);
    Around4<T> around(reading, points);
    for (npy_intp n = 0; n < PyArray_DIM(input, 0); n++, places += 2 * points) {
        around.read(reading, places);
        for (npy_intp c = 0; c < PyArray_DIM(input, 1); c++, plane += size, to += points) around.take(plane, to);
    }
}

bool sampled_forward(Call& call) {
    PyArrayObject *input = call.array(Sampled::input), *grid = call.array(Sampled::grid);
    DECLINE_IF(PyArray_DIM(grid, 3) != 2 || PyArray_DIM(grid, 0) != PyArray_DIM(input, 0));
    Reading reading;
    reading.align = call.flag(Sampled::align);
    if (!read(reading, call.integer(Sampled::mode), call.integer(Sampled::padding), call[Sampled::orders],
              PyArray_DIM(input, 2), PyArray_DIM(input, 3))) {
        return false;
    }
    npy_intp dims[] = {PyArray_DIM(input, 0), PyArray_DIM(input, 1), PyArray_DIM(grid, 1), PyArray_DIM(grid, 2)};
    PyArrayObject* result = call.make(4, dims, PyArray_TYPE(input));
    (PyArray_TYPE(input) == NPY_FLOAT32 ? take<float> : take<double>)(reading, input, grid, result);
    return true;
}

template <class T>
void spread(const Reading& reading, PyArrayObject* values, PyArrayObject* grid, PyArrayObject* result) {
    int64_t size = reading.sizes[0] * reading.sizes[1], points = PyArray_DIM(grid, 1) * PyArray_DIM(grid, 2);
    const T *from = elements<const T>(values), *places = elements<const T>(grid);
    T* plane = elements<T>(result);
    Around4<T> around(reading, points);
    std::vector<double> part(size), sums(size);
    for (npy_intp n = 0; n < PyArray_DIM(result, 0); n++, places += 2 * points) {
        around.read(reading, places);
        for (npy_intp c = 0; c < PyArray_DIM(result, 1); c++, plane += size, from += points) {
            around.spread(from, part.data(), sums.data(), plane, size);
        }
    }
}

bool spread_forward(Call& call) {
    PyArrayObject *values = call.array(Spread::values), *grid = call.array(Spread::grid);
    npy_intp dims[NPY_MAXDIMS];
    DECLINE_IF(read_sizes(call[Spread::shape], dims) != 4 || std::min({dims[0], dims[1], dims[2], dims[3]}) < 1);
    npy_intp wanted[] = {dims[0], dims[1], PyArray_DIM(grid, 1), PyArray_DIM(grid, 2)};
    DECLINE_IF(PyArray_DIM(grid, 3) != 2 || PyArray_DIM(grid, 0) != dims[0]);
    DECLINE_IF(!PyArray_CompareLists(PyArray_DIMS(values), wanted, 4));
    Reading reading;
    reading.align = call.flag(Spread::align);
    if (!read(reading, call.integer(Spread::mode), call.integer(Spread::padding), call[Spread::orders], dims[2],
              dims[3])) {
        return false;
    }
    PyArrayObject* result = call.make(4, dims, PyArray_TYPE(values));
    (PyArray_TYPE(values) == NPY_FLOAT32 ? spread<float> : spread<double>)(reading, values, grid, result);
    return true;
}

// The node is named after the grid's dimensions: Python knows its class.
unsigned unknown(const Call&) { return 0; }

KERNEL("_grid_sampler")
    .forward(sampled_forward, Sampled::names)
    .takes(tensor(Sampled::input).floats().widened().rank(4).filled().packed())
    .takes(tensor(Sampled::grid).like(Sampled::input).rank(4).filled().packed(), integer(Sampled::mode))
    .takes(integer(Sampled::padding), flag(Sampled::align))
    .naming(unknown);
KERNEL("_grid_spread")
    .forward(spread_forward, Spread::names)
    .takes(tensor(Spread::values).floats().widened().rank(4).filled().packed())
    .takes(tensor(Spread::grid).like(Spread::values).rank(4).filled().packed(), integer(Spread::mode))
    .takes(integer(Spread::padding), flag(Spread::align));

}  // namespace

}  // namespace rushlight
