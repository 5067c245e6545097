// Half precision by its bits: what is the same on every CPU.
#pragma once

#include <cstdint>

#include "kernels/table.h"

namespace LEVEL {

template <class To, class From>
ALWAYS_INLINE To bits_as(From from) {
    To to;
    __builtin_memcpy(&to, &from, sizeof(to));
    return to;
}

// Shifted into place a float16 is a float32 whose exponent is too small by 112; infinity and NaN need the largest.
ALWAYS_INLINE float float16_as_float(uint16_t bits) {
    uint32_t half = bits, size = (half & 0x7fffu) << 13;
    uint32_t scaled = bits_as<uint32_t>(bits_as<float>(size) * bits_as<float>(0x77800000u));
    uint32_t wide = size >= 0x0f800000u ? size | 0x7f800000u : scaled;
    return bits_as<float>(wide | ((half & 0x8000u) << 16));
}

ALWAYS_INLINE float bfloat16_as_float(uint16_t bits) { return bits_as<float>(static_cast<uint32_t>(bits) << 16); }

}  // namespace LEVEL
