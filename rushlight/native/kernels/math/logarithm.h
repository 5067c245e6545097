// Logarithmic functions: log, log2, log10, log1p, softplus, logsigmoid, asinh, acosh, atanh; branch-free.
#pragma once

#include "kernels/math/exponential.h"

namespace LEVEL {
namespace math {

// A logarithm to some base: that of e and that of 2 in two parts each, the first one short
template <class T>
struct Base {
    T of_e_high, of_e_low, of_2_high, of_2_low;
};

template <class T>
struct LogarithmRange;

template <>
struct LogarithmRange<float> {
    static constexpr uint32_t root_half = 0x3f3504f3;  // the bits of sqrt(1/2)
    static constexpr float least_normal = 0x1p-126f, lift = 0x1p32f;
    static constexpr Base<float> base_2 = {0x1.714p+0f, 0x1.47652cp-12f, 1, 0};
    static constexpr Base<float> base_10 = {0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.344p-2f, 0x1.3509f8p-18f};
};

template <>
struct LogarithmRange<double> {
    static constexpr uint64_t root_half = 0x3fe6a09e667f3bcd;
    static constexpr double least_normal = 0x1p-1022, lift = 0x1p64;
    static constexpr Base<double> base_2 = {0x1.7154768p+0, -0x1.6a3e80f444178p-27, 1, 0};
    static constexpr Base<double> base_10 = {0x1.bcb7b18p-2, -0x1.6c8d78e6acaa4p-29, 0x1.34413509f8p-2,
                                             -0x1.80433b83b532ap-44};
};

template <class T>
constexpr T log_2 = T(0.6931471805599453);

// x = 2^n (1 + rest + lost) with 1 + rest between sqrt(1/2) and sqrt(2)
template <class T>
struct Split {
    T n, rest, lost;
};

// for positive x = lifted / lift, lifted being normal and lift a power of two
MATH_INLINE Split<float> split(float lifted, float lift) {
    constexpr uint32_t root_half = LogarithmRange<float>::root_half, one = 0x3f800000;
    uint32_t above = to_bits(lifted) - root_half;  // its exponent is n
    int32_t n = static_cast<int32_t>(above - (to_bits(lift) - one)) >> Format<float>::digits;
    return {static_cast<float>(n), from_bits(to_bits(lifted) - (above & 0xff800000u)) - 1,
            -0.0f};  // to add -0 is no step
}

// only AVX-512 converts integers of 64 bits
MATH_INLINE Split<double> split(double lifted, double lift) {
    using F = Format<double>;
    constexpr uint64_t root_half = LogarithmRange<double>::root_half, one = F::bias << F::digits;
    constexpr uint64_t spare = (F::bias + 1) << F::digits;  // keeps the exponents of subnormal numbers positive
    uint64_t shifted = to_bits(lifted) + (one - root_half);
    uint64_t fraction = shifted & ((uint64_t(1) << F::digits) - 1);
    uint64_t exponent = (shifted - to_bits(lift) + (one + spare)) >> F::digits;
    // as the low digits of 2^digits the biased exponent becomes a number without a conversion
    double n = from_bits(exponent | to_bits(F::whole)) - (F::whole + (2 * F::bias + 1));
    return {n, from_bits(fraction + root_half) - 1, -0.0};
}

template <class T>
MATH_INLINE Split<T> split(T x) {
    T lift = x < LogarithmRange<T>::least_normal ? LogarithmRange<T>::lift : T(1);
    return split(x * lift, lift);
}

// 1 + x + correction = 2^n (1 + rest + lost) for x > -1, where `correction` is less than a rounding of x
template <class T>
MATH_INLINE Split<T> split_next(T x, T correction) {
    using F = Format<T>;
    auto [sum, missing] = exact_sum_any(T(1), x);
    auto [n, rest, none] = split(sum, T(1));
    // what is missing, times 2^-n; the power is raised by 64 so that it exists for the largest n
    T power = power_of_two<T>(to_bits((F::whole + T(F::bias + 64)) - n));
    auto [near, lost] = exact_sum(rest, (missing + correction) * T(0x1p-64) * power);
    return {n, near, lost};
}

// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2)
MATH_INLINE float log1p_tail(float f) {
    float square = f * f;
    float cubic = polynomial(f, 0.3333333f, -0.25000829f, 0.20001268f, -0.16623105f, 0.14200547f, -0.1316151f,
                             0.12771249f, -0.07643269f);
    return square * mul_add(f, cubic, -0.5f);
}

MATH_INLINE double log1p_tail(double f) {
    // log(1 + f) = 2 atanh(s), and f - 2 s = f s
    double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
    double series = z * polynomial(z, 0.6666666666666666, 0.40000000000004954, 0.2857142856939601, 0.22222222609779368,
                                   0.1818177810053048, 0.1538700095921222, 0.13251858384827767, 0.13237531786374956);
    return mul_add(s, half_square + series, -half_square);
}

// n log_2_high is exact and never close to -rest, so that the digits lost in their sum are those of the last place.
MATH_INLINE float log_of(Split<float> x) {
    using Range = ExponentialRange<float>;
    return mul_add(x.n, Range::log_2_high, x.rest + mul_add(x.n, Range::log_2_low, log1p_tail(x.rest) + x.lost));
}

template <class T>
MATH_INLINE T log_of(Split<T> x) {
    using Range = ExponentialRange<T>;
    auto [sum, error] = exact_sum(x.n * Range::log_2_high, x.rest);
    return sum + (error + mul_add(x.n, Range::log_2_low, log1p_tail(x.rest) + x.lost));
}

template <class T>
MATH_INLINE T log_of(Split<T> x, Base<T> base) {
    // the products of the short parts are exact
    T brief = from_bits(BitsOf<T>(to_bits(x.rest) & Format<T>::upper));
    T tail = log1p_tail(x.rest), all = base.of_e_high + base.of_e_low;
    T low = mul_add(x.rest - brief, base.of_e_high, mul_add(x.rest, base.of_e_low, tail * all));
    auto [sum, error] = exact_sum(x.n * base.of_2_high, brief * base.of_e_high);
    return sum + (error + mul_add(x.n, base.of_2_low, low));
}

// `result` where 0 < x < infinity, else what any logarithm gives
template <class T>
MATH_INLINE T with_log_limits(T x, T result) {
    result = x < infinity<T> ? result : x;  // infinity, NaN
    result = x == 0 ? -infinity<T> : result;
    return x < 0 ? nan<T> : result;
}

template <class T>
MATH_INLINE T log(T x) {
    return with_log_limits(x, log_of(split(x)));
}

// The distance from the least normal number, in an order in which what is not normal or not positive is the farthest
template <class T>
MATH_INLINE BitsOf<T> height(T x) {
    return to_bits(x) - to_bits(LogarithmRange<T>::least_normal);
}

// log(x), to the same bits, where height(x) is at most that of the largest number
template <class T>
MATH_INLINE T log_normal(T x) {
    return log_of(split(x, T(1)));
}

template <class T>
MATH_INLINE T log2(T x) {
    return with_log_limits(x, log_of(split(x), LogarithmRange<T>::base_2));
}

template <class T>
MATH_INLINE T log10(T x) {
    return with_log_limits(x, log_of(split(x), LogarithmRange<T>::base_10));
}

// log(1 + x + correction)
template <class T>
MATH_INLINE T log1p(T x, T correction) {
    T result = with_log_limits(T(1) + x, log_of(split_next(x, correction)));
    return abs(x) < ExponentialRange<T>::tiny ? x : result;
}

template <class T>
MATH_INLINE T log1p(T x) {
    return log1p(x, T(0));
}

// log(1 + e) / e in two parts for 0 <= e <= 1, of v = e - 1/2
MATH_INLINE Pair<float> log1p_ratio(float v) {
    float slope = polynomial(v, -0.2885271f, 0.13260902f, -0.06768822f, 0.036635075f, -0.020562598f, 0.011578641f,
                             -0.006791612f, 0.0052484414f, -0.00316911f);
    auto [high, low] = exact_sum(0.8109302f, v * slope);
    return {high, low + 2.7358466e-08f};
}

MATH_INLINE Pair<double> log1p_ratio(double v) {
    double slope = polynomial(
        v, -0.28852709909932417, 0.13260975375420284, -0.06768864331088142, 0.03661185452316673, -0.020548811926403596,
        0.011833792109199834, -0.006945394683417718, 0.004136179133960505, -0.002491847591029659, 0.0015153826408164123,
        -0.0009287732327510059, 0.0005730670771021898, -0.00035551434274039436, 0.00022106498641846686,
        -0.00013849231414824904, 8.976478898347549e-05, -5.632267499618211e-05, 2.7463887837993965e-05,
        -1.7875674866050996e-05, 2.509037836244223e-05, -1.5643703145941404e-05);
    auto [high, low] = exact_sum(0.8109302162163288, v * slope);
    return {high, low - 4.642384249946116e-18};
}

// log(1 + exp(-|x|)): one polynomial does it, the exponential being at most 1
template <class T>
MATH_INLINE T log1p_exp_down(T x) {
    constexpr T widest = ExponentialRange<T>::widest;
    T size = abs(x);
    auto [rest, error, bits] = reduce_by_log_2(size > widest ? -widest : -size);
    auto [near, lost] = exact_sum(T(1), mul_add(rest * rest, exp_tail(rest), rest));
    auto [ratio, ratio_lost] = log1p_ratio(scale(near, bits) - T(0.5));
    return scale(mul_add(near, ratio, mul_add(near, ratio_lost, lost * ratio)), bits);
}

template <class T>
MATH_INLINE T softplus(T x, T beta, T threshold) {
    T steep = x * beta;
    T curve = ((steep > 0 ? steep : T(0)) + log1p_exp_down(steep)) / beta;
    return steep > threshold ? x : curve;
}

template <class T>
MATH_INLINE T logsigmoid(T x) {
    return (x < 0 ? x : T(0)) - log1p_exp_down(x);
}

template <class T>
MATH_INLINE T asinh(T x) {
    // log(1 + |x| + x^2 / (1 + sqrt(1 + x^2))); where the square would overflow, log(|x|) + log(2)
    T size = abs(x), square = x * x;
    bool huge = size > T(0x1p60);
    auto [sum, lost] = exact_sum(size, square / (T(1) + sqrt(T(1) + square)));
    T result = log1p(huge ? size : sum, huge ? T(0) : lost) + (huge ? log_2<T> : T(0));
    return with_sign(result, x);
}

template <class T>
MATH_INLINE T acosh(T x) {
    // log(1 + y + sqrt(x^2 - 1)) with y = x - 1, each in two parts; where the square would overflow, log(x) + log(2)
    bool huge = x > T(0x1p60);
    auto [y, y_lost] = exact_sum(x, T(-1));
    auto [square, square_lost] = exact_product(x, x);
    auto [high, high_lost] = exact_sum(square, T(-1));
    auto [radicand, radicand_lost] = exact_sum(high, high_lost + square_lost);
    T root = sqrt(radicand);
    auto [power, power_lost] = exact_product(root, root);
    T root_lost = ((radicand - power) - power_lost + radicand_lost) / (root + root + LogarithmRange<T>::least_normal);
    auto [sum, lost] = exact_sum(root, y);
    T result = log1p(huge ? x : sum, huge ? T(0) : lost + (root_lost + y_lost)) + (huge ? log_2<T> : T(0));
    return x < 1 ? nan<T> : result;
}

template <class T>
MATH_INLINE T atanh(T x) {
    // log(1 + 2 |x| / (1 - |x|)) / 2, the quotient in two parts
    T size = abs(x), twice = size + size;
    auto [bottom, bottom_lost] = exact_sum(T(1), -size);
    T quotient = twice / bottom;
    auto [product, product_lost] = exact_product(quotient, bottom);
    T lost = (((twice - product) - product_lost) - quotient * bottom_lost) / bottom;
    return with_sign(T(0.5) * log1p(quotient, lost), x);
}

}  // namespace math
}  // namespace LEVEL
