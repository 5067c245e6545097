// Rectifiers: activations that treat negative elements, or those beyond a limit, differently.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double SELU_ALPHA = 1.6732632423543772848170429916717, SELU_SCALE = 1.0507009873554804934193349852946;

// NaN stays, and so does the sign of a zero
FORMULA(Relu, (T x), x < 0 ? 0 : x)
FORMULA(ReluSlope, (T grad, T y), y <= 0 ? 0 : grad)
FORMULA(Leaky, (T x, T slope), x > 0 ? x : x * slope)
FORMULA(LeakySlope, (T grad, T x, T slope), x > 0 ? grad : grad * slope)
FORMULA(LeakyWeight, (T grad, T x), x > 0 ? 0 : grad * x)
FORMULA(Threshold, (T x, T limit, T value), x <= limit ? value : x)
FORMULA(ThresholdSlope, (T grad, T x, T limit), x <= limit ? 0 : grad)

FORMULA(Elu, (T x, T alpha), x <= 0 ? math::expm1(x) * alpha : x)
FORMULA(EluSlope, (T grad, T x, T alpha), grad*(x <= 0 ? math::exp(x) * alpha : 1))
FORMULA(Selu, (T x), x <= 0 ? math::expm1(x) * T(SELU_ALPHA * SELU_SCALE) : x * T(SELU_SCALE))
FORMULA(SeluSlope, (T grad, T x), grad*(x <= 0 ? math::exp(x) * T(SELU_ALPHA * SELU_SCALE) : T(SELU_SCALE)))
FORMULA(Celu, (T x, T alpha), x <= 0 ? math::expm1(x / alpha) * alpha : x)
FORMULA(CeluSlope, (T grad, T x, T alpha), grad*(x <= 0 ? math::exp(x * (1 / alpha)) : 1))

FORMULA(Hardtanh, (T x, T low, T high), math::clamp(x, low, high))
// unlike clamp, nothing flows at the limits
FORMULA(HardtanhSlope, (T grad, T x, T low, T high), (x <= low) | (x >= high) ? 0 : grad)

}  // namespace

void rectifiers(Table& table) {
    // the result is saved, not the input, so that relu_ costs no copy
    Row(table, "relu", "input").floats<Relu>().integers<Relu>().gradient<ReluSlope>("input", "result");
    Row(table, "nn.functional.leaky_relu", "input", "negative_slope")
        .floats<Leaky>()
        .gradient<LeakySlope>("input", "input", "negative_slope");
    Row(table, "_prelu_kernel", "input", "weight")
        .floats<Leaky>()
        .gradient<LeakySlope>("input", "input", "weight")
        .gradient<LeakyWeight>("weight", "input");
    Row(table, "_rrelu_with_noise", "input", "noise")
        .floats<Leaky>()
        .packed()
        .gradient<LeakySlope>("input", "input", "noise");
    Row(table, "threshold", "input", "threshold", "value")
        .floats<Threshold>()
        .integers<Threshold>()
        .gradient<ThresholdSlope>("input", "input", "threshold");
    Row(table, "nn.functional.elu", "input", "alpha").floats<Elu>().gradient<EluSlope>("input", "input", "alpha");
    Row(table, "selu", "input").floats<Selu>().gradient<SeluSlope>("input", "input");
    Row(table, "celu", "input", "alpha")
        .only_if([](const double* numbers) { return numbers[1] != 0; })
        .floats<Celu>()
        .gradient<CeluSlope>("input", "input", "alpha");
    Row(table, "nn.functional.hardtanh", "input", "min_val", "max_val")
        .only_if([](const double* numbers) { return !(numbers[1] > numbers[2]); })
        .floats<Hardtanh>()
        .integers<Hardtanh>()
        .gradient<HardtanhSlope>("input", "input", "min_val", "max_val");
}

}  // namespace LEVEL
