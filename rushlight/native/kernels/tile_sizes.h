// The tiles of a convolution: how many sums stay in registers, and numbers turned four by four.
#pragma once

#include "vector.h"

namespace LEVEL {

namespace {

// A tile has TALL rows of WIDE registers, or FEW rows of LONG ones: as many sums as the CPU has registers for.
#if defined(__AVX512F__)
constexpr int TALL = 8, WIDE = 3, LONG = 8;
#elif defined(__AVX__)
constexpr int TALL = 6, WIDE = 2, LONG = 4;
#else
constexpr int TALL = 4, WIDE = 2, LONG = 4;
#endif
constexpr int FEW = 2;

// Four rows of four numbers, turned.
template <class T>
ALWAYS_INLINE void turn_four(const T* from, int64_t step, T* to, int64_t width) {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four rows[4];
    for (int i = 0; i < 4; i++) std::memcpy(&rows[i], from + i * step, sizeof rows[i]);
    Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
    for (int i = 0; i < 4; i++) std::memcpy(to + i * width, &rows[i], sizeof rows[i]);
}

}  // namespace

}  // namespace LEVEL
