// Trigonometric functions: sin, cos, tan for arguments up to `circular_bound`; branch-free, float and double.
#pragma once

#include "kernels/math/number.h"

namespace LEVEL {
namespace math {

// Beyond it an angle cannot be reduced by the parts of pi below; the C library is to be asked, see `map_careful`
template <class T>
constexpr T circular_bound = sizeof(T) == 4 ? T(MATH_FUSED ? 4e5 : 1e7) : T(1e6);

constexpr double nearest_magic = 6755399441055744.0;  // 1.5 2^52: added, it leaves the nearest whole number
constexpr double one_by_pi = 0.3183098861837907, two_by_pi = 0.6366197723675814;

// x - multiple * pi / 2 for a float x; the products with all but the last part of pi / 2 are exact
MATH_INLINE double angle_rest(float x, double multiple) {
    return ((x - multiple * 0x1.921fb54p+0) - multiple * 0x1.10b46118p-30) - multiple * 0x1.313198a2e037p-61;
}

// the same for a double, in two parts: near a multiple of pi / 2 nothing but the last ones remains
MATH_INLINE Pair<double> angle_rest(double x, double multiple) {
    double first = x - multiple * 0x1.921fb544p+0;
    double second = multiple * 0x1.0b4611a6p-34, high = first - second, lost = (first - high) - second;
    double third = multiple * 0x1.3198a2ep-69, next = high - third;
    lost += ((high - next) - third) - multiple * 0x1.b839a252049c1p-104;
    return exact_sum(next, lost);
}

#if MATH_FUSED
constexpr float short_magic = 12582912.0f;  // 1.5 2^23

// sin(x + turns pi / 2) by way of x - n pi / 2. With one rounding a step the first difference is exact.
MATH_INLINE float sin_turned(float x, uint32_t turns) {
    float shifted = mul_add(x, float(two_by_pi), short_magic), n = shifted - short_magic;
    float rest = mul_add(n, -0x1.921fb4p+0f, x);
    rest = mul_add(n, -0x1.84698ap-48f, mul_add(n, -0x1.4442dp-24f, rest));
    float z = rest * rest;
    float sine = mul_add(rest * z, polynomial(z, -0.16666654f, 0.008332148f, -0.00019513194f), rest);
    float tail = polynomial(z, 0.041666646f, -0.0013887328f, 2.4433846e-05f);
    float cosine = mul_add(z * z, tail, mul_add(z, -0.5f, 1.0f));
    uint32_t quarter = to_bits(shifted) + turns;
    return from_bits(to_bits(quarter & 1 ? cosine : sine) ^ ((quarter & 2) << 30));
}

MATH_INLINE float sin(float x) { return x == 0 ? x : sin_turned(x, 0); }  // -0 stays

MATH_INLINE float cos(float x) { return sin_turned(x, 1); }
#else
// (-1)^n sin(x - multiple pi / 2) of a rest up to pi / 2, n being the lowest bit of `bits`
MATH_INLINE float sin_of_rest(float x, double multiple, uint64_t bits) {
    double rest = angle_rest(x, multiple), z = rest * rest;
    double tail = polynomial(z, -0.16666666626108018, 0.008333331106784825, -0.00019840867965052937,
                             2.7525371529636465e-06, -2.388867673247515e-08);
    double result = rest * mul_add(z, tail, 1.0);
    return float(from_bits(to_bits(result) ^ (bits << 63)));
}

MATH_INLINE float sin(float x) {
    double shifted = mul_add(double(x), one_by_pi, nearest_magic), n = shifted - nearest_magic;
    return sin_of_rest(x, n + n, to_bits(shifted));
}

MATH_INLINE float cos(float x) {
    // cos(x) = sin(x + pi / 2): the nearest odd multiple of pi / 2 is taken off
    double shifted = mul_add(double(x), one_by_pi, 0.5) + nearest_magic, n = shifted - nearest_magic;
    return sin_of_rest(x, n + n - 1, to_bits(shifted));
}
#endif

// `odd` where the lowest bit of `bits` is set, else `even`
MATH_INLINE double by_parity(uint64_t bits, double even, double odd) {
    uint64_t mask = uint64_t(0) - (bits & 1);
    return from_bits((to_bits(odd) & mask) | (to_bits(even) & ~mask));
}

MATH_INLINE float tan(float x) {
    double shifted = mul_add(double(x), two_by_pi, nearest_magic);
    double rest = angle_rest(x, shifted - nearest_magic), z = rest * rest;
    double tail = polynomial(z, 0.3333333346118846, 0.133333251210281, 0.053970068610998345, 0.021849931393578752,
                             0.008981446596787936, 0.003166417072802038, 0.002378789575502839, -0.0005624479362766623,
                             0.0009472220812453278);
    double tangent = rest * mul_add(z, tail, 1.0);
    uint64_t bits = to_bits(shifted);
    return float(by_parity(bits, tangent, -1) / by_parity(bits, 1, tangent));
}

// sin and cos of x less the nearest multiple of pi / 2, each in two parts; that multiple is in the low bits of `bits`
struct Circular {
    Pair<double> sine, cosine;
    uint64_t bits;
};

MATH_INLINE Circular circular(double x) {
    double shifted = mul_add(x, two_by_pi, nearest_magic);
    auto [rest, lost] = angle_rest(x, shifted - nearest_magic);
    double z = rest * rest;
    double sine_tail =
        polynomial(z, -0.16666666666666666, 0.008333333333333099, -0.00019841269841054578, 2.7557319127899957e-06,
                   -2.50520856167561e-08, 1.6056205209383346e-10, -7.482796637115973e-13);
    double cosine_tail = polynomial(z, 0.04166666666666659, -0.0013888888888872344, 2.48015872884652e-05,
                                    -2.755731407988205e-07, 2.087568859925544e-09, -1.1357954616075664e-11);
    auto [near, near_lost] = exact_sum(1.0, -0.5 * z);
    return {exact_sum(rest, mul_add(rest * z, sine_tail, lost)),
            exact_sum(near, mul_add(z * z, cosine_tail, mul_add(-rest, lost, near_lost))), to_bits(shifted)};
}

MATH_INLINE double sin(double x) {
    auto [sine, cosine, bits] = circular(x);
    double result = from_bits(to_bits(by_parity(bits, sine.high, cosine.high)) ^ ((bits & 2) << 62));
    return abs(x) < 1e-18 ? x : result;
}

MATH_INLINE double cos(double x) {
    auto [sine, cosine, bits] = circular(x);
    return from_bits(to_bits(by_parity(bits, cosine.high, sine.high)) ^ (((bits + 1) & 2) << 62));
}

MATH_INLINE double tan(double x) {
    auto [sine, cosine, bits] = circular(x);
    // sine / cosine or -cosine / sine
    double top = by_parity(bits, sine.high, -cosine.high), top_lost = by_parity(bits, sine.low, -cosine.low);
    double bottom = by_parity(bits, cosine.high, sine.high), bottom_lost = by_parity(bits, cosine.low, sine.low);
    double inverse = 1 / bottom, quotient = top * inverse;
    auto [product, product_lost] = exact_product(quotient, bottom);
    double error = ((top - product) - product_lost) + mul_add(-quotient, bottom_lost, top_lost);
    double result = mul_add(inverse, error, quotient);
    return abs(x) < 1e-18 ? x : result;
}

}  // namespace math
}  // namespace LEVEL
