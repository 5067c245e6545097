// Distributions: log-probabilities and entropies, and their gradients. See distributions/normal.py and its neighbours.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

using rushlight::DistributionLoops;

namespace {

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
void normalized(const void* logits, void* results, int64_t rows, int64_t width) {
    const T* input = in<T>(logits);
    T* result = out<T>(results);
    for (int64_t row = 0; row < rows; row++, input += width, result += width) {
        // a row of infinities has no largest finite one, and needs none; NaN comes back through the sum
        T largest = -LARGEST<T>;
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < width; i++) largest = input[i] > largest ? input[i] : largest;
        largest = largest > LARGEST<T> ? LARGEST<T> : largest;
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < width; i++) total += math::exp(input[i] - largest);
        T shift = math::log(static_cast<T>(total)) + largest;
#pragma omp simd
        for (int64_t i = 0; i < width; i++) result[i] = input[i] - shift;
    }
}

template <class T>
void normalized_slope(const void* grads, const void* results, void* to_logits, int64_t rows, int64_t width) {
    const T *grad = in<T>(grads), *result = in<T>(results);
    T* slope = out<T>(to_logits);
    for (int64_t row = 0; row < rows; row++, grad += width, result += width, slope += width) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < width; i++) sum += grad[i];
        const T total = static_cast<T>(sum);
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
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (int64_t i = 0; i < width; i++) total += finite(logit[i]) * prob[i];
        result[row] = static_cast<T>(-total);
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
    loops.normalized[type] = normalized<T>;
    loops.normalized_slope[type] = normalized_slope<T>;
    loops.entropy[type] = entropy<T>;
    loops.entropy_slopes[type] = entropy_slopes<T>;
}

constexpr double LOG_ROOT_2PI = 0.9189385332046728;

FORMULA(Normal, (T value, T loc, T scale),
        -((value - loc) * (value - loc)) / (2 * (scale * scale)) - math::log(scale) - T(LOG_ROOT_2PI))
FORMULA(NormalValue, (T grad, T value, T loc, T scale), -grad*(value - loc) / (scale * scale))
FORMULA(NormalLoc, (T grad, T value, T loc, T scale), grad*(value - loc) / (scale * scale))
FORMULA(NormalScale, (T grad, T value, T loc, T scale),
        grad*(((value - loc) / scale) * ((value - loc) / scale) - 1) / scale)

FORMULA(Bernoulli, (T value, T logits),
        -((1 - value) * logits - math::minimum(logits, T(0)) + math::log1p(math::exp(-math::abs(logits)))))
FORMULA(BernoulliLogits, (T grad, T logits, T value), grad*(value - math::sigmoid(logits)))
FORMULA(BernoulliValue, (T grad, T logits), grad* logits)

FORMULA(LogSlopeOfTanh, (T x), 2 * (math::log_2<T> - math::abs(x) - math::log1p(math::exp(-2 * math::abs(x)))))
FORMULA(SlopeOfLogSlopeOfTanh, (T grad, T x), -2 * grad * math::tanh(x))

}  // namespace

void distributions(Table& table) {
    fill_for<float>(table.distributions, rushlight::FLOAT32);
    fill_for<double>(table.distributions, rushlight::FLOAT64);
    Row(table, "_normal_log_prob", "value", "loc", "scale")
        .floats<Normal>()
        .rule(Rule::NO_BOOLS)
        .rows_only()
        .gradient<NormalValue>("value", "value", "loc", "scale")
        .gradient<NormalLoc>("loc", "value", "loc", "scale")
        .gradient<NormalScale>("scale", "value", "loc", "scale");
    Row(table, "_bernoulli_log_prob", "value", "logits")
        .floats<Bernoulli>()
        .rule(Rule::MATCH)
        .rows_only()
        .gradient<BernoulliLogits>("logits", "logits", "value")
        .gradient<BernoulliValue>("value", "logits");
    Row(table, "_log_slope_of_tanh", "input")
        .to_floats<LogSlopeOfTanh>()
        .gradient<SlopeOfLogSlopeOfTanh>("input", "input");
}

}  // namespace LEVEL
