// Bags: rows of a table looked up by number and added up, forward and gradient. See ops/sequences/bags.py.
#include <algorithm>
#include <vector>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

enum Mode { SUM_OF_ROWS, MEAN_OF_ROWS };

// Whole numbers, from int64 or int32, one after the other.
bool read_numbers(PyArrayObject* array, std::vector<int64_t>& numbers) {
    int type = array == nullptr ? -1 : PyArray_TYPE(array);
    DECLINE_IF(type != NPY_INT64 && type != NPY_INT32);
    DECLINE_IF(!PyArray_ISNOTSWAPPED(array) || !PyArray_ISALIGNED(array));
    DECLINE_IF(PyArray_DIM(array, 0) > INT32_MAX);
    const char* data = PyArray_BYTES(array);
    npy_intp step = PyArray_STRIDE(array, 0);
    numbers.resize(PyArray_DIM(array, 0));
    for (size_t i = 0; i < numbers.size(); i++, data += step) {
        numbers[i] =
            type == NPY_INT64 ? *reinterpret_cast<const int64_t*>(data) : *reinterpret_cast<const int32_t*>(data);
    }
    return true;
}

// As the next result of a call.
void give(Call& call, const std::vector<int64_t>& numbers) {
    npy_intp count = static_cast<npy_intp>(numbers.size());
    std::copy(numbers.begin(), numbers.end(), elements<int64_t>(call.make(1, &count, NPY_INT64)));
}

NAMES(Bag, weight, indices, offsets, mode, per_sample_weights, padding_idx);
NAMES(Saved, weight_shape, indices, bags, sizes, mode, scale_grad_by_freq, per_sample_weights, padding_idx);

// The bags without their padding: which rows are in each, and the weights of these, where there are some.
struct Bags {
    std::vector<int64_t> of_each, kept, sizes, starts;
    std::vector<char> weights;

    Bags(const std::vector<int64_t>& indices, const std::vector<int64_t>& offsets, int64_t padding,
         PyArrayObject* given)
        : of_each(offsets.back()), sizes(offsets.size() - 1), starts(offsets.size() - 1) {
        for (size_t b = 0; b < sizes.size(); b++) {
            starts[b] = static_cast<int64_t>(kept.size());
            for (int64_t i = offsets[b]; i < offsets[b + 1]; i++) {
                of_each[i] = static_cast<int64_t>(b);
                if (indices[i] == padding) continue;
                kept.push_back(indices[i]);
                if (given == nullptr) continue;
                const char* from = PyArray_BYTES(given) + i * PyArray_ITEMSIZE(given);
                weights.insert(weights.end(), from, from + PyArray_ITEMSIZE(given));
            }
            sizes[b] = static_cast<int64_t>(kept.size()) - starts[b];
        }
    }
};

// Whether all rows are there, and the bags begin one after another among the indices.
bool are_bags(const std::vector<int64_t>& indices, const std::vector<int64_t>& offsets, int64_t rows) {
    bool good = offsets.size() > 1 && offsets[0] == 0 && offsets.back() <= static_cast<int64_t>(indices.size());
    for (size_t b = 0; b + 1 < offsets.size(); b++) good = good && offsets[b] <= offsets[b + 1];
    for (int64_t each : indices) good = good && each >= 0 && each < rows;
    return good;
}

bool forward(Call& call) {
    PyArrayObject *weight = call.array(Bag::weight), *given = call.array(Bag::per_sample_weights);
    int64_t mode = call.integer(Bag::mode), width = PyArray_DIM(weight, 1), item = PyArray_ITEMSIZE(weight);
    std::vector<int64_t> indices, offsets;
    DECLINE_IF(mode > MEAN_OF_ROWS);
    if (!read_numbers(call.array(Bag::indices), indices)) return false;
    if (!read_numbers(call.array(Bag::offsets), offsets)) return false;
    DECLINE_IF(given != nullptr && PyArray_SIZE(given) != static_cast<npy_intp>(indices.size()));
    DECLINE_IF(!are_bags(indices, offsets, PyArray_DIM(weight, 0)));
    Bags bags(indices, offsets, call.integer(Bag::padding_idx), given);
    auto count = static_cast<int64_t>(bags.sizes.size());
    npy_intp shape[] = {count, width};
    char* to = PyArray_BYTES(call.make_zeros(2, shape, PyArray_TYPE(weight)));
    auto loop = table().images.add_rows[item == 8];
    int64_t usual = std::max<int64_t>(1, static_cast<int64_t>(bags.kept.size()) / count);
    parallel(count, std::max<int64_t>(1, (1 << 14) / (usual * width)), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; b++) {
            double divisor = mode == MEAN_OF_ROWS && bags.sizes[b] > 0 ? static_cast<double>(bags.sizes[b]) : 1;
            loop(PyArray_DATA(weight), bags.kept.data() + bags.starts[b], bags.sizes[b], width,
                 given == nullptr ? nullptr : bags.weights.data() + bags.starts[b] * item, divisor,
                 to + b * width * item);
        }
    });
    give(call, bags.of_each);
    give(call, bags.sizes);
    return call.give(Ref::borrow(as_object(call.results.back())));
}

// Each bag's gradient added to the rows that were in it, some of the columns at a time.
template <class T>
void add_back(const std::vector<int64_t>& indices, const std::vector<int64_t>& bags, const std::vector<T>& factors,
              int64_t padding, const T* grad, T* result, int64_t width) {
    int64_t count = static_cast<int64_t>(bags.size());
    parallel(width, std::max<int64_t>(64, (1 << 16) / std::max<int64_t>(count, 1)), [&](int64_t begin, int64_t end) {
        for (int64_t i = 0; i < count; i++) {
            if (indices[i] == padding) continue;
            const T* from = grad + bags[i] * width;
            T *to = result + indices[i] * width, factor = factors[i];
#pragma omp simd
            for (int64_t j = begin; j < end; j++) to[j] += from[j] * factor;
        }
    });
}

template <class T>
bool table_gradient(Gradient& gradient, const npy_intp* shape, int64_t mode) {
    std::vector<int64_t> indices, bags, sizes;
    PyArrayObject *grad = gradient.grad(), *samples = gradient.array(Saved::per_sample_weights);
    if (!read_numbers(gradient.array(Saved::indices), indices) || !read_numbers(gradient.array(Saved::bags), bags) ||
        !read_numbers(gradient.array(Saved::sizes), sizes)) {
        return false;
    }
    DECLINE_IF(bags.size() > indices.size());
    DECLINE_IF(PyArray_DIM(grad, 0) != static_cast<npy_intp>(sizes.size()) || PyArray_DIM(grad, 1) != shape[1]);
    DECLINE_IF(samples != nullptr && PyArray_SIZE(samples) < static_cast<npy_intp>(bags.size()));
    std::vector<T> factors(bags.size());
    for (size_t i = 0; i < bags.size(); i++) {
        // they were checked when they were looked up; the tensors may have changed since
        DECLINE_IF(indices[i] < 0 || indices[i] >= shape[0]);
        DECLINE_IF(bags[i] < 0 || bags[i] >= static_cast<int64_t>(sizes.size()));
        factors[i] = samples == nullptr ? T(1) : elements<const T>(samples)[i];
        if (mode == MEAN_OF_ROWS) factors[i] /= T(std::max<int64_t>(sizes[bags[i]], 1));
    }
    PyArrayObject* result = gradient.make_zeros(2, shape, PyArray_TYPE(grad));
    add_back(indices, bags, factors, gradient.integer(Saved::padding_idx), elements<const T>(grad), elements<T>(result),
             shape[1]);
    return true;
}

bool backward(Gradient& gradient) {
    npy_intp shape[NPY_MAXDIMS];
    int64_t mode = gradient.integer(Saved::mode);
    DECLINE_IF(gradient.plan->input_count != 1 || gradient.place_of(Bag::weight) != 0);
    DECLINE_IF(read_sizes(gradient.option(Saved::weight_shape), shape) != 2);
    DECLINE_IF(mode > MEAN_OF_ROWS || gradient.flag(Saved::scale_grad_by_freq));
    bool wide = PyArray_TYPE(gradient.grad()) == NPY_FLOAT64;
    return (wide ? table_gradient<double> : table_gradient<float>)(gradient, shape, mode);
}

KERNEL("_embedding_bag")
    .forward(forward, Bag::names)
    .takes(tensor(Bag::weight).floats().rank(2).filled().dense(), tensor(Bag::indices).rank(1))
    .takes(tensor(Bag::offsets).rank(1), integer(Bag::mode), integer(Bag::padding_idx))
    .takes(tensor(Bag::per_sample_weights).floats().like(Bag::weight).dense().optional())
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().rank(2).packed(), tensor(Saved::indices).rank(1), tensor(Saved::bags).rank(1))
    .given(tensor(Saved::sizes).rank(1), integer(Saved::mode), integer(Saved::padding_idx))
    .given(tensor(Saved::per_sample_weights).floats().like(GRADIENT).dense().optional(),
           flag(Saved::scale_grad_by_freq));

}  // namespace

}  // namespace rushlight
