// Cumulative sums and products, gradients of sums, which are sums from the other end, and running maxima and minima.
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

// Whole numbers wrap around.
struct Plus {
    static constexpr int first = 0;
    static uint64_t join(uint64_t a, uint64_t b) { return a + b; }
};

struct Times {
    static constexpr int first = 1;
    static uint64_t join(uint64_t a, uint64_t b) { return a * b; }
    static double join(double a, double b) { return a * b; }
};

// A bool is any byte.
inline uint64_t widened(uint8_t x) { return x != 0; }
inline uint64_t widened(int64_t x) { return static_cast<uint64_t>(x); }
inline double widened(float x) { return x; }
inline double widened(double x) { return x; }

// Products of float32 are kept in float64 on the way, as torch does.
template <class How, class T, class Out>
void accumulate_lines(const void* input, const Middle& middle, void* values) {
    using Wide = decltype(widened(T()));
    int64_t length = middle.count, step = middle.inner;
    parallel(middle.rows() / step, std::max<int64_t>(1, GRAIN / (length * step)), [&](int64_t begin, int64_t end) {
        std::vector<Wide> totals(step);
        for (int64_t block = begin * length * step; block < end * length * step; block += length * step) {
            const T* x = static_cast<const T*>(input) + block;
            Out* to = static_cast<Out*>(values) + block;
            if (step == 1) {
                Wide total = How::first;
                for (int64_t i = 0; i < length; i++) {
                    total = How::join(total, widened(x[i]));
                    to[i] = static_cast<Out>(total);
                }
                continue;
            }
            std::fill(totals.begin(), totals.end(), Wide(How::first));
            for (int64_t place = 0; place < length; place++, x += step, to += step) {
                for (int64_t i = 0; i < step; i++) {
                    totals[i] = How::join(totals[i], widened(x[i]));
                    to[i] = static_cast<Out>(totals[i]);
                }
            }
        }
    });
}

// The lines of a call along its dimension, to a new array of this type.
bool accumulated(Call& call, void (*run)(const void*, const Middle&, void*), int type) {
    PyArrayObject* input = call.array(Cumsum::input);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), Dims{1} << call.dim(Cumsum::dim), middle));
    Ref held = in_c_order(input);
    PyArrayObject* values = call.make(PyArray_NDIM(input), PyArray_DIMS(input), type);
    run(PyArray_DATA(held.array()), middle, PyArray_DATA(values));
    return true;
}

bool cumsum(Call& call) {
    int dtype = dtype_of(call.array(Cumsum::input));
    if (dtype == INT64) return accumulated(call, accumulate_lines<Plus, int64_t, int64_t>, NPY_INT64);
    if (dtype == BOOL) return accumulated(call, accumulate_lines<Plus, uint8_t, int64_t>, NPY_INT64);
    return call.give(running_sum(CUMSUM, call.array(Cumsum::input), call.dim(Cumsum::dim)));
}

bool cumprod(Call& call) {
    switch (dtype_of(call.array(Cumsum::input))) {
        case FLOAT32: return accumulated(call, accumulate_lines<Times, float, float>, NPY_FLOAT32);
        case FLOAT64: return accumulated(call, accumulate_lines<Times, double, double>, NPY_FLOAT64);
        case INT64: return accumulated(call, accumulate_lines<Times, int64_t, int64_t>, NPY_INT64);
        default: return accumulated(call, accumulate_lines<Times, uint8_t, int64_t>, NPY_INT64);
    }
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

constexpr TensorWant lines = tensor(Extreme::input).known().widened().rank_from(1).filled().packed();

constexpr TensorWant accumulable = tensor(Cumsum::input).known().widened().rank_from(1).filled();

KERNEL("cumprod")
    .forward(cumprod, Cumsum::names)
    .takes(accumulable, dim(Cumsum::dim, Cumsum::input), none(Cumsum::dtype));
KERNEL("cummax").forward(extreme<Larger>, Extreme::names).takes(lines, dim(Extreme::dim, Extreme::input));
KERNEL("cummin").forward(extreme<Smaller>, Extreme::names).takes(lines, dim(Extreme::dim, Extreme::input));
KERNEL("cumsum")
    .forward(cumsum, Cumsum::names)
    .takes(accumulable, dim(Cumsum::dim, Cumsum::input), none(Cumsum::dtype))
    .gradient(backward, SavedOfCumsum::names)
    .given(tensor(GRADIENT).floats().widened().rank_from(1).filled(), dim(SavedOfCumsum::dim, GRADIENT));

}  // namespace

}  // namespace rushlight
