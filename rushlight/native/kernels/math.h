// The elementary functions of the kernels: branch-free, so that a plain loop over them becomes vector code.
//
// Each is within 2 units in the last place of the exact result, has IEEE's special values and underflows gradually.
// sin, cos, tan and fmod hold for a part of the numbers only; `map_careful` asks the C library beyond it.
// This folder must not be on the path of <...> includes: the file would hide the C library's math.h.
#pragma once

#include "kernels/math/error.h"
#include "kernels/math/exponential.h"
#include "kernels/math/inverse.h"
#include "kernels/math/logarithm.h"
#include "kernels/math/power.h"
#include "kernels/math/remainder.h"
#include "kernels/math/trigonometric.h"

namespace LEVEL {
namespace math {

// output[i] = far(...) ? scalar(...) : vector(...), all of the inputs' elements i. Blocks without a far element are
// vector code; an element's result does not depend on its block. The output may be an input.
template <class T, class Far, class Vector, class Scalar, class... Input>
MATH_INLINE void map_careful(T* output, int64_t count, Far far, Vector vector, Scalar scalar, const Input*... input) {
    constexpr int64_t block = 256;
    for (int64_t start = 0; start < count; start += block) {
        int64_t end = count - start < block ? count : start + block;
        int any = 0;
        for (int64_t i = start; i < end; i++) any |= far(input[i]...);
        if (!any) {
#pragma omp simd
            for (int64_t i = start; i < end; i++) output[i] = vector(input[i]...);
        } else {
            for (int64_t i = start; i < end; i++)
                output[i] = far(input[i]...) ? scalar(input[i]...) : vector(input[i]...);
        }
    }
}

// output[i] = formula(input[i]), of which `quick` gives the same bits where an element's `oddity` is at most `limit`:
// blocks in which all are that take the quick way.
template <class T, class Oddity, class Bits, class Quick, class Formula>
MATH_INLINE void map_quick(const T* input, T* output, int64_t count, Oddity oddity, Bits limit, Quick quick,
                           Formula formula) {
    constexpr int64_t block = 256;
    for (int64_t start = 0; start < count; start += block) {
        int64_t end = count - start < block ? count : start + block;
        Bits most = 0;
        for (int64_t i = start; i < end; i++) {
            Bits own = oddity(input[i]);
            most = own > most ? own : most;
        }
        if (most <= limit) {
#pragma omp simd
            for (int64_t i = start; i < end; i++) output[i] = quick(input[i]);
        } else {
#pragma omp simd
            for (int64_t i = start; i < end; i++) output[i] = formula(input[i]);
        }
    }
}

// the C library's, of any number
MATH_INLINE float slow_sin(float x) { return __builtin_sinf(x); }
MATH_INLINE double slow_sin(double x) { return __builtin_sin(x); }
MATH_INLINE float slow_cos(float x) { return __builtin_cosf(x); }
MATH_INLINE double slow_cos(double x) { return __builtin_cos(x); }
MATH_INLINE float slow_tan(float x) { return __builtin_tanf(x); }
MATH_INLINE double slow_tan(double x) { return __builtin_tan(x); }
MATH_INLINE float slow_fmod(float x, float y) { return __builtin_fmodf(x, y); }
MATH_INLINE double slow_fmod(double x, double y) { return __builtin_fmod(x, y); }

// Beyond what the vector code is good for.
template <class T>
MATH_INLINE bool is_far_angle(T x) {
    return abs(x) > circular_bound<T>;
}
template <class T>
MATH_INLINE bool is_far_quotient(T x, T y) {
    return (abs(x) > quotient_bound<T> * abs(y)) & (y != 0);
}

}  // namespace math
}  // namespace LEVEL
