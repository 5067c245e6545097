// What the elementary functions are written with: a number's bits, fused steps, polynomials, rounding, signs, extrema.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#ifndef LEVEL
#define LEVEL baseline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define MATH_INLINE static inline __attribute__((always_inline))
#else
#define MATH_INLINE static inline
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
#define MATH_FUSED 1
#else
#define MATH_FUSED 0
#endif

namespace LEVEL {
namespace math {

template <class T>
struct Format;

template <>
struct Format<float> {
    using Bits = uint32_t;
    static constexpr int digits = 23;  // stored ones
    static constexpr Bits bias = 127, sign = 0x80000000u;
    static constexpr Bits upper = 0xfffff000u;  // the half of the digits whose products are exact
    static constexpr float whole = 8388608.0f;  // 2^23: from here on every number is whole
};

template <>
struct Format<double> {
    using Bits = uint64_t;
    static constexpr int digits = 52;
    static constexpr Bits bias = 1023, sign = 0x8000000000000000u;
    static constexpr Bits upper = 0xfffffffff8000000u;
    static constexpr double whole = 4503599627370496.0;  // 2^52
};

template <class T>
using BitsOf = typename Format<T>::Bits;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <class T>
MATH_INLINE BitsOf<T> to_bits(T x) {
    BitsOf<T> bits;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

MATH_INLINE float from_bits(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

MATH_INLINE double from_bits(uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T>
MATH_INLINE T abs(T x) {
    return from_bits(BitsOf<T>(to_bits(x) & ~Format<T>::sign));
}

template <class T>
MATH_INLINE T copysign(T size, T sign) {
    return from_bits(BitsOf<T>((to_bits(size) & ~Format<T>::sign) | (to_bits(sign) & Format<T>::sign)));
}

// the same for a size that is not negative
template <class T>
MATH_INLINE T with_sign(T size, T sign) {
    return from_bits(BitsOf<T>(to_bits(size) | (to_bits(sign) & Format<T>::sign)));
}

// a * b + c, rounded once where the processor can; what is built on it must not need that
MATH_INLINE float mul_add(float a, float b, float c) {
#if MATH_FUSED
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

MATH_INLINE double mul_add(double a, double b, double c) {
#if MATH_FUSED
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// The unrounded sum of two numbers, the second being at most a rounding of the first
template <class T>
struct Pair {
    T high, low;
};

template <class T>
MATH_INLINE Pair<T> exact_product(T a, T b) {
    T product = a * b;
#if MATH_FUSED
    return {product, mul_add(a, b, -product)};
#else
    T a_high = from_bits(BitsOf<T>(to_bits(a) & Format<T>::upper)), a_low = a - a_high;
    T b_high = from_bits(BitsOf<T>(to_bits(b) & Format<T>::upper)), b_low = b - b_high;
    return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
#endif
}

// large + small, where |large| >= |small| or large is 0
template <class T>
MATH_INLINE Pair<T> exact_sum(T large, T small) {
    T sum = large + small;
    return {sum, small - (sum - large)};
}

template <class T>
MATH_INLINE Pair<T> exact_sum_any(T a, T b) {
    T sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// c0 + c1 x + x^2 (c2 + c3 x + x^2 (...)): in pairs, for a chain of dependent steps half as long as Horner's
template <class T>
MATH_INLINE T polynomial_of(T, T, T c0) {
    return c0;
}

template <class T>
MATH_INLINE T polynomial_of(T x, T, T c0, T c1) {
    return mul_add(x, c1, c0);
}

template <class T, class... Rest>
MATH_INLINE T polynomial_of(T x, T square, T c0, T c1, Rest... rest) {
    return mul_add(square, polynomial_of(x, square, rest...), mul_add(x, c1, c0));
}

template <class T, class... Coefficients>
MATH_INLINE T polynomial(T x, Coefficients... coefficients) {
    return polynomial_of(x, x * x, coefficients...);
}

// The same by Horner's scheme: one step fewer and the smaller error, where other work fills the waits
template <class T>
MATH_INLINE T horner(T, T c0) {
    return c0;
}

template <class T, class... Rest>
MATH_INLINE T horner(T x, T c0, Rest... rest) {
    return mul_add(x, horner(x, rest...), c0);
}

// 2^n from `shifted`, a number whose lowest bits are n + bias
template <class T>
MATH_INLINE T power_of_two(BitsOf<T> shifted) {
    return from_bits(BitsOf<T>(shifted << Format<T>::digits));
}

// the nearest whole number, ties to even, for |x| below a quarter of `whole`; NaN and infinity give nonsense
template <class T>
MATH_INLINE T nearest(T x) {
    constexpr T magic = Format<T>::whole * T(1.5);
    return (x + magic) - magic;
}

// SSE4.1 and ARM round in one instruction; x86-64's baseline cannot
#if defined(__SSE4_1__) || defined(__aarch64__)
MATH_INLINE float round_even(float x) { return __builtin_nearbyintf(x); }
MATH_INLINE double round_even(double x) { return __builtin_nearbyint(x); }
MATH_INLINE float floor(float x) { return __builtin_floorf(x); }
MATH_INLINE double floor(double x) { return __builtin_floor(x); }
MATH_INLINE float ceil(float x) { return __builtin_ceilf(x); }
MATH_INLINE double ceil(double x) { return __builtin_ceil(x); }
MATH_INLINE float trunc(float x) { return __builtin_truncf(x); }
MATH_INLINE double trunc(double x) { return __builtin_trunc(x); }
#else
template <class T>
MATH_INLINE T round_even(T x) {
    // adding 2^digits pushes the fraction out of the number; the sign is given back for -0.3 -> -0
    T size = abs(x), rounded = (size + Format<T>::whole) - Format<T>::whole;
    return copysign(size < Format<T>::whole ? rounded : size, x);
}

template <class T>
MATH_INLINE T floor(T x) {
    T rounded = round_even(x);
    return copysign(rounded - (rounded > x ? T(1) : T(0)), x);
}

template <class T>
MATH_INLINE T ceil(T x) {
    T rounded = round_even(x);
    return copysign(rounded + (rounded < x ? T(1) : T(0)), x);
}

template <class T>
MATH_INLINE T trunc(T x) {
    T size = abs(x), rounded = round_even(size);
    return copysign(rounded - (rounded > size ? T(1) : T(0)), x);
}
#endif

// -1, 0 or 1; 0 for NaN, as torch.sign
template <class T>
MATH_INLINE T sign(T x) {
    return (x > 0 ? T(1) : T(0)) - (x < 0 ? T(1) : T(0));
}

// a NaN on either side wins, as in torch.maximum; of two zeros the first one
template <class T>
MATH_INLINE T maximum(T a, T b) {
    return (b > a) | (b != b) ? b : a;
}

template <class T>
MATH_INLINE T minimum(T a, T b) {
    return (b < a) | (b != b) ? b : a;
}

// minimum(maximum(x, low), high), which would be turned into branches
template <class T>
MATH_INLINE T clamp(T x, T low, T high) {
    T raised = x < low ? low : x, kept = raised > high ? high : raised;
    return (low != low) | (high != high) ? low + high : kept;
}

MATH_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
MATH_INLINE double sqrt(double x) { return __builtin_sqrt(x); }

template <class T>
MATH_INLINE T rsqrt(T x) {
    return T(1) / sqrt(x);
}

}  // namespace math
}  // namespace LEVEL
