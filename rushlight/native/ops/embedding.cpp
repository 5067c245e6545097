// Embedding: rows of a table looked up by number, forward and gradient. See ops/sequences/embedding.py.
#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// Bytes, and additions, for which a second thread pays.
constexpr int64_t PARALLEL_BYTES = 1 << 17, PARALLEL_SUM = 1 << 16;

// Numbers of rows, as int64 or int32.
struct Indices {
    Ref array;
    bool wide = true;
    int64_t count = 0;

    bool read(PyArrayObject* from) {
        int type = PyArray_TYPE(from);
        wide = type == NPY_INT64;
        DECLINE_IF(!wide && type != NPY_INT32);
        DECLINE_IF(!PyArray_ISNOTSWAPPED(from) || !PyArray_ISALIGNED(from));
        array = in_c_order(from);
        count = PyArray_SIZE(from);
        return true;
    }
    int64_t operator[](int64_t i) const {
        const void* data = PyArray_DATA(array.array());
        return wide ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
    }
    bool are_within(int64_t rows) const {
        for (int64_t i = 0; i < count; i++) {
            if (static_cast<uint64_t>((*this)[i]) >= static_cast<uint64_t>(rows)) return false;
        }
        return true;
    }
};

NAMES(Embedding, weight, indices);
NAMES(Saved, weight_shape, indices, padding_idx, scale_grad_by_freq);

bool forward(Call& call) {
    PyArrayObject *weight = call.array(Embedding::weight), *numbers = call.array(Embedding::indices);
    int64_t width = PyArray_DIM(weight, 1) * PyArray_ITEMSIZE(weight);
    Indices indices;
    if (!indices.read(numbers)) return false;
    DECLINE_IF(!indices.are_within(PyArray_DIM(weight, 0)));
    Geometry shape(numbers);
    shape.insert(shape.ndim, PyArray_DIM(weight, 1), 0);
    const char* from = PyArray_BYTES(weight);
    char* to = PyArray_BYTES(call.make(shape.ndim, shape.dims, PyArray_TYPE(weight)));
    parallel(indices.count, PARALLEL_BYTES / std::max<int64_t>(width, 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) std::memcpy(to + i * width, from + indices[i] * width, width);
    });
    return true;
}

// Each row of the gradient is added to the row that was looked up, some of the columns at a time.
template <class T>
void add_rows(const Indices& indices, int64_t padding, const T* grad, T* result, int64_t width) {
    int64_t grain = std::max<int64_t>(64, PARALLEL_SUM / std::max<int64_t>(indices.count, 1));
    parallel(width, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = 0; i < indices.count; i++) {
            int64_t row = indices[i];
            if (row == padding) continue;
            const T* from = grad + i * width;
            T* to = result + row * width;
            for (int64_t j = begin; j < end; j++) to[j] += from[j];
        }
    });
}

bool backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *numbers = gradient.array(Saved::indices);
    npy_intp dims[NPY_MAXDIMS];
    Indices indices;
    DECLINE_IF(gradient.flag(Saved::scale_grad_by_freq));
    DECLINE_IF(numbers == nullptr || read_sizes(gradient.option(Saved::weight_shape), dims) != 2);
    if (!indices.read(numbers)) return false;
    // they were checked when they were looked up; the tensor may have changed since
    DECLINE_IF(!indices.are_within(dims[0]) || PyArray_SIZE(grad) != indices.count * dims[1]);
    PyArrayObject* result = gradient.make_zeros(2, dims, PyArray_TYPE(grad));
    with_float(dtype_of(grad), [&](auto zero) {
        using T = decltype(zero);
        add_rows(indices, gradient.integer(Saved::padding_idx), elements<const T>(grad), elements<T>(result), dims[1]);
    });
    return true;
}

NAMES(Functional, input, weight, padding_idx, max_norm, scale_grad_by_freq, sparse);

// nn.functional.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
PyObject* route(Call& call) {
    PyArrayObject* weight = call.array(Functional::weight);
    static Inner op("embedding");
    DECLINE_IF(call.flag(Functional::scale_grad_by_freq) || call.flag(Functional::sparse));
    int64_t padding = -1, size = PyArray_DIM(weight, 0);
    PyObject* number = call[Functional::padding_idx];
    if (number != Py_None) {
        DECLINE_IF(!plain_integer(number, padding) || padding < -size || padding >= size);
        if (padding < 0) padding += size;
    }
    Ref given = Ref::steal(PyLong_FromLongLong(padding));
    if (!given) return nullptr;
    return op(call[Functional::weight], call[Functional::input], given.get(), Py_False);
}

KERNEL("embedding")
    .forward(forward, Embedding::names)
    .takes(tensor(Embedding::weight).known().rank(2).dense(), tensor(Embedding::indices).rank(0, NPY_MAXDIMS - 1))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().packed(), integer(Saved::padding_idx), flag(Saved::scale_grad_by_freq));
KERNEL("nn.functional.embedding")
    .route(route, Functional::names)
    .takes(tensor(Functional::weight).rank(2), none(Functional::max_norm), flag(Functional::scale_grad_by_freq))
    .takes(flag(Functional::sparse));

}  // namespace

}  // namespace rushlight
