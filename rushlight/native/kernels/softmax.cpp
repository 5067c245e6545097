// Softmax, log_softmax and logsumexp, and their gradients.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

template <class T, class Way>
ALWAYS_INLINE auto largest_of(const Way& way, const T* x) {
    return way.template fold<Largest<T>>([=](int64_t at, int64_t) { return x[at]; });
}

struct Softmax {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        T* out = row.output(0);
        auto largest = largest_of(way, x);
        auto total = way.template fold_costly<Sum<T>>([&](int64_t at, int64_t column) {
            T power = math::exp(x[at] - largest[column]);
            out[at] = power;
            return power;
        });
        // at least 1, or NaN: its inverse loses nothing
        way.once([&](int64_t column) { total[column] = 1 / total[column]; });
        way.each([&](int64_t at, int64_t column) { out[at] *= T(total[column]); });
    }
};

struct LogSoftmax {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        T* out = row.output(0);
        auto largest = largest_of(way, x);
        auto total = way.template fold_costly<Sum<T>>(
            [&](int64_t at, int64_t column) { return math::exp(x[at] - largest[column]); });
        way.once([&](int64_t column) { total[column] = math::log(total[column]); });
        way.each([&](int64_t at, int64_t column) { out[at] = (x[at] - largest[column]) - T(total[column]); });
    }
};

struct SoftmaxSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *grad = row.input(0), *result = row.input(1);
        T* out = row.output(0);
        auto total = way.template fold<Sum<T>>([=](int64_t at, int64_t) { return grad[at] * result[at]; });
        way.each([&](int64_t at, int64_t column) { out[at] = result[at] * (grad[at] - T(total[column])); });
    }
};

struct LogSoftmaxSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *grad = row.input(0), *result = row.input(1);
        T* out = row.output(0);
        auto total = way.template fold<Sum<T>>([=](int64_t at, int64_t) { return grad[at]; });
        way.each([&](int64_t at, int64_t column) { out[at] = grad[at] - math::exp(result[at]) * T(total[column]); });
    }
};

struct LogSumExp {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T* x = row.input(0);
        T* out = row.found(0);
        auto largest = largest_of(way, x);
        // infinity less infinity is none of the answers
        way.once([&](int64_t column) {
            T size = math::abs(largest[column]);
            largest[column] = size < math::infinity<T> ? largest[column] : T(0);
        });
        auto total = way.template fold_costly<Sum<T>>(
            [&](int64_t at, int64_t column) { return math::exp(x[at] - largest[column]); });
        way.once([&](int64_t column) { out[column] = T(math::log(total[column]) + largest[column]); });
    }
};

struct LogSumExpSlope {
    template <class T, class Way>
    static ALWAYS_INLINE void run(const Way& way, const Row<T>& row) {
        const T *x = row.input(0), *result = row.given(1), *grad = row.given(2);
        T* out = row.output(0);
        way.each([=](int64_t at, int64_t column) { out[at] = grad[column] * math::exp(x[at] - result[column]); });
    }
};

}  // namespace

void softmax(Table& table) {
    add<Softmax>(table, rushlight::SOFTMAX);
    add<LogSoftmax>(table, rushlight::LOG_SOFTMAX);
    add<SoftmaxSlope>(table, rushlight::SOFTMAX_SLOPE);
    add<LogSoftmaxSlope>(table, rushlight::LOG_SOFTMAX_SLOPE);
    add<LogSumExp>(table, rushlight::LOGSUMEXP);
    add<LogSumExpSlope>(table, rushlight::LOGSUMEXP_SLOPE);
}

}  // namespace LEVEL
