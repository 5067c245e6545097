// Special functions: the error function and its family.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double ROOT_PI = 1.77245385090551602730, ROOT_2PI = 2.50662827463100050242;

FORMULA(Erf, (T x), math::erf(x))
FORMULA(ErfSlope, (T grad, T x), grad* math::exp(-x* x) * T(2 / ROOT_PI))
FORMULA(Erfc, (T x), math::erfc(x))
FORMULA(ErfcSlope, (T grad, T x), grad* math::exp(-x* x) * T(-2 / ROOT_PI))
FORMULA(Ndtr, (T x), math::ndtr(x))
FORMULA(NdtrSlope, (T grad, T x), grad* math::exp(x * x * T(-0.5)) / T(ROOT_2PI))

}  // namespace

void special(Table& table) {
    Row(table, "erf", "input").to_floats<Erf>().gradient<ErfSlope>("input", "input");
    Row(table, "erfc", "input").to_floats<Erfc>().gradient<ErfcSlope>("input", "input");
    Row(table, "special.ndtr", "input").to_floats<Ndtr>().gradient<NdtrSlope>("input", "input");
}

}  // namespace LEVEL
