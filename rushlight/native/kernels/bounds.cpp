// Bounds: the larger or smaller of two tensors, and values kept between limits.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

// NaN on either side wins
FORMULA(Larger, (T x, T y), math::maximum(x, y))
FORMULA(Smaller, (T x, T y), math::minimum(x, y))
FORMULA(LargerInteger, (T x, T y), x > y ? x : y)
FORMULA(SmallerInteger, (T x, T y), x < y ? x : y)
FORMULA(AnyOf, (T x, T y), x | y)
FORMULA(AllOf, (T x, T y), x& y)
// where the two are equal each gets half
FORMULA(LargerSlope, (T grad, T own, T other), own < other ? 0 : own == other ? grad / 2 : grad)
FORMULA(SmallerSlope, (T grad, T own, T other), own > other ? 0 : own == other ? grad / 2 : grad)

// NaN loses against a number
FORMULA(LargerNumber, (T x, T y), (x >= y) | (y != y) ? x : y)
FORMULA(LargerNumberFirst, (T grad, T x, T y), (x >= y) | (y != y) ? grad : 0)
FORMULA(LargerNumberSecond, (T grad, T x, T y), (x >= y) | (y != y) ? 0 : grad)
FORMULA(SmallerNumber, (T x, T y), (x <= y) | (y != y) ? x : y)
FORMULA(SmallerNumberFirst, (T grad, T x, T y), (x <= y) | (y != y) ? grad : 0)
FORMULA(SmallerNumberSecond, (T grad, T x, T y), (x <= y) | (y != y) ? 0 : grad)

void extremes(Table& table) {
    Row(table, "maximum", "input", "other")
        .floats<Larger>()
        .integers<LargerInteger>()
        .bools<AnyOf>()
        .gradient<LargerSlope>("input", "input", "other")
        .gradient<LargerSlope>("other", "other", "input");
    Row(table, "minimum", "input", "other")
        .floats<Smaller>()
        .integers<SmallerInteger>()
        .bools<AllOf>()
        .gradient<SmallerSlope>("input", "input", "other")
        .gradient<SmallerSlope>("other", "other", "input");
    Row(table, "fmax", "input", "other")
        .floats<LargerNumber>()
        .integers<LargerInteger>()
        .bools<AnyOf>()
        .gradient<LargerNumberFirst>("input", "input", "other")
        .gradient<LargerNumberSecond>("other", "input", "other");
    Row(table, "fmin", "input", "other")
        .floats<SmallerNumber>()
        .integers<SmallerInteger>()
        .bools<AllOf>()
        .gradient<SmallerNumberFirst>("input", "input", "other")
        .gradient<SmallerNumberSecond>("other", "input", "other");
}

FORMULA(Clamp, (T x, T low, T high), math::clamp(x, low, high))
FORMULA(ClampInteger, (T x, T low, T high), (x > low ? x : low) < high ? (x > low ? x : low) : high)
// the bounds themselves belong to the inside
FORMULA(Inside, (T grad, T x, T low, T high), (x >= low) & (x <= high) ? grad : 0)
FORMULA(LowSlope, (T grad, T x, T low, T high), (x < low) & (low < high) ? grad : 0)
FORMULA(HighSlope, (T grad, T x, T low, T high), (x > high) | (high < low) ? grad : 0)
FORMULA(AtLeast, (T grad, T x, T low), x >= low ? grad : 0)
FORMULA(Below, (T grad, T x, T low), x < low ? grad : 0)
FORMULA(AtMost, (T grad, T x, T high), x <= high ? grad : 0)
FORMULA(Above, (T grad, T x, T high), x > high ? grad : 0)

ALWAYS_INLINE Row& lower(Row&& row) {
    return row.floats<Larger>()
        .integers<LargerInteger>()
        .gradient<AtLeast>("input", "input", "min")
        .gradient<Below>("min", "input", "min");
}

ALWAYS_INLINE Row& upper(Row&& row) {
    return row.floats<Smaller>()
        .integers<SmallerInteger>()
        .gradient<AtMost>("input", "input", "max")
        .gradient<Above>("max", "input", "max");
}

ALWAYS_INLINE Row& both(Row&& row) {
    return row.floats<Clamp>()
        .integers<ClampInteger>()
        .gradient<Inside>("input", "input", "min", "max")
        .gradient<LowSlope>("min", "input", "min", "max")
        .gradient<HighSlope>("max", "input", "min", "max");
}

}  // namespace

void bounds(Table& table) {
    extremes(table);
    lower(Row(table, "clamp_min", "input", "min"));
    upper(Row(table, "clamp_max", "input", "max"));
    // of two bounds, one a tensor and the other a number, Python complains
    both(Row(table, "clamp", "input", "min", "max")).when("min", Condition::NUMBER).when("max", Condition::NUMBER);
    both(Row(table, "clamp", "input", "min", "max")).when("min", Condition::TENSOR).when("max", Condition::TENSOR);
    lower(Row(table, "clamp", "input", "min")).without("max");
    upper(Row(table, "clamp", "input", "max")).without("min");
}

}  // namespace LEVEL
