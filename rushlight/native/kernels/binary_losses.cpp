// Losses of yes-or-no questions: how unlikely each answer was.
#include "kernels/pairs.h"

namespace LEVEL {

namespace {

// What torch takes for the logarithm of a probability of 0, and for the smallest product of one and its complement.
constexpr double LOWEST_LOG = -100, SMALLEST_PRODUCT = 1e-12;

template <class T>
ALWAYS_INLINE T at_least(T x, T least) {
    return x < least ? least : x;
}

struct Surprises {
    static constexpr bool has_option = false, costly = true;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        T yes = at_least(math::log(x), T(LOWEST_LOG)), no = at_least(math::log1p(-x), T(LOWEST_LOG));
        return (y - 1) * no - y * yes;
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T) {
        return scale * ((x - y) / at_least((1 - x) * x, T(SMALLEST_PRODUCT)));
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T, T) {
        return scale * (at_least(math::log(1 - x), T(LOWEST_LOG)) - at_least(math::log(x), T(LOWEST_LOG)));
    }
};

struct LogitSurprises {
    static constexpr bool has_option = false, costly = true;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        return at_least(x, T(0)) - x * y + math::log1p(math::exp(-math::abs(x)));
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T x, T y, T) {
        return (math::sigmoid(x) - y) * scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T, T) {
        return -x * scale;
    }
};

template <class T>
bool is_probable(const void* values, int64_t count) {
    auto* x = static_cast<const T*>(values);
    int64_t wrong = 0;
    // asked this way round, a NaN is wrong too
#pragma omp simd reduction(+ : wrong)
    for (int64_t i = 0; i < count; i++) wrong += (x[i] >= 0) & (x[i] <= 1) ? 0 : 1;
    return wrong == 0;
}

}  // namespace

void binary_losses(Table& table) {
    add_pairs<Surprises>(table, rushlight::SURPRISES);
    add_pairs<LogitSurprises>(table, rushlight::LOGIT_SURPRISES);
    table.losses.is_probable[rushlight::FLOAT32] = is_probable<float>;
    table.losses.is_probable[rushlight::FLOAT64] = is_probable<double>;
}

}  // namespace LEVEL
