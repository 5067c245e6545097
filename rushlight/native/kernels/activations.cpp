// Activations: the smooth nonlinearities of neural networks, and what stands in for them piece by piece.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double ROOT_2_BY_PI = 0.79788456080286535588, CUBIC = 0.044715;

FORMULA(Gelu, (T x), math::gelu(x))
FORMULA(GeluSlope, (T grad, T x), grad* math::gelu_slope(x))

template <class T>
ALWAYS_INLINE T cubic(T x) {
    return (x + x * x * x * T(CUBIC)) * T(ROOT_2_BY_PI);
}

template <class T>
ALWAYS_INLINE T gelu_tanh_slope(T x, T y) {
    return (y + 1) * T(0.5) + x * (1 - y * y) * (x * x * T(3 * CUBIC) + 1) * T(ROOT_2_BY_PI / 2);
}

// 1 + tanh(y) = 2 sigmoid(2y), which keeps its digits below zero
FORMULA(GeluTanh, (T x), x* math::sigmoid(2 * cubic(x)))
FORMULA(GeluTanhSlope, (T grad, T x), grad* gelu_tanh_slope(x, math::tanh(cubic(x))))

template <class T>
ALWAYS_INLINE T silu_slope(T x, T gate) {
    return gate * (x * (1 - gate) + 1);
}

FORMULA(Silu, (T x), x* math::sigmoid(x))
FORMULA(SiluSlope, (T grad, T x), grad* silu_slope(x, math::sigmoid(x)))

// tanh(softplus(x)) = n / (n + 2) with n = e^x (e^x + 2); from 20 on it is 1
template <class T>
ALWAYS_INLINE T mish_power(T x) {
    T power = math::exp(x > 20 ? T(20) : x);
    return power * (power + 2);
}

template <class T>
ALWAYS_INLINE T mish_slope(T x, T n) {
    T bent = n / (n + 2);
    return bent + x * math::sigmoid(x) * (1 - bent * bent);
}

FORMULA(Mish, (T x), x*(mish_power(x) / (mish_power(x) + 2)))
FORMULA(MishSlope, (T grad, T x), grad* mish_slope(x, mish_power(x)))

FORMULA(Softplus, (T x, T beta, T threshold), math::softplus(x, beta, threshold))
FORMULA(SoftplusSlope, (T grad, T x, T beta, T threshold), x* beta > threshold ? grad : grad * math::sigmoid(x * beta))
FORMULA(LogSigmoid, (T x), math::logsigmoid(x))
FORMULA(LogSigmoidSlope, (T grad, T x), grad* math::sigmoid(-x))

// x - tanh(x); the two nearly cancel close to zero, where it is x^3 times a polynomial in x^2
ALWAYS_INLINE float tanhshrink(float x) {
    float square = x * x;
    float small = x * square *
                  math::polynomial(square, 0.33333334f, -0.13333309f, 0.053963207f, -0.021828325f, 0.008694428f,
                                   -0.0032018742f, 0.00091996684f, -0.00014179554f);
    return math::abs(x) < 1 ? small : x - math::tanh(x);
}

ALWAYS_INLINE double tanhshrink(double x) {
    double square = x * x;
    return math::abs(x) < 0.55 ? -x * square * math::tanh_tail(square) : x - math::tanh(x);
}

FORMULA(Tanhshrink, (T x), tanhshrink(x))
FORMULA(TanhshrinkSlope, (T grad, T x), grad*(math::tanh(x) * math::tanh(x)))

void smooth(Table& table) {
    Row(table, "nn.functional.gelu", "input")
        .when("approximate", "none")
        .floats<Gelu>()
        .gradient<GeluSlope>("input", "input");
    Row(table, "nn.functional.gelu", "input")
        .when("approximate", "tanh")
        .floats<GeluTanh>()
        .gradient<GeluTanhSlope>("input", "input");
    Row(table, "nn.functional.silu", "input").floats<Silu>().gradient<SiluSlope>("input", "input");
    Row(table, "nn.functional.mish", "input").floats<Mish>().gradient<MishSlope>("input", "input");
    Row(table, "_tanhshrink", "input").floats<Tanhshrink>().gradient<TanhshrinkSlope>("input", "input");
    Row(table, "nn.functional.softplus", "input", "beta", "threshold")
        .floats<Softplus>()
        .gradient<SoftplusSlope>("input", "input", "beta", "threshold");
    Row(table, "nn.functional.logsigmoid", "input")
        .floats<LogSigmoid>()
        .packed()
        .gradient<LogSigmoidSlope>("input", "input");
}

FORMULA(Hardswish, (T x), x* math::clamp(x + 3, T(0), T(6)) / 6)
FORMULA(HardswishSlope, (T grad, T x), grad*(x <= -3 ? 0 : x < 3 ? x / 3 + T(0.5) : 1))
FORMULA(Hardsigmoid, (T x), math::clamp(x + 3, T(0), T(6)) / 6)
FORMULA(HardsigmoidSlope, (T grad, T x), (x > -3) & (x < 3) ? grad / 6 : 0)
FORMULA(Hardshrink, (T x, T limit), (x >= -limit) & (x <= limit) ? 0 : x)
FORMULA(Softshrink, (T x, T limit), x > limit ? x - limit : x < -limit ? x + limit : x * 0)
FORMULA(ShrinkSlope, (T grad, T x, T limit), (x >= -limit) & (x <= limit) ? 0 : grad)

void piecewise(Table& table) {
    Row(table, "nn.functional.hardswish", "input").floats<Hardswish>().gradient<HardswishSlope>("input", "input");
    Row(table, "nn.functional.hardsigmoid", "input").floats<Hardsigmoid>().gradient<HardsigmoidSlope>("input", "input");
    Row(table, "hardshrink", "input", "lambd").floats<Hardshrink>().gradient<ShrinkSlope>("input", "input", "lambd");
    Row(table, "nn.functional.softshrink", "input", "lambd")
        .only_if([](const double* numbers) { return numbers[1] >= 0; })
        .floats<Softshrink>()
        .gradient<ShrinkSlope>("input", "input", "lambd");
}

}  // namespace

void activations(Table& table) {
    smooth(table);
    piecewise(table);
}

}  // namespace LEVEL
