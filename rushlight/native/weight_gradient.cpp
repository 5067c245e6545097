// The gradient of a convolution's weights: what each tap saw, times the gradients of the outputs there, summed.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "kernels/table.h"
#include "promotion.h"
#include "sweep.h"
#include "threads.h"

namespace rushlight {

namespace {

// Elements of planes and gradients that are at hand at a time, and of which sums are made before they are added up.
constexpr int64_t AT_HAND = 1 << 18;
// Multiplications for which a second thread pays.
constexpr int64_t PARALLEL_WORK = 1 << 18;

// One group of channels.
struct GroupGradient {
    const Geometry& geometry;
    Planes planes;
    std::vector<int32_t> taps;
    int64_t group = 0;
    const char *images = nullptr, *grads = nullptr;
    char* weights = nullptr;  // of the group

    int64_t size() const { return SIZES[geometry.dtype]; }
    // whether places go into lanes, and not outputs: where these would not fill a register, or where it takes longer to
    // turn the gradients than to use them
    bool takes_dots() const;
    int64_t padded_outputs() const {
        int64_t lanes = table().convolution.lanes[geometry.dtype];
        return (geometry.outputs_each() + lanes - 1) / lanes * lanes;
    }

    void copy_image(int64_t image, char* to) const;
    void add_images(int64_t first, int64_t count, char* seen, char* turned, char* sums) const;
    bool run();
};

bool GroupGradient::takes_dots() const {
    double lanes = static_cast<double>(table().convolution.lanes[geometry.dtype]);
    double outputs = static_cast<double>(geometry.outputs_each()), count = static_cast<double>(taps.size());
    double columns = static_cast<double>(geometry.places[1]), filled = columns / lanes / std::ceil(columns / lanes);
    double sums = static_cast<double>(padded_outputs()) * count / lanes / 2 + 1.2 * outputs;
    return 1.15 * outputs * count / lanes / 2 / filled < sums;
}

void GroupGradient::copy_image(int64_t image, char* to) const {
    int64_t channels = planes.source_channels * planes.source_rows * planes.source_columns * size();
    planes.copy(geometry.dtype, images + (image * geometry.groups + group) * channels, 0, to);
}

// Adds what some images contribute.
void GroupGradient::add_images(int64_t first, int64_t count, char* seen, char* turned, char* sums) const {
    const auto& loops = table().convolution;
    const int dtype = geometry.dtype;
    const int64_t outputs = geometry.outputs_each(), padded = padded_outputs(), places = geometry.place_count();
    const int64_t rows = geometry.places[0], tap_count = static_cast<int64_t>(taps.size());
    const bool dots = takes_dots();
    auto grads_of = [&](int64_t n) { return ((first + n) * geometry.groups + group) * outputs * places; };
    parallel(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; n++) {
            copy_image(first + n, seen + n * planes.size() * size());
            if (dots) continue;
            loops.turn_rows[dtype](grads + grads_of(n) * size(), outputs, places, places, padded,
                                   turned + n * places * padded * size());
        }
    });
    std::vector<int32_t> row_steps, grad_rows;
    for (int64_t n = 0; n < count; n++) {
        for (int64_t i = 0; i < rows; i++) {
            row_steps.push_back(static_cast<int32_t>(n * planes.size() + i * planes.columns));
            grad_rows.push_back(static_cast<int32_t>(grads_of(n) - grads_of(0) + i * geometry.places[1]));
        }
    }
    WeightSum sum;
    sum.image = seen;
    sum.taps = taps.data();
    sum.row_steps = row_steps.data();
    sum.rows = count * rows;
    sum.columns = geometry.places[1];
    sum.grads = dots ? grads + grads_of(0) * size() : turned;
    sum.outputs = dots ? outputs : padded;
    sum.grad_output = places;
    sum.grad_rows = grad_rows.data();
    sum.sums = sums;
    sum.sum_output = tap_count;
    int64_t work = std::max<int64_t>(count * places * outputs, 1);
    int64_t grain = (PARALLEL_WORK / work + 8) / 8 * 8;
    auto loop = dots ? loops.dot_weights[dtype] : loops.sum_weights[dtype];
    parallel(tap_count, grain, [&](int64_t begin, int64_t end) { loop(sum, begin, end); });
}

bool GroupGradient::run() {
    const int64_t outputs = geometry.outputs_each(), padded = padded_outputs(), tap_count = static_cast<int64_t>(taps.size());
    const bool dots = takes_dots();
    int64_t turned = dots ? 0 : geometry.place_count() * padded;
    int64_t each = std::max<int64_t>(planes.size() + turned, 1);
    int64_t images_each = std::max<int64_t>(std::min(geometry.count, AT_HAND / each), 1);
    int64_t lanes = table().convolution.lanes[geometry.dtype];
    int64_t seen_elements = (images_each * planes.size() / lanes + 1) * lanes;
    int64_t sum_elements = dots ? 0 : tap_count * padded;
    Scratch scratch(static_cast<size_t>((seen_elements + images_each * turned + sum_elements) * size()));
    if (scratch.get() == nullptr) return false;
    char* grads_here = scratch.get() + seen_elements * size();
    char* sums = dots ? weights : grads_here + images_each * turned * size();
    std::memset(sums, 0, static_cast<size_t>((dots ? tap_count * outputs : sum_elements) * size()));
    for (int64_t n = 0; n < geometry.count; n += images_each) {
        add_images(n, std::min(images_each, geometry.count - n), scratch.get(), grads_here, sums);
    }
    if (!dots) {
        // (taps, outputs) to (outputs, taps)
        table().convolution.turn_rows[geometry.dtype](sums, tap_count, outputs, padded, tap_count, weights);
    }
    return true;
}

}  // namespace

bool weight_gradient(const Geometry& geometry, const void* images, const void* outputs, void* weights) {
    Planes planes;
    std::vector<int32_t> taps;
    slide_planes(geometry, planes, taps);
    std::atomic<bool> failed{false};
    parallel(geometry.groups, 1, [&](int64_t begin, int64_t end) {
        for (int64_t g = begin; g < end; g++) {
            GroupGradient gradient{geometry, planes, taps, g, static_cast<const char*>(images),
                                   static_cast<const char*>(outputs), nullptr};
            gradient.weights = static_cast<char*>(weights) +
                               g * geometry.outputs_each() * static_cast<int64_t>(taps.size()) * gradient.size();
            if (!gradient.run()) failed = true;
        }
    });
    return !failed;
}

}  // namespace rushlight
