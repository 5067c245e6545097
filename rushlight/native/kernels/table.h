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

    Convert convert[DTYPES][DTYPES] = {};
    Repeat repeat[DTYPES] = {};

    bool is_full = false;  // a row found no place: an error when the extension is loaded

    ALWAYS_INLINE Pointwise& new_row() {
        is_full = is_full || pointwise_count == MOST;
        return pointwise[is_full ? MOST - 1 : pointwise_count++];
    }
};

// The loops for the best level that this CPU has (or that RUSHLIGHT_LEVEL names), chosen once.
const Table& table();

}  // namespace rushlight

#ifdef LEVEL
namespace LEVEL {
using rushlight::Table;
}
#endif
