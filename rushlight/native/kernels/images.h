// Images: loops over windows of planes, over taps, and over the channels of a batch. No Python here.
#pragma once

#include <cstdint>

namespace rushlight {

// Windows along a dimension, all alike: the elements `dilation` apart, the windows `stride`, the first at -padding.
struct Pool {
    int64_t size, outputs, kernel, stride, padding, dilation;
};

// Windows along a dimension, each with a start and a number of elements next to each other.
struct Windows {
    int64_t size, outputs;
    const int64_t *starts, *counts;
    const double* divisors;  // of each window's part of the divisor; nullptr: one for all
    int64_t kernel, stride;  // where all are alike and begin at 0; else 0
};

// For each output along a dimension the sum of a few inputs: the tap k of output i stands at [k * outputs + i].
struct Taps {
    int64_t size, outputs, most;
    const int64_t *places, *counts;
    const double* weights;  // nullptr: all are one
    bool full;              // all counts are `most`
};

// A channel of a batch: `outer` runs of `count` elements that begin `stride` apart.
struct Channel {
    int64_t outer, stride, count;
};

// float32 first, float64 second, int64 third where there are three
struct ImageLoops {
    // the largest element of each window of a volume, and its place in the volume; a plane is one of depth 1
    void (*max_pool[3])(const Pool& depth, const Pool& rows, const Pool& columns, const void* volume, void* values,
                        int64_t* places) = {};
    void (*max_windows[2])(const Windows& depth, const Windows& rows, const Windows& columns, const void* volume,
                           void* values, int64_t* places) = {};
    // `count` values added to a plane of `size` zeros, at their places, which are within it
    void (*scatter[2])(const void* values, const int64_t* places, int64_t count, void* plane) = {};
    // put there instead, of several at one place the last, and read from there
    void (*put[2])(const void* values, const int64_t* places, int64_t count, void* plane) = {};
    void (*take[2])(const void* plane, const int64_t* places, int64_t count, void* values) = {};
    // the averages of windows, and their gradient; `spare` holds a row of the input, and a plane of a volume
    void (*averages[2])(const Windows& depth, const Windows& rows, const Windows& columns, double divisor,
                        const void* volume, void* result, void* spare) = {};
    void (*average_slopes[2])(const Windows& depth, const Windows& rows, const Windows& columns, double divisor,
                              const void* grad, void* volume, void* spare) = {};
    // sums through taps; `spare` holds a row of the input
    void (*tap[2])(const Taps& rows, const Taps& columns, const void* plane, void* result, void* spare) = {};
    // the mean and the variance of a channel, which `spare` has room for
    void (*moments[2])(const Channel& channel, const void* x, void* spare, double* mean, double* variance) = {};
    // (x - mean) * scale * weight + bias
    void (*normalize[2])(const Channel& channel, const void* x, double mean, double scale, double weight, double bias,
                         void* result) = {};
    // the sums of grad, and of grad times the normal input
    void (*slope_sums[2])(const Channel& channel, const void* grad, const void* x, double mean, double scale,
                          void* spare, double* sum, double* along) = {};
    // (grad * weight - part - normal * along) * scale
    void (*slopes[2])(const Channel& channel, const void* grad, const void* x, double mean, double scale, double weight,
                      double part, double along, void* result) = {};
    // the same for at most TILE channels next to each other, in `rows` rows that stand `stride` apart
    void (*column_moments[2])(const void* x, int64_t rows, int64_t stride, int64_t columns, double* means,
                              double* variances) = {};
    void (*column_normalize[2])(const void* x, int64_t rows, int64_t stride, int64_t columns, const void* means,
                                const void* scales, const void* weights, const void* biases, void* result) = {};
    void (*column_slope_sums[2])(const void* grad, const void* x, int64_t rows, int64_t stride, int64_t columns,
                                 const void* means, const void* scales, double* sums, double* alongs) = {};
    void (*column_slopes[2])(const void* grad, const void* x, int64_t rows, int64_t stride, int64_t columns,
                             const void* means, const void* scales, const void* factors, const void* parts,
                             const void* alongs, void* result) = {};
    // rows of a table added up: `result` is `width` zeros; a weight for each row, or nullptr
    void (*add_rows[2])(const void* table, const int64_t* rows, int64_t count, int64_t width, const void* weights,
                        double divisor, void* result) = {};
};

}  // namespace rushlight
