// Losses: the loops that the files of this folder fill for one level of CPU. No Python here.
#pragma once

#include <cstdint>

#include "kernels/row.h"

namespace rushlight {

// Losses of an input and a target, element by element.
enum PairLoss {
    SQUARED_DISTANCES,
    DISTANCES,
    SMOOTH_DISTANCES,
    HUBER_DISTANCES,
    SURPRISES,
    LOGIT_SURPRISES,
    DIVERGENCES,
    LOG_DIVERGENCES,
    PAIR_LOSSES
};

// The loops of one of them, float32 first, float64 second. `option` is its number, such as beta, where it has one.
struct PairLoops {
    Loop values[2] = {};  // of input, target and option
    // the sum of the values
    double (*total[2])(const void* input, const void* target, double option, int64_t count) = {};
    // the gradients of the input and of the target: of scale, input, target and option
    Loop slopes[2][2] = {};
    bool has_option = false;
};

// Rows of classes: an array is seen as (outer, classes, inner), and has a target for each of (outer, inner).
// A target that is no class is ignored, and may be looked up as class 0.
struct ClassRows {
    int64_t outer, classes, inner;
    const int64_t* targets;
};

struct LossLoops {
    PairLoops pairs[PAIR_LOSSES];
    // whether all values are from 0 to 1
    bool (*is_probable[2])(const void* values, int64_t count) = {};
    // the probabilities of the logits `x`, and the surprise at each target; outer rows from `begin` to `end`
    void (*cross_entropy[2])(const ClassRows& rows, const void* x, void* probs, void* surprises, int64_t begin,
                             int64_t end) = {};
    // the probabilities, less one for the targets, times a scale: one for all, or one for each target
    void (*less_one[2])(const ClassRows& rows, const void* probs, const void* scales, bool one_scale, void* result,
                        int64_t begin, int64_t end) = {};
};

}  // namespace rushlight
