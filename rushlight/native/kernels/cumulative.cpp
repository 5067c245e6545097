// Cumulative sums, forwards and, for the gradient, backwards; they keep more digits than their elements.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

template <bool backwards>
struct CumulativeSum {
    template <class T>
    static ALWAYS_INLINE void run(const Along& way, const Row<T>& row) {
        const T* x = row.input(0);
        T* out = row.output(0);
        double total = 0;
        for (int64_t step = 0; step < way.count; step++) {
            int64_t at = backwards ? way.count - 1 - step : step;
            total += x[at];
            out[at] = T(total);
        }
    }

    template <class T>
    static ALWAYS_INLINE void run(const Across& way, const Row<T>& row) {
        Across::State<double> total;
        way.once([&](int64_t column) { total[column] = 0; });
        for (int64_t step = 0; step < way.count; step++) {
            int64_t begin = (backwards ? way.count - 1 - step : step) * way.stride;
            const T* x = row.input(0) + begin;
            T* out = row.output(0) + begin;
            way.once([&](int64_t column) {
                total[column] += x[column];
                out[column] = T(total[column]);
            });
        }
    }
};

}  // namespace

void cumulative(Table& table) {
    add<CumulativeSum<false>>(table, rushlight::CUMSUM);
    add<CumulativeSum<true>>(table, rushlight::CUMSUM_SLOPE);
}

}  // namespace LEVEL
