// Rounding: whole numbers near each element.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Same, (T x), x)
FORMULA(Flat, (T), T(0))
FORMULA(Floor, (T x), math::floor(x))
FORMULA(Ceil, (T x), math::ceil(x))
FORMULA(Trunc, (T x), math::trunc(x))
FORMULA(Round, (T x), math::round_even(x))
FORMULA(Frac, (T x), x - math::trunc(x))

}  // namespace

void rounding(Table& table) {
    Row(table, "floor", "input").floats<Floor>().integers<Same>().gradient<Flat>("input");
    Row(table, "ceil", "input").floats<Ceil>().integers<Same>().gradient<Flat>("input");
    Row(table, "trunc", "input").floats<Trunc>().integers<Same>().gradient<Flat>("input");
    Row(table, "round", "input").when("decimals", 0.0).floats<Round>().integers<Same>().gradient<Flat>("input");
    Row(table, "frac", "input").floats<Frac>().passes("input");
}

}  // namespace LEVEL
