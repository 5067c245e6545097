// Distances: between the rows of matrices, by sums of absolute differences or the roots of sums of squares. See
// ops/products/distances.py, which does the other norms, and those from a product of matrices.
#include <algorithm>

#include "kernels/table.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

constexpr int64_t WORK = 1 << 15;      // differences that are worth another thread
constexpr npy_intp MOST_BY_ROWS = 25;  // of more points torch takes euclidean distances from a product

// The coordinates of (count, width) points, the first one of each together.
template <class T>
void turn(const T* points, int64_t count, int64_t width, T* to) {
    for (int64_t c = 0; c < width; c++) {
        for (int64_t j = 0; j < count; j++) to[c * count + j] = points[j * width + c];
    }
}

template <class T>
void measure_all(const T* one, const T* other, int64_t batches, int64_t rows, int64_t count, int64_t width,
                 bool squared, T* spare, T* to) {
    DistanceLoop loop = table().products.distances[sizeof(T) == sizeof(double)][squared];
    for (int64_t b = 0; b < batches; b++, other += count * width) {
        turn(other, count, width, spare);
        const T* points = one + b * rows * width;
        T* found = to + b * rows * count;
        parallel(rows, WORK / std::max<int64_t>(count * width, 1) + 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) {
                loop(points + i * width, spare, width, count, count, found + i * count);
            }
        });
    }
}

template <class T>
void measure_pairs(const T* points, int64_t count, int64_t width, bool squared, T* spare, T* to) {
    DistanceLoop loop = table().products.distances[sizeof(T) == sizeof(double)][squared];
    turn(points, count, width, spare);
    parallel(count - 1, WORK / (count * width) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            // the pairs of the points before it
            T* found = to + i * (count - 1) - i * (i - 1) / 2;
            loop(points + i * width, spare + i + 1, width, count, count - 1 - i, found);
        }
    });
}

NAMES(Crossed, x1, x2, p, compute_mode);
NAMES(Paired, input, p);

bool is_known(double p) { return p == 1 || p == 2; }

bool crossed(Call& call) {
    PyArrayObject *one = call.array(Crossed::x1), *other = call.array(Crossed::x2);
    double p = call.number(Crossed::p);
    int ndim = PyArray_NDIM(one);
    npy_intp rows = PyArray_DIM(one, ndim - 2), count = PyArray_DIM(other, ndim - 2);
    npy_intp width = PyArray_DIM(one, ndim - 1);
    DECLINE_IF(!is_known(p) || (p == 2 && std::max(rows, count) > MOST_BY_ROWS));
    DECLINE_IF(call[Crossed::compute_mode] != call.op->parameters[call.op->places[Crossed::compute_mode]].fallback);
    DECLINE_IF(PyArray_NDIM(other) != ndim || PyArray_DIM(other, ndim - 1) != width);
    npy_intp dims[NPY_MAXDIMS], batches = 1;
    for (int d = 0; d < ndim - 2; d++) {
        dims[d] = PyArray_DIM(one, d);
        batches *= dims[d];
        DECLINE_IF(PyArray_DIM(other, d) != dims[d]);
    }
    dims[ndim - 2] = rows;
    dims[ndim - 1] = count;
    npy_intp room = count * width;
    Ref spare = Ref::steal(as_object(made(new_array(1, &room, PyArray_TYPE(one)))));
    PyArrayObject* result = call.make(ndim, dims, PyArray_TYPE(one));
    with_float(dtype_of(one), [&](auto zero) {
        using T = decltype(zero);
        measure_all(elements<const T>(one), elements<const T>(other), batches, rows, count, width, p == 2,
                    elements<T>(spare.array()), elements<T>(result));
    });
    return true;
}

bool paired(Call& call) {
    PyArrayObject* points = call.array(Paired::input);
    double p = call.number(Paired::p);
    npy_intp count = PyArray_DIM(points, 0), width = PyArray_DIM(points, 1);
    constexpr npy_intp MANY = npy_intp{1} << 28;  // Python says what has no room
    DECLINE_IF(!is_known(p) || count < 2 || count > MANY);
    npy_intp room = count * width, pairs = count * (count - 1) / 2;
    Ref spare = Ref::steal(as_object(made(new_array(1, &room, PyArray_TYPE(points)))));
    PyArrayObject* result = call.make(1, &pairs, PyArray_TYPE(points));
    with_float(dtype_of(points), [&](auto zero) {
        using T = decltype(zero);
        measure_pairs(elements<const T>(points), count, width, p == 2, elements<T>(spare.array()), elements<T>(result));
    });
    return true;
}

// The node of distances that come from no product has one name.
unsigned by_rows(const Call&) { return 1; }

KERNEL("cdist")
    .forward(crossed, Crossed::names)
    .takes(tensor(Crossed::x1).floats().rank_from(2).filled().packed())
    .takes(tensor(Crossed::x2).like(Crossed::x1).rank_from(2).filled().packed(), number(Crossed::p))
    .naming(by_rows);
KERNEL("pdist")
    .forward(paired, Paired::names)
    .takes(tensor(Paired::input).floats().rank(2).filled().packed(), number(Paired::p));

}  // namespace

}  // namespace rushlight
