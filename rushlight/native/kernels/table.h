// The table of numeric loops: what the files of this folder fill for one level of CPU. No Python here.
#pragma once

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/convolution.h"
#include "kernels/distributions.h"
#include "kernels/folds.h"
#include "kernels/images.h"
#include "kernels/losses.h"
#include "kernels/optim.h"
#include "kernels/products.h"
#include "kernels/random.h"
#include "kernels/recurrent.h"
#include "kernels/row.h"

// Code that other levels must never share: a linker keeps one copy of an ordinary inline function, of whichever level.
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

namespace rushlight {

struct Table {
    static constexpr int MOST = 256;
    const char* level = "";
    Pointwise pointwise[MOST];
    int pointwise_count = 0;
    OptimLoops optim;
    RandomLoops random;
    DistributionLoops distributions;
    FoldLoops folding;
    ProductLoops products;
    LossLoops losses;
    ConvolutionLoops convolution;
    ImageLoops images;
    AttentionLoops attention;
    RecurrentLoops recurrent;

    static constexpr int MOST_JOINED = 48;
    Joined joined[MOST_JOINED];
    int joined_count = 0;

    Convert convert[DTYPES][DTYPES] = {};
    Repeat repeat[DTYPES] = {};

    bool is_full = false;  // a row found no place: an error when the extension is loaded

    // float16 and bfloat16 as float32, and float32 as these
    Convert widen[KEPT_DTYPES - DTYPES] = {}, shorten[KEPT_DTYPES - DTYPES] = {};

    ALWAYS_INLINE Pointwise& new_row() {
        is_full = is_full || pointwise_count == MOST;
        return pointwise[is_full ? MOST - 1 : pointwise_count++];
    }
    ALWAYS_INLINE Joined& new_joined() {
        is_full = is_full || joined_count == MOST_JOINED;
        return joined[is_full ? MOST_JOINED - 1 : joined_count++];
    }
};

// The loops for the best level that this CPU has (or that RUSHLIGHT_LEVEL names), chosen once.
const Table& table();

constexpr int MAX_LEVELS = 3;
// The names of the levels that were compiled and run here, the best one first; how many.
int levels_here(const char** names);

}  // namespace rushlight

#ifdef LEVEL
namespace LEVEL {
using rushlight::Table;
}
#endif
