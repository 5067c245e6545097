// Logarithmic functions: log, log2, log10, log1p, softplus, logsigmoid, asinh, acosh, atanh; branch-free.
#pragma once

#include "exponential.h"

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
    static constexpr uint32_t short_mask = 0xfffff000;
    static constexpr float least_normal = 0x1p-126f, lift = 0x1p32f;
    static constexpr Base<float> base_2 = {0x1.714p+0f, 0x1.47652cp-12f, 1, 0};
    static constexpr Base<float> base_10 = {0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.344p-2f, 0x1.3509f8p-18f};
};

template <>
struct LogarithmRange<double> {
    static constexpr uint64_t root_half = 0x3fe6a09e667f3bcd;
    static constexpr uint64_t short_mask = 0xffffffff00000000;
    static constexpr double least_normal = 0x1p-1022, lift = 0x1p64;
    static constexpr Base<double> base_2 = {0x1.7154765p+0, 0x1.5c17f0bbbe880p-31, 1, 0};
    static constexpr Base<double> base_10 = {0x1.bcb7b15p-2, 0x1.37287195355bbp-33, 0x1.34413509f8p-2,
                                             -0x1.80433b83b532ap-44};
};

// x = 2^n (1 + rest + lost) with 1 + rest between sqrt(1/2) and sqrt(2)
template <class T>
struct Split {
    T n, rest, lost;
};

// for positive x = lifted / lift, lifted being normal and lift a power of two
template <class T>
MATH_INLINE Split<T> split(T lifted, T lift) {
    using F = Format<T>;
    using Bits = BitsOf<T>;
    constexpr Bits root_half = LogarithmRange<T>::root_half, one = F::bias << F::digits;
    constexpr Bits spare = (F::bias + 1) << F::digits;  // keeps the exponents of subnormal numbers positive
    Bits shifted = to_bits(lifted) + (one - root_half);
    Bits fraction = shifted & ((Bits(1) << F::digits) - 1);
    Bits exponent = (shifted - to_bits(lift) + (one + spare)) >> F::digits;
    // as the low digits of 2^digits the biased exponent becomes a number without a conversion
    T n = from_bits(Bits(exponent | to_bits(F::whole))) - (F::whole + T(2 * F::bias + 1));
    return {n, from_bits(Bits(fraction + root_half)) - T(1), T(0)};
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
    T sum = T(1) + x, part = sum - T(1);
    T missing = ((T(1) - (sum - part)) + (x - part)) + correction;
    auto [n, rest, none] = split(sum, T(1));
    // missing 2^-n; the power is raised by 64 so that it exists for the largest n
    T power = power_of_two<T>(to_bits((F::whole + T(F::bias + 64)) - n));
    T small = missing * T(0x1p-64) * power, near = rest + small;
    return {n, near, small - (near - rest)};
}

// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2)
MATH_INLINE float log1p_tail(float f) {
    float square = f * f;
    float cubic = polynomial(f, 0.3333333f, -0.25000829f, 0.20001268f, -0.16623105f, 0.14200547f, -0.1316151f,
                             0.12771249f, -0.07643269f);
    return mul_add(f * square, cubic, -0.5f * square);
}

MATH_INLINE double log1p_tail(double f) {
    // log(1 + f) = 2 atanh(s), and f - 2 s = f s
    double s = f / (2 + f), z = s * s, half_square = 0.5 * f * f;
    double series = z * polynomial(z, 0.6666666666666666, 0.40000000000004954, 0.2857142856939601, 0.22222222609779368,
                                   0.1818177810053048, 0.1538700095921222, 0.13251858384827767, 0.13237531786374956);
    return mul_add(s, half_square + series, -half_square);
}

template <class T>
MATH_INLINE T log_of(Split<T> x) {
    using Range = ExponentialRange<T>;
    T large = x.n * Range::log_2_high, sum = large + x.rest;
    T tail = mul_add(x.n, Range::log_2_low, log1p_tail(x.rest) + x.lost);
    return sum + (((large - sum) + x.rest) + tail);
}

template <class T>
MATH_INLINE T log_of(Split<T> x, Base<T> base) {
    // the products of the short parts are exact
    T brief = from_bits(BitsOf<T>(to_bits(x.rest) & LogarithmRange<T>::short_mask));
    T tail = log1p_tail(x.rest), all = base.of_e_high + base.of_e_low;
    T low = mul_add(x.rest - brief, base.of_e_high, mul_add(x.rest, base.of_e_low, tail * all));
    T large = x.n * base.of_2_high, small = brief * base.of_e_high, high = large + small;
    return high + (((large - high) + small) + mul_add(x.n, base.of_2_low, low));
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

// log(1 + exp(x)), with the exponential in two parts
template <class T>
MATH_INLINE T log1p_exp(T x) {
    auto [rest, bits] = reduce_by_log_2(bounded(x, ExponentialRange<T>::widest));
    T minus_one = mul_add(rest * rest, exp_tail(rest), rest), near = T(1) + minus_one;
    return log1p(scale(near, bits), scale(minus_one - (near - T(1)), bits));
}

template <class T>
MATH_INLINE T softplus(T x, T beta, T threshold) {
    T steep = x * beta;
    T curve = log1p_exp(steep) / beta;
    return steep > threshold ? x : curve;
}

template <class T>
MATH_INLINE T logsigmoid(T x) {
    T low = x < 0 ? x : T(0);
    return low - log1p_exp(-abs(x));
}

}  // namespace math
}  // namespace LEVEL
