// The gradient of a convolution's weights: what each tap saw, times the gradients of the outputs there, summed.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "kernels/table.h"
#include "loops/convolution.h"
#include "memory/threads.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// Elements of planes and gradients that are at hand at a time, and of which sums are made before they are added up.
constexpr int64_t AT_HAND = 1 << 19;
// Multiplications for which a second thread pays, and elements to copy.
constexpr int64_t PARALLEL_WORK = 1 << 18, PARALLEL_COPIES = 1 << 14;
// Parts of an image that threads copy, and taps that they take at least: whole tiles at each level.
constexpr int64_t PARTS = 8, TAPS = 24;

// One group of channels.
struct GroupGradient {
    const Convolution& geometry;
    const SourcePlanes& planes;
    const std::vector<int32_t>& taps;
    int64_t group = 0;
    const char *images = nullptr, *grads = nullptr;
    char* weights = nullptr;  // of the group
    std::vector<int32_t> panels{};

    int64_t size() const { return SIZES[geometry.dtype]; }
    int64_t lanes() const { return table().convolution.lanes[geometry.dtype]; }
    int64_t padded_outputs() const { return divide_up(geometry.outputs_each(), lanes()) * lanes(); }
    // the first gradient of an image
    int64_t grads_of(int64_t image) const {
        return (image * geometry.groups + group) * geometry.outputs_each() * geometry.place_count();
    }
    // whether places go into lanes, and not outputs: where these would not fill a register
    bool takes_dots() const;
    void choose_panels();
    void copy_part(int64_t first, int64_t count, int64_t image, int64_t part, char* seen, char* turned) const;
    void copy_images(int64_t first, int64_t count, char* seen, char* turned) const;
    void add_images(int64_t first, int64_t count, WeightSum& sum) const;
    bool run();
};

bool GroupGradient::takes_dots() const {
    double filled_lanes = static_cast<double>(lanes());
    double outputs = static_cast<double>(geometry.outputs_each()), count = static_cast<double>(taps.size());
    double columns = static_cast<double>(geometry.places[1]);
    double filled = columns / filled_lanes / std::ceil(columns / filled_lanes);
    double sums = static_cast<double>(padded_outputs()) * count / filled_lanes / 2 + 1.2 * outputs;
    return 1.6 * outputs * count / filled_lanes / 2 / filled < sums;
}

// The widest panels that there are, but rather two registers twice than three and one.
void GroupGradient::choose_panels() {
    int64_t most = table().convolution.output_registers;
    for (int64_t left = divide_up(geometry.outputs_each(), lanes()); left > 0; left -= panels.back()) {
        panels.push_back(static_cast<int32_t>(most > 2 && left == most + 1 ? most - 1 : std::min(left, most)));
    }
}

// Some planes of an image, and some panels of gradients, turned.
void GroupGradient::copy_part(int64_t first, int64_t count, int64_t image, int64_t part, char* seen,
                              char* turned) const {
    const int64_t all = static_cast<int64_t>(planes.all.size()), places = geometry.place_count();
    int64_t channels = planes.source_channels * planes.source_rows * planes.source_columns * size();
    planes.copy(geometry.dtype, images + ((first + image) * geometry.groups + group) * channels, 0,
                seen + image * planes.size() * size(), all * part / PARTS, all * (part + 1) / PARTS);
    int64_t output = 0, panel = 0;
    for (int32_t registers : panels) {
        const int64_t width = registers * lanes();
        if (panel++ % PARTS == part) {
            table().convolution.turn_rows[geometry.dtype](
                grads + (grads_of(first + image) + output * places) * size(),
                std::min(width, geometry.outputs_each() - output), places, places, width,
                turned + (output * count * places + image * places * width) * size());
        }
        output += width;
    }
}

void GroupGradient::copy_images(int64_t first, int64_t count, char* seen, char* turned) const {
    int64_t each = planes.size() + geometry.place_count() * geometry.outputs_each();
    parallel(count * PARTS, PARALLEL_COPIES * PARTS / each + 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; part++) {
            copy_part(first, count, part / PARTS, part % PARTS, seen, turned);
        }
    });
}

// Adds what some images contribute.
void GroupGradient::add_images(int64_t first, int64_t count, WeightSum& sum) const {
    const int64_t outputs = geometry.outputs_each(), places = geometry.place_count();
    std::vector<int32_t> row_steps, grad_rows, place_steps;
    for (int64_t n = 0; n < count; n++) {
        for (int64_t i = 0; i < geometry.places[0]; i++) {
            const int64_t step = n * planes.size() + i * planes.columns;
            if (panels.empty()) {
                row_steps.push_back(static_cast<int32_t>(step));
                grad_rows.push_back(static_cast<int32_t>(grads_of(n) - grads_of(0) + i * geometry.places[1]));
                continue;
            }
            for (int64_t j = 0; j < geometry.places[1]; j++) place_steps.push_back(static_cast<int32_t>(step + j));
        }
    }
    sum.is_first = first == 0;
    sum.is_last = first + count == geometry.count;
    sum.places = place_steps.data();
    sum.place_count = count * places;
    sum.row_steps = row_steps.data();
    sum.grad_rows = grad_rows.data();
    sum.rows = count * geometry.places[0];
    if (panels.empty()) sum.grads = grads + grads_of(first) * size();
    const auto& loops = table().convolution;
    auto loop = panels.empty() ? loops.dot_weights[geometry.dtype] : loops.sum_weights[geometry.dtype];
    int64_t grain = divide_up(PARALLEL_WORK / (count * places * outputs) + 1, TAPS) * TAPS;
    parallel(sum.tap_count, grain, [&](int64_t begin, int64_t end) { loop(sum, begin, end); });
}

bool GroupGradient::run() {
    if (!takes_dots()) choose_panels();
    const bool dots = panels.empty();
    const int64_t places = geometry.place_count(), padded = dots ? 0 : padded_outputs();
    const int64_t each = planes.size() + places * padded;
    const int64_t passes = std::clamp<int64_t>(divide_up(geometry.count * each, AT_HAND), 1, geometry.count);
    const int64_t images_each = divide_up(geometry.count, passes);
    const int64_t seen = divide_up(images_each * planes.size(), lanes()) * lanes();
    const int64_t turned = images_each * places * padded;
    WeightSum sum;
    sum.taps = taps.data();
    sum.tap_count = static_cast<int64_t>(taps.size());
    sum.outputs = geometry.outputs_each();
    sum.panels = panels.data();
    sum.columns = geometry.places[1];
    sum.grad_output = places;
    sum.weights = weights;
    const int64_t sums = images_each < geometry.count ? sum.tap_count * padded : 0;
    Scratch scratch(static_cast<size_t>((seen + turned + sums + lanes()) * size()));
    if (scratch.get() == nullptr) return false;
    char* turned_grads = scratch.get() + seen * size();
    sum.image = scratch.get();
    sum.grads = turned_grads;
    sum.sums = turned_grads + turned * size();
    if (dots) std::memset(weights, 0, static_cast<size_t>(sum.tap_count * sum.outputs * size()));
    for (int64_t n = 0; n < geometry.count; n += images_each) {
        int64_t count = std::min(images_each, geometry.count - n);
        copy_images(n, count, scratch.get(), turned_grads);
        add_images(n, count, sum);
    }
    return true;
}

}  // namespace

bool weight_gradient(const Convolution& geometry, const void* images, const void* outputs, void* weights) {
    SourcePlanes planes;
    std::vector<int32_t> taps;
    slide_planes(geometry, planes, taps);
    std::atomic<bool> failed{false};
    parallel(geometry.groups, 1, [&](int64_t begin, int64_t end) {
        for (int64_t g = begin; g < end; g++) {
            GroupGradient gradient{
                geometry, planes, taps, g, static_cast<const char*>(images), static_cast<const char*>(outputs)};
            gradient.weights = static_cast<char*>(weights) +
                               g * geometry.outputs_each() * static_cast<int64_t>(taps.size()) * gradient.size();
            if (!gradient.run()) failed = true;
        }
    });
    return !failed;
}

}  // namespace rushlight
