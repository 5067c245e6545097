// Normalization: rows brought to mean 0 and variance 1, or to length 1; their gradients, and those of weight and bias.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

// `write` for each element; meanwhile the next row comes from memory, as this one is in the cache already. A line at a
// time, since the processor waits where too many are asked for at once.
template <class T, class Write>
ALWAYS_INLINE void each_ahead(const Along& way, const T* x, const T* out, Write write) {
    constexpr int64_t LINES = 2, CHUNK = LINES * 64 / sizeof(T);
    int64_t begin = 0;
    for (; begin + CHUNK <= way.count; begin += CHUNK) {
        for (int64_t line = 0; line < LINES; line++) {
            __builtin_prefetch(x + way.count + begin + line * (CHUNK / LINES), 0, 3);
            __builtin_prefetch(out + way.count + begin + line * (CHUNK / LINES), 1, 3);
        }
#pragma omp simd
        for (int64_t at = begin; at < begin + CHUNK; at++) write(at);
    }
    for (; begin < way.count; begin++) write(begin);
}

// `centred`: layer_norm, which takes the mean off first; rms_norm does not.
template <bool centred>
struct Norm {
    template <class T>
    static ALWAYS_INLINE void run(const Along& way, const Row<T>& row) {
        const T *x = row.input(0), *weight = row.shared(1), *bias = row.shared(2);
        T* out = row.output(0);
        T mean = 0;
        if (centred) {
            // in double, so that equal numbers have their own mean
            double total = way.fold<Sum<double>>([=](int64_t at, int64_t) { return double(x[at]); })[0];
            mean = T(total / double(way.count));
            row.found(1)[0] = mean;
        }
        double squares = way.fold<Sum<T>>([=](int64_t at, int64_t) {
            T offset = centred ? x[at] - mean : x[at];
            return offset * offset;
        })[0];
        T scale = T(1 / math::sqrt(squares / double(way.count) + row.option(0)));
        row.found(2)[0] = scale;
        auto normal = [=](int64_t at) { return (centred ? x[at] - mean : x[at]) * scale; };
        if (weight == nullptr && bias == nullptr) {
            each_ahead(way, x, out, [=](int64_t at) { out[at] = normal(at); });
        } else if (bias == nullptr) {
            each_ahead(way, x, out, [=](int64_t at) { out[at] = normal(at) * weight[at]; });
        } else if (weight == nullptr) {
            each_ahead(way, x, out, [=](int64_t at) { out[at] = normal(at) + bias[at]; });
        } else {
            each_ahead(way, x, out, [=](int64_t at) { out[at] = normal(at) * weight[at] + bias[at]; });
        }
    }
};

// A gradient less its parts along the normal row and, where that was centred, along the ones; scaled.
template <bool centred, class T, class Through, class Normal>
ALWAYS_INLINE void project(const Along& way, T* out, T scale, Through through, Normal normal) {
    double along = way.fold<Sum<T>>([=](int64_t at, int64_t) { return through(at) * normal(at); })[0];
    T part = T(along / double(way.count)), mean = 0;
    if (centred) {
        double total = way.fold<Sum<T>>([=](int64_t at, int64_t) { return through(at); })[0];
        mean = T(total / double(way.count));
    }
    way.each([=](int64_t at, int64_t) {
        T rest = through(at) - normal(at) * part;
        out[at] = (centred ? rest - mean : rest) * scale;
    });
}

// Inputs: grad, x, mean, scale, weight; outputs: the gradients of x, and, added up over the rows, of weight and bias.
template <bool centred>
struct NormSlope {
    template <class T>
    static ALWAYS_INLINE void run(const Along& way, const Row<T>& row) {
        const T *grad = row.input(0), *x = row.input(1), *weight = row.shared(4);
        T mean = centred ? row.given(2)[0] : T(0), scale = row.given(3)[0];
        auto normal = [=](int64_t at) { return (centred ? x[at] - mean : x[at]) * scale; };
        auto* weight_grad = static_cast<double*>(row.arrays.outputs[1]);
        auto* bias_grad = static_cast<double*>(row.arrays.outputs[2]);
        if (weight_grad != nullptr) {
            way.each([=](int64_t at, int64_t) { weight_grad[at] += grad[at] * normal(at); });
        }
        if (bias_grad != nullptr) {
            way.each([=](int64_t at, int64_t) { bias_grad[at] += grad[at]; });
        }
        if (row.arrays.outputs[0] == nullptr) return;
        if (weight == nullptr) {
            project<centred>(way, row.output(0), scale, [=](int64_t at) { return grad[at]; }, normal);
        } else {
            project<centred>(way, row.output(0), scale, [=](int64_t at) { return grad[at] * weight[at]; }, normal);
        }
    }
};

// Inputs: through, normal, scale. See normalized_gradient in ops/normalization/normalization.py; option 0: centred.
struct NormalizedSlope {
    template <class T>
    static ALWAYS_INLINE void run(const Along& way, const Row<T>& row) {
        const T *through = row.input(0), *normal = row.input(1);
        auto read_through = [=](int64_t at) { return through[at]; };
        auto read_normal = [=](int64_t at) { return normal[at]; };
        if (row.option(0) != 0) {
            project<true>(way, row.output(0), row.given(2)[0], read_through, read_normal);
        } else {
            project<false>(way, row.output(0), row.given(2)[0], read_through, read_normal);
        }
    }
};

}  // namespace

void normalization(Table& table) {
    add_along<Norm<true>>(table, rushlight::LAYER_NORM);
    add_along<Norm<false>>(table, rushlight::RMS_NORM);
    add_along<NormSlope<true>>(table, rushlight::LAYER_NORM_SLOPE);
    add_along<NormSlope<false>>(table, rushlight::RMS_NORM_SLOPE);
    add_along<NormalizedSlope>(table, rushlight::NORMALIZED_SLOPE);
}

}  // namespace LEVEL
