// Attention: the loops over rows of products of queries and keys, which kernels/attention.cpp fills. No Python here.
#pragma once

#include <cstdint>

namespace rushlight {

// Some rows of products, a row for each query. Steps are in elements.
struct AttentionRows {
    int64_t rows = 0, columns = 0;
    int64_t step = 0;         // from row to row of `weights` and `slopes`: a multiple of ROW_MULTIPLE
    void* weights = nullptr;  // products come in, weights go out, and zeros for keys that are not seen
    double scale = 1;         // of the products
    // the first row sees this many keys, the next one `more` more; at most `columns`
    int64_t seen = 0, more = 0;
    const void* added = nullptr;  // to the products, or nullptr
    int64_t added_row = 0;
    const bool* allowed = nullptr;  // keys that are seen, or nullptr
    int64_t allowed_row = 0;
    const void* noise = nullptr;  // what weights are multiplied by, or nullptr
    int64_t noise_row = 0;
    void* totals = nullptr;  // log of the sum of exponentials, of each row
    // the gradient only:
    const void *grad = nullptr, *output = nullptr;  // of the rows' results, `width` numbers each
    int64_t grad_row = 0, output_row = 0, width = 0;
    void* slopes = nullptr;  // gradients of the weights come in, those of the products go out
};

// Rows of this many numbers have no rest that would fill a part of a register.
constexpr int64_t ROW_MULTIPLE = 16;

// Float32 first, float64 second.
struct AttentionLoops {
    void (*weights[2])(const AttentionRows& rows) = {};
    void (*slopes[2])(const AttentionRows& rows) = {};
    // a matrix turned around: `to_step` from row to row of the result, steps in elements
    void (*turn[2])(const void* from, int64_t rows, int64_t columns, int64_t row_step, void* to, int64_t to_step) = {};
};

}  // namespace rushlight
