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
    Ref array;
    int64_t examples = 0, channels = 0, length = 1;

    bool read(PyArrayObject* given) {
        DECLINE_IF(given == nullptr || PyArray_NDIM(given) < 2 || PyArray_SIZE(given) == 0);
        DECLINE_IF(!is_real(dtype_of(given)));
        array = in_c_order(given);
        examples = PyArray_DIM(given, 0);
        channels = PyArray_DIM(given, 1);
        length = PyArray_SIZE(given) / (examples * channels);
        return static_cast<bool>(array);
    }
    int type() const { return PyArray_TYPE(array.array()); }
    int which() const { return type() == NPY_FLOAT64; }
    int64_t item() const { return which() ? 8 : 4; }
    const char* at(int64_t element) const { return PyArray_BYTES(array.array()) + element * item(); }
    int64_t size() const { return PyArray_SIZE(array.array()); }
    // one channel of all examples
    Channel channel() const { return {examples, channels * length, length}; }
    // whether short runs are brought together in spare memory, of so many elements
    int64_t spare() const { return examples * length <= 1 << 16 ? examples * length : 0; }
    PyArrayObject* like() const { return new_array(PyArray_NDIM(array.array()), PyArray_DIMS(array.array()), type()); }
};

// Numbers for each channel, in the batch's dtype; none of them is `otherwise` for all.
struct PerChannel {
    std::vector<double> values;
    bool given = false;

    bool read(PyArrayObject* array, int type, int64_t count, double otherwise) {
        values.assign(count, otherwise);
        if (array == nullptr) return true;
        DECLINE_IF(PyArray_TYPE(array) != type || dtype_of(array) < 0);
        DECLINE_IF(PyArray_SIZE(array) != count);
        Ref plain = in_c_order(array);
        if (!plain) return false;
        given = true;
        for (int64_t i = 0; i < count; i++) {
            values[i] = type == NPY_FLOAT64 ? static_cast<const double*>(PyArray_DATA(plain.array()))[i]
                                            : static_cast<const float*>(PyArray_DATA(plain.array()))[i];
        }
        return true;
    }
    bool read(PyObject* argument, int type, int64_t count, double otherwise) {
        DECLINE_IF(argument != Py_None && !is_tensor(argument));
        return read(argument == Py_None ? nullptr : as_tensor(argument)->array, type, count, otherwise);
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
        PyArrayObject* found = new_array(ndim, shape, type);
        if (found == nullptr) return nullptr;
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

PyObject* batch_norm(Call& call) {
    PyArrayObject* input = call.array(BatchNorm::input);
    Batch batch;
    PerChannel weight, bias, mean, variance, scale;
    bool training;
    double eps;
    DECLINE_IF(input == nullptr || !PyArray_IS_C_CONTIGUOUS(input));
    if (!batch.read(input)) return nullptr;
    int type = batch.type();
    int64_t count = batch.channels;
    DECLINE_IF(!read_flag(call[BatchNorm::training], training));
    DECLINE_IF(!plain_number(call[BatchNorm::eps], eps));
    if (!weight.read(call[BatchNorm::weight], type, count, 1)) return nullptr;
    if (!bias.read(call[BatchNorm::bias], type, count, 0)) return nullptr;
    PyObject* none = Py_None;
    if (!mean.read(training ? none : call[BatchNorm::running_mean], type, count, 0)) return nullptr;
    if (!variance.read(training ? none : call[BatchNorm::running_var], type, count, 0)) return nullptr;
    DECLINE_IF(!training && (!mean.given || !variance.given));
    Ref made = Ref::steal(as_object(batch.like()));
    if (!made) return nullptr;
    if (training) find_moments(batch, mean, variance);
    scale.values.resize(count);
    for (int64_t c = 0; c < count; c++) scale.values[c] = 1 / std::sqrt(variance.values[c] + eps);
    mean.round(type);
    scale.round(type);
    write_normal(batch, mean, scale, weight, bias, PyArray_BYTES(made.array()));
    Ref means = Ref::steal(as_object(mean.give(type))), scales = Ref::steal(as_object(scale.give(type)));
    Ref variances = Ref::steal(as_object(variance.give(type)));
    if (!means || !scales || !variances) return nullptr;
    return PyTuple_Pack(4, made.get(), means.get(), scales.get(), variances.get());
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

// What both norms' gradients begin with: nothing but the first result was used, and it is of the input's kind.
bool read_both(const Gradient& gradient, PyArrayObject* input, Batch& grads, Batch& batch) {
    for (int i = 1; i < gradient.grad_count; i++) {
        DECLINE_IF(gradient.grads[i] != nullptr);
    }
    PyArrayObject* grad = gradient.grads[0];
    DECLINE_IF(grad == nullptr || input == nullptr);
    DECLINE_IF(!PyArray_SAMESHAPE(grad, input) || PyArray_TYPE(grad) != PyArray_TYPE(input));
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(input));
    return grads.read(grad) && batch.read(input);
}

bool batch_backward(Gradient& gradient) {
    using Saved = SavedOfBatchNorm;
    Batch grads, batch;
    PerChannel mean, scale, weight, sums, alongs;
    if (!read_both(gradient, gradient.array(Saved::input), grads, batch)) return false;
    int type = batch.type();
    int64_t count = batch.channels;
    int place = gradient.place_of(BatchNorm::input), weight_place = gradient.place_of(BatchNorm::weight);
    int bias_place = gradient.place_of(BatchNorm::bias);
    if (!mean.read(gradient.array(Saved::mean), type, count, 0)) return false;
    if (!scale.read(gradient.array(Saved::scale), type, count, 1)) return false;
    DECLINE_IF(!mean.given || !scale.given);
    if (!weight.read(gradient.array(Saved::weight), type, count, 1)) return false;
    bool training = true;
    PyObject* flag = gradient.option(Saved::training);
    DECLINE_IF(place >= 0 && (flag == nullptr || !read_flag(flag, training)));
    sums.values.assign(count, 0);
    alongs.values.assign(count, 0);
    if (training || weight_place >= 0 || bias_place >= 0) find_sums(grads, batch, mean, scale, sums, alongs);
    if (place >= 0) {
        PyArrayObject* result = batch.like();
        if (result == nullptr) return false;
        gradient.found[place] = result;
        PerChannel parts, shares;
        double size = training ? static_cast<double>(batch.examples * batch.length) : 0;
        for (int64_t c = 0; c < count; c++) {
            parts.values.push_back(training ? weight.values[c] * sums.values[c] / size : 0);
            shares.values.push_back(training ? weight.values[c] * alongs.values[c] / size : 0);
        }
        write_slopes(grads, batch, mean, scale, weight, parts, shares, PyArray_BYTES(result));
    }
    if (weight_place >= 0) gradient.found[weight_place] = alongs.give(type);
    if (bias_place >= 0) gradient.found[bias_place] = sums.give(type);
    return (weight_place < 0 || gradient.found[weight_place] != nullptr) &&
           (bias_place < 0 || gradient.found[bias_place] != nullptr);
}

// A batch whose channels are in groups.
bool read_groups(PyObject* number, const Batch& batch, int64_t& groups) {
    return plain_integer(number, groups) && groups > 0 && batch.channels % groups == 0;
}

NAMES(GroupNorm, input, num_groups, weight, bias, eps);
NAMES(SavedOfGroupNorm, input, mean, scale, weight, num_groups);

PyObject* group_norm(Call& call) {
    PyArrayObject* input = call.array(GroupNorm::input);
    Batch batch;
    PerChannel weight, bias, mean, scale;
    int64_t groups;
    double eps;
    DECLINE_IF(input == nullptr || !PyArray_IS_C_CONTIGUOUS(input));
    if (!batch.read(input)) return nullptr;
    int type = batch.type();
    DECLINE_IF(!read_groups(call[GroupNorm::num_groups], batch, groups));
    if (!weight.read(call[GroupNorm::weight], type, batch.channels, 1)) return nullptr;
    if (!bias.read(call[GroupNorm::bias], type, batch.channels, 0)) return nullptr;
    DECLINE_IF(!plain_number(call[GroupNorm::eps], eps));
    PyArrayObject* output = batch.like();
    if (output == nullptr) return nullptr;
    Ref made = Ref::steal(as_object(output));
    int64_t rows = batch.examples * groups, together = batch.channels / groups, length = batch.length;
    mean.values.resize(rows);
    scale.values.resize(rows);
    const ImageLoops& loops = table().images;
    int which = batch.which();
    char* to = PyArray_BYTES(output);
    parallel(rows, grain_of(together * length), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            int64_t at = row * together * length;
            double middle, variance;
            loops.moments[which](Channel{1, 0, together * length}, batch.at(at), nullptr, &middle, &variance);
            double factor = 1 / std::sqrt(variance + eps);
            mean.values[row] = middle = which ? middle : static_cast<float>(middle);
            scale.values[row] = factor = which ? factor : static_cast<float>(factor);
            for (int64_t k = 0; k < together; k++) {
                int64_t channel = row % groups * together + k, from = at + k * length;
                loops.normalize[which](Channel{1, 0, length}, batch.at(from), middle, factor, weight.values[channel],
                                       bias.values[channel], to + from * batch.item());
            }
        }
    });
    npy_intp shape[] = {batch.examples, groups};
    Ref means = Ref::steal(as_object(mean.give(2, shape, type)));
    Ref scales = Ref::steal(as_object(scale.give(2, shape, type)));
    return means && scales ? PyTuple_Pack(3, made.get(), means.get(), scales.get()) : nullptr;
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
    Batch grads, batch;
    PerChannel mean, scale, weight, sums, alongs;
    int64_t groups;
    if (!read_both(gradient, gradient.array(Saved::input), grads, batch)) return false;
    PyObject* number = gradient.option(Saved::num_groups);
    DECLINE_IF(number == nullptr || !read_groups(number, batch, groups));
    int type = batch.type(), which = batch.which();
    int64_t rows = batch.examples * groups, together = batch.channels / groups, length = batch.length;
    int place = gradient.place_of(GroupNorm::input), weight_place = gradient.place_of(GroupNorm::weight);
    int bias_place = gradient.place_of(GroupNorm::bias);
    if (!mean.read(gradient.array(Saved::mean), type, rows, 0)) return false;
    if (!scale.read(gradient.array(Saved::scale), type, rows, 1)) return false;
    DECLINE_IF(!mean.given || !scale.given);
    if (!weight.read(gradient.array(Saved::weight), type, batch.channels, 1)) return false;
    sums.values.resize(batch.examples * batch.channels);
    alongs.values.resize(batch.examples * batch.channels);
    PyArrayObject* result = place >= 0 ? batch.like() : nullptr;
    if (place >= 0 && result == nullptr) return false;
    if (place >= 0) gradient.found[place] = result;
    const ImageLoops& loops = table().images;
    Channel channel{1, 0, length};
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
            for (int64_t k = 0; result != nullptr && k < together; k++) {
                int64_t each = row * together + k, at = each * length;
                loops.slopes[which](channel, grads.at(at), batch.at(at), mean.values[row], scale.values[row],
                                    weight.values[each % batch.channels], part / size, along / size,
                                    PyArray_BYTES(result) + at * batch.item());
            }
        }
    });
    if (weight_place >= 0) gradient.found[weight_place] = over_examples(alongs, batch);
    if (bias_place >= 0) gradient.found[bias_place] = over_examples(sums, batch);
    return (weight_place < 0 || gradient.found[weight_place] != nullptr) &&
           (bias_place < 0 || gradient.found[bias_place] != nullptr);
}

KERNEL("_batch_norm").forward(batch_norm, BatchNorm::names).gradient(batch_backward, SavedOfBatchNorm::names);
KERNEL("_group_norm").forward(group_norm, GroupNorm::names).gradient(group_backward, SavedOfGroupNorm::names);

}  // namespace

}  // namespace rushlight
