// Losses from distributions: the Kullback-Leibler divergence.
#include "kernels/pairs.h"

namespace LEVEL {

namespace {

struct Divergences {
    static constexpr bool has_option = false, costly = true;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        T entropy = y * math::log(y);
        return (y == 0 ? T(0) : entropy) - y * x;
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T, T y, T) {
        return y * -scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T) {
        // as in torch this is NaN, not minus infinity, where the target is 0
        return (math::log(y) + y / y - x) * scale;
    }
};

// The target holds logarithms.
struct LogDivergences {
    static constexpr bool has_option = false, costly = true;
    template <class T>
    static ALWAYS_INLINE T value(T x, T y, T) {
        return math::exp(y) * (y - x);
    }
    template <class T>
    static ALWAYS_INLINE T input_slope(T scale, T, T y, T) {
        return math::exp(y) * -scale;
    }
    template <class T>
    static ALWAYS_INLINE T target_slope(T scale, T x, T y, T) {
        return math::exp(y) * (y - x + 1) * scale;
    }
};

}  // namespace

void likelihood_losses(Table& table) {
    add_pairs<Divergences>(table, rushlight::DIVERGENCES);
    add_pairs<LogDivergences>(table, rushlight::LOG_DIVERGENCES);
}

}  // namespace LEVEL
