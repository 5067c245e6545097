// Measures native/kernels/math.h against wider arithmetic; a failure is exit code 1.
// Arguments: a name tries that function alone, a number n every n-th float (1: all of them) instead of a sample.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "kernels/math.h"

namespace math = LEVEL::math;

namespace {

constexpr int BLOCK = 1024;
constexpr double ALLOWED = 2;  // units in the last place

int64_t samples = 100000, stride = 0;
const char* only = nullptr;
bool failed = false;

template <class T>
struct Wider;
template <>
struct Wider<float> {
    using Type = double;
};
template <>
struct Wider<double> {
    using Type = long double;
};
template <class T>
using Wide = typename Wider<T>::Type;

// The distance of `result` from the exact value in units of its last place; NaN, infinity and -0 have to agree.
template <class T>
double distance(T result, Wide<T> exact) {
    using Limits = std::numeric_limits<T>;
    T expected = T(exact);
    if (std::isnan(expected) || std::isnan(result)) return std::isnan(expected) && std::isnan(result) ? 0 : INFINITY;
    if (expected == result) return std::signbit(expected) != std::signbit(result) ? INFINITY : 0;
    const Wide<T> beyond = std::ldexp(Wide<T>(1), Limits::max_exponent);  // stands for infinity
    Wide<T> got = std::isinf(result) ? std::copysign(beyond, Wide<T>(result)) : Wide<T>(result);
    if (std::isinf(exact)) exact = std::copysign(beyond, exact);
    int exponent = exact == 0 ? Limits::min_exponent : std::max(std::ilogb(exact) + 1, int(Limits::min_exponent));
    return double(std::abs(got - exact) / std::ldexp(Wide<T>(1), exponent - Limits::digits));
}

template <class T>
struct Worst {
    double ulps = 0;
    T x = 0, y = 0, result = 0;
    Wide<T> exact = 0;

    void see(T x, T y, T result, Wide<T> exact) {
        double ulps = distance(result, exact);
        if (ulps > this->ulps) *this = {ulps, x, y, result, exact};
    }

    void report(const char* name, double allowed) const {
        bool bad = !(ulps <= allowed);
        failed |= bad;
        std::printf("%-10s %-6s %6.3f ulp at (%.17g, %.17g): %.17g, exactly %.20Lg%s\n", name,
                    sizeof(T) == 4 ? "float" : "double", ulps, double(x), double(y), double(result),
                    static_cast<long double>(exact), bad ? "  FAILED" : "");
    }
};

uint64_t random_bits() {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

template <class T>
T from_bits(uint64_t bits) {
    T x;
    math::BitsOf<T> own = math::BitsOf<T>(bits);
    std::memcpy(&x, &own, sizeof x);
    return x;
}

// Any bit pattern half of the time, else a number of ordinary size.
template <class T>
T random_number() {
    uint64_t bits = random_bits();
    if (bits >> 63) return from_bits<T>(random_bits());
    double size = std::ldexp(1 + double(random_bits() >> 11) * 0x1p-53, int(bits % 23) - 14);
    return T(bits >> 30 & 1 ? -size : size);
}

template <class T>
T special_number(int64_t i) {
    using Limits = std::numeric_limits<T>;
    static const T sizes[] = {0, Limits::denorm_min(), Limits::min(), Limits::epsilon(), T(0.5),
                              1 - Limits::epsilon() / 2, 1, 1 + Limits::epsilon(), T(1.5), 2, T(2.5), 3, 20, 100,
                              T(8388607.5), T(1e10), T(9007199254740991), Limits::max(), Limits::infinity(),
                              Limits::quiet_NaN()};
    constexpr int count = sizeof sizes / sizeof sizes[0];
    T size = sizes[i / 2 % count];
    return i % 2 ? -size : size;
}

// Runs `loop` on blocks of specials, then of a sample or of every float. Pairs of specials fill the second block.
template <class T, class Loop, class Exact>
void check(const char* name, Loop loop, Exact exact, double allowed) {
    if (only && std::strcmp(only, name)) return;
    Worst<T> worst;
    static T x[BLOCK], y[BLOCK], result[BLOCK];
    bool walk = stride && sizeof(T) == 4;
    int64_t step = walk ? stride : 1, end = walk ? int64_t(1) << 32 : samples;
    for (int64_t start = -2 * BLOCK * step; start < end; start += BLOCK * step) {
        for (int i = 0; i < BLOCK; i++) {
            bool special = start < 0;
            int64_t place = start / step + 2 * BLOCK + i;
            x[i] = special ? special_number<T>(place) : walk ? from_bits<T>(start + i * step) : random_number<T>();
            y[i] = special ? special_number<T>(place / 40) : random_number<T>();
        }
        loop(x, y, result);
        for (int i = 0; i < BLOCK; i++) worst.see(x[i], y[i], result[i], exact(Wide<T>(x[i]), Wide<T>(y[i])));
    }
    worst.report(name, allowed);
}

// Both expressions may use x and y; `result` is in T, `exact` in W.
#define CHECK_WITHIN(allowed, name, result, exact)                                  \
    check<T>(                                                                       \
        name,                                                                       \
        [](const T* left, const T* right, T* __restrict out) {                      \
            for (int i = 0; i < BLOCK; i++) {                                       \
                [[maybe_unused]] T x = left[i], y = right[i];                       \
                out[i] = result;                                                    \
            }                                                                       \
        },                                                                          \
        []([[maybe_unused]] W x, [[maybe_unused]] W y) { return W(exact); }, allowed)
#define CHECK(name, exact) CHECK_WITHIN(ALLOWED, #name, math::name(x), exact)
#define CHECK_EXACT(name, exact) CHECK_WITHIN(0, #name, math::name(x), exact)

template <class T>
void check_exponentials() {
    using W = Wide<T>;
    CHECK(exp, std::exp(x));
    CHECK(exp2, std::exp2(x));
    CHECK(expm1, std::expm1(x));
    CHECK(sigmoid, x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)));
    CHECK(tanh, std::tanh(x));
    CHECK(sinh, std::sinh(x));
    CHECK(cosh, std::cosh(x));
    CHECK(log, std::log(x));
    CHECK(log2, std::log2(x));
    CHECK(log10, std::log10(x));
    CHECK(log1p, std::log1p(x));
    // 0 - 0 is 0, where the exact value would round to -0
    CHECK(logsigmoid, x < 0 ? x - std::log1p(std::exp(x)) : T(std::exp(-x)) == 0 ? 0 : -std::log1p(std::exp(-x)));
    CHECK_WITHIN(ALLOWED, "softplus", math::softplus(x, T(1), T(20)), x > 20 ? x : std::log1p(std::exp(x)));
    CHECK(asinh, std::asinh(x));
    CHECK(acosh, std::acosh(x));
    CHECK(atanh, std::atanh(x));
    CHECK(erf, std::erf(x));
    CHECK(erfc, std::erfc(x));
    // W itself is off by some x^2 of its roundings
    CHECK_WITHIN(sizeof(T) == 4 ? ALLOWED : 3, "gelu", math::gelu(x), x * std::erfc(-x * std::sqrt(W(0.5))) / 2);
    CHECK_WITHIN(ALLOWED, "pow", math::pow(x, y), std::pow(x, y));
}

template <class T>
void check_angles() {
    using W = Wide<T>;
    // as the rows of kernels/trigonometric.cpp do
    auto far = [](T x) { return math::is_far_angle(x); };
    auto sin = [&](const T* x, const T*, T* out) {
        math::map_careful(out, BLOCK, far, [](T x) { return math::sin(x); }, [](T x) { return math::slow_sin(x); }, x);
    };
    auto cos = [&](const T* x, const T*, T* out) {
        math::map_careful(out, BLOCK, far, [](T x) { return math::cos(x); }, [](T x) { return math::slow_cos(x); }, x);
    };
    auto tan = [&](const T* x, const T*, T* out) {
        math::map_careful(out, BLOCK, far, [](T x) { return math::tan(x); }, [](T x) { return math::slow_tan(x); }, x);
    };
    check<T>("sin", sin, [](W x, W) { return std::sin(x); }, ALLOWED);
    check<T>("cos", cos, [](W x, W) { return std::cos(x); }, ALLOWED);
    check<T>("tan", tan, [](W x, W) { return std::tan(x); }, ALLOWED);
    CHECK(asin, std::asin(x));
    CHECK(acos, std::acos(x));
    CHECK(atan, std::atan(x));
    CHECK_WITHIN(ALLOWED, "atan2", math::atan2(x, y), std::atan2(x, y));
}

template <class T>
void check_exact() {
    using W = Wide<T>;
    CHECK_EXACT(floor, std::floor(x));
    CHECK_EXACT(ceil, std::ceil(x));
    CHECK_EXACT(trunc, std::trunc(x));
    CHECK_EXACT(round_even, std::nearbyint(x));
    CHECK_EXACT(sign, (x > 0) - (x < 0));
    CHECK_WITHIN(0.5, "sqrt", math::sqrt(x), std::sqrt(x));
    CHECK(rsqrt, 1 / std::sqrt(x));
    // the sign of a zero is left open
    CHECK_WITHIN(0, "maximum", math::maximum(x, y) + T(0), x != x || y != y ? x + y : std::max(x, y) + 0);
    CHECK_WITHIN(0, "minimum", math::minimum(x, y) + T(0), x != x || y != y ? x + y : std::min(x, y) + 0);
    auto fmod = [](const T* x, const T* y, T* out) {
        auto far = [](T x, T y) { return math::is_far_quotient(x, y); };
        auto vector = [](T x, T y) { return math::fmod(x, y); };
        math::map_careful(out, BLOCK, far, vector, [](T x, T y) { return math::slow_fmod(x, y); }, x, y);
    };
    check<T>("fmod", fmod, [](W x, W y) { return std::fmod(x, y); }, 0);
}

}  // namespace

int main(int count, char** arguments) {
    for (int i = 1; i < count; i++) {
        if (std::atoll(arguments[i]) > 0)
            stride = std::atoll(arguments[i]);
        else
            only = arguments[i];
    }
    if (stride) samples = 10000000;
    check_exponentials<float>();
    check_exponentials<double>();
    check_angles<float>();
    check_angles<double>();
    check_exact<float>();
    check_exact<double>();
    return failed;
}
