// Reductions and row ops: the loops that the files of this folder fill for one level of CPU. No Python here.
//
// An array is seen as (outer, count, inner): what is reduced, or what makes up a row, stands in the middle.
#pragma once

#include <cstdint>

namespace rushlight {

constexpr int64_t TILE = 256;  // columns that are looked at together, where rows are reduced across
// The same, where many rows are reduced to one: a page of each row at a time, since processors fetch ahead within one.
constexpr int64_t WIDE_TILE = 1024;

enum Reduction {
    SUM,
    PROD,
    LARGEST,
    SMALLEST,
    ANY,
    ALL,
    ABSOLUTES,
    SQUARES,
    LARGEST_SIZE,
    SUM_OF_NUMBERS,
    NONZEROS,
    REDUCTIONS
};

// One reduction of one dtype: elements to totals, totals to fewer totals, totals to results.
struct Fold {
    // `rows` rows that begin `stride` elements apart, each of `count` elements: a total each
    void (*along)(const void* input, int64_t rows, int64_t stride, int64_t count, void* totals) = nullptr;
    // `rows` rows of at most WIDE_TILE columns: a total for each column
    void (*across)(const void* input, int64_t rows, int64_t stride, int64_t columns, void* totals) = nullptr;
    // `rows` contiguous rows of totals, to the first of them
    void (*join)(void* totals, int64_t rows, int64_t columns) = nullptr;
    // each total divided by `divisor`, where the reduction is a sum of floats
    void (*give)(const void* totals, int64_t count, double divisor, void* results) = nullptr;
    int total_size = 0;  // of a total, in bytes, at most 8
    int result = 0;      // the dtype of the results
};

// The largest (smallest) elements and where they stand: the first of equals, the first NaN before all others.
struct Search {
    void (*along)(const void* input, int64_t rows, int64_t stride, int64_t count, void* values,
                  int64_t* places) = nullptr;
    void (*across)(const void* input, int64_t rows, int64_t stride, int64_t columns, void* values,
                   int64_t* places) = nullptr;
};

enum RowOp {
    SOFTMAX,
    LOG_SOFTMAX,
    SOFTMAX_SLOPE,
    LOG_SOFTMAX_SLOPE,
    LOGSUMEXP,
    LOGSUMEXP_SLOPE,
    MOMENTS,
    OFFSETS,
    VARIANCE_SLOPE,
    SPREAD,
    SHARED_SLOPE,
    SIGN_SLOPE,
    LENGTH_SLOPE,
    LARGEST_SIZE_SLOPE,
    CUMSUM,
    CUMSUM_SLOPE,
    LAYER_NORM,
    RMS_NORM,
    LAYER_NORM_SLOPE,
    RMS_NORM_SLOPE,
    NORMALIZED_SLOPE,
    ROW_OPS
};

// What a row op reads and writes. Which of them have an element for each element, and which one for each row, is the
// op's own affair.
struct RowArrays {
    const void* inputs[5] = {};
    void* outputs[4] = {};
    double options[2] = {};
};

// A part of the work: `rows` rows of `count` contiguous elements, or, if `columns` is not 0, the columns of one block
// whose rows stand `stride` apart. `at` is the place of the first element, `row` the number of the first row.
struct Piece {
    int64_t rows, count, stride, columns, at, row;
};

using RowLoop = void (*)(const RowArrays& arrays, const Piece& piece);

struct FoldLoops {
    static constexpr int DTYPES = 4, KEPT_DTYPES = 6;
    Fold folds[REDUCTIONS][KEPT_DTYPES];  // half precision is folded as float32, which is what it gives
    Search largest[DTYPES], smallest[DTYPES];
    RowLoop rows[ROW_OPS][2] = {};  // float32, float64
};

}  // namespace rushlight
