// Embedding: rows of a table looked up by number, forward and gradient. See ops/embedding.py.
#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "call.h"
#include "numbers.h"
#include "products.h"
#include "threads.h"

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
        array = Ref::steal(as_object(contiguous(from)));
        count = PyArray_SIZE(from);
        return static_cast<bool>(array);
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

PyObject* forward(Call& call) {
    PyArrayObject *weight = call.array(Embedding::weight), *numbers = call.array(Embedding::indices);
    DECLINE_IF(weight == nullptr || numbers == nullptr);
    DECLINE_IF(PyArray_NDIM(weight) != 2 || dtype_of(weight) < 0);
    int64_t size = SIZES[dtype_of(weight)], width = PyArray_DIM(weight, 1) * size;
    int ndim = PyArray_NDIM(numbers);
    Indices indices;
    DECLINE_IF(ndim == NPY_MAXDIMS);
    DECLINE_IF(PyArray_STRIDE(weight, 1) != size && PyArray_DIM(weight, 1) > 1);
    if (!indices.read(numbers)) return nullptr;
    DECLINE_IF(!indices.are_within(PyArray_DIM(weight, 0)));
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(numbers), ndim, dims);
    dims[ndim] = PyArray_DIM(weight, 1);
    PyArrayObject* result = new_array(ndim + 1, dims, PyArray_TYPE(weight));
    if (result == nullptr) return nullptr;
    const char* from = PyArray_BYTES(weight);
    char* to = PyArray_BYTES(result);
    npy_intp step = PyArray_STRIDE(weight, 0);
    parallel(indices.count, PARALLEL_BYTES / std::max<int64_t>(width, 1) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) std::memcpy(to + i * width, from + indices[i] * step, width);
    });
    return as_object(result);
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
    PyObject* shape = gradient.option(Saved::weight_shape);
    PyArrayObject* numbers = gradient.array(Saved::indices);
    int64_t padding;
    DECLINE_IF(gradient.grad() == nullptr || numbers == nullptr || shape == nullptr || !PyTuple_Check(shape));
    DECLINE_IF(gradient.option(Saved::scale_grad_by_freq) != Py_False);
    DECLINE_IF(!plain_integer(gradient.option(Saved::padding_idx), padding));
    int dtype = dtype_of(gradient.grad());
    Indices indices;
    DECLINE_IF(!is_real(dtype) || PyTuple_GET_SIZE(shape) != 2);
    if (!indices.read(numbers)) return false;
    npy_intp dims[] = {PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, 0)), PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, 1))};
    // they were checked when they were looked up; the tensor may have changed since
    DECLINE_IF(!indices.are_within(dims[0]));
    DECLINE_IF(PyArray_SIZE(gradient.grad()) != indices.count * dims[1]);
    Ref grad = Ref::steal(as_object(contiguous(gradient.grad())));
    PyArrayObject* result = grad ? zeros_array(2, dims, type_num_of(dtype)) : nullptr;
    if (result == nullptr) return false;
    if (dtype == FLOAT32) {
        add_rows(indices, padding, static_cast<const float*>(PyArray_DATA(grad.array())),
                 static_cast<float*>(PyArray_DATA(result)), dims[1]);
    } else {
        add_rows(indices, padding, static_cast<const double*>(PyArray_DATA(grad.array())),
                 static_cast<double*>(PyArray_DATA(result)), dims[1]);
    }
    gradient.found[0] = result;
    return true;
}

NAMES(Functional, input, weight, padding_idx, max_norm, scale_grad_by_freq, sparse);

// nn.functional.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
PyObject* route(Call& call) {
    PyArrayObject* weight = call.array(Functional::weight);
    static Function* const op = find_function("embedding");
    DECLINE_IF(weight == nullptr || op == nullptr || PyArray_NDIM(weight) != 2);
    DECLINE_IF(call[Functional::max_norm] != Py_None);
    DECLINE_IF(call[Functional::scale_grad_by_freq] != Py_False || call[Functional::sparse] != Py_False);
    int64_t padding = -1, size = PyArray_DIM(weight, 0);
    PyObject* number = call[Functional::padding_idx];
    if (number != Py_None) {
        DECLINE_IF(!plain_integer(number, padding) || padding < -size || padding >= size);
        if (padding < 0) padding += size;
    }
    Ref given = Ref::steal(PyLong_FromLongLong(padding));
    if (!given) return nullptr;
    PyObject* arguments[] = {call[Functional::weight], call[Functional::input], given.get(), Py_False};
    return call_native(op, arguments, 4, nullptr);
}

KERNEL("embedding").forward(forward, Embedding::names).gradient(backward, Saved::names);
KERNEL("nn.functional.embedding").route(route, Functional::names);

}  // namespace

}  // namespace rushlight
