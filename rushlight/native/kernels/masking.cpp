// Masking: elements filled where a tensor of bools holds.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Fill, (T x, Mask mask, T value), mask ? value : x)
FORMULA(Unfilled, (T grad, Mask mask), mask ? 0 : grad)

}  // namespace

void masking(Table& table) {
    Row(table, "masked_fill", "input", "mask", "value")
        .when("value", Condition::NUMBER)
        .rule(Rule::MATCH)
        .packed()
        .all<Fill>()
        .gradient<Unfilled>("input", "mask");
}

}  // namespace LEVEL
