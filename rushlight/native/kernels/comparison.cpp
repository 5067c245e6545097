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

}  // namespace

void comparison(Table& table) {
    Row(table, "eq", "input", "other").all<Equal>();
    Row(table, "ne", "input", "other").all<NotEqual>();
    Row(table, "lt", "input", "other").all<Less>();
    Row(table, "le", "input", "other").all<LessEqual>();
    Row(table, "gt", "input", "other").all<Greater>();
    Row(table, "ge", "input", "other").all<GreaterEqual>();
    Row(table, "isnan", "input").floats<IsNan>();
    Row(table, "isinf", "input").floats<IsInf>();
    Row(table, "isfinite", "input").floats<IsFinite>();
    Row(table, "isposinf", "input").floats<IsPosInf>();
    Row(table, "isneginf", "input").floats<IsNegInf>();
}

}  // namespace LEVEL
