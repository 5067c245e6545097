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
FORMULA(ExponentSlope, (T grad, T x, T y, T power), grad*((x == 0) & (y >= 0) ? 0 : power * math::log(x)))

FORMULA(SqrtSlope, (T grad, T y), grad / (y * 2))
FORMULA(Rsqrt, (T x), math::rsqrt(x))
FORMULA(RsqrtSlope, (T grad, T y), grad*(y * y * y) * T(-0.5))
FORMULA(InverseRootSlope, (T grad, T x), grad*(math::pow(x, T(-1.5)) * T(-0.5)))
// float64 holds the squares of all float32
ALWAYS_INLINE float long_side(float x, float y) {
    double a = x, b = y;
    return static_cast<float>(__builtin_sqrt(a * a + b * b));
}

// the larger side times what the smaller one adds: no square overflows
ALWAYS_INLINE double long_side(double x, double y) {
    double a = math::abs(x), b = math::abs(y), large = a < b ? b : a, small = a < b ? a : b;
    // small: beside 0 it is NaN, if anything is
    return large == 0 ? small : large * __builtin_sqrt(1 + small / large * (small / large));
}

FORMULA(Hypot, (T x, T y),
        (math::abs(x) == math::infinity<T>) | (math::abs(y) == math::infinity<T>) ? math::infinity<T> : long_side(x, y))
FORMULA(HypotSlope, (T grad, T x, T y), grad*(x / y))

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
    Row(table, "pow", "input").when("exponent", -0.5).floats<Rsqrt>().gradient<InverseRootSlope>("input", "input");
}

}  // namespace

void powers(Table& table) {
    Row(table, "hypot", "input", "other")
        .floats<Hypot>()
        .gradient<HypotSlope>("input", "input", "result")
        .gradient<HypotSlope>("other", "other", "result");
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
