// The tiles of a convolution: how many sums stay in registers.
#pragma once

#include "kernels/vector.h"

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

}  // namespace

}  // namespace LEVEL
