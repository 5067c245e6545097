// Norms: the gradients of lengths, and a number spread over its row.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

struct Spread {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* value = row.given(0);
        T* out = row.output(0);
        way.each([=](int64_t at, int64_t column) { out[at] = value[column]; });
    }
};

// of the sum of sizes
struct SignSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *x = row.input(0), *grad = row.given(2);
        T* out = row.output(0);
        way.each([=](int64_t at, int64_t column) { out[at] = grad[column] * math::sign(x[at]); });
    }
};

// of the root of the sum of squares
struct LengthSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *x = row.input(0), *result = row.given(1), *grad = row.given(2);
        T* out = row.output(0);
        way.each([=](int64_t at, int64_t column) {
            T direction = x[at] / result[column];
            out[at] = grad[column] * (result[column] == 0 ? T(0) : direction);
        });
    }
};

// of the largest size: the largest ones share it evenly
struct LargestSizeSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *x = row.input(0), *result = row.given(1), *grad = row.given(2);
        T* out = row.output(0);
        auto chosen = [=](int64_t at, int64_t column) {
            bool same = (math::abs(x[at]) == result[column]) | ((x[at] != x[at]) & (result[column] != result[column]));
            return same ? T(1) : T(0);
        };
        auto shares = way.template fold<Sum<T>>(chosen);
        way.each([&](int64_t at, int64_t column) {
            out[at] = math::sign(x[at]) * (grad[column] / T(shares[column]) * chosen(at, column));
        });
    }
};

}  // namespace

void norms(Table& table) {
    add<Spread>(table, rushlight::SPREAD);
    add<SignSlope>(table, rushlight::SIGN_SLOPE);
    add<LengthSlope>(table, rushlight::LENGTH_SLOPE);
    add<LargestSizeSlope>(table, rushlight::LARGEST_SIZE_SLOPE);
}

}  // namespace LEVEL
