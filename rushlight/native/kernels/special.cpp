// Special functions: the error function and its family.
#include <cmath>

#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double PI = 3.14159265358979323846, ROOT_PI = 1.77245385090551602730, ROOT_2PI = 2.50662827463100050242;

// The number whose error function is x: a guess to six digits, of how many powers of e 1 - x^2 is below 1, and a step
// of Halley's. Beyond a half what x lacks of 1, which is exact, is compared with erfc, so that few digits are lost.
ALWAYS_INLINE double inverse_error(double x) {
    double size = math::abs(x), left = 1 - size;
    bool inside = left > 0;
    double depth = -math::log(inside ? left * (1 + size) : 1.0);
    double near = size * math::polynomial(depth * 0.4 - 1, 1.50141043, 0.616624158, -0.0261239932, -0.0197703376,
                                          0.0085490649, -6.4162001e-05, -0.000817271106);
    double far = math::polynomial(math::sqrt(depth) * 0.5 - 2.1, 4.04172617, 2.01977911, 0.00321819047, -0.00494140554,
                                  0.00358612758, -0.00259389152, 0.00104535287);
    double guess = depth < 5 ? near : far;
    double rest =
        size < 0.5 ? math::mul_add(guess, math::erf_near(guess * guess), guess) - size : left - math::erfc(guess);
    double step = rest / (math::exp(-guess * guess) * (2 / ROOT_PI));
    double found = guess - step / (1 + guess * step);
    constexpr double infinity = __builtin_inf(), none = __builtin_nan("");
    return math::copysign(inside ? found : left == 0 ? infinity : none, x);
}

// The same as good as a float needs it: the guess alone, to ten digits.
ALWAYS_INLINE float inverse_error(float x) {
    double size = math::abs(x), left = 1 - size;
    bool inside = left > 0;
    double depth = -math::log(inside ? left * (1 + size) : 1.0);
    double near = size * math::polynomial(depth * 0.4 - 1, 1.5014093511388085, 0.616600691976666, -0.026108238320836669,
                                          -0.019573564070254786, 0.0085254393315509856, -0.00048787759595883811,
                                          -0.00083435597067728524, 0.00029213833990708382, 2.1082725937885947e-05,
                                          -4.1402994620481124e-05, 7.7716022454945044e-06, 2.9320668691333863e-06,
                                          -1.2073580996000337e-06);
    double far = math::polynomial(
        math::sqrt(depth) - 3.2, 3.0335824038838077, 1.0050211955108344, 0.0050326241321404421, -0.0026227140703584772,
        0.00091223191448268565, -0.00022821572011217446, 1.7692975449145597e-05, 2.2950096334521563e-05,
        -1.7243359678179056e-05, 5.3520295779762324e-06, 1.0321027506233125e-06, -9.8477662653507685e-07);
    constexpr float infinity = __builtin_inff(), none = __builtin_nanf("");
    auto found = static_cast<float>(depth < 5 ? near : far);
    return math::copysign(inside ? found : left == 0 ? infinity : none, x);
}

// log(gamma(x)) for 0 < x < 1e30, as good as a float needs it: Stirling's series from 7 on, smaller numbers seven
// further, and near its zeros at 1 and 2 what it is of their product.
ALWAYS_INLINE float log_gamma(float x) {
    double own = x, outer = own * (own + 6);
    bool small = own < 7;
    // own (own + 1) ... (own + 6), from both ends
    double product = small ? outer * (outer + 5) * (outer + 8) * (own + 3) : 1.0, z = small ? own + 7 : own;
    double inverse = 1 / z, tail = math::polynomial(inverse * inverse, 1. / 12, -1. / 360, 1. / 1260, -1. / 1680,
                                                    1. / 1188, -691. / 360360);
    double far = (z - 0.5) * math::log(z) - z + 0.91893853320467274178 + tail * inverse - math::log(product);
    double from_one = own - 1, from_two = own - 2;
    double near = from_one * from_two *
                  math::polynomial((own - 1.5) / 0.75, 0.48312895053920374, -0.10946992400207516, 0.035387664263456554,
                                   -0.013208191624235281, 0.0053146677515845935, -0.0022375575929392752,
                                   0.00096975620752592559, -0.0004249937307923661, 0.00019066964514452529,
                                   -9.6225246367326125e-05, 4.4318980528871149e-05, -7.867822662426136e-06,
                                   3.4928518022753165e-06, -1.0018267931991824e-05, 4.7457973583912999e-06);
    // a zero has no sign
    return static_cast<float>(((x > 0.75f) & (x < 2.25f) ? near : far) + 0.0);
}

ALWAYS_INLINE double log_gamma(double x) { return x; }  // see `has_far_gamma`

// Where the C library is asked: doubles, what is not positive, and what is not finite.
ALWAYS_INLINE bool has_far_gamma(float x) { return !((x > 0) & (x < 1e30f)); }
ALWAYS_INLINE bool has_far_gamma(double) { return true; }

ALWAYS_INLINE double slow_log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

// digamma for 0 < x < 1e30: its series from 10 on, smaller numbers a whole one further.
ALWAYS_INLINE double digamma(double x) {
    double z = x, sum = 0;
    for (int i = 0; i < 10; i++) {
        bool small = z < 10;
        sum += small ? 1 / z : 0.0;
        z += small ? 1.0 : 0.0;
    }
    double inverse = 1 / z, square = inverse * inverse;
    double tail = math::polynomial(square, 1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12,
                                   -3617. / 8160);
    return math::log(z) - 0.5 * inverse - square * tail - sum;
}

// The same for what is not positive, mirrored at a half, and for what is not finite.
ALWAYS_INLINE double slow_digamma(double x) {
    if (x == 0) return math::copysign(__builtin_inf(), -x);
    if (x > 0) return __builtin_log(x);
    if (x == __builtin_floor(x)) return __builtin_nan("");
    return digamma(1 - x) - PI / __builtin_tan(PI * (x - __builtin_trunc(x)));
}

// The slope of digamma for x > 0: its series from 10 on, smaller numbers a whole one further.
ALWAYS_INLINE double trigamma(double x) {
    double z = x, sum = 0;
    for (int i = 0; i < 10; i++) {
        bool small = z < 10;
        sum += small ? 1 / (z * z) : 0.0;
        z += small ? 1.0 : 0.0;
    }
    double inverse = 1 / z, square = inverse * inverse;
    double tail =
        math::polynomial(square, 1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510);
    return sum + (inverse + square * (0.5 + inverse * tail));
}

// The same for what is not positive, mirrored at a half; infinite at whole numbers.
ALWAYS_INLINE double slow_trigamma(double x) {
    if (x == __builtin_floor(x)) return __builtin_inf();
    double sine = __builtin_sin(PI * (x - __builtin_round(x)));
    return PI * PI / (sine * sine) - trigamma(1 - x);
}

FORMULA(Erf, (T x), math::erf(x))
FORMULA(ErfSlope, (T grad, T x), grad* math::exp(-x* x) * T(2 / ROOT_PI))
FORMULA(Erfc, (T x), math::erfc(x))
FORMULA(ErfcSlope, (T grad, T x), grad* math::exp(-x* x) * T(-2 / ROOT_PI))
FORMULA(Erfinv, (T x), inverse_error(x))
FORMULA(ErfinvSlope, (T grad, T y), grad* math::exp(y* y) * T(ROOT_PI / 2))
CAREFUL(LogGamma, (T x), has_far_gamma(x), log_gamma(x), static_cast<T>(slow_log_gamma(x)))
CAREFUL(Digamma, (T x), !((x > 0) & (x < T(1e30))), static_cast<T>(digamma(x)), static_cast<T>(slow_digamma(x)))
CAREFUL(Trigamma, (T x), !(x > 0), static_cast<T>(trigamma(x)), static_cast<T>(slow_trigamma(x)))
FORMULA(Ndtr, (T x), math::ndtr(x))
FORMULA(NdtrSlope, (T grad, T x), grad* math::exp(x * x * T(-0.5)) / T(ROOT_2PI))

}  // namespace

void special(Table& table) {
    Row(table, "erf", "input").to_floats<Erf>().gradient<ErfSlope>("input", "input");
    Row(table, "erfc", "input").to_floats<Erfc>().gradient<ErfcSlope>("input", "input");
    Row(table, "erfinv", "input").to_floats<Erfinv>().gradient<ErfinvSlope>("input", "result");
    Row(table, "lgamma", "input").to_floats<LogGamma>();
    Row(table, "digamma", "input").to_floats<Digamma>();
    Row(table, "_polygamma", "input").when("n", 1.0).to_floats<Trigamma>();
    Row(table, "special.ndtr", "input").to_floats<Ndtr>().gradient<NdtrSlope>("input", "input");
}

}  // namespace LEVEL
