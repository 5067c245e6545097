// The error function and what is made of it: erf, erfc, gelu; branch-free, float and double.
#pragma once

#include "kernels/math/exponential.h"

namespace LEVEL {
namespace math {

// erf(x) / x - 1 for |x| < 1, of x^2
MATH_INLINE float erf_near(float z) {
    return polynomial(z, 0.12837917f, -0.37612626f, 0.112835824f, -0.026853643f, 0.0051879627f, -0.0008006793f,
                      7.842288e-05f);
}

MATH_INLINE double erf_near(double z) {
    return polynomial(z, 0.1283791670955126, -0.37612638903183876, 0.11283791670958743, -0.02686617064561954,
                      0.005223977629095658, -0.0008548327189606624, 0.00012055337777810952, -1.4925738504204218e-05,
                      1.646308709483387e-06, -1.637063829093387e-07, 1.4786548418167036e-08, -1.1830590465705277e-09,
                      6.684830822627492e-11);
}

// log2(erfc(x)) for 1 <= x <= 4 or 6, as far as 1 - erfc(x) needs it
MATH_INLINE float log2_erfc(float x) {
    return -polynomial(x, -0.00027604713f, 1.6296586f, 0.9135028f, 0.15645649f, -0.036392957f, 0.0060748407f,
                       -0.0006384461f, 3.1428626e-05f);
}

MATH_INLINE double log2_erfc(double x) {
    return -polynomial(x, 2.6181553472834515e-07, 1.6279043501111, 0.9184608911994, 0.1482325806514016,
                       -0.027523213007155056, -0.0004057677852623644, 0.002553380220441791, -0.0009261179497482548,
                       6.543012617185347e-05, 0.00010109495392204264, -6.47890670829371e-05, 2.375940750169271e-05,
                       -6.224601124291768e-06, 1.2232507162207255e-06, -1.8072134905598206e-07, 1.9583239841089318e-08,
                       -1.4734710007188338e-09, 6.886949798124496e-11, -1.5066127715044486e-12);
}

template <class T>
MATH_INLINE T erf(T x) {
    constexpr T one = sizeof(T) == 4 ? 4 : 6;  // from here on erf(x) is 1
    T size = abs(x);
    T power = log2_erfc(size > one ? one : size);
    T shifted = power + exponent_magic<T>, rest = power - (shifted - exponent_magic<T>);
    T scale = power_of_two<T>(to_bits(shifted) - Format<T>::bias);
    T large = T(1) - mul_add(scale * rest, exp2_tail(rest), scale);
    T small = mul_add(size, erf_near(x * x), size);
    return copysign(size < 1 ? small : large, x);
}

// exp(-square) (exp(x^2) erfc(x)) for x >= 0, as good as a float needs it; square is x^2, exactly
MATH_INLINE double normal_tail_short(double x, double square) {
    double inverse = 1 / (x + 3), t = 1 - 6 * inverse;  // (x - 3) / (x + 3)
    double height = polynomial(t, 1.0740069073537253, -0.883394489608045, 0.5902283337150491, -0.3104659400593451,
                               0.11952865541256992, -0.026840316318185783, -0.0012250063036761398, 0.003081805575266179,
                               -0.0004845437751262208, -0.0003267151568555295);
    auto [rest, lost, bits] = reduce_by_log_2(-square);
    double power = polynomial(rest, 1.000000000640794, 1.0000000383170404, 0.4999999097157408, 0.16666410946857985,
                              0.04166842653676887, 0.008375598948279673, 0.0013828227569495609);
    return height * inverse * power * power_of_two<double>(bits - Format<double>::bias);
}

MATH_INLINE float erfc(float x) {
    double near = bounded(x, 10.5f), size = abs(near);
    float right = float(normal_tail_short(size, near * near));
    return x < 0 ? 2 - right : right;
}

// (x + c) exp(x^2) erfc(x) in two parts, of t = (x - c) / (x + c) with c = 3.5
MATH_INLINE Pair<double> tail_polynomial(Pair<double> place) {
    auto [t, t_lost] = place;
    double higher =
        polynomial(t, -0.43525602671689967, 0.22573862164738395, -0.09231870663816787, 0.0265186198822383,
                   -0.0031770503468462664, -0.001305354698208544, 0.0007145317155279038, -4.2062122798936016e-05,
                   -7.47772135148276e-05, 1.8647019884605338e-05, 7.244459154187711e-06, -3.3915947104402436e-06,
                   -7.967543849380414e-07, 5.498675669008553e-07, 1.163112229998446e-07, -8.295364529230885e-08,
                   -2.1678027684719762e-08, 8.843769661095119e-09, 3.217433292989377e-09);
    // the terms cancel in part, so the last steps keep what they lose
    double curve = mul_add(t, higher, 0.6941136466346449);
    auto [slope, slope_lost] = exact_sum_any(-0.9377997245671119, t * curve);
    auto [product, product_lost] = exact_product(t, slope);
    auto [high, low] = exact_sum_any(1.08705558926226, product);
    product_lost += mul_add(t_lost, mul_add(t, curve, slope), t * slope_lost);
    return {high, low + (product_lost + 9.63932096889259e-17)};
}

// exp(-square) tail_polynomial / (x + c) as (value + lost) 2^n, the lowest bits of `bits` being n + 2 bias
struct NormalTail {
    double value, lost;
    uint64_t bits;
};

MATH_INLINE NormalTail normal_tail(double x, Pair<double> c, Pair<double> square) {
    auto [sum, sum_lost] = exact_sum_any(x, c.high);
    double inverse = 1 / sum;
    auto [one, one_lost] = exact_product(inverse, sum);
    double inverse_lost = inverse * (((1 - one) - one_lost) - inverse * (sum_lost + c.low));
    auto [part, part_lost] = exact_product(2 * c.high, inverse);
    part_lost += 2 * mul_add(c.high, inverse_lost, c.low * inverse);
    auto [near, near_lost] = exact_sum_any(1.0, -part);
    auto [height, height_lost] = tail_polynomial(exact_sum_any(near, near_lost - part_lost));
    auto [value, value_lost] = exact_product(height, inverse);
    value_lost += mul_add(height, inverse_lost, height_lost * inverse);
    auto [rest, lost, bits] = reduce_by_log_2(-square.high, -square.low);
    double tail = mul_add(rest * rest, exp_tail(rest), lost);
    double small = mul_add(value, tail, mul_add(value_lost, rest + tail, value_lost));
    auto [result, result_lost] = exact_sum(value, mul_add(value, rest, small));
    return {result, result_lost, bits};
}

MATH_INLINE double erfc(double x) {
    double size = abs(x);
    size = size > 27.6 ? 27.6 : size;
    auto [value, lost, bits] = normal_tail(size, {3.5, 0}, exact_product(size, size));
    double right = scale(value, bits);
    return x < 0 ? 2 - right : right;
}

// the probability that a standard normal number is above |x|, as good as a float needs it; 0 from 15 on
MATH_INLINE double upper_tail(float x) {
    double near = bounded(x, 37.5f), size = abs(near);
    return 0.5 * normal_tail_short(size * 0.7071067811865476, 0.5 * near * near);
}

// the same in double precision, as `normal_tail` gives it; the factors sqrt(2) and sqrt(1/2) are in two parts
MATH_INLINE NormalTail upper_tail(double x) {
    double size = abs(bounded(x, 39.0));
    auto [value, lost, bits] =
        normal_tail(size, {0x1.3cc8a99af5453p+2, -0x1.863644f05f2bdp-58}, exact_product(size, 0.5 * size));
    auto [part, part_lost] = exact_product(value, 0x1.6a09e667f3bcdp-1);
    part_lost += mul_add(value, -0x1.bdd3413b26456p-55, lost * 0x1.6a09e667f3bcdp-1);
    return {part, part_lost, bits};
}

// the probability that a standard normal number is below x
MATH_INLINE float ndtr(float x) {
    double above = upper_tail(x);
    return float(x < 0 ? above : 1 - above);
}

MATH_INLINE double ndtr(double x) {
    auto [part, lost, bits] = upper_tail(x);
    double above = scale(part + lost, bits);
    return x < 0 ? above : 1 - above;
}

#if MATH_FUSED
// For a float's gelu the normal distribution in single precision, three times as fast; its tail vanishes at `farthest`.
constexpr float farthest = 15, top_density = 0.3989423f;

MATH_INLINE float tail_size(float x) {
    float size = abs(x);
    return size > farthest ? farthest : size;  // NaN stays
}

// exp(x^2 / 2) times the probability of numbers above x, in two parts. (x + 1) times it is close to the density's top:
// a ratio of polynomials is the smaller part of it, and roundings of the lower one cancel.
MATH_INLINE Pair<float> tail_height(float x) {
    float upper = horner(x, 0.10105771f, 0.2776626f, 0.1606988f, 0.04491431f, 0.0058558555f);
    float lower = horner(x, 1.0f, 1.7475628f, 1.3164741f, 0.5454369f, 0.12722696f, 0.014679215f);
    auto [most, most_lost] = exact_product(lower, top_density);
    float above = most + upper, above_lost = (most - above) + upper + most_lost, below = mul_add(lower, x, lower);
    float inverse = 1 / below, height = above * inverse;
    float lost = mul_add(-height, mul_add(lower, x, lower - below), mul_add(-height, below, above)) + above_lost;
    return {height, lost * inverse};
}

constexpr float bell_unit = 0x1p-64f;  // in which the smallest results are normal numbers

// value exp(-x^2 / 2) / bell_unit
MATH_INLINE float times_bell(Pair<float> value, float x) {
    using Range = ExponentialRange<float>;
    constexpr float magic = Format<float>::whole * 1.5f + float(Format<float>::bias + 64);
    auto [square, lost] = exact_product(x, x);
    float shifted = mul_add(square, -0.5f * Range::log2_e, magic), n = shifted - magic;
    float high = mul_add(n, 2 * Range::log_2_high, square), low = mul_add(n, 2 * Range::log_2_low, lost);
    float rest = high + low, rest_lost = (high - rest) + low;
    float tail = horner(rest, 0.124999985f, -0.020833151f, 0.0026042666f, -0.00026152117f, 2.1594897e-05f);
    float small = mul_add(rest * rest, tail, -0.5f * rest_lost);
    float more = mul_add(value.high, -0.5f * rest, mul_add(value.high, small, value.low));
    return (value.high + more) * power_of_two<float>(to_bits(shifted));
}

// x times the probability that a standard normal number is below x; 0 x makes NaN of -infinity
MATH_INLINE float gelu(float x) {
    float size = tail_size(x);
    auto [height, lost] = tail_height(size);
    auto [product, product_lost] = exact_product(size, height);
    float tail = times_bell({product, mul_add(size, lost, product_lost)}, size);
    return mul_add(tail, -bell_unit, x > 0 ? x : 0 * x);
}

// its slope: that probability, and x times the density
MATH_INLINE float gelu_slope(float x) {
    float size = tail_size(x), height = tail_height(size).high;
    float tail = times_bell({mul_add(size, -top_density, height), 0}, size);
    return mul_add(tail, x > 0 ? -bell_unit : bell_unit, (x > 0 ? 1.0f : 0.0f) + 0 * x);
}
#else
// the same with what a processor without fused steps does better, in double precision
MATH_INLINE float gelu(float x) {
    double near = bounded(x, 37.5f);
    float product = float(near * upper_tail(x));
    return x > 0 ? x - product : product + 0 * x;
}

MATH_INLINE float gelu_slope(float x) {
    return erf(x * 0.70710677f) * 0.5f + 0.5f + x * (exp(x * x * -0.5f) * 0.3989423f);
}
#endif

MATH_INLINE double gelu(double x) {
    double near = bounded(x, 39.0);
    auto [part, lost, bits] = upper_tail(x);
    double product = scale(mul_add(near, part, near * lost), bits);
    return copysign(x > 0 ? x - product : product + 0 * x, x);
}

MATH_INLINE double gelu_slope(double x) {
    return erf(x * 0.7071067811865476) * 0.5 + 0.5 + x * (exp(x * x * -0.5) * 0.3989422804014327);
}

}  // namespace math
}  // namespace LEVEL
