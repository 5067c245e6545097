// Exponential functions: exp, exp2, expm1, sigmoid, tanh, sinh, cosh; branch-free, float and double.
#pragma once

#include "kernels/math/number.h"

namespace LEVEL {
namespace math {

template <class T>
struct ExponentialRange;

template <>
struct ExponentialRange<float> {
    static constexpr float widest = 104;       // where |x| is larger exp(x) is 0 or infinity,
    static constexpr float near = 87;          // where it is at most this exp(x) is a normal number,
    static constexpr float widest2 = 151;      // exp2(x) is 0 or infinity above,
    static constexpr float hyperbolic = 89.5;  // and cosh(x) is infinity
    static constexpr float faint = 30;         // above it 1 + exp(-x) is 1
    static constexpr float down = 0x1p-64f;    // brings exp(widest) back into range
    static constexpr float tiny = 0x1p-26f;    // below it expm1(x) and log1p(x) are x
    static constexpr float log2_e = 1.4426950408889634f;
    // log(2) in two parts; the first has few enough bits for its product with an exponent to be exact
    static constexpr float log_2_high = 0x1.62e4p-1f, log_2_low = 0x1.7f7d1cp-20f;
};

template <>
struct ExponentialRange<double> {
    static constexpr double widest = 746, near = 708, widest2 = 1076, hyperbolic = 710.5, faint = 60;
    static constexpr double down = 0x1p-512, tiny = 0x1p-55;
    static constexpr double log2_e = 1.4426950408889634;
    static constexpr double log_2_high = 0x1.62e42fefa4p-1, log_2_low = -0x1.8432a1b0e2634p-43;
};

// x (or x + low) = n log(2) + rest + lost with |rest| <= log(2) / 2; the lowest bits of `bits` are n + 2 bias
template <class T>
struct Reduced {
    T rest, lost;
    BitsOf<T> bits;
};

template <class T>
constexpr T exponent_magic = Format<T>::whole * T(1.5) + T(2 * Format<T>::bias);

template <class T>
MATH_INLINE Reduced<T> reduce_by_log_2(T x) {
    using Range = ExponentialRange<T>;
    T shifted = mul_add(x, Range::log2_e, exponent_magic<T>), n = shifted - exponent_magic<T>;
    T high = mul_add(n, -Range::log_2_high, x), rest = mul_add(n, -Range::log_2_low, high);
    return {rest, mul_add(n, -Range::log_2_low, high - rest), to_bits(shifted)};
}

template <class T>
MATH_INLINE Reduced<T> reduce_by_log_2(T x, T low) {
    using Range = ExponentialRange<T>;
    T shifted = mul_add(x, Range::log2_e, exponent_magic<T>), n = shifted - exponent_magic<T>;
    auto [rest, lost] = exact_sum_any(mul_add(n, -Range::log_2_high, x), mul_add(n, -Range::log_2_low, low));
    return {rest, lost, to_bits(shifted)};
}

// (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2, good for exp(r)
MATH_INLINE float exp_tail(float r) {
    return polynomial(r, 0.49999994f, 0.16666509f, 0.04166801f, 0.00836999f, 0.0013847032f);
}

MATH_INLINE double exp_tail(double r) {
    return polynomial(r, 0.5000000000000012, 0.16666666666666413, 0.04166666666651452, 0.00833333333348626,
                      0.001388888894820658, 0.0001984126954101743, 2.4801487955257944e-05, 2.755754092151921e-06,
                      2.763220494545928e-07, 2.501897724163585e-08);
}

// the same, good for expm1(r)
MATH_INLINE float expm1_tail(float r) {
    return polynomial(r, 0.5f, 0.16666634f, 0.041666504f, 0.00834171f, 0.0013931532f, 0.00015041468f);
}

MATH_INLINE double expm1_tail(double r) {
    return polynomial(r, 0.5, 0.1666666666666668, 0.04166666666666672, 0.008333333333318935, 0.0013888888888842336,
                      0.00019841269893344882, 2.480158742769043e-05, 2.755723673827782e-06, 2.7557177591812506e-07,
                      2.5111678484468998e-08, 2.094532450375016e-09);
}

// (2^r - 1) / r for |r| <= 1/2
MATH_INLINE float exp2_tail(float r) {
    return polynomial(r, 0.69314724f, 0.24022655f, 0.055502728f, 0.009617066f, 0.0013417826f, 0.0001582101f);
}

MATH_INLINE double exp2_tail(double r) {
    return polynomial(r, 0.6931471805599453, 0.2402265069591007, 0.055504108664823366, 0.009618129107630219,
                      0.0013333558146038712, 0.00015403530388944482, 1.5252734160757723e-05, 1.3215491258672704e-06,
                      1.0177934887089138e-07, 7.052982712353536e-09, 4.472942405406839e-10, 2.8675149731328002e-11);
}

// x, no farther from 0 than `limit`; two clamps in a row would be turned into branches
template <class T>
MATH_INLINE T bounded(T x, T limit) {
    T size = abs(x);
    return with_sign(size > limit ? limit : size, x);  // NaN stays
}

// value 2^n in two steps, so that neither factor leaves the range: underflow is gradual, overflow is infinity
template <class T>
MATH_INLINE T scale(T value, BitsOf<T> bits) {
    BitsOf<T> half = bits >> 1;
    return value * power_of_two<T>(half) * power_of_two<T>(bits - half);
}

template <class T>
MATH_INLINE T exp(T x) {
    // Intel takes 150 cycles for a product that underflows; minus infinity, as masks have it, must not end in one
    const T least = -ExponentialRange<T>::widest;
    T near = bounded(x, -least);
    auto [rest, lost, bits] = reduce_by_log_2(x < least ? T(0) : near);
    T found = scale(T(1) + mul_add(rest * rest, exp_tail(rest), rest), bits);
    return x < least ? T(0) : found;
}

// What makes the short ways below fail: the distance from 0, in an order in which NaN is the farthest
template <class T>
MATH_INLINE BitsOf<T> remoteness(T x) {
    return to_bits(abs(x));
}

// exp(x), to the same bits, for |x| <= near
template <class T>
MATH_INLINE T exp_near(T x) {
    auto [rest, lost, bits] = reduce_by_log_2(x);
    return (T(1) + mul_add(rest * rest, exp_tail(rest), rest)) * power_of_two<T>(bits - Format<T>::bias);
}

template <class T>
MATH_INLINE T exp2(T x) {
    x = bounded(x, ExponentialRange<T>::widest2);
    T shifted = x + exponent_magic<T>;
    T rest = x - (shifted - exponent_magic<T>);
    return scale(mul_add(rest, exp2_tail(rest), T(1)), to_bits(shifted));
}

template <class T>
MATH_INLINE T expm1(T x) {
    using Range = ExponentialRange<T>;
    T near = bounded(x, Range::hyperbolic);
    near = near < -Range::faint ? -Range::faint : near;
    auto [rest, lost, bits] = reduce_by_log_2(near);
    T tail = mul_add(rest * rest, expm1_tail(rest), lost);
    // 2^n (rest + tail) + (2^n - 1), a quarter of it at first: 2^n itself may overflow
    T power = power_of_two<T>(bits - Format<T>::bias - 2);
    auto [sum, error] = exact_sum(power - T(0.25), power * rest);
    T result = 4 * (sum + mul_add(power, tail, error));
    return abs(x) < Range::tiny ? x : result;
}

template <class T>
MATH_INLINE T sigmoid(T x) {
    // 1 / (1 + exp(-x)), both sides of the fraction scaled down where exp(-x) would overflow
    using Range = ExponentialRange<T>;
    T minus = bounded(-x, Range::widest);
    minus = minus < -Range::faint ? -Range::faint : minus;
    auto [rest, error, bits] = reduce_by_log_2(minus);
    T unit = x < -Range::widest / 2 ? Range::down : T(1);
    T power = from_bits(BitsOf<T>(((bits - 2 * Format<T>::bias) << Format<T>::digits) + to_bits(unit)));
    T sum = power + unit, lost = unit - (sum - power);
    return unit / (sum + mul_add(mul_add(rest * rest, exp_tail(rest), rest), power, lost));
}

// sigmoid(x), to the same bits, for |x| <= faint
template <class T>
MATH_INLINE T sigmoid_near(T x) {
    auto [rest, error, bits] = reduce_by_log_2(-x);
    T power = power_of_two<T>(bits - Format<T>::bias);
    T sum = power + T(1), lost = T(1) - (sum - power);
    return T(1) / (sum + mul_add(mul_add(rest * rest, exp_tail(rest), rest), power, lost));
}

// (tanh(x) / x - 1) / x^2 for |x| < 0.55, of x^2
MATH_INLINE float tanh_tail(float z) {
    return polynomial(z, -0.33333313f, 0.13332437f, -0.053835757f, 0.021000978f, -0.0061719175f);
}

MATH_INLINE double tanh_tail(double z) {
    return polynomial(z, -0.3333333333333328, 0.13333333333323746, -0.05396825396207626, 0.021869488337220546,
                      -0.008863231797959, 0.0035920838513973812, -0.001455489802074654, 0.0005882248085334416,
                      -0.00023281926289992847, 8.250614577926374e-05, -1.8992046448941153e-05);
}

template <class T>
MATH_INLINE T tanh(T x) {
    constexpr T faint = ExponentialRange<T>::faint;
    T size = abs(x), square = x * x, twice = size + size;
    auto [rest, lost, bits] = reduce_by_log_2(twice > faint ? faint : twice);
    T power = power_of_two<T>(bits - Format<T>::bias);
    T large = T(1) - T(2) / mul_add(mul_add(rest * rest, exp_tail(rest), rest), power, power + T(1));
    T small = mul_add(size * square, tanh_tail(square), size);
    return with_sign(size < T(0.55) ? small : large, x);
}

// exp(x) / 4 for 0 <= x, where exp(x) itself could overflow before cosh(x) does
template <class T>
MATH_INLINE T exp_quarter(T x) {
    constexpr T limit = ExponentialRange<T>::hyperbolic;
    auto [rest, lost, bits] = reduce_by_log_2(x > limit ? limit : x);
    return (T(1) + mul_add(rest * rest, exp_tail(rest), rest)) * power_of_two<T>(bits - Format<T>::bias - 2);
}

// (sinh(x) / x - 1) / x^2 for |x| <= 1, of x^2
MATH_INLINE float sinh_tail(float z) {
    return polynomial(z, 0.16666667f, 0.0083333105f, 0.00019842896f, 2.7822132e-06f);
}

MATH_INLINE double sinh_tail(double z) {
    return polynomial(z, 0.16666666666666669, 0.008333333333332912, 0.0001984126984159341, 2.7557319106756312e-06,
                      2.5052130998843284e-08, 1.6056659154552016e-10, 7.776600605228906e-13);
}

template <class T>
MATH_INLINE T sinh(T x) {
    T size = abs(x), square = x * x, quarter = exp_quarter(size);
    T large = 2 * quarter - T(0.125) / quarter;
    T small = mul_add(size * square, sinh_tail(square), size);
    return with_sign(size < 1 ? small : large, x);
}

template <class T>
MATH_INLINE T cosh(T x) {
    T quarter = exp_quarter(abs(x));
    return 2 * quarter + T(0.125) / quarter;
}

}  // namespace math
}  // namespace LEVEL
