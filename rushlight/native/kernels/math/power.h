// Powers with any exponent: pow with all of IEEE's special cases; branch-free, float and double.
#pragma once

#include "kernels/math/logarithm.h"

namespace LEVEL {
namespace math {

// |x|^y for finite |x| > 0 and y log(|x|) not NaN; the logarithm has twice the digits of the result
MATH_INLINE float power_of_size(float size, float y) {
    double x = size;
    auto [n, f, none] = split(x, 1.0);
    double log2_x =
        n + f * polynomial(f, 1.4426950408861703, -0.7213475203439924, 0.48089834909608326, -0.3606737895786778,
                           0.28853875957439096, -0.24044663729510965, 0.20610881839396544, -0.1804324881532609,
                           0.16017971039708742, -0.14252399883566838, 0.13065372881661588, -0.1348062241701063,
                           0.13104565357976236, -0.06794228866896138);
    double power = bounded(y * log2_x, 200.0);
    double shifted = power + exponent_magic<double>, rest = power - (shifted - exponent_magic<double>);
    double tail = polynomial(rest, 0.6931471807926449, 0.24022651076470808, 0.05550410149389433, 0.009618036790668,
                             0.0013334084071201736, 0.00015467170614303692, 1.516547548084382e-05);
    return float(mul_add(rest, tail, 1.0) * power_of_two<double>(to_bits(shifted) - Format<double>::bias));
}

// log(x) for finite x > 0 to some 100 bits: 2 atanh(s) with s = f / (2 + f)
MATH_INLINE Pair<double> log_pair(double x) {
    auto [n, f, none] = split(x);
    auto [bottom, bottom_lost] = exact_sum(2.0, f);
    double s = f / bottom;
    auto [product, product_lost] = exact_product(s, bottom);
    double s_lost = (((f - product) - product_lost) - s * bottom_lost) / bottom;
    auto [z, z_lost] = exact_product(s, s);
    z_lost = mul_add(s + s, s_lost, z_lost);
    double tail = z * polynomial(z, 0.39999999999999974, 0.28571428571446716, 0.22222222217202067, 0.18181818906438574,
                                 0.15384554657935043, 0.13336395036368864, 0.11673365087515244, 0.12000285864709836);
    auto [u, u_lost] = exact_sum(0x1.5555555555555p-1, tail);
    auto [v, v_lost] = exact_product(z, u);
    v_lost += mul_add(z, u_lost + 0x1.5555555555555p-55, z_lost * u);
    auto [w, w_lost] = exact_product(s, v);
    w_lost += mul_add(s, v_lost, s_lost * v);
    // n log(2) + 2 s + w
    auto [sum, sum_lost] = exact_sum(n * ExponentialRange<double>::log_2_high, s + s);
    auto [high, high_lost] = exact_sum(sum, w);
    double low = mul_add(n, ExponentialRange<double>::log_2_low, s_lost + s_lost + w_lost);
    return exact_sum(high, low + (sum_lost + high_lost));
}

MATH_INLINE double power_of_size(double size, double y) {
    auto [log_high, log_low] = log_pair(size);
    auto [product, product_lost] = exact_product(y, log_high);
    double low = mul_add(y, log_low, product_lost), far = ExponentialRange<double>::widest;
    low = abs(product) < far ? low : 0.0;
    auto [rest, lost, bits] = reduce_by_log_2(bounded(product, far), low);
    return scale(1 + (rest + mul_add(rest * rest, exp_tail(rest), lost)), bits);
}

template <class T>
MATH_INLINE T pow(T x, T y) {
    T size = abs(x);
    T half = T(0.5) * y;
    bool whole = trunc(y) == y, odd = whole & (trunc(half) != half);
    T result = power_of_size(size, y);
    T limit = y < 0 ? T(0) : infinity<T>;  // of an infinite base
    result = size == infinity<T> ? limit : result;
    T inverse = y < 0 ? infinity<T> : T(0);
    result = size == 0 ? inverse : result;
    result = size == 1 ? T(1) : result;
    result = odd ? copysign(result, x) : result;
    bool complex = (x < 0) & (size < infinity<T>)&!whole;
    result = complex ? nan<T> : result;
    result = (x != x) | (y != y) ? nan<T> : result;
    return (y == 0) | (x == 1) ? T(1) : result;
}

}  // namespace math
}  // namespace LEVEL
