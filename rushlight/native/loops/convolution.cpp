// Convolutions: planes of a source, and sums over them place by place. See convolution.h.
#include "loops/convolution.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "kernels/table.h"
#include "memory/threads.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// Multiplications for which a second thread pays.
constexpr int64_t PARALLEL_WORK = 1 << 19;
// Elements of planes that one unit of work has in its cache, and of images that are small enough to be taken together.
constexpr int64_t UNIT = 1 << 17, SMALL = 1 << 15;
// Taps of a packed panel, which then stays in the first cache, and the most panels that use a block of weights in turn.
constexpr int64_t DEPTH = 160, PANELS = 12;
// Bytes of sums that stay in the second cache.
constexpr int64_t PANEL_BYTES = 800 << 10;
// What it costs to pack a run, in the time of two registers of sums.
constexpr double PACKING = 1.5;
// Rows of results that are written together.
constexpr int64_t UNPACKED = 8;
// The least rows of results for which a thread packs panels by itself, and the least places for which it reads all
// weights.
constexpr int64_t LEAST_ROWS = 64, LEAST_PLACES = 128;

// What a unit of work has at hand.
struct Unit {
    int64_t group, first_image, images, first_row, rows, first_result, results;
    char* planes;
    int64_t image_step;
    char *panel, *sums;
};

// Runs of a panel, in the planes and in the results; those that follow each other in the results are one there.
struct Runs {
    PlaceRun from[WIDEST_PANEL], to[WIDEST_PANEL];
    int64_t from_count = 0, to_count = 0;
    int64_t places = 0;  // of all

    void clear() { from_count = to_count = 0; }
    void add(int64_t lane, int64_t places, int64_t source, int64_t result, int64_t result_step) {
        from[from_count++] = {lane, places, source};
        if (to_count > 0) {
            PlaceRun& last = to[to_count - 1];
            if (last.lane + last.count == lane && last.to + last.count * result_step == result) {
                last.count += places;
                return;
            }
        }
        to[to_count++] = {lane, places, result};
    }
};

void copy_planes(const SlidingSums& sliding, const Unit& unit) {
    const SourcePlanes& planes = sliding.planes;
    int64_t channels = planes.source_channels * planes.source_rows * planes.source_columns * sliding.size();
    for (int64_t n = 0; n < unit.images; n++) {
        const char* image = sliding.source + ((unit.first_image + n) * sliding.groups + unit.group) * channels;
        planes.copy(sliding.dtype, image, unit.first_row, unit.planes + n * unit.image_step * sliding.size(), 0,
                    static_cast<int64_t>(planes.all.size()));
    }
}

// A correlation with the weights and the bias of a unit, of one panel so far.
Correlation correlation_of(const SlidingSums& sliding, const Unit& unit, const Grid& grid) {
    Correlation all;
    all.rows = unit.results;
    all.taps = static_cast<int64_t>(grid.taps.size());
    all.steps = grid.taps.data();
    int64_t size = sliding.size(), row = unit.group * sliding.rows + unit.first_result;
    all.a = sliding.weights + (unit.group * sliding.a_group + unit.first_result * sliding.a_row) * size;
    all.a_row = sliding.a_row;
    all.b = unit.planes;
    all.c = unit.sums;
    all.c_row = sliding.width;
    all.wide = sliding.rows <= table().convolution.few_rows;
    all.c_panel = unit.results * sliding.width;
    all.start = sliding.bias == nullptr ? nullptr : sliding.bias + row * size;
    return all;
}

// Where the first result of a unit's image goes.
char* result_of(const SlidingSums& sliding, const Unit& unit, const Grid& grid, int64_t image) {
    int64_t channel = ((unit.first_image + image) * sliding.groups + unit.group) * sliding.rows + unit.first_result;
    return sliding.results + (channel * sliding.result_size + grid.to) * sliding.size();
}

// SourcePlanes are read as they are: places at the end of a row are computed and left out.
void slide_flat(const SlidingSums& sliding, const Unit& unit, const Grid& grid, int64_t rows, Runs& runs) {
    const auto& loops = table().convolution;
    const int64_t columns = grid.columns, pitch = sliding.planes.columns, width = sliding.width;
    const int64_t flat = (rows - 1) * pitch + columns, size = sliding.size();
    Correlation all = correlation_of(sliding, unit, grid);
    for (int64_t image = 0; image < unit.images; image++) {
        const char* planes = unit.planes + image * unit.image_step * size;
        char* to = result_of(sliding, unit, grid, image);
        for (int64_t first = 0; first < flat; first += sliding.panels * width) {
            all.b = planes + first * size;
            all.b_panel = width;
            all.panels = std::min(sliding.panels, divide_up(flat - first, width));
            loops.correlate[sliding.dtype](all);
            for (int64_t p = 0; p < all.panels; p++) {
                runs.clear();
                int64_t begin = first + p * width, end = std::min(begin + width, flat);
                for (int64_t at = begin; at < end;) {
                    int64_t i = at / pitch, j = at % pitch, count = std::min(end - at, columns - j);
                    if (count > 0) {
                        runs.add(at - begin, count, 0, (unit.first_row + i) * grid.to_row + j * grid.to_place,
                                 grid.to_place);
                    }
                    at += std::max<int64_t>(pitch - j, 1);
                }
                loops.unpack[sliding.dtype](unit.sums + p * all.c_panel * size, unit.results, width, runs.to,
                                            runs.to_count, sliding.result_size, grid.to_place, to);
            }
        }
    }
}

// The places of packed panels, without gaps and images after one another, from `first` on; how many panels there are.
int64_t lay_out(const SlidingSums& sliding, const Unit& unit, const Grid& grid, int64_t rows, int64_t first,
                Runs* runs) {
    const int64_t columns = grid.columns, places = unit.images * rows * columns;
    const int64_t lanes = table().convolution.lanes[sliding.dtype], width = sliding.width;
    const int64_t step = sliding.groups * sliding.rows * sliding.result_size;  // from image to image in the results
    int64_t panels = 0;
    for (int64_t at = first; panels < sliding.panels && at < places; panels++) {
        Runs& panel = runs[panels];
        panel.clear();
        panel.places = std::min(width, places - at);
        // rather two registers twice than three and one
        if (width == 3 * lanes && at + width < places && places <= at + width + lanes) panel.places = 2 * lanes;
        const int64_t begin = at, end = at + panel.places;
        while (at < end) {
            int64_t row = at / columns, j = at % columns, image = row / rows, i = row % rows;
            int64_t count = std::min(end - at, columns - j);
            panel.add(at - begin, count, image * unit.image_step + i * sliding.planes.columns + j,
                      image * step + (unit.first_row + i) * grid.to_row + j * grid.to_place, grid.to_place);
            at += count;
        }
    }
    return panels;
}

// What each tap sees is packed; a panel is used by all rows, then packed over, and never leaves the first cache.
void slide_packed(const SlidingSums& sliding, const Unit& unit, const Grid& grid, int64_t rows, Runs* runs) {
    const auto& loops = table().convolution;
    const int64_t width = sliding.width, size = sliding.size(), taps = static_cast<int64_t>(grid.taps.size());
    Correlation all = correlation_of(sliding, unit, grid);
    all.b = unit.panel;
    int64_t places = unit.images * rows * grid.columns;
    for (int64_t first = 0; first < places;) {
        const int64_t panels = lay_out(sliding, unit, grid, rows, first, runs);
        for (int64_t tap = 0; tap < taps; tap += DEPTH) {
            all.taps = std::min(DEPTH, taps - tap);
            all.steps = grid.packed.data() + tap;
            all.adds = tap > 0;
            for (int64_t p = 0; p < panels; p++) {
                // what lies beyond the last place is not used, and no number that would slow sums down
                all.places = runs[p].places;
                if (all.places < width) std::memset(unit.panel, 0, static_cast<size_t>(DEPTH * width * size));
                loops.pack[sliding.dtype](unit.planes, grid.taps.data() + tap, all.taps, runs[p].from,
                                          runs[p].from_count, width, unit.panel);
                all.c = unit.sums + p * all.c_panel * size;
                loops.correlate[sliding.dtype](all);
            }
        }
        // a few rows of all panels after the other: neighbours in the results
        for (int64_t row = 0; row < unit.results; row += UNPACKED) {
            const int64_t here = std::min(UNPACKED, unit.results - row);
            char* to = result_of(sliding, unit, grid, 0) + row * sliding.result_size * size;
            for (int64_t p = 0; p < panels; p++) {
                loops.unpack[sliding.dtype](unit.sums + (p * all.c_panel + row * width) * size, here, width, runs[p].to,
                                            runs[p].to_count, sliding.result_size, grid.to_place, to);
            }
        }
        for (int64_t p = 0; p < panels; p++) first += runs[p].places;
    }
}

}  // namespace

// What is worth a second thread is cut into units: images first, then bands of rows or rows of results.
void SlidingSums::divide() {
    const auto& loops = table().convolution;
    width = rows <= loops.few_rows ? loops.wide_panel[dtype] : loops.panel[dtype];
    double work = 0;
    bool packs = false;
    for (Grid& grid : grids) {
        grid_rows = std::max(grid_rows, grid.rows);
        double flat = static_cast<double>(divide_up((grid.rows - 1) * planes.columns + grid.columns, width) * width);
        double dense = static_cast<double>(grid.rows * grid.columns);
        double sums = static_cast<double>(rows * width / loops.lanes[dtype]) / 2;
        if ((flat / dense - 1) * sums > PACKING * (static_cast<double>(width / grid.columns) + 1)) {
            packs = true;
            for (const Tap& tap : grid.taps) {
                grid.packed.push_back({tap.a, static_cast<int32_t>(grid.packed.size() % DEPTH * width)});
            }
        }
        work += dense * static_cast<double>(grid.taps.size()) * static_cast<double>(rows);
    }
    work *= static_cast<double>(count * groups);
    band = grid_rows;
    some_rows = rows;
    panels = std::clamp<int64_t>(PANEL_BYTES / (width * size() * rows), 1, PANELS);
    int64_t elements = std::max<int64_t>(planes.size(), 1), places = grid_rows * grids[0].columns;
    // images enough to fill panels, as many as stay in the cache
    int64_t some = packs ? std::max(UNIT / elements, std::min(divide_up(panels * width, places), 4 * UNIT / elements))
                         : SMALL / elements;
    images = std::clamp<int64_t>(some, 1, count);
    if (elements > 2 * UNIT) band = std::max<int64_t>(grid_rows / divide_up(elements, UNIT), 1);
    const int64_t wanted = work < PARALLEL_WORK || thread_count() == 1 ? 1 : 4 * thread_count();
    int64_t units = divide_up(count, images);
    if (packs && units < wanted) units = std::max(units, std::min({count, count * places / LEAST_PLACES, wanted}));
    images = divide_up(count, units);
    units = groups * divide_up(count, images) * divide_up(grid_rows, band);
    if (packs && rows >= 2 * LEAST_ROWS) {
        // each packs all that it sees: no more of them than level out
        const int64_t least = divide_up(divide_up(wanted, 2), units);
        if (least > 1) some_rows = std::max(LEAST_ROWS, divide_up(divide_up(rows, least), 8) * 8);
    } else if (units < wanted && images > 1) {
        images = divide_up(count, divide_up(wanted, groups));
    } else if (units < wanted && grid_rows > 4) {
        band = std::max<int64_t>(std::min(band, divide_up(grid_rows, divide_up(wanted, groups * count))), 2);
    }
    if (band < grid_rows) shorten_planes();
    image_units = divide_up(count, images);
    bands = divide_up(grid_rows, band);
    row_units = divide_up(rows, some_rows);
}

// SourcePlanes with the rows that a band needs: taps look into the same places of shorter planes.
void SlidingSums::shorten_planes() {
    int64_t before = planes.rows * planes.columns;
    planes.rows -= grid_rows - band;
    for (Grid& grid : grids) {
        for (Tap& tap : grid.taps) {
            tap.b = static_cast<int32_t>(tap.b / before * planes.rows * planes.columns + tap.b % before);
        }
    }
}

bool SlidingSums::run_unit(int64_t which) const {
    Unit unit;
    unit.first_result = which % row_units * some_rows;
    unit.results = std::min(some_rows, rows - unit.first_result);
    which /= row_units;
    unit.first_row = which % bands * band;
    unit.rows = std::min(band, grid_rows - unit.first_row);
    which /= bands;
    unit.first_image = which % image_units * images;
    unit.images = std::min(images, count - unit.first_image);
    unit.group = which / image_units;
    unit.image_step = planes.size();
    // whole panels are read, also at the end
    int64_t plane_elements = divide_up(unit.images * unit.image_step + WIDEST_PANEL, 16) * 16;
    int64_t panel_elements = DEPTH * width + WIDEST_PANEL, sum_elements = panels * unit.results * width;
    Scratch scratch(static_cast<size_t>((plane_elements + panel_elements + sum_elements) * size()));
    if (scratch.get() == nullptr) return false;
    unit.planes = scratch.get();
    unit.panel = unit.planes + plane_elements * size();
    unit.sums = unit.panel + panel_elements * size();
    copy_planes(*this, unit);
    char* beyond = unit.planes + unit.images * unit.image_step * size();
    std::memset(beyond, 0, static_cast<size_t>(unit.panel - beyond));
    Runs runs[PANELS];
    for (const Grid& grid : grids) {
        int64_t here = std::min(unit.rows, grid.rows - unit.first_row);
        if (here <= 0) continue;
        if (!grid.packed.empty()) {
            slide_packed(*this, unit, grid, here, runs);
        } else {
            slide_flat(*this, unit, grid, here, runs[0]);
        }
    }
    return true;
}

bool SlidingSums::run() {
    divide();
    int64_t units = groups * image_units * bands * row_units;
    std::atomic<bool> failed{false};
    parallel(units, 1, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            if (!run_unit(unit)) failed = true;
        }
    });
    return !failed;
}

namespace {

int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// What both have in common.
void set_up(SlidingSums& sliding, const Convolution& geometry, const void* source, const void* weights,
            const void* bias, void* results) {
    sliding.dtype = geometry.dtype;
    sliding.count = geometry.count;
    sliding.groups = geometry.groups;
    sliding.source = static_cast<const char*>(source);
    sliding.weights = static_cast<const char*>(weights);
    sliding.bias = static_cast<const char*>(bias);
    sliding.results = static_cast<char*>(results);
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
    SlidingSums sliding;
    sliding.grids.resize(1);
    Grid& grid = sliding.grids[0];
    std::vector<int32_t> taps;
    slide_planes(geometry, sliding.planes, taps);
    for (int32_t step : taps) grid.taps.push_back({static_cast<int32_t>(grid.taps.size()), step});
    grid.rows = geometry.places[0];
    grid.columns = grid.to_row = geometry.places[1];
    set_up(sliding, geometry, images, weights, bias, outputs);
    sliding.rows = geometry.outputs_each();
    sliding.a_row = static_cast<int64_t>(grid.taps.size());
    sliding.a_group = sliding.rows * sliding.a_row;
    sliding.result_size = geometry.place_count();
    return sliding.run();
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
    SlidingSums sliding;
    SourcePlanes& planes = sliding.planes;
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
            sliding.grids.push_back(std::move(grid));
        }
    }
    set_up(sliding, geometry, outputs, weights, bias, images);
    sliding.rows = channels;
    sliding.a_row = geometry.kernel_size();
    sliding.a_group = geometry.outputs_each() * channels * sliding.a_row;
    sliding.result_size = geometry.image_size();
    return sliding.run();
}

}  // namespace rushlight
