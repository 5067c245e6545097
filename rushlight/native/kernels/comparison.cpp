// Comparison: which elements are equal, larger or smaller, not a number, infinite.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Equal, (T x, T y), x == y)
FORMULA(NotEqual, (T x, T y), x != y)
FORMULA(Less, (T x, T y), x < y)
FORMULA(LessEqual, (T x, T y), x <= y)
FORMULA(Greater, (T x, T y), x > y)
FORMULA(GreaterEqual, (T x, T y), x >= y)

FORMULA(IsNan, (T x), x != x)
FORMULA(IsInf, (T x), math::abs(x) == math::infinity<T>)
FORMULA(IsFinite, (T x), math::abs(x) < math::infinity<T>)
FORMULA(IsPosInf, (T x), x == math::infinity<T>)
FORMULA(IsNegInf, (T x), x == -math::infinity<T>)
// whole numbers, and what is no complex number
FORMULA(Never, (T), false)
FORMULA(Always, (T), true)

}  // namespace

void comparison(Table& table) {
    Row(table, "eq", "input", "other").all<Equal>();
    Row(table, "ne", "input", "other").all<NotEqual>();
    Row(table, "lt", "input", "other").all<Less>();
    Row(table, "le", "input", "other").all<LessEqual>();
    Row(table, "gt", "input", "other").all<Greater>();
    Row(table, "ge", "input", "other").all<GreaterEqual>();
    Row(table, "isnan", "input").floats<IsNan>().integers<Never>().bools<Never>();
    Row(table, "isinf", "input").floats<IsInf>().integers<Never>().bools<Never>();
    Row(table, "isfinite", "input").floats<IsFinite>().integers<Always>().bools<Always>();
    Row(table, "isposinf", "input").floats<IsPosInf>().integers<Never>().bools<Never>();
    Row(table, "isneginf", "input").floats<IsNegInf>().integers<Never>().bools<Never>();
    Row(table, "isreal", "input").all<Always>();
}

}  // namespace LEVEL
