// Losses of a regression: how far numbers are from those that they should be.
#include "kernels/pairs.h"

namespace LEVEL {

namespace {

// A NaN stays.
template <class T>
ALWAYS_INLINE T limited(T x, T most) {
    x = x < -most ? -most : x;
    return x > most ? most : x;
}

// d * d / 2 below the bend, bend * (d - bend / 2) above it, for the absolute value d of a difference
template <class T>
ALWAYS_INLINE T rounded_off(T difference, T bend) {
    T size = math::abs(difference), curved = size > bend ? bend : size;
    return curved * (size - T(0.5) * curved);
}

struct Squares {
    static constexpr bool has_option = false, costly = false;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        return (x - y) * (x - y);
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T) {
        return (x - y) * (2 * scale);
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T) {
        return (y - x) * (2 * scale);
    }
};

struct Distances {
    static constexpr bool has_option = false, costly = false;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        return math::abs(x - y);
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T) {
        return math::sign(x - y) * scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T) {
        return math::sign(y - x) * scale;
    }
};

struct SmoothDistances {
    static constexpr bool has_option = true, costly = false;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T beta) {
        return rounded_off(x - y, beta) / beta;
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T beta) {
        return limited((x - y) / beta, T(1)) * scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T beta) {
        return limited((y - x) / beta, T(1)) * scale;
    }
};

struct HuberDistances {
    static constexpr bool has_option = true, costly = false;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T delta) {
        return rounded_off(x - y, delta);
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T delta) {
        return limited(x - y, delta) * scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T delta) {
        return limited(y - x, delta) * scale;
    }
};

}  // namespace

void losses(Table& table) {
    add_pairs<Squares>(table, rushlight::SQUARED_DISTANCES);
    add_pairs<Distances>(table, rushlight::DISTANCES);
    add_pairs<SmoothDistances>(table, rushlight::SMOOTH_DISTANCES);
    add_pairs<HuberDistances>(table, rushlight::HUBER_DISTANCES);
}

}  // namespace LEVEL
