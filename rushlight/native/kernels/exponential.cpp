// Exponential: powers of e and 2, logarithms, and the sigmoid between them.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

constexpr double LOG_2 = 0.69314718055994530942, LOG_10 = 2.30258509299404568402;

FORMULA(Product, (T grad, T y), grad* y)
FORMULA(Quotient, (T grad, T x), grad / x)

QUICK(Exp, math::remoteness, math::ExponentialRange<T>::near, math::exp_near, math::exp)
FORMULA(Exp2, (T x), math::exp2(x))
FORMULA(Exp2Slope, (T grad, T y), grad * y * T(LOG_2))
FORMULA(Expm1, (T x), math::expm1(x))
FORMULA(Expm1Slope, (T grad, T y), grad*(y + 1))

QUICK(Log, math::height, std::numeric_limits<T>::max(), math::log_normal, math::log)
FORMULA(Log2, (T x), math::log2(x))
FORMULA(Log2Slope, (T grad, T x), grad / (x * T(LOG_2)))
FORMULA(Log10, (T x), math::log10(x))
FORMULA(Log10Slope, (T grad, T x), grad / (x * T(LOG_10)))
FORMULA(Log1p, (T x), math::log1p(x))
FORMULA(Log1pSlope, (T grad, T x), grad / (x + 1))

FORMULA(LogAddExp, (T x, T y), x == y ? x + T(LOG_2) : math::maximum(x, y) + math::log1p(math::exp(-math::abs(x - y))))
FORMULA(LogAddExpSlope, (T grad, T own, T other), grad / (1 + math::exp(other - own)))
FORMULA(LogAddExp2, (T x, T y),
        x == y ? x + 1 : math::maximum(x, y) + math::log1p(math::exp2(-math::abs(x - y))) * T(1 / LOG_2))
FORMULA(LogAddExp2Slope, (T grad, T own, T other), grad / (1 + math::exp2(other - own)))

FORMULA(XLogY, (T x, T y), (x == 0) & (y == y) ? 0 : x * math::log(y))
FORMULA(XLogYFirst, (T grad, T x, T y), ((x == 0) & (y <= 0)) | ((grad == 0) & (y == y)) ? 0 : grad * math::log(y))
FORMULA(XLogYSecond, (T grad, T x, T y), grad* x / y)
FORMULA(XLog1pY, (T x, T y), (x == 0) & (y == y) ? 0 : x * math::log1p(y))
FORMULA(XLog1pYFirst, (T grad, T x, T y), ((x == 0) & (y <= -1)) | ((grad == 0) & (y == y)) ? 0 : grad * math::log1p(y))
FORMULA(XLog1pYSecond, (T grad, T x, T y), grad* x / (y + 1))

QUICK(Sigmoid, math::remoteness, math::ExponentialRange<T>::faint, math::sigmoid_near, math::sigmoid)
FORMULA(SigmoidSlope, (T grad, T y), grad * ((1 - y) * y))
FORMULA(Logit, (T x), math::log(x / (1 - x)))
// the size of x: from -0 it climbs as from 0
FORMULA(LogitSlope, (T grad, T x), (x < 0) | (x > 1) ? math::nan<T> : grad / (math::abs(x) * (1 - x)))

void powers_of_e(Table& table) {
    Row(table, "exp", "input").to_floats<Exp>().gradient<Product>("input", "result");
    Row(table, "exp2", "input").to_floats<Exp2>().gradient<Exp2Slope>("input", "result");
    Row(table, "expm1", "input").to_floats<Expm1>().gradient<Expm1Slope>("input", "result");
    Row(table, "sigmoid", "input").to_floats<Sigmoid>().gradient<SigmoidSlope>("input", "result");
}

void logarithms(Table& table) {
    Row(table, "log", "input").to_floats<Log>().gradient<Quotient>("input", "input");
    Row(table, "log2", "input").to_floats<Log2>().gradient<Log2Slope>("input", "input");
    Row(table, "log10", "input").to_floats<Log10>().gradient<Log10Slope>("input", "input");
    Row(table, "log1p", "input").to_floats<Log1p>().gradient<Log1pSlope>("input", "input");
    Row(table, "logit", "input").without("eps").to_floats<Logit>().gradient<LogitSlope>("input", "input");
    Row(table, "logaddexp", "input", "other")
        .rule(Rule::NO_BOOLS)
        .floats<LogAddExp>()
        .gradient<LogAddExpSlope>("input", "input", "other")
        .gradient<LogAddExpSlope>("other", "other", "input");
    Row(table, "logaddexp2", "input", "other")
        .rule(Rule::NO_BOOLS)
        .floats<LogAddExp2>()
        .gradient<LogAddExp2Slope>("input", "input", "other")
        .gradient<LogAddExp2Slope>("other", "other", "input");
    Row(table, "xlogy", "input", "other")
        .to_floats<XLogY>()
        .gradient<XLogYFirst>("input", "input", "other")
        .gradient<XLogYSecond>("other", "input", "other");
    Row(table, "special.xlog1py", "input", "other")
        .to_floats<XLog1pY>()
        .gradient<XLog1pYFirst>("input", "input", "other")
        .gradient<XLog1pYSecond>("other", "input", "other");
}

}  // namespace

void exponential(Table& table) {
    powers_of_e(table);
    logarithms(table);
}

}  // namespace LEVEL
