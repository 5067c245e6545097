// Convolutions: a kernel that slides over images, the work of a convolution, of its transpose and of both gradients.
//
// A source is first copied into planes: with its padding, and for a stride of s as s * s thinned images, so that what a
// tap of the kernel sees at neighbouring places are neighbours in memory. Sums are then rows of a small matrix product
// that reads the planes as they are or, where much of that would be thrown away, packed without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/convolution.h"
#include "memory/scratch.h"

namespace rushlight {

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A convolution: the image is the side that the kernel slides over, the output has a number for each place of it.
struct Convolution {
    int dtype = 0;
    int64_t count = 0, groups = 1, channels = 0, outputs = 0;
    int64_t image[2] = {1, 1}, places[2] = {1, 1}, kernel[2] = {1, 1};
    int64_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};

    int64_t channels_each() const { return channels / groups; }
    int64_t outputs_each() const { return outputs / groups; }
    int64_t kernel_size() const { return kernel[0] * kernel[1]; }
    int64_t image_size() const { return image[0] * image[1]; }
    int64_t place_count() const { return places[0] * places[1]; }
    // Whether steps inside of one image and of the weights fit into 32 bits, with room to spare.
    bool fits() const;
};

// Some copies of a channel: where in the source the first element of the first one lies; the others start at the next
// columns.
struct Plane {
    int64_t channel, first_row, first_column;
};

// The planes of the channels of a group.
struct SourcePlanes {
    std::vector<Plane> all;
    int64_t phases = 1;             // copies of each
    int64_t rows = 0, columns = 0;  // of a copy
    int64_t row_step = 1, column_step = 1;
    int64_t source_channels = 0, source_rows = 0, source_columns = 0;

    int64_t size() const { return static_cast<int64_t>(all.size()) * phases * rows * columns; }
    // Copies some planes of what an image has from a row on; `image` is its first channel of the group, `to` where its
    // first plane goes.
    void copy(int dtype, const char* image, int64_t first_row, char* to, int64_t begin, int64_t end) const;
};

// The places of one grid of results: what its taps read, and where its results go in a channel.
struct Grid {
    int64_t rows = 0, columns = 0;
    std::vector<Tap> taps;
    int64_t to = 0, to_row = 0, to_place = 1;
    // where a packed panel has its taps, if there is any
    std::vector<Tap> packed;
};

// All of a convolution: source, weights, results.
struct SlidingSums {
    int dtype = 0;
    int64_t count = 0, groups = 1;
    SourcePlanes planes;
    std::vector<Grid> grids;
    const char* source = nullptr;
    const char* weights = nullptr;
    const char* bias = nullptr;
    char* results = nullptr;
    // results' channels of a group; steps of the weights from one to the next, and from group to group
    int64_t rows = 0, a_row = 0, a_group = 0;
    int64_t result_size = 0;  // of a channel
    // found by `run`: the places of a panel, panels at a time, the rows of the largest grid
    int64_t width = 0, panels = 0, grid_rows = 0;
    // units of work, of some images, rows of a grid and rows of results, and how many of each there are
    int64_t images = 1, band = 0, some_rows = 0;
    int64_t image_units = 0, bands = 0, row_units = 0;

    int64_t size() const { return dtype == 0 ? 4 : 8; }
    // Computes the results; false if memory runs out.
    bool run();

private:
    void divide();
    void shorten_planes();
    bool run_unit(int64_t unit) const;
};

// The planes of an image and, for each tap (channel, row, column), where it looks.
void slide_planes(const Convolution& geometry, SourcePlanes& planes, std::vector<int32_t>& taps);

// Outputs from images, images from outputs, weights from both: contiguous arrays of the geometry's dtype. Weights are
// (outputs, channels / groups, *kernel); `bias` may be nullptr. False if memory runs out.
bool slide(const Convolution& geometry, const void* images, const void* weights, const void* bias, void* outputs);
bool spread(const Convolution& geometry, const void* outputs, const void* weights, const void* bias, void* images);
bool weight_gradient(const Convolution& geometry, const void* images, const void* outputs, void* weights);

}  // namespace rushlight
