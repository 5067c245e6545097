// Hyperbolic: sinh, cosh, tanh and their inverses.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Sinh, (T x), math::sinh(x))
FORMULA(SinhSlope, (T grad, T x), grad* math::cosh(x))
FORMULA(Cosh, (T x), math::cosh(x))
FORMULA(CoshSlope, (T grad, T x), grad* math::sinh(x))
FORMULA(Tanh, (T x), math::tanh(x))
FORMULA(TanhSlope, (T grad, T y), grad * (1 - y * y))
FORMULA(SlopeOfTanhSlope, (T grad, T x, T y), grad * x * y * -2)
FORMULA(Asinh, (T x), math::asinh(x))
FORMULA(AsinhSlope, (T grad, T x), grad* math::rsqrt(x* x + 1))
FORMULA(Acosh, (T x), math::acosh(x))
FORMULA(AcoshSlope, (T grad, T x), grad* math::rsqrt(x* x - 1))
FORMULA(Atanh, (T x), math::atanh(x))
FORMULA(AtanhSlope, (T grad, T x), grad / (1 - x * x))

}  // namespace

void hyperbolic(Table& table) {
    Row(table, "sinh", "input").to_floats<Sinh>().gradient<SinhSlope>("input", "input");
    Row(table, "cosh", "input").to_floats<Cosh>().gradient<CoshSlope>("input", "input");
    Row(table, "tanh", "input").to_floats<Tanh>().gradient<TanhSlope>("input", "result");
    Row(table, "_tanh_slope", "input", "result")
        .floats<TanhSlope>()
        .gradient<TanhSlope>("input", "result")
        .gradient<SlopeOfTanhSlope>("result", "input", "result");
    Row(table, "asinh", "input").to_floats<Asinh>().gradient<AsinhSlope>("input", "input");
    Row(table, "acosh", "input").to_floats<Acosh>().gradient<AcoshSlope>("input", "input");
    Row(table, "atanh", "input").to_floats<Atanh>().gradient<AtanhSlope>("input", "input");
}

}  // namespace LEVEL
