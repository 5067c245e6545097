// Batch and group norms, forward and gradient. See ops/normalization/batch_norms.py and
// ops/normalization/group_norms.py.
#include <cmath>
#include <vector>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// A batch in C order: `examples` of `channels` of `length` elements each.
struct Batch {
    PyArrayObject* array;
    int64_t examples, channels, length;

    explicit Batch(PyArrayObject* given)
        : array(given),
          examples(PyArray_DIM(given, 0)),
          channels(PyArray_DIM(given, 1)),
          length(PyArray_SIZE(given) / (examples * channels)) {}
    int type() const { return PyArray_TYPE(array); }
    int which() const { return type() == NPY_FLOAT64; }
    int64_t item() const { return which() ? 8 : 4; }
    const char* at(int64_t element) const { return PyArray_BYTES(array) + element * item(); }
    // one channel of all examples
    Channel channel() const { return {examples, channels * length, length}; }
    // whether short runs are brought together in spare memory, of so many elements
    int64_t spare() const { return examples * length <= 1 << 16 ? examples * length : 0; }
};

// Numbers for each channel, in the batch's dtype; none of them is `otherwise` for all.
struct PerChannel {
    std::vector<double> values;
    bool given = false;

    // An array of the batch's dtype, or nullptr; false if it has not so many numbers.
    bool read(PyArrayObject* array, int64_t count, double otherwise) {
        values.assign(count, otherwise);
        if (array == nullptr) return true;
        DECLINE_IF(dtype_of(array) < 0 || PyArray_SIZE(array) != count);
        Ref plain = in_c_order(array);
        given = true;
        with_float(dtype_of(array), [&](auto zero) {
            auto* from = elements<const decltype(zero)>(plain.array());
            std::copy_n(from, count, values.begin());
        });
        return true;
    }
    // rounded to the dtype, as what is saved for the gradient is
    void round(int type) {
        if (type == NPY_FLOAT64) return;
        for (double& each : values) each = static_cast<float>(each);
    }
    // as numbers of the dtype
    std::vector<char> as(int type) const {
        int64_t count = static_cast<int64_t>(values.size());
        std::vector<char> found(count * 8);
        for (int64_t i = 0; i < count; i++) {
            if (type == NPY_FLOAT64) {
                reinterpret_cast<double*>(found.data())[i] = values[i];
            } else {
                reinterpret_cast<float*>(found.data())[i] = static_cast<float>(values[i]);
            }
        }
        return found;
    }
    PyArrayObject* give(int ndim, const npy_intp* shape, int type) const {
        std::vector<char> numbers = as(type);
        PyArrayObject* found = made(new_array(ndim, shape, type));
        std::copy_n(numbers.data(), PyArray_NBYTES(found), PyArray_BYTES(found));
        return found;
    }
    PyArrayObject* give(int type) const {
        npy_intp count = static_cast<npy_intp>(values.size());
        return give(1, &count, type);
    }
};

constexpr int64_t GRAIN = 1 << 14;  // elements that one thread takes at least

int64_t grain_of(int64_t each) { return std::max<int64_t>(1, GRAIN / std::max<int64_t>(each, 1)); }

// In tiles of columns, where a channel has one element for each example.
template <class Work>
void each_tile(const Batch& batch, Work&& work) {
    int64_t tiles = (batch.channels + TILE - 1) / TILE;
    parallel(tiles, grain_of(batch.examples * TILE), [&](int64_t begin, int64_t end) {
        for (int64_t tile = begin; tile < end; tile++) {
            work(tile * TILE, std::min(TILE, batch.channels - tile * TILE));
        }
    });
}

template <class Work>
void each_channel(const Batch& batch, int64_t spare, Work&& work) {
    parallel(batch.channels, grain_of(batch.examples * batch.length), [&](int64_t begin, int64_t end) {
        std::vector<char> room(spare * batch.item());
        for (int64_t c = begin; c < end; c++) work(c, room.empty() ? nullptr : room.data());
    });
}

void find_moments(const Batch& batch, PerChannel& mean, PerChannel& variance) {
    const ImageLoops& loops = table().images;
    if (batch.length == 1) {
        each_tile(batch, [&](int64_t first, int64_t columns) {
            loops.column_moments[batch.which()](batch.at(first), batch.examples, batch.channels, columns,
                                                &mean.values[first], &variance.values[first]);
        });
        return;
    }
    each_channel(batch, batch.spare(), [&](int64_t c, void* room) {
        loops.moments[batch.which()](batch.channel(), batch.at(c * batch.length), room, &mean.values[c],
                                     &variance.values[c]);
    });
}

void write_normal(const Batch& batch, const PerChannel& mean, const PerChannel& scale, const PerChannel& weight,
                  const PerChannel& bias, char* to) {
    const ImageLoops& loops = table().images;
    if (batch.length == 1) {
        int type = batch.type();
        std::vector<char> numbers[] = {mean.as(type), scale.as(type), weight.as(type), bias.as(type)};
        each_tile(batch, [&](int64_t first, int64_t columns) {
            int64_t at = first * batch.item();
            loops.column_normalize[batch.which()](batch.at(first), batch.examples, batch.channels, columns,
                                                  numbers[0].data() + at, numbers[1].data() + at,
                                                  numbers[2].data() + at, numbers[3].data() + at, to + at);
        });
        return;
    }
    each_channel(batch, 0, [&](int64_t c, void*) {
        int64_t at = c * batch.length;
        loops.normalize[batch.which()](batch.channel(), batch.at(at), mean.values[c], scale.values[c], weight.values[c],
                                       bias.values[c], to + at * batch.item());
    });
}

NAMES(BatchNorm, input, weight, bias, running_mean, running_var, training, eps);
NAMES(SavedOfBatchNorm, input, mean, scale, weight, training);

bool batch_norm(Call& call) {
    Batch batch(call.array(BatchNorm::input));
    PerChannel weight, bias, mean, variance, scale;
    bool training = call.flag(BatchNorm::training);
    int64_t count = batch.channels;
    PyArrayObject* running_mean = training ? nullptr : call.array(BatchNorm::running_mean);
    PyArrayObject* running_var = training ? nullptr : call.array(BatchNorm::running_var);
    if (!weight.read(call.array(BatchNorm::weight), count, 1) || !bias.read(call.array(BatchNorm::bias), count, 0) ||
        !mean.read(running_mean, count, 0) || !variance.read(running_var, count, 0)) {
        return false;
    }
    DECLINE_IF(!training && (!mean.given || !variance.given));
    PyArrayObject* found = call.make_like(batch.array);
    if (training) find_moments(batch, mean, variance);
    scale.values.resize(count);
    double eps = call.number(BatchNorm::eps);
    for (int64_t c = 0; c < count; c++) scale.values[c] = 1 / std::sqrt(variance.values[c] + eps);
    int type = batch.type();
    mean.round(type);
    scale.round(type);
    write_normal(batch, mean, scale, weight, bias, PyArray_BYTES(found));
    return call.give(mean.give(type)) && call.give(scale.give(type)) && call.give(variance.give(type));
}

void find_sums(const Batch& grads, const Batch& batch, const PerChannel& mean, const PerChannel& scale,
               PerChannel& sums, PerChannel& alongs) {
    const ImageLoops& loops = table().images;
    if (batch.length == 1) {
        std::vector<char> means = mean.as(batch.type()), scales = scale.as(batch.type());
        each_tile(batch, [&](int64_t first, int64_t columns) {
            int64_t at = first * batch.item();
            loops.column_slope_sums[batch.which()](grads.at(first), batch.at(first), batch.examples, batch.channels,
                                                   columns, means.data() + at, scales.data() + at, &sums.values[first],
                                                   &alongs.values[first]);
        });
        return;
    }
    each_channel(batch, 2 * batch.spare(), [&](int64_t c, void* room) {
        int64_t at = c * batch.length;
        loops.slope_sums[batch.which()](batch.channel(), grads.at(at), batch.at(at), mean.values[c], scale.values[c],
                                        room, &sums.values[c], &alongs.values[c]);
    });
}

void write_slopes(const Batch& grads, const Batch& batch, const PerChannel& mean, const PerChannel& scale,
                  const PerChannel& weight, const PerChannel& parts, const PerChannel& alongs, char* to) {
    const ImageLoops& loops = table().images;
    if (batch.length == 1) {
        int type = batch.type();
        std::vector<char> numbers[] = {mean.as(type), scale.as(type), weight.as(type), parts.as(type), alongs.as(type)};
        each_tile(batch, [&](int64_t first, int64_t columns) {
            int64_t at = first * batch.item();
            loops.column_slopes[batch.which()](grads.at(first), batch.at(first), batch.examples, batch.channels,
                                               columns, numbers[0].data() + at, numbers[1].data() + at,
                                               numbers[2].data() + at, numbers[3].data() + at, numbers[4].data() + at,
                                               to + at);
        });
        return;
    }
    each_channel(batch, 0, [&](int64_t c, void*) {
        int64_t at = c * batch.length;
        loops.slopes[batch.which()](batch.channel(), grads.at(at), batch.at(at), mean.values[c], scale.values[c],
                                    weight.values[c], parts.values[c], alongs.values[c], to + at * batch.item());
    });
}

bool batch_backward(Gradient& gradient) {
    using Saved = SavedOfBatchNorm;
    DECLINE_IF(gradient.has_other_grads());
    Batch grads(gradient.grad()), batch(gradient.array(Saved::input));
    PerChannel mean, scale, weight, sums, alongs;
    int64_t count = batch.channels;
    if (!mean.read(gradient.array(Saved::mean), count, 0) || !scale.read(gradient.array(Saved::scale), count, 1) ||
        !weight.read(gradient.array(Saved::weight), count, 1)) {
        return false;
    }
    DECLINE_IF(!mean.given || !scale.given);
    bool wanted = gradient.place_of(BatchNorm::input) >= 0, training = !wanted || gradient.flag(Saved::training);
    sums.values.assign(count, 0);
    alongs.values.assign(count, 0);
    if (training || gradient.plan->input_count > 1) find_sums(grads, batch, mean, scale, sums, alongs);
    auto slopes = [&] {
        Ref found =
            Ref::steal(as_object(made(new_array(PyArray_NDIM(batch.array), PyArray_DIMS(batch.array), batch.type()))));
        PerChannel parts, shares;
        double size = static_cast<double>(batch.examples * batch.length);
        for (int64_t c = 0; c < count; c++) {
            parts.values.push_back(training ? weight.values[c] * sums.values[c] / size : 0);
            shares.values.push_back(training ? weight.values[c] * alongs.values[c] / size : 0);
        }
        write_slopes(grads, batch, mean, scale, weight, parts, shares, PyArray_BYTES(found.array()));
        return found.release_array();
    };
    return gradient.fill(BatchNorm::input, slopes) &&
           gradient.fill(BatchNorm::weight, [&] { return alongs.give(batch.type()); }) &&
           gradient.fill(BatchNorm::bias, [&] { return sums.give(batch.type()); });
}

NAMES(GroupNorm, input, num_groups, weight, bias, eps);
NAMES(SavedOfGroupNorm, input, mean, scale, weight, num_groups);

bool group_norm(Call& call) {
    Batch batch(call.array(GroupNorm::input));
    PerChannel weight, bias, mean, scale;
    int64_t groups = call.integer(GroupNorm::num_groups);
    double eps = call.number(GroupNorm::eps);
    DECLINE_IF(groups < 1 || batch.channels % groups != 0);
    if (!weight.read(call.array(GroupNorm::weight), batch.channels, 1)) return false;
    if (!bias.read(call.array(GroupNorm::bias), batch.channels, 0)) return false;
    int64_t rows = batch.examples * groups, together = batch.channels / groups, length = batch.length;
    mean.values.resize(rows);
    scale.values.resize(rows);
    const ImageLoops& loops = table().images;
    int which = batch.which();
    // channels without weights of their own are one
    int64_t alike = weight.given || bias.given ? 1 : together;
    char* to = PyArray_BYTES(call.make_like(batch.array));
    parallel(rows, grain_of(together * length), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            int64_t at = row * together * length;
            double middle, variance;
            loops.moments[which](Channel{1, 0, together * length}, batch.at(at), nullptr, &middle, &variance);
            double factor = 1 / std::sqrt(variance + eps);
            mean.values[row] = middle = which ? middle : static_cast<float>(middle);
            scale.values[row] = factor = which ? factor : static_cast<float>(factor);
            for (int64_t k = 0; k < together; k += alike) {
                int64_t channel = row % groups * together + k, from = at + k * length;
                loops.normalize[which](Channel{1, 0, alike * length}, batch.at(from), middle, factor,
                                       weight.values[channel], bias.values[channel], to + from * batch.item());
            }
        }
    });
    npy_intp shape[] = {batch.examples, groups};
    return call.give(mean.give(2, shape, batch.type())) && call.give(scale.give(2, shape, batch.type()));
}

// The sums over the examples of a number for each channel of each.
PyArrayObject* over_examples(const PerChannel& all, const Batch& batch) {
    PerChannel found;
    found.values.assign(batch.channels, 0);
    for (int64_t i = 0; i < batch.examples * batch.channels; i++) found.values[i % batch.channels] += all.values[i];
    return found.give(batch.type());
}

bool group_backward(Gradient& gradient) {
    using Saved = SavedOfGroupNorm;
    DECLINE_IF(gradient.has_other_grads());
    Batch grads(gradient.grad()), batch(gradient.array(Saved::input));
    PerChannel mean, scale, weight, sums, alongs;
    int64_t groups = gradient.integer(Saved::num_groups);
    DECLINE_IF(groups < 1 || batch.channels % groups != 0);
    int which = batch.which();
    int64_t rows = batch.examples * groups, together = batch.channels / groups, length = batch.length;
    if (!mean.read(gradient.array(Saved::mean), rows, 0) || !scale.read(gradient.array(Saved::scale), rows, 1) ||
        !weight.read(gradient.array(Saved::weight), batch.channels, 1)) {
        return false;
    }
    DECLINE_IF(!mean.given || !scale.given);
    sums.values.resize(batch.examples * batch.channels);
    alongs.values.resize(batch.examples * batch.channels);
    auto like = [&] { return made(new_array(PyArray_NDIM(batch.array), PyArray_DIMS(batch.array), batch.type())); };
    gradient.fill(GroupNorm::input, like);
    int place = gradient.place_of(GroupNorm::input);
    PyArrayObject* result = place >= 0 ? gradient.found[place] : nullptr;
    const ImageLoops& loops = table().images;
    Channel channel{1, 0, length};
    int64_t alike = weight.given ? 1 : together;
    parallel(rows, grain_of(together * length), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            double part = 0, along = 0, size = static_cast<double>(together * length);
            for (int64_t k = 0; k < together; k++) {
                int64_t each = row * together + k, at = each * length;
                loops.slope_sums[which](channel, grads.at(at), batch.at(at), mean.values[row], scale.values[row],
                                        nullptr, &sums.values[each], &alongs.values[each]);
                part += weight.values[each % batch.channels] * sums.values[each];
                along += weight.values[each % batch.channels] * alongs.values[each];
            }
            for (int64_t k = 0; result != nullptr && k < together; k += alike) {
                int64_t each = row * together + k, at = each * length;
                loops.slopes[which](Channel{1, 0, alike * length}, grads.at(at), batch.at(at), mean.values[row],
                                    scale.values[row], weight.values[each % batch.channels], part / size, along / size,
                                    PyArray_BYTES(result) + at * batch.item());
            }
        }
    });
    return gradient.fill(GroupNorm::weight, [&] { return over_examples(alongs, batch); }) &&
           gradient.fill(GroupNorm::bias, [&] { return over_examples(sums, batch); });
}

constexpr TensorWant input = tensor(BatchNorm::input).floats().widened().rank_from(2).filled().dense();
constexpr TensorWant grad = tensor(GRADIENT).floats().widened().rank_from(2).filled().packed();

KERNEL("_batch_norm")
    .forward(batch_norm, BatchNorm::names)
    .takes(input, tensor(BatchNorm::weight).like(BatchNorm::input).optional())
    .takes(tensor(BatchNorm::bias).like(BatchNorm::input).optional())
    .takes(tensor(BatchNorm::running_mean).like(BatchNorm::input).optional())
    .takes(tensor(BatchNorm::running_var).like(BatchNorm::input).optional())
    .takes(flag(BatchNorm::training), number(BatchNorm::eps))
    .gradient(batch_backward, SavedOfBatchNorm::names)
    .given(grad, tensor(SavedOfBatchNorm::input).shaped(GRADIENT).dense(),
           tensor(SavedOfBatchNorm::mean).like(GRADIENT))
    .given(tensor(SavedOfBatchNorm::scale).like(GRADIENT), tensor(SavedOfBatchNorm::weight).like(GRADIENT).optional())
    .given(flag(SavedOfBatchNorm::training));
KERNEL("_group_norm")
    .forward(group_norm, GroupNorm::names)
    .takes(input, integer(GroupNorm::num_groups), tensor(GroupNorm::weight).like(GroupNorm::input).optional())
    .takes(tensor(GroupNorm::bias).like(GroupNorm::input).optional(), number(GroupNorm::eps))
    .gradient(group_backward, SavedOfGroupNorm::names)
    .given(grad, tensor(SavedOfGroupNorm::input).shaped(GRADIENT).dense(),
           tensor(SavedOfGroupNorm::mean).like(GRADIENT))
    .given(tensor(SavedOfGroupNorm::scale).like(GRADIENT), tensor(SavedOfGroupNorm::weight).like(GRADIENT).optional())
    .given(integer(SavedOfGroupNorm::num_groups));

}  // namespace

}  // namespace rushlight
