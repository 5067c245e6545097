// What a division leaves: fmod and remainder for quotients up to `quotient_bound`; branch-free and exact.
#pragma once

#include "kernels/math/number.h"

namespace LEVEL {
namespace math {

// Beyond it a quotient cannot be told from its neighbours; the C library is to be asked, see `fmod_all`
template <class T>
constexpr T quotient_bound = Format<T>::whole / 2;

// x - trunc(x / y) y, with the sign of x
template <class T>
MATH_INLINE T fmod(T x, T y) {
    T size = abs(x), divisor = abs(y), whole = trunc(size / divisor);
    auto [product, lost] = exact_product(whole, divisor);
    // rounding may have lifted the quotient to the next whole number
    T rest = (size - product) - lost;
    rest = rest < 0 ? rest + divisor : rest;
    rest = divisor == infinity<T> && size < infinity<T> ? size : rest;
    return copysign(rest, x);
}

// `rest`, what fmod left, moved to the sign of y; a zero keeps that of x, as torch has it
template <class T>
MATH_INLINE T floored_rest(T rest, T y) {
    T moved = (rest < 0) != (y < 0) ? rest + y : rest;
    return rest == 0 ? rest : moved;
}

}  // namespace math
}  // namespace LEVEL
