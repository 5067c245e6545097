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
    DECLINE_IF(PyArray_NDIM(array) != 1 || !PyArray_ISNOTSWAPPED(array) || !PyArray_ISALIGNED(array));
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

PyArrayObject* as_array(const std::vector<int64_t>& numbers) {
    npy_intp count = static_cast<npy_intp>(numbers.size());
    PyArrayObject* found = new_array(1, &count, NPY_INT64);
    if (found != nullptr) std::copy(numbers.begin(), numbers.end(), static_cast<int64_t*>(PyArray_DATA(found)));
    return found;
}

NAMES(Bag, weight, indices, offsets, mode, per_sample_weights, padding_idx);
NAMES(Saved, weight_shape, indices, bags, sizes, mode, scale_grad_by_freq, per_sample_weights, padding_idx);

PyObject* forward(Call& call) {
    PyArrayObject *weight = call.array(Bag::weight), *given = call.array(Bag::per_sample_weights);
    int64_t mode, padding;
    std::vector<int64_t> indices, offsets;
    DECLINE_IF(weight == nullptr || PyArray_NDIM(weight) != 2 || !is_real(dtype_of(weight)));
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(weight) || PyArray_SIZE(weight) == 0);
    DECLINE_IF(!plain_integer(call[Bag::mode], mode) || mode > MEAN_OF_ROWS);
    DECLINE_IF(!plain_integer(call[Bag::padding_idx], padding));
    if (!read_numbers(call.array(Bag::indices), indices)) return nullptr;
    if (!read_numbers(call.array(Bag::offsets), offsets)) return nullptr;
    DECLINE_IF(offsets.size() < 2);
    DECLINE_IF(given != nullptr && (PyArray_TYPE(given) != PyArray_TYPE(weight) || dtype_of(given) < 0));
    DECLINE_IF(given != nullptr && !PyArray_IS_C_CONTIGUOUS(given));
    DECLINE_IF(given != nullptr && PyArray_SIZE(given) != static_cast<npy_intp>(indices.size()));
    int64_t rows = PyArray_DIM(weight, 0), width = PyArray_DIM(weight, 1), item = PyArray_ITEMSIZE(weight);
    int64_t count = static_cast<int64_t>(offsets.size()) - 1;
    DECLINE_IF(offsets[0] != 0 || offsets[count] > static_cast<int64_t>(indices.size()));
    for (int64_t b = 0; b < count; b++) {
        DECLINE_IF(offsets[b] > offsets[b + 1]);
    }
    for (int64_t each : indices) {
        DECLINE_IF(each < 0 || each >= rows);
    }
    // padding is taken out, and its weights with it
    std::vector<int64_t> bags(offsets[count]), kept, sizes(count), starts(count);
    std::vector<char> weights;
    for (int64_t b = 0; b < count; b++) {
        starts[b] = static_cast<int64_t>(kept.size());
        for (int64_t i = offsets[b]; i < offsets[b + 1]; i++) {
            bags[i] = b;
            if (indices[i] == padding) continue;
            kept.push_back(indices[i]);
            if (given != nullptr) {
                const char* from = PyArray_BYTES(given) + i * item;
                weights.insert(weights.end(), from, from + item);
            }
        }
        sizes[b] = static_cast<int64_t>(kept.size()) - starts[b];
    }
    npy_intp shape[] = {count, width};
    Ref output = Ref::steal(as_object(zeros_array(2, shape, PyArray_TYPE(weight))));
    Ref of_each = Ref::steal(as_object(as_array(bags))), numbers = Ref::steal(as_object(as_array(sizes)));
    if (!output || !of_each || !numbers) return nullptr;
    auto loop = table().images.add_rows[item == 8];
    char* to = PyArray_BYTES(output.array());
    int64_t usual = std::max<int64_t>(1, static_cast<int64_t>(kept.size()) / count);
    parallel(count, std::max<int64_t>(1, (1 << 14) / (usual * width)), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; b++) {
            double divisor = mode == MEAN_OF_ROWS && sizes[b] > 0 ? static_cast<double>(sizes[b]) : 1;
            loop(PyArray_DATA(weight), kept.data() + starts[b], sizes[b], width,
                 given == nullptr ? nullptr : weights.data() + starts[b] * item, divisor, to + b * width * item);
        }
    });
    return PyTuple_Pack(4, output.get(), of_each.get(), numbers.get(), numbers.get());
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
PyArrayObject* table_gradient(const Gradient& gradient, PyArrayObject* grad, const npy_intp* shape, int64_t mode,
                              int64_t padding) {
    std::vector<int64_t> indices, bags, sizes;
    PyArrayObject* samples = gradient.array(Saved::per_sample_weights);
    if (!read_numbers(gradient.array(Saved::indices), indices) || !read_numbers(gradient.array(Saved::bags), bags) ||
        !read_numbers(gradient.array(Saved::sizes), sizes)) {
        return nullptr;
    }
    DECLINE_IF(bags.size() > indices.size());
    DECLINE_IF(PyArray_DIM(grad, 0) != static_cast<npy_intp>(sizes.size()) || PyArray_DIM(grad, 1) != shape[1]);
    DECLINE_IF(samples != nullptr && PyArray_TYPE(samples) != PyArray_TYPE(grad));
    DECLINE_IF(samples != nullptr && !PyArray_IS_C_CONTIGUOUS(samples));
    DECLINE_IF(samples != nullptr && PyArray_SIZE(samples) < static_cast<npy_intp>(bags.size()));
    std::vector<T> factors(bags.size());
    for (size_t i = 0; i < bags.size(); i++) {
        // they were checked when they were looked up; the tensors may have changed since
        DECLINE_IF(indices[i] < 0 || indices[i] >= shape[0]);
        DECLINE_IF(bags[i] < 0 || bags[i] >= static_cast<int64_t>(sizes.size()));
        factors[i] = samples == nullptr ? T(1) : static_cast<const T*>(PyArray_DATA(samples))[i];
        if (mode == MEAN_OF_ROWS) factors[i] /= T(std::max<int64_t>(sizes[bags[i]], 1));
    }
    PyArrayObject* result = zeros_array(2, shape, PyArray_TYPE(grad));
    if (result == nullptr) return nullptr;
    add_back(indices, bags, factors, padding, static_cast<const T*>(PyArray_DATA(grad)),
             static_cast<T*>(PyArray_DATA(result)), shape[1]);
    return result;
}

bool backward(Gradient& gradient) {
    int64_t mode, padding;
    npy_intp shape[NPY_MAXDIMS];
    PyObject *size = gradient.option(Saved::weight_shape), *which = gradient.option(Saved::mode);
    PyObject* padded = gradient.option(Saved::padding_idx);
    DECLINE_IF(gradient.grad() == nullptr);
    DECLINE_IF(gradient.plan->input_count != 1 || gradient.place_of(Bag::weight) != 0);
    DECLINE_IF(size == nullptr || !PyTuple_Check(size) || read_sizes(size, shape) != 2);
    DECLINE_IF(which == nullptr || !plain_integer(which, mode) || mode > MEAN_OF_ROWS);
    DECLINE_IF(padded == nullptr || !plain_integer(padded, padding));
    DECLINE_IF(gradient.option(Saved::scale_grad_by_freq) != Py_False);
    DECLINE_IF(PyArray_NDIM(gradient.grad()) != 2 || !is_real(dtype_of(gradient.grad())));
    Ref grad = in_c_order(gradient.grad());
    if (!grad) return false;
    gradient.found[0] = PyArray_TYPE(grad.array()) == NPY_FLOAT64
                            ? table_gradient<double>(gradient, grad.array(), shape, mode, padding)
                            : table_gradient<float>(gradient, grad.array(), shape, mode, padding);
    return gradient.found[0] != nullptr;
}

KERNEL("_embedding_bag").forward(forward, Bag::names).gradient(backward, Saved::names);

}  // namespace

}  // namespace rushlight
