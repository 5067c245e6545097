// Division: quotients and remainders.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

// Python's quotient, rounded down: what fmod leaves, `rest`, is taken off first, so that rounding cannot lift it.
template <class T>
ALWAYS_INLINE T floor_quotient(T x, T y, T rest) {
    T quotient = (x - rest) / y;
    quotient -= (rest != 0) & ((y < 0) != (rest < 0)) ? T(1) : T(0);
    T whole = math::floor(quotient);
    whole += quotient - whole > T(0.5) ? T(1) : T(0);
    return y == 0 ? x / y : quotient == 0 ? math::copysign(T(0), x / y) : whole;
}

FORMULA(Quotient, (T x, T y), x / y)
FORMULA(QuotientSlope, (T grad, T x, T y), -grad*(x / y / y))
CAREFUL(FloorQuotient, (T x, T y), math::is_far_quotient(x, y), floor_quotient(x, y, math::fmod(x, y)),
        floor_quotient(x, y, math::slow_fmod(x, y)))
FORMULA(TruncQuotient, (T x, T y), math::trunc(x / y))
FORMULA(Flat, (T), T(0))
CAREFUL(Remainder, (T x, T y), math::is_far_quotient(x, y), math::floored_rest(math::fmod(x, y), y),
        math::floored_rest(math::slow_fmod(x, y), y))
CAREFUL(RemainderSlope, (T grad, T x, T y), math::is_far_quotient(x, y), -grad* floor_quotient(x, y, math::fmod(x, y)),
        -grad* floor_quotient(x, y, math::slow_fmod(x, y)))
CAREFUL(Fmod, (T x, T y), math::is_far_quotient(x, y), math::fmod(x, y), math::slow_fmod(x, y))
FORMULA(FmodSlope, (T grad, T x, T y), -grad* math::trunc(x / y))
FORMULA(Reciprocal, (T x), 1 / x)
FORMULA(ReciprocalSlope, (T grad, T y), -grad*(y* y))

}  // namespace

void division(Table& table) {
    Row(table, "div", "input", "other")
        .without("rounding_mode")
        .to_floats<Quotient>()
        .gradient<Quotient>("input", "other")
        .gradient<QuotientSlope>("other", "input", "other");
    Row(table, "div", "input", "other")
        .when("rounding_mode", "floor")
        .floats<FloorQuotient>()
        .gradient<Flat>("input")
        .gradient<Flat>("other");
    Row(table, "div", "input", "other")
        .when("rounding_mode", "trunc")
        .floats<TruncQuotient>()
        .gradient<Flat>("input")
        .gradient<Flat>("other");
    Row(table, "floor_divide", "input", "other").floats<FloorQuotient>();
    Row(table, "remainder", "input", "other")
        .floats<Remainder>()
        .passes("input")
        .gradient<RemainderSlope>("other", "input", "other");
    Row(table, "fmod", "input", "other").floats<Fmod>().passes("input").gradient<FmodSlope>("other", "input", "other");
    Row(table, "reciprocal", "input").to_floats<Reciprocal>().gradient<ReciprocalSlope>("input", "result");
}

}  // namespace LEVEL
