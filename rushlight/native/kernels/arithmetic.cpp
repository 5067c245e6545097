// Arithmetic: sums, differences and products of tensors, element by element.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Sum, (T x, T y), x + y)
FORMULA(SumTimes, (T x, T y, T alpha), x + y * alpha)
FORMULA(Difference, (T x, T y), x - y)
FORMULA(DifferenceTimes, (T x, T y, T alpha), x - y * alpha)
FORMULA(Reversed, (T x, T y), y - x)
FORMULA(ReversedTimes, (T x, T y, T alpha), y - x * alpha)
FORMULA(Negative, (T x), -x)
FORMULA(OtherSign, (T x), x ^ T(0x8000))
FORMULA(Product, (T x, T y), x* y)
FORMULA(NegativeProduct, (T grad, T alpha), grad * -alpha)

void sums(Table& table) {
    Row(table, "add", "input", "other").when("alpha", 1).all<Sum>().passes("input").passes("other");
    Row(table, "add", "input", "other", "alpha")
        .floats<SumTimes>()
        .integers<SumTimes>()
        .passes("input")
        .gradient<Product>("other", "alpha");
    Row(table, "sub", "input", "other")
        .when("alpha", 1)
        .rule(Rule::NO_BOOLS)
        .floats<Difference>()
        .integers<Difference>()
        .passes("input")
        .gradient<Negative>("other");
    Row(table, "sub", "input", "other", "alpha")
        .rule(Rule::NO_BOOLS)
        .floats<DifferenceTimes>()
        .integers<DifferenceTimes>()
        .passes("input")
        .gradient<NegativeProduct>("other", "alpha");
    Row(table, "rsub", "input", "other")
        .when("alpha", 1)
        .rule(Rule::NO_BOOLS)
        .floats<Reversed>()
        .integers<Reversed>()
        .gradient<Negative>("input")
        .passes("other");
    Row(table, "rsub", "input", "other", "alpha")
        .rule(Rule::NO_BOOLS)
        .floats<ReversedTimes>()
        .integers<ReversedTimes>()
        .gradient<NegativeProduct>("input", "alpha")
        .passes("other");
}

// `value` is 1 in most calls, and then left out
FORMULA(AddProduct, (T x, T a, T b), x + a * b)
FORMULA(AddProductTimes, (T x, T a, T b, T value), x + a * value * b)
FORMULA(ProductTimes, (T grad, T b, T value), grad*(b* value))
FORMULA(AddQuotient, (T x, T a, T b), x + a / b)
FORMULA(AddQuotientTimes, (T x, T a, T b, T value), x + a * value / b)
FORMULA(DividendSlope, (T grad, T b, T value), grad*(value / b))
FORMULA(DivisorSlope, (T grad, T a, T b, T value), -grad*(a* value / (b * b)))

// from the nearer end: rounding errors are as large as what one starts from
FORMULA(Lerp, (T start, T end, T weight),
        (math::abs(weight) < T(0.5) ? start : end) + (end - start) * (math::abs(weight) < T(0.5) ? weight : weight - 1))
FORMULA(StartSlope, (T grad, T weight), grad * (1 - weight))
FORMULA(WeightSlope, (T grad, T start, T end), grad*(end - start))

void threes(Table& table) {
    Row(table, "addcmul", "input", "tensor1", "tensor2")
        .when("value", 1)
        .rule(Rule::MATCH)
        .floats<AddProduct>()
        .passes("input")
        .gradient<Product>("tensor1", "tensor2")
        .gradient<Product>("tensor2", "tensor1");
    Row(table, "addcmul", "input", "tensor1", "tensor2", "value")
        .rule(Rule::MATCH)
        .floats<AddProductTimes>()
        .passes("input")
        .gradient<ProductTimes>("tensor1", "tensor2", "value")
        .gradient<ProductTimes>("tensor2", "tensor1", "value");
    Row(table, "addcdiv", "input", "tensor1", "tensor2")
        .when("value", 1)
        .rule(Rule::MATCH)
        .floats<AddQuotient>()
        .passes("input")
        .gradient<DividendSlope>("tensor1", "tensor2", "value")
        .gradient<DivisorSlope>("tensor2", "tensor1", "tensor2", "value");
    Row(table, "addcdiv", "input", "tensor1", "tensor2", "value")
        .rule(Rule::MATCH)
        .floats<AddQuotientTimes>()
        .passes("input")
        .gradient<DividendSlope>("tensor1", "tensor2", "value")
        .gradient<DivisorSlope>("tensor2", "tensor1", "tensor2", "value");
    Row(table, "lerp", "input", "end", "weight")
        .rule(Rule::MATCH)
        .floats<Lerp>()
        .gradient<StartSlope>("input", "weight")
        .gradient<Product>("end", "weight")
        .gradient<WeightSlope>("weight", "input", "end");
}

}  // namespace

void arithmetic(Table& table) {
    sums(table);
    Row(table, "mul", "input", "other")
        .all<Product>()
        .gradient<Product>("input", "other")
        .gradient<Product>("other", "input");
    Row(table, "neg", "input")
        .floats<Negative>()
        .integers<Negative>()
        .half_bits<OtherSign>()
        .gradient<Negative>("input");
    threes(table);
}

}  // namespace LEVEL
