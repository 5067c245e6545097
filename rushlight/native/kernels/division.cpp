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

// Below 2^52 in size the nearest double of a quotient of whole numbers is on the same side of each whole number.
ALWAYS_INLINE bool is_long(int64_t x) {
    constexpr int64_t bound = int64_t{1} << 52;
    return static_cast<uint64_t>(x) + bound > 2 * static_cast<uint64_t>(bound);
}

ALWAYS_INLINE int64_t floored(int64_t x, int64_t y) {
    return static_cast<int64_t>(math::floor(static_cast<double>(x) / static_cast<double>(y)));
}

ALWAYS_INLINE int64_t truncated(int64_t x, int64_t y) {
    return static_cast<int64_t>(static_cast<double>(x) / static_cast<double>(y));
}

// The same for any number; the processor refuses the smallest one over -1, which is itself again.
ALWAYS_INLINE int64_t slow_truncated(int64_t x, int64_t y) {
    return y == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x / y;
}

ALWAYS_INLINE int64_t slow_rest(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }

ALWAYS_INLINE int64_t slow_floored(int64_t x, int64_t y) {
    int64_t rest = slow_rest(x, y);
    return slow_truncated(x, y) - ((rest != 0) & ((rest < 0) != (y < 0)));
}

ALWAYS_INLINE int64_t slow_floored_rest(int64_t x, int64_t y) {
    int64_t rest = slow_rest(x, y);
    return (rest != 0) & ((rest < 0) != (y < 0)) ? rest + y : rest;
}

FORMULA(Quotient, (T x, T y), x / y)
FORMULA(QuotientSlope, (T grad, T x, T y), -grad*(x / y / y))
CAREFUL(FloorQuotient, (T x, T y), math::is_far_quotient(x, y), floor_quotient(x, y, math::fmod(x, y)),
        floor_quotient(x, y, math::slow_fmod(x, y)))
FORMULA(TruncQuotient, (T x, T y), math::trunc(x / y))
CAREFUL(WholeFloorQuotient, (T x, T y), is_long(x) | is_long(y), floored(x, y), slow_floored(x, y))
CAREFUL(WholeTruncQuotient, (T x, T y), is_long(x) | is_long(y), truncated(x, y), slow_truncated(x, y))
CAREFUL(WholeRemainder, (T x, T y), is_long(x) | is_long(y), x - y * floored(x, y), slow_floored_rest(x, y))
CAREFUL(WholeFmod, (T x, T y), is_long(x) | is_long(y), x - y * truncated(x, y), slow_rest(x, y))
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
        .integers<WholeFloorQuotient>()
        .gradient<Flat>("input")
        .gradient<Flat>("other");
    Row(table, "div", "input", "other")
        .when("rounding_mode", "trunc")
        .floats<TruncQuotient>()
        .integers<WholeTruncQuotient>()
        .gradient<Flat>("input")
        .gradient<Flat>("other");
    Row(table, "floor_divide", "input", "other").floats<FloorQuotient>().integers<WholeFloorQuotient>();
    Row(table, "remainder", "input", "other")
        .floats<Remainder>()
        .integers<WholeRemainder>()
        .passes("input")
        .gradient<RemainderSlope>("other", "input", "other");
    Row(table, "fmod", "input", "other")
        .floats<Fmod>()
        .integers<WholeFmod>()
        .passes("input")
        .gradient<FmodSlope>("other", "input", "other");
    Row(table, "reciprocal", "input").to_floats<Reciprocal>().gradient<ReciprocalSlope>("input", "result");
}

}  // namespace LEVEL
