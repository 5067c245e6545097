// Convolutions: what kernels/convolution.cpp, planes.cpp and weight_gradient.cpp fill for one level of CPU. Steps are
// in elements; see loops/convolution.h.
#pragma once

#include <cstdint>

namespace rushlight {

// Eight registers of 64 bytes.
constexpr int64_t WIDEST_PANEL = 128;

// Where a tap of a kernel has its weight, and where it looks.
struct Tap {
    int32_t a, b;
};

// Weighted sums of what a kernel sees at neighbouring places, for all output channels: rows of a small product whose
// factors are read where they are. The sum of row i at place j is c[i * c_row + j].
struct Correlation {
    int64_t rows = 0, taps = 0;
    const Tap* steps = nullptr;
    // the weight of row i and tap t is a[i * a_row + steps[t].a]
    const void* a = nullptr;
    int64_t a_row = 0;
    // tap t sees b[steps[t].b + j] at place j; whole registers are read, and whole panels where `places` does not say
    // how many are used
    const void* b = nullptr;
    // how many panels of places there are, and how far apart in b and c
    int64_t panels = 1, b_panel = 0, c_panel = 0;
    int64_t places = WIDEST_PANEL;
    void* c = nullptr;
    int64_t c_row = 0;
    // where the sums start: at a number for each row, at zero, or (`adds`) at what c holds
    const void* start = nullptr;
    bool adds = false;
    // whether panels are those for few rows
    bool wide = false;
};

// Some neighbouring places of a panel, and where their results go.
struct PlaceRun {
    int64_t lane, count, to;
};

// Rows of a source, padded with zeros and thinned out.
struct Rows {
    int64_t count = 0, columns = 0;                                          // of the copy
    int64_t first_row = 0, row_step = 1, first_column = 0, column_step = 1;  // of the source, which may begin outside
    int64_t source_rows = 0, source_columns = 0;
};

// The gradient of weights: sums over places of what a tap sees, times the gradients there.
struct WeightSum {
    // tap t sees image[taps[t] + places[p]] at place p
    const void* image = nullptr;
    const int32_t* taps = nullptr;
    int64_t tap_count = 0, outputs = 0;
    // with outputs as neighbours (`sum_weights`): gradients and sums stand in panels of so many registers of outputs. A
    // panel begins at its first output * place_count, or * tap_count, and has a row for each place or tap.
    const int32_t* panels = nullptr;
    const int32_t* places = nullptr;
    int64_t place_count = 0;
    const void* grads = nullptr;
    void* sums = nullptr;
    // whether nothing was added up before, and whether what is found goes to the weights
    bool is_first = true, is_last = true;
    // with places as neighbours (`dot_weights`): tap t sees image[taps[t] + row_steps[r] + j], and the gradients are
    // grads[o * grad_output + grad_rows[r] + j]; added to the weights
    const int32_t *row_steps = nullptr, *grad_rows = nullptr;
    int64_t rows = 0, columns = 0, grad_output = 0;
    // (outputs, taps)
    void* weights = nullptr;
};

// Float32 first, float64 second.
struct ConvolutionLoops {
    // places in a panel, and in a panel of a correlation of few rows
    int64_t panel[2] = {}, wide_panel[2] = {};
    // correlations of up to this many rows have wide panels
    int64_t few_rows = 0;
    void (*correlate[2])(const Correlation& correlation) = {};
    // what taps see at some places, a row of a panel for each: panel[t * width + lane] from b[steps[t].b + run.to];
    // runs are in the order of their lanes, and up to a register is read and written beyond the last one
    void (*pack[2])(const void* b, const Tap* steps, int64_t taps, const PlaceRun* runs, int64_t run_count,
                    int64_t width, void* panel) = {};
    // results of a panel to where they belong: rows `to_row`, places `to_place` apart
    void (*unpack[2])(const void* c, int64_t rows, int64_t c_row, const PlaceRun* runs, int64_t run_count,
                      int64_t to_row, int64_t to_place, void* to) = {};
    // `phases` planes: from the first column on, from the next one on, and so on
    void (*copy_rows[2])(const void* from, const Rows& rows, int64_t phases, void* to) = {};
    int64_t lanes[2] = {};
    // the most registers of a panel of outputs
    int64_t output_registers = 0;
    // taps from `begin` to `end`
    void (*sum_weights[2])(const WeightSum& sum, int64_t begin, int64_t end) = {};
    void (*dot_weights[2])(const WeightSum& sum, int64_t begin, int64_t end) = {};
    // rows of outputs turned into places with outputs as neighbours, `width` apart, filled up with zeros
    void (*turn_rows[2])(const void* from, int64_t outputs, int64_t places, int64_t from_row, int64_t width,
                         void* to) = {};
    // the sum of neighbours
    double (*sum_row[2])(const void* row, int64_t count) = {};
};

}  // namespace rushlight
