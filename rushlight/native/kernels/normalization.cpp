// Normalization: rows brought to mean 0 and variance 1, or to length 1; their gradients, and those of weight and bias.
#include "kernels/rows.h"

namespace LEVEL {

namespace {

// The sum of numbers in a row and that of their squares, in double.
struct Moments {
    double sum, squares;
};

// The memory that the row is written to afterwards is asked for meanwhile: one pass has then as much to wait for as the
// other (a row of 1,024 floats from memory and back: 0.30 us, 0.54 without).
template <class T>
ALWAYS_INLINE Moments moments(const T* x, const T* out, int64_t begin, int64_t end) {
    constexpr int LANES = 16;
    double sums[LANES] = {}, squares[LANES] = {};
    auto take = [&](int64_t at, int lane) {
        double value = x[at + lane];
        sums[lane] += value;
        squares[lane] += value * value;
    };
    for (; begin + LANES <= end; begin += LANES) {
        for (int lane = 0; lane < LANES; lane += 64 / sizeof(T)) __builtin_prefetch(out + begin + lane, 1, 3);
#pragma omp simd
        for (int lane = 0; lane < LANES; lane++) take(begin, lane);
    }
    for (int lane = 0; begin + lane < end; lane++) take(begin, lane);
    for (int half = LANES / 2; half > 0; half /= 2) {
#pragma omp simd
        for (int lane = 0; lane < half; lane++) {
            sums[lane] += sums[lane + half];
            squares[lane] += squares[lane + half];
        }
    }
    return {sums[0], squares[0]};
}

// The mean of a row and the sum of the squares around it, or, not `centred`, around zero.
template <class T>
struct Spread {
    T mean;
    double squares;
};

template <bool centred, class T>
ALWAYS_INLINE Spread<T> spread(const Along& way, const T* x, const T* out) {
    // blocks, so that errors do not grow with the length
    constexpr int64_t BLOCK = 1024;
    Moments whole = {0, 0};
    for (int64_t begin = 0; begin < way.count; begin += BLOCK) {
        Moments part = moments(x, out, begin, way.count - begin < BLOCK ? way.count : begin + BLOCK);
        whole = {whole.sum + part.sum, whole.squares + part.squares};
    }
    if (!centred) return {0, whole.squares};
    double mean = whole.sum / double(way.count), around = whole.squares - whole.sum * mean;
    // of floats, which double squares exactly, the difference has digits enough, unless the row is far from zero for
    // its width
    if (sizeof(T) == sizeof(float) && !(around < 1e-5 * whole.squares)) return {T(mean), around};
    around = way.fold<Sum<T>>([=](int64_t at, int64_t) { return (x[at] - T(mean)) * (x[at] - T(mean)); })[0];
    return {T(mean), around};
}

// `centred`: layer_norm, which takes the mean off first; rms_norm does not.
template <bool centred>
struct Norm {
    template <class T>
    static ALWAYS_INLINE void run(const Along& way, const Row<T>& row) {
        const T *x = row.input(0), *weight = row.shared(1), *bias = row.shared(2);
        T* out = row.output(0);
        auto [mean_found, squares] = spread<centred>(way, x, out);
        T mean = mean_found;  // a lambda cannot capture the other
        T scale = T(1 / math::sqrt(squares / double(way.count) + row.option(0)));
        if (centred) row.found(1)[0] = mean;
        row.found(2)[0] = scale;
        auto normal = [=](int64_t at) { return (centred ? x[at] - mean : x[at]) * scale; };
        if (weight == nullptr && bias == nullptr) {
            way.each([=](int64_t at, int64_t) { out[at] = normal(at); });
        } else if (bias == nullptr) {
            way.each([=](int64_t at, int64_t) { out[at] = normal(at) * weight[at]; });
        } else if (weight == nullptr) {
            way.each([=](int64_t at, int64_t) { out[at] = normal(at) + bias[at]; });
        } else {
            way.each([=](int64_t at, int64_t) { out[at] = normal(at) * weight[at] + bias[at]; });
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
