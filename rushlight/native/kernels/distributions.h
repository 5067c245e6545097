// The loops of Categorical: normalized logits and entropies with their gradients, for one level of CPU.
#pragma once

#include <cstdint>

namespace rushlight {

// Each for float32 and float64. Arrays are contiguous; `rows` have `width` classes each.
struct DistributionLoops {
    // as `normalized` in distributions/categorical.py
    void (*normalized[2])(const void* logits, void* result, int64_t rows, int64_t width);
    void (*normalized_slope[2])(const void* grad, const void* result, void* to_logits, int64_t rows, int64_t width);

    // as entropy_of in distributions/categorical.py
    void (*entropy[2])(const void* logits, const void* probs, void* result, int64_t rows, int64_t width);
    void (*entropy_slopes[2])(const void* grad, const void* logits, const void* probs, void* to_logits, void* to_probs,
                              int64_t rows, int64_t width);
};

}  // namespace rushlight
