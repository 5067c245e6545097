// Sliding and spreading: what a convolution and its transpose are swept over. See sweep.h.
#include <algorithm>
#include <utility>

#include "kernels/table.h"
#include "promotion.h"
#include "sweep.h"

namespace rushlight {

namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// What both have in common.
void set_up(Sweep& sweep, const Convolution& geometry, const void* source, const void* weights, const void* bias,
            void* results) {
    sweep.dtype = geometry.dtype;
    sweep.count = geometry.count;
    sweep.groups = geometry.groups;
    sweep.source = static_cast<const char*>(source);
    sweep.weights = static_cast<const char*>(weights);
    sweep.bias = static_cast<const char*>(bias);
    sweep.results = static_cast<char*>(results);
}

}  // namespace

bool Convolution::fits() const {
    constexpr double MOST = 1 << 30;
    double padded = 1, kernels = 1;
    for (int d = 0; d < 2; d++) {
        padded *= static_cast<double>(image[d] + 2 * padding[d] + dilation[d] * kernel[d] + stride[d]) + 64;
        kernels *= static_cast<double>(kernel[d]);
    }
    double most = static_cast<double>(std::max(channels, outputs));
    return padded * most < MOST && kernels * static_cast<double>(channels) * static_cast<double>(outputs) < MOST;
}

void SourcePlanes::copy(int dtype, const char* image, int64_t first_row, char* to, int64_t begin, int64_t end) const {
    const int64_t size = SIZES[dtype], channel_size = source_rows * source_columns * size;
    Rows copied;
    copied.count = rows;
    copied.columns = columns;
    copied.row_step = row_step;
    copied.column_step = column_step;
    copied.source_rows = source_rows;
    copied.source_columns = source_columns;
    to += begin * phases * rows * columns * size;
    for (int64_t p = begin; p < end; p++) {
        const Plane& plane = all[p];
        copied.first_row = plane.first_row + first_row * row_step;
        copied.first_column = plane.first_column;
        table().convolution.copy_rows[dtype](image + plane.channel * channel_size, copied, phases, to);
        to += phases * rows * columns * size;
    }
}

void slide_planes(const Convolution& geometry, SourcePlanes& planes, std::vector<int32_t>& taps) {
    const int64_t* stride = geometry.stride;
    int64_t reach[2], phases[2];
    for (int d = 0; d < 2; d++) {
        int64_t far = (geometry.kernel[d] - 1) * geometry.dilation[d];
        reach[d] = far / stride[d];
        phases[d] = std::min(stride[d], far + 1);
    }
    planes.rows = geometry.places[0] + reach[0];
    planes.columns = geometry.places[1] + reach[1];
    planes.phases = phases[1];
    planes.row_step = stride[0];
    planes.column_step = stride[1];
    planes.source_channels = geometry.channels_each();
    planes.source_rows = geometry.image[0];
    planes.source_columns = geometry.image[1];
    int64_t size = planes.rows * planes.columns;
    for (int64_t c = 0; c < geometry.channels_each(); c++) {
        for (int64_t i = 0; i < phases[0]; i++) {
            planes.all.push_back({c, i - geometry.padding[0], -geometry.padding[1]});
        }
        for (int64_t i = 0; i < geometry.kernel[0]; i++) {
            for (int64_t j = 0; j < geometry.kernel[1]; j++) {
                int64_t y = i * geometry.dilation[0], x = j * geometry.dilation[1];
                int64_t plane = (c * phases[0] + y % stride[0]) * phases[1] + x % stride[1];
                taps.push_back(static_cast<int32_t>(plane * size + y / stride[0] * planes.columns + x / stride[1]));
            }
        }
    }
}

bool slide(const Convolution& geometry, const void* images, const void* weights, const void* bias, void* outputs) {
    Sweep sweep;
    sweep.grids.resize(1);
    Grid& grid = sweep.grids[0];
    std::vector<int32_t> taps;
    slide_planes(geometry, sweep.planes, taps);
    for (int32_t step : taps) grid.taps.push_back({static_cast<int32_t>(grid.taps.size()), step});
    grid.rows = geometry.places[0];
    grid.columns = grid.to_row = geometry.places[1];
    set_up(sweep, geometry, images, weights, bias, outputs);
    sweep.rows = geometry.outputs_each();
    sweep.a_row = static_cast<int64_t>(grid.taps.size());
    sweep.a_group = sweep.rows * sweep.a_row;
    sweep.result_size = geometry.place_count();
    return sweep.run();
}

// Pixels that lie a stride apart see the same taps: each such grid is swept by itself, over the outputs.
bool spread(const Convolution& geometry, const void* outputs, const void* weights, const void* bias, void* images) {
    const int64_t *stride = geometry.stride, *kernel = geometry.kernel;
    // tap k of pixel i * stride + phase sees output i + (phase + padding - k * dilation) / stride, where that divides
    auto shift = [&](int d, int64_t phase, int64_t k, int64_t& found) {
        int64_t far = phase + geometry.padding[d] - k * geometry.dilation[d];
        found = floor_divide(far, stride[d]);
        return found * stride[d] == far;
    };
    int64_t least[2], most[2], found;
    for (int d = 0; d < 2; d++) {
        least[d] = floor_divide(geometry.padding[d] - (kernel[d] - 1) * geometry.dilation[d], stride[d]);
        most[d] = floor_divide(geometry.padding[d] + stride[d] - 1, stride[d]);
    }
    Sweep sweep;
    SourcePlanes& planes = sweep.planes;
    planes.rows = divide_up(geometry.image[0], stride[0]) + most[0] - least[0];
    planes.columns = divide_up(geometry.image[1], stride[1]) + most[1] - least[1];
    planes.source_channels = geometry.outputs_each();
    planes.source_rows = geometry.places[0];
    planes.source_columns = geometry.places[1];
    for (int64_t o = 0; o < planes.source_channels; o++) planes.all.push_back({o, least[0], least[1]});
    const int64_t channels = geometry.channels_each(), size = planes.rows * planes.columns;
    for (int64_t y = 0; y < std::min(stride[0], geometry.image[0]); y++) {
        for (int64_t x = 0; x < std::min(stride[1], geometry.image[1]); x++) {
            Grid grid;
            grid.rows = divide_up(geometry.image[0] - y, stride[0]);
            grid.columns = divide_up(geometry.image[1] - x, stride[1]);
            grid.to = y * geometry.image[1] + x;
            grid.to_row = stride[0] * geometry.image[1];
            grid.to_place = stride[1];
            for (int64_t o = 0; o < planes.source_channels; o++) {
                for (int64_t i = 0; i < kernel[0]; i++) {
                    if (!shift(0, y, i, found)) continue;
                    int64_t row = o * size + (found - least[0]) * planes.columns;
                    for (int64_t j = 0; j < kernel[1]; j++) {
                        if (!shift(1, x, j, found)) continue;
                        grid.taps.push_back({static_cast<int32_t>((o * channels * kernel[0] + i) * kernel[1] + j),
                                             static_cast<int32_t>(row + found - least[1])});
                    }
                }
            }
            sweep.grids.push_back(std::move(grid));
        }
    }
    set_up(sweep, geometry, outputs, weights, bias, images);
    sweep.rows = channels;
    sweep.a_row = geometry.kernel_size();
    sweep.a_group = geometry.outputs_each() * channels * sweep.a_row;
    sweep.result_size = geometry.image_size();
    return sweep.run();
}

}  // namespace rushlight
