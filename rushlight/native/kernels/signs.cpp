// Signs: absolute values, signs, and what stands in for numbers that are not finite.
#include "kernels/pointwise.h"
#include "kernels/table.h"

namespace LEVEL {

namespace {

FORMULA(Same, (T x), x)
FORMULA(Flat, (T), T(0))
FORMULA(Abs, (T x), math::abs(x))
FORMULA(AbsSlope, (T grad, T x), grad* math::sign(x))
FORMULA(AbsInteger, (T x), x < 0 ? -x : x)
FORMULA(Sign, (T x), math::sign(x))
FORMULA(SignInteger, (T x), (x > 0) - (x < 0))
FORMULA(SignBit, (T x), (math::to_bits(x) & math::Format<T>::sign) != 0)
FORMULA(CopySign, (T x, T y), math::copysign(x, y))
FORMULA(WithoutSign, (T x), x& T(0x7fff))
FORMULA(OtherSign, (T x, T y), (x & T(0x7fff)) | (y & T(0x8000)))
FORMULA(CopySignSlope, (T grad, T x, T y), grad*(x == 0 ? 0 : y / x))

FORMULA(Heaviside, (T x, T y), x == 0 ? y : T(x > 0))

// One step in the order of bits, which is that of numbers of one sign; from zero to the smallest number.
template <class T>
ALWAYS_INLINE T next_after(T x, T y) {
    using Bits = math::BitsOf<T>;
    T smallest = math::copysign(math::from_bits(Bits(1)), y);
    Bits bits = math::to_bits(x), away = Bits((y > x) == (x > 0) ? 1 : -1);
    T stepped = x == 0 ? smallest : math::from_bits(Bits(bits + away));
    return x != x || y != y ? x + y : x == y ? y : stepped;
}
FORMULA(NextAfter, (T x, T y), next_after(x, y))

FORMULA(Angle, (T x), x != x ? x : x < 0 ? T(3.14159265358979323846) : T(0))

FORMULA(Finite, (T x),
        x != x                    ? 0
        : x == math::infinity<T>  ? std::numeric_limits<T>::max()
        : x == -math::infinity<T> ? std::numeric_limits<T>::lowest()
                                  : x)
FORMULA(FiniteSlope, (T grad, T x), grad*(math::abs(x) < math::infinity<T> ? T(1) : T(0)))

}  // namespace

void signs(Table& table) {
    Row(table, "abs", "input")
        .floats<Abs>()
        .integers<AbsInteger>()
        .half_bits<WithoutSign>()
        .gradient<AbsSlope>("input", "input");
    Row(table, "sign", "input").floats<Sign>().integers<SignInteger>().bools<Same>().gradient<Flat>("input");
    Row(table, "sgn", "input").floats<Sign>().integers<SignInteger>().bools<Same>().gradient<Flat>("input");
    Row(table, "signbit", "input").floats<SignBit>();
    Row(table, "copysign", "input", "other")
        .to_floats<CopySign>()
        .half_bits<OtherSign>()
        .gradient<CopySignSlope>("input", "input", "result")
        .gradient<Flat>("other");
    Row(table, "heaviside", "input", "values")
        .rule(Rule::MATCH)
        .floats<Heaviside>()
        .integers<Heaviside>()
        .bools<Heaviside>();
    Row(table, "nextafter", "input", "other").rule(Rule::MATCH).floats<NextAfter>();
    // integers become the default dtype, which Python knows
    Row(table, "angle", "input").floats<Angle>().gradient<Flat>("input");
    Row(table, "nan_to_num", "input")
        .without("nan")
        .without("posinf")
        .without("neginf")
        .floats<Finite>()
        .integers<Same>()
        .bools<Same>()
        .gradient<FiniteSlope>("input", "input");
}

}  // namespace LEVEL
