// Trigonometric: sine, cosine and tangent, their inverses, and angles.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double PI = 3.14159265358979323846;

CAREFUL(Sin, (T x), math::is_far_angle(x), math::sin(x), math::slow_sin(x))
CAREFUL(SinSlope, (T grad, T x), math::is_far_angle(x), grad* math::cos(x), grad* math::slow_cos(x))
CAREFUL(Cos, (T x), math::is_far_angle(x), math::cos(x), math::slow_cos(x))
CAREFUL(CosSlope, (T grad, T x), math::is_far_angle(x), grad * -math::sin(x), grad * -math::slow_sin(x))
CAREFUL(Tan, (T x), math::is_far_angle(x), math::tan(x), math::slow_tan(x))
FORMULA(TanSlope, (T grad, T y), grad * (1 + y * y))
FORMULA(Asin, (T x), math::asin(x))
FORMULA(AsinSlope, (T grad, T x), grad* math::rsqrt(1 - x * x))
FORMULA(Acos, (T x), math::acos(x))
FORMULA(AcosSlope, (T grad, T x), grad * -math::rsqrt(1 - x * x))
FORMULA(Atan, (T x), math::atan(x))
FORMULA(AtanSlope, (T grad, T x), grad / (x * x + 1))
FORMULA(Atan2, (T y, T x), math::atan2(y, x))
// nothing turns at the origin
FORMULA(Atan2First, (T grad, T y, T x), y* y + x * x == 0 ? 0 : grad * x / (y * y + x * x))
FORMULA(Atan2Second, (T grad, T y, T x), y* y + x * x == 0 ? 0 : grad * -y / (y * y + x * x))
FORMULA(Radians, (T x), x* T(PI / 180))
FORMULA(Degrees, (T x), x* T(180 / PI))

}  // namespace

void trigonometric(Table& table) {
    Row(table, "sin", "input").to_floats<Sin>().gradient<SinSlope>("input", "input");
    Row(table, "cos", "input").to_floats<Cos>().gradient<CosSlope>("input", "input");
    Row(table, "tan", "input").to_floats<Tan>().gradient<TanSlope>("input", "result");
    Row(table, "asin", "input").to_floats<Asin>().gradient<AsinSlope>("input", "input");
    Row(table, "acos", "input").to_floats<Acos>().gradient<AcosSlope>("input", "input");
    Row(table, "atan", "input").to_floats<Atan>().gradient<AtanSlope>("input", "input");
    Row(table, "atan2", "input", "other")
        .to_floats<Atan2>()
        .gradient<Atan2First>("input", "input", "other")
        .gradient<Atan2Second>("other", "input", "other");
    Row(table, "deg2rad", "input").to_floats<Radians>().gradient<Radians>("input");
    Row(table, "rad2deg", "input").to_floats<Degrees>().gradient<Degrees>("input");
}

}  // namespace LEVEL
