// Distributions: log-probabilities and entropies, and their gradients. See distributions/normal.py and its neighbours.
#include "families.h"
#include "math.h"

namespace LEVEL {

using rushlight::DistributionLoops;

namespace {

constexpr double LOG_ROOT_2PI = 0.9189385332046728;

template <class T>
constexpr T LARGEST = std::numeric_limits<T>::max();

template <class T>
const T* in(const void* data) {
    return static_cast<const T*>(data);
}

template <class T>
T* out(void* data) {
    return static_cast<T*>(data);
}

template <class T>
void normal(const void* values, const void* locs, const void* scales, void* results, int64_t count) {
    const T *value = in<T>(values), *loc = in<T>(locs), *scale = in<T>(scales);
    T* result = out<T>(results);
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        T distance = value[i] - loc[i];
        result[i] = -(distance * distance) / (2 * (scale[i] * scale[i])) - math::log(scale[i]) - T(LOG_ROOT_2PI);
    }
}

template <class T>
void normal_slopes(const void* grads, const void* values, const void* locs, const void* scales, void* to_value,
                   void* to_loc, void* to_scale, int64_t count) {
    const T *grad = in<T>(grads), *value = in<T>(values), *loc = in<T>(locs), *scale = in<T>(scales);
    if (T* slope = out<T>(to_value)) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) slope[i] = -grad[i] * (value[i] - loc[i]) / (scale[i] * scale[i]);
    }
    if (T* slope = out<T>(to_loc)) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) slope[i] = grad[i] * (value[i] - loc[i]) / (scale[i] * scale[i]);
    }
    if (T* slope = out<T>(to_scale)) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            T distance = (value[i] - loc[i]) / scale[i];
            slope[i] = grad[i] * (distance * distance - 1) / scale[i];
        }
    }
}

template <class T>
void normalized(const void* logits, void* results, int64_t rows, int64_t width) {
    const T* input = in<T>(logits);
    T* result = out<T>(results);
    for (int64_t row = 0; row < rows; row++, input += width, result += width) {
        // a row of infinities has no largest finite one, and needs none; NaN comes back through the sum
        T largest = -LARGEST<T>;
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < width; i++) largest = input[i] > largest ? input[i] : largest;
        largest = largest > LARGEST<T> ? LARGEST<T> : largest;
        T total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < width; i++) total += math::exp(input[i] - largest);
        T shift = math::log(total) + largest;
#pragma omp simd
        for (int64_t i = 0; i < width; i++) result[i] = input[i] - shift;
    }
}

template <class T>
void normalized_slope(const void* grads, const void* results, void* to_logits, int64_t rows, int64_t width) {
    const T *grad = in<T>(grads), *result = in<T>(results);
    T* slope = out<T>(to_logits);
    for (int64_t row = 0; row < rows; row++, grad += width, result += width, slope += width) {
        T total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < width; i++) total += grad[i];
#pragma omp simd
        for (int64_t i = 0; i < width; i++) slope[i] = grad[i] - math::exp(result[i]) * total;
    }
}

// A class of probability 0 adds nothing: its logit is kept finite.
template <class T>
ALWAYS_INLINE T finite(T logit) {
    return logit < -LARGEST<T> ? -LARGEST<T> : logit;
}

template <class T>
void entropy(const void* logits, const void* probs, void* results, int64_t rows, int64_t width) {
    const T *logit = in<T>(logits), *prob = in<T>(probs);
    T* result = out<T>(results);
    for (int64_t row = 0; row < rows; row++, logit += width, prob += width) {
        T total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < width; i++) total += finite(logit[i]) * prob[i];
        result[row] = -total;
    }
}

template <class T>
void entropy_slopes(const void* grads, const void* logits, const void* probs, void* to_logits, void* to_probs,
                    int64_t rows, int64_t width) {
    const T *grad = in<T>(grads), *logit = in<T>(logits), *prob = in<T>(probs);
    for (int64_t row = 0; row < rows; row++, logit += width, prob += width) {
        T factor = -grad[row];
        if (T* slope = out<T>(to_logits)) {
#pragma omp simd
            for (int64_t i = 0; i < width; i++) {
                slope[row * width + i] = factor * prob[i] * (logit[i] >= -LARGEST<T> ? T(1) : T(0));
            }
        }
        if (T* slope = out<T>(to_probs)) {
#pragma omp simd
            for (int64_t i = 0; i < width; i++) slope[row * width + i] = factor * finite(logit[i]);
        }
    }
}

template <class T>
void fill_for(DistributionLoops& loops, int type) {
    loops.normal[type] = normal<T>;
    loops.normal_slopes[type] = normal_slopes<T>;
    loops.normalized[type] = normalized<T>;
    loops.normalized_slope[type] = normalized_slope<T>;
    loops.entropy[type] = entropy<T>;
    loops.entropy_slopes[type] = entropy_slopes<T>;
}

}  // namespace

void distributions(Table& table) {
    fill_for<float>(table.distributions, rushlight::FLOAT32);
    fill_for<double>(table.distributions, rushlight::FLOAT64);
}

}  // namespace LEVEL
