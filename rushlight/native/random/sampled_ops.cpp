// Random numbers that depend on tensors: the ops of ops/random/sampling.py, dropout, and Categorical's samples.
#include "random/draws.h"
#include "seam/call.h"
#include "seam/shortcut.h"
#include "seam/state.h"

namespace rushlight {

namespace {

NAMES(Multinomial, input, num_samples, replacement, generator);

bool multinomial_kernel(Call& call) {
    PyArrayObject* weights = call.array(Multinomial::input);
    Stream* stream = stream_of(call[Multinomial::generator]);
    int64_t samples;
    bool replacement;
    DECLINE_IF(weights == nullptr || stream == nullptr);
    DECLINE_IF(!read_integer(call[Multinomial::num_samples], samples) ||
               !read_flag(call[Multinomial::replacement], false, replacement));
    return call.give(multinomial(*stream, weights, samples, replacement));
}

// The rows of classes as the user's shape has them: the draws first, then the rows.
PyArrayObject* turned(PyArrayObject* by_row, Shape& shape) {
    Ref across = Ref::steal(PyArray_Transpose(by_row, nullptr));
    PyArray_Dims dims = {shape.dims, shape.ndim};
    PyObject* made = across ? PyArray_Newshape(across.array(), &dims, NPY_CORDER) : nullptr;
    return reinterpret_cast<PyArrayObject*>(made);
}

NAMES(Drawn, probs, count, shape);

// Classes drawn by each row, `count` times.
PyObject* drawn_classes(const Arguments& arguments) {
    Shape shape;
    int64_t count;
    Stream* stream = stream_of(nullptr);
    DECLINE_IF(state.levels != nullptr);
    DECLINE_IF(stream == nullptr || arguments[Drawn::probs] == nullptr || !is_tensor(arguments[Drawn::probs]));
    PyArrayObject* probs = as_tensor(arguments[Drawn::probs])->array;
    DECLINE_IF(probs == nullptr || PyArray_NDIM(probs) < 1 || !is_plain(probs));
    DECLINE_IF(!read_integer(arguments[Drawn::count], count) || count < 1 || !shape.read(arguments[Drawn::shape]));
    int64_t width = PyArray_DIM(probs, PyArray_NDIM(probs) - 1), rows = width == 0 ? 0 : PyArray_SIZE(probs) / width;
    bool is_single = count == 1 && PyArray_MultiplyList(shape.dims, shape.ndim) == rows;
    npy_intp dims[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(count)};
    auto draw = [&](void* data, int64_t) {
        auto* classes = static_cast<int64_t*>(data);
        return draw_indices(*stream, PyArray_TYPE(probs), PyArray_DATA(probs), rows, width, count, true, classes);
    };
    PyArrayObject* made = filled(is_single ? shape.ndim : 2, is_single ? shape.dims : dims, NPY_INT64, draw);
    if (made == nullptr) return nullptr;
    arguments.decided = true;
    if (!is_single) {
        Ref by_row = Ref::steal(as_object(made));
        made = turned(by_row.array(), shape);
        if (made == nullptr) return nullptr;
    }
    Tensor* tensor = wrap(made);
    if (tensor != nullptr) tensor->inference = state.inference;
    return as_object(tensor);
}

// What dropout multiplies by: 1 / (1 - p) for an element or a feature that stays, 0 for the others.
PyArrayObject* dropout_noise(Stream& stream, PyArrayObject* array, double p, bool features) {
    int type = PyArray_TYPE(array);
    Shape shape;
    DECLINE_IF(!shape.broadcast(array));
    for (int i = 2; features && i < shape.ndim; i++) shape.dims[i] = 1;
    double one = type == NPY_FLOAT32 ? 1 / static_cast<float>(1 - p) : 1 / (1 - p);
    return filled(shape.ndim, shape.dims, type,
                  [&](void* data, int64_t count) { return draw_coins(stream, type, data, count, 1 - p, one); });
}

NAMES(Dropped, input, p, training, inplace, features);

PyObject* dropped(const Arguments& arguments) {
    double p;
    bool training, inplace, features;
    Stream* stream = stream_of(nullptr);
    PyObject* input = arguments[Dropped::input];
    // what is drawn inside of a function transform is that one's to say
    DECLINE_IF(state.levels != nullptr);
    DECLINE_IF(stream == nullptr || input == nullptr || !is_tensor(input) || arguments[Dropped::p] == nullptr);
    DECLINE_IF(!read_number(arguments[Dropped::p], 0, p) || !(p >= 0 && p < 1));
    DECLINE_IF(!read_flag(arguments[Dropped::training], true, training) ||
               !read_flag(arguments[Dropped::inplace], false, inplace));
    PyArrayObject* array = as_tensor(input)->array;
    DECLINE_IF(!read_flag(arguments[Dropped::features], false, features) || array == nullptr);
    if (!training || p == 0) return Py_NewRef(input);
    Function* mul = find_function("mul");
    bool is_float = PyArray_TYPE(array) == NPY_FLOAT32 || PyArray_TYPE(array) == NPY_FLOAT64;
    bool in_order = is_plain(array) && (!features || PyArray_NDIM(array) >= 2);
    DECLINE_IF(inplace || mul == nullptr || !is_float || !in_order || PyArray_SIZE(array) == 0);
    PyArrayObject* made = dropout_noise(*stream, array, p, features);
    if (made == nullptr) return nullptr;
    arguments.decided = true;
    Ref noise = Ref::steal(as_object(wrap(made)));
    if (!noise) return nullptr;
    PyObject* operands[] = {input, noise.get()};
    return call_function(mul, operands, 2, nullptr);
}

NAMES(Bernoulli, input, p, generator);

bool bernoulli_kernel(Call& call) {
    PyArrayObject* input = call.array(Bernoulli::input);
    Stream* stream = stream_of(call[Bernoulli::generator]);
    DECLINE_IF(input == nullptr || stream == nullptr || !is_plain(input));
    int type = PyArray_TYPE(input);
    double p = 0;
    DECLINE_IF(call[Bernoulli::p] != Py_None && !read_number(call[Bernoulli::p], 0, p));
    return call.give(filled(PyArray_NDIM(input), PyArray_DIMS(input), type, [&](void* data, int64_t count) {
        if (call[Bernoulli::p] == Py_None) return draw_coins_by(*stream, type, data, count, PyArray_DATA(input));
        return draw_coins(*stream, type, data, count, p, 1);
    }));
}

template <class T>
bool are_deviations(const T* numbers, int64_t count) {
    bool good = true;
    for (int64_t i = 0; i < count; i++) good = good & (numbers[i] >= 0);
    return good;
}

// noise * std + mean, where both are arrays or numbers.
template <class T>
void shift(T* noise, int64_t count, const T* stds, const T* means, T mean) {
    if (stds != nullptr) {
        for (int64_t i = 0; i < count; i++) noise[i] *= stds[i];
    }
    for (int64_t i = 0; i < count; i++) noise[i] += means != nullptr ? means[i] : mean;
}

template <class T>
PyArrayObject* normal_around(Stream& stream, const Shape& shape, int type, PyArrayObject* mean_array, double mean,
                             PyArrayObject* std_array, double std) {
    auto* means = mean_array != nullptr ? static_cast<const T*>(PyArray_DATA(mean_array)) : nullptr;
    auto* stds = std_array != nullptr ? static_cast<const T*>(PyArray_DATA(std_array)) : nullptr;
    return filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        if (stds != nullptr && !are_deviations(stds, count)) return false;
        // a number is part of the draw
        if (!draw_normal(stream, type, data, count, 0, stds != nullptr ? 1 : std, true)) return false;
        shift(static_cast<T*>(data), count, stds, means, static_cast<T>(mean));
        return true;
    });
}

NAMES(Normal, mean, std, generator, target);

// One of mean and std at least is a tensor.
bool normal_kernel(Call& call) {
    Stream* stream = stream_of(call[Normal::generator]);
    DECLINE_IF(stream == nullptr || call[Normal::target] != Py_None);
    PyObject* given[] = {call[Normal::mean], call[Normal::std]};
    PyArrayObject* arrays[] = {call.array(Normal::mean), call.array(Normal::std)};
    double numbers[] = {0, 1};
    Shape shape;
    int type = -1;
    for (int i = 0; i < 2; i++) {
        if (arrays[i] == nullptr) {
            DECLINE_IF(!read_number(given[i], 0, numbers[i]));
            continue;
        }
        DECLINE_IF(type >= 0 && PyArray_TYPE(arrays[i]) != type);
        type = PyArray_TYPE(arrays[i]);
        DECLINE_IF(!shape.broadcast(arrays[i]));
    }
    Ref owners[2];
    for (int i = 0; i < 2; i++) {
        if (arrays[i] == nullptr) continue;
        owners[i] = spread(arrays[i], shape);
        DECLINE_IF(!owners[i]);
    }
    PyArrayObject *means = owners[0].array(), *stds = owners[1].array();
    if (type == NPY_FLOAT32) {
        return call.give(normal_around<float>(*stream, shape, type, means, numbers[0], stds, numbers[1]));
    }
    DECLINE_IF(type != NPY_FLOAT64);
    return call.give(normal_around<double>(*stream, shape, type, means, numbers[0], stds, numbers[1]));
}

KERNEL("distributions.categorical.drawn").shortcut(drawn_classes, Drawn::names);
KERNEL("ops.random.dropout.dropped").shortcut(dropped, Dropped::names);
KERNEL("_multinomial").forward(multinomial_kernel, Multinomial::names);
KERNEL("_bernoulli").forward(bernoulli_kernel, Bernoulli::names);
KERNEL("_normal").forward(normal_kernel, Normal::names);

}  // namespace

}  // namespace rushlight
