// The loops of distributions: log-probabilities and entropies with their gradients, one table for each CPU level.
#pragma once

#include <cstdint>

namespace rushlight {

// Each for float32 and float64. Arrays are contiguous; `rows` have `width` classes each.
struct DistributionLoops {
    // as log_density in distributions/normal.py, element by element
    void (*normal[2])(const void* value, const void* loc, const void* scale, void* result, int64_t count);
    // the gradients of value, loc and scale; nullptr where nobody wants one
    void (*normal_slopes[2])(const void* grad, const void* value, const void* loc, const void* scale, void* to_value,
                             void* to_loc, void* to_scale, int64_t count);

    // as `normalized` in distributions/categorical.py
    void (*normalized[2])(const void* logits, void* result, int64_t rows, int64_t width);
    void (*normalized_slope[2])(const void* grad, const void* result, void* to_logits, int64_t rows, int64_t width);

    // as entropy_of in distributions/categorical.py
    void (*entropy[2])(const void* logits, const void* probs, void* result, int64_t rows, int64_t width);
    void (*entropy_slopes[2])(const void* grad, const void* logits, const void* probs, void* to_logits, void* to_probs,
                              int64_t rows, int64_t width);
};

}  // namespace rushlight
