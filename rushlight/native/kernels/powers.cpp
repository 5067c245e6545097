// Powers: raising to a power, and roots.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Square, (T x), x* x)
FORMULA(SquareSlope, (T grad, T x), grad*(x * 2))
FORMULA(Cube, (T x), x * x * x)
FORMULA(CubeSlope, (T grad, T x), grad*(x * x * 3))
FORMULA(Sqrt, (T x), math::sqrt(x))
FORMULA(RootSlope, (T grad, T x), grad*(math::rsqrt(x) * T(0.5)))
FORMULA(Reciprocal, (T x), 1 / x)
FORMULA(ReciprocalSlope, (T grad, T x), grad * (-1 / (x * x)))
FORMULA(Power, (T x, T y), math::pow(x, y))
// x ** 0 is flat, also at 0 where the slope would be 0 * inf
FORMULA(BaseSlope, (T grad, T x, T y), y == 0 ? 0 : grad * (math::pow(x, y - 1) * y))
// 0 ** y is flat where y >= 0, although log(0) is not finite
FORMULA(ExponentSlope, (T grad, T x, T y, T power), (x == 0) & (y >= 0) ? 0 : grad * (power * math::log(x)))

FORMULA(SqrtSlope, (T grad, T y), grad / (y * 2))
FORMULA(Rsqrt, (T x), math::rsqrt(x))
FORMULA(RsqrtSlope, (T grad, T y), grad*(y * y * y) * T(-0.5))

// Exponents that are cheaper without logarithms.
void fixed_powers(Table& table) {
    Row(table, "pow", "input")
        .when("exponent", 2)
        .floats<Square>()
        .integers<Square>()
        .gradient<SquareSlope>("input", "input");
    Row(table, "pow", "input")
        .when("exponent", 3)
        .floats<Cube>()
        .integers<Cube>()
        .gradient<CubeSlope>("input", "input");
    Row(table, "pow", "input").when("exponent", 0.5).floats<Sqrt>().gradient<RootSlope>("input", "input");
    Row(table, "pow", "input").when("exponent", -1).floats<Reciprocal>().gradient<ReciprocalSlope>("input", "input");
}

}  // namespace

void powers(Table& table) {
    fixed_powers(table);
    // powers of one number are by rows, whatever the exponents are
    Row(table, "pow", "input", "exponent")
        .when("input", Condition::NUMBER)
        .rule(Rule::NO_BOOLS)
        .packed()
        .floats<Power>()
        .gradient<ExponentSlope>("exponent", "input", "exponent", "result");
    Row(table, "pow", "input", "exponent")
        .rule(Rule::NO_BOOLS)
        .floats<Power>()
        .gradient<BaseSlope>("input", "input", "exponent")
        .gradient<ExponentSlope>("exponent", "input", "exponent", "result");
    Row(table, "sqrt", "input").to_floats<Sqrt>().gradient<SqrtSlope>("input", "result");
    Row(table, "rsqrt", "input").to_floats<Rsqrt>().gradient<RsqrtSlope>("input", "result");
}

}  // namespace LEVEL
