// Where: elements of one tensor or another, chosen by a condition.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Choose, (Mask chosen, T x, T y), chosen ? x : y)
FORMULA(Chosen, (T grad, Mask chosen), chosen ? grad : 0)
FORMULA(NotChosen, (T grad, Mask chosen), chosen ? 0 : grad)

}  // namespace

void where(Table& table) {
    Row(table, "_where", "condition", "input", "other")
        .all<Choose>()
        .gradient<Chosen>("input", "condition")
        .gradient<NotChosen>("other", "condition");
}

}  // namespace LEVEL
