// Special functions: the error function and its family.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double ROOT_PI = 1.77245385090551602730, ROOT_2PI = 2.50662827463100050242;

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

FORMULA(Erf, (T x), math::erf(x))
FORMULA(ErfSlope, (T grad, T x), grad* math::exp(-x* x) * T(2 / ROOT_PI))
FORMULA(Erfc, (T x), math::erfc(x))
FORMULA(ErfcSlope, (T grad, T x), grad* math::exp(-x* x) * T(-2 / ROOT_PI))
FORMULA(Erfinv, (T x), inverse_error(x))
FORMULA(ErfinvSlope, (T grad, T y), grad* math::exp(y* y) * T(ROOT_PI / 2))
FORMULA(Ndtr, (T x), math::ndtr(x))
FORMULA(NdtrSlope, (T grad, T x), grad* math::exp(x * x * T(-0.5)) / T(ROOT_2PI))

}  // namespace

void special(Table& table) {
    Row(table, "erf", "input").to_floats<Erf>().gradient<ErfSlope>("input", "input");
    Row(table, "erfc", "input").to_floats<Erfc>().gradient<ErfcSlope>("input", "input");
    Row(table, "erfinv", "input").to_floats<Erfinv>().gradient<ErfinvSlope>("input", "result");
    Row(table, "special.ndtr", "input").to_floats<Ndtr>().gradient<NdtrSlope>("input", "input");
}

}  // namespace LEVEL
