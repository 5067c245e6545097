// Cumulative sums and their gradients, which are sums from the other end, and running maxima and minima.
// See ops/reductions/cumulative.py.
#include <algorithm>
#include <vector>

#include "loops/folding.h"
#include "memory/threads.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// A running sum along a dimension, into a new array.
PyArrayObject* running_sum(RowOp op, PyArrayObject* array, int dim) {
    RowRun rows(array);
    Middle middle;
    middle_of(PyArray_NDIM(array), PyArray_DIMS(array), Dims{1} << dim, middle);
    rows.read(0, array, PyArray_SIZE(array));
    rows.write_like(0, array);
    rows.run(op, middle);
    return rows.take(0);
}

NAMES(Cumsum, input, dim, dtype);
NAMES(SavedOfCumsum, dim);

bool forward(Call& call) { return call.give(running_sum(CUMSUM, call.array(Cumsum::input), call.dim(Cumsum::dim))); }

bool backward(Gradient& gradient) {
    return gradient.give(running_sum(CUMSUM_SLOPE, gradient.grad(), gradient.dim(SavedOfCumsum::dim)));
}

struct Larger {
    template <class T>
    static bool takes(T x, T best) {
        return (x >= best) & (best == best);
    }
};

struct Smaller {
    template <class T>
    static bool takes(T x, T best) {
        return (x <= best) & (best == best);
    }
};

constexpr int64_t GRAIN = int64_t{1} << 15;  // elements for which a second thread pays

// One line, in registers.
template <class Which, class T>
void run_line(const T* x, int64_t length, T* values, int64_t* places) {
    T best = x[0];
    int64_t at = 0;
    for (int64_t i = 0; i < length; i++) {
        bool better = Which::takes(x[i], best) | (x[i] != x[i]);
        best = better ? x[i] : best;
        at = better ? i : at;
        values[i] = best;
        places[i] = at;
    }
}

// The best so far of each line of `middle`, and where it stood: of equals the last, and of NaN the last.
template <class Which, class T>
void run_lines(const void* input, const Middle& middle, void* values, int64_t* places) {
    int64_t length = middle.count, step = middle.inner;
    parallel(middle.rows() / step, std::max<int64_t>(1, GRAIN / (length * step)), [&](int64_t begin, int64_t end) {
        for (int64_t block = begin * length * step; block < end * length * step; block += length * step) {
            const T* x = static_cast<const T*>(input) + block;
            T* best = static_cast<T*>(values) + block;
            int64_t* at = places + block;
            if (step == 1) {
                run_line<Which>(x, length, best, at);
                continue;
            }
            std::copy(x, x + step, best);
            std::fill(at, at + step, 0);
            for (int64_t place = 1; place < length; place++) {
                for (int64_t i = place * step; i < (place + 1) * step; i++) {
                    bool better = Which::takes(x[i], best[i - step]) | (x[i] != x[i]);
                    best[i] = better ? x[i] : best[i - step];
                    at[i] = better ? place : at[i - step];
                }
            }
        }
    });
}

// Products of float32 are kept in float64 on the way, as torch does.
template <class T, class Wide>
void multiply_lines(const void* input, const Middle& middle, void* values) {
    int64_t length = middle.count, step = middle.inner;
    parallel(middle.rows() / step, std::max<int64_t>(1, GRAIN / (length * step)), [&](int64_t begin, int64_t end) {
        std::vector<Wide> products(step);
        for (int64_t block = begin * length * step; block < end * length * step; block += length * step) {
            const T* x = static_cast<const T*>(input) + block;
            T* to = static_cast<T*>(values) + block;
            if (step == 1) {
                Wide product = 1;
                for (int64_t i = 0; i < length; i++) to[i] = static_cast<T>(product *= x[i]);
                continue;
            }
            std::fill(products.begin(), products.end(), Wide(1));
            for (int64_t place = 0; place < length; place++, x += step, to += step) {
                for (int64_t i = 0; i < step; i++) to[i] = static_cast<T>(products[i] *= x[i]);
            }
        }
    });
}

NAMES(Cumprod, input, dim, dtype);

bool cumprod(Call& call) {
    PyArrayObject* input = call.array(Cumprod::input);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), Dims{1} << call.dim(Cumprod::dim), middle));
    PyArrayObject* values = call.make(PyArray_NDIM(input), PyArray_DIMS(input), PyArray_TYPE(input));
    auto* run = dtype_of(input) == FLOAT32 ? multiply_lines<float, double> : multiply_lines<double, double>;
    run(PyArray_DATA(input), middle, PyArray_DATA(values));
    return true;
}

NAMES(Extreme, input, dim);

template <class Which>
bool extreme(Call& call) {
    PyArrayObject* input = call.array(Extreme::input);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), Dims{1} << call.dim(Extreme::dim), middle));
    PyArrayObject* values = call.make(PyArray_NDIM(input), PyArray_DIMS(input), PyArray_TYPE(input));
    PyArrayObject* places = call.make(PyArray_NDIM(input), PyArray_DIMS(input), NPY_INT64);
    int dtype = dtype_of(input);
    auto* run = dtype == FLOAT32   ? run_lines<Which, float>
                : dtype == FLOAT64 ? run_lines<Which, double>
                : dtype == INT64   ? run_lines<Which, int64_t>
                                   : run_lines<Which, uint8_t>;
    run(PyArray_DATA(input), middle, PyArray_DATA(values), elements<int64_t>(places));
    return true;
}

constexpr TensorWant lines = tensor(Extreme::input).known().rank_from(1).filled().packed();

KERNEL("cumprod")
    .forward(cumprod, Cumprod::names)
    .takes(tensor(Cumprod::input).floats().rank_from(1).filled().dense(), dim(Cumprod::dim, Cumprod::input),
           none(Cumprod::dtype));
KERNEL("cummax").forward(extreme<Larger>, Extreme::names).takes(lines, dim(Extreme::dim, Extreme::input));
KERNEL("cummin").forward(extreme<Smaller>, Extreme::names).takes(lines, dim(Extreme::dim, Extreme::input));
KERNEL("cumsum")
    .forward(forward, Cumsum::names)
    .takes(tensor(Cumsum::input).floats().rank_from(1).filled(), dim(Cumsum::dim, Cumsum::input), none(Cumsum::dtype))
    .gradient(backward, SavedOfCumsum::names)
    .given(tensor(GRADIENT).floats().rank_from(1).filled(), dim(SavedOfCumsum::dim, GRADIENT));

}  // namespace

}  // namespace rushlight
