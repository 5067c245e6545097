// Arithmetic: sums, differences and products of tensors, element by element.
#include "families.h"
#include "pointwise.h"

namespace LEVEL {

namespace {

VALUE2(Add, x + y)
VALUE2(Mul, x * y)
VALUE1(Neg, -x)
SLOPE0(Negated, -grad)
SLOPE1(Scaled, grad * x)

}  // namespace

void arithmetic(Table& table) {
    table.add(Row("mul", "input", "other").floats<Mul>().integers<Mul>().slope<Scaled>(0, "other").slope<Scaled>(
        1, "input"));
    table.add(Row("neg", "input").floats<Neg>().integers<Neg>().slope<Negated>(0));
}

}  // namespace LEVEL
