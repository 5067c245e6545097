// Filled tensors: the common calls of zeros, full, eye, arange and kin. See core/filled.py, core/ranges.py and
// core/likeness.py; other dtypes, devices and layouts are left to them.
#include <algorithm>
#include <cmath>

#include "arrays.h"
#include "copies.h"
#include "creation.h"
#include "numbers.h"
#include "parts.h"
#include "promotion.h"
#include "tensor.h"
#include "views.h"

namespace rushlight {

namespace {

int read_many(const Arguments& arguments, int named, npy_intp* sizes) {
    if (arguments.has(named) || arguments.many_count < 1) return -1;
    int count;
    if (arguments.many_count == 1 && !PyLong_CheckExact(arguments.many[0])) {
        count = read_sizes(arguments.many[0], sizes);
    } else {
        count = static_cast<int>(arguments.many_count);
        if (arguments.many_count > NPY_MAXDIMS) return -1;
        for (int i = 0; i < count; i++) {
            if (!read_index(arguments.many[i], sizes[i])) return -1;
        }
    }
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 0) return -1;
    }
    return count;
}

constexpr int NOTHING = -1;  // as the value of `empty`

// Write a small number as an element.
void write_number(int number, int dtype, char* element) {
    if (dtype == FLOAT32) *reinterpret_cast<float*>(element) = static_cast<float>(number);
    if (dtype == FLOAT64) *reinterpret_cast<double*>(element) = number;
    if (dtype == INT64) *reinterpret_cast<int64_t*>(element) = number;
    if (dtype == BOOL) *reinterpret_cast<npy_bool*>(element) = number != 0;
}

PyArrayObject* filled_array(int ndim, const npy_intp* dims, int dtype, int value) {
    if (ndim < 0 || dtype < 0) return nullptr;
    if (value == 0) return zeros_array(ndim, dims, type_num_of(dtype));
    PyArrayObject* array = new_array(ndim, dims, type_num_of(dtype));
    if (array == nullptr || value == NOTHING || PyArray_SIZE(array) == 0) return array;
    alignas(8) char element[8];
    write_number(value, dtype, element);
    fill_elements(array, element);
    return array;
}

// zeros(*sizes, size, out, dtype, layout, device, pin_memory, requires_grad[, memory_format])
template <int value>
PyObject* filled(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    Places places{2, 4, 6, 5, 3, 1, value == NOTHING ? 7 : -1};
    int count = read_many(arguments, 0, sizes);
    if (count < 0 || !options.read(arguments, places)) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    return finish(filled_array(count, sizes, dtype, value), options.requires_grad);
}

// The array of an argument that is a C-contiguous tensor, or nullptr.
PyArrayObject* dense_array(PyObject* given) {
    if (given == nullptr || !is_tensor(given) || as_tensor(given)->array == nullptr) return nullptr;
    return PyArray_IS_C_CONTIGUOUS(as_tensor(given)->array) ? as_tensor(given)->array : nullptr;
}

PyArrayObject* filled_as(PyArrayObject* input, int dtype, int value) {
    return keep_unit_steps(filled_array(PyArray_NDIM(input), PyArray_DIMS(input), dtype, value), input);
}

// zeros_like(input, *, dtype, layout, device, pin_memory, requires_grad, memory_format)
template <int value>
PyObject* like(const Arguments& arguments) {
    Options options;
    PyArrayObject* input = dense_array(arguments[0]);
    if (input == nullptr || !options.read(arguments, {1, 3, 5, 4, 2, -1, 6})) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(input);
    return finish(filled_as(input, dtype, value), options.requires_grad);
}

// The array, which may be nullptr, with one number everywhere, as a tensor.
PyObject* finish_full(PyArrayObject* made, PyObject* value, const Options& options) {
    Ref array = Ref::steal(as_object(made));
    alignas(8) char element[8];
    if (!array || value == nullptr || !read_element(value, array.array(), element)) return nullptr;
    if (PyArray_SIZE(array.array()) > 0) fill_elements(array.array(), element);
    return finish(reinterpret_cast<PyArrayObject*>(array.release()), options.requires_grad);
}

// full(size, fill_value, *, out, dtype, layout, device, pin_memory, requires_grad)
PyObject* full(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    PyObject* value = arguments[1];
    int count = read_sizes(arguments[0], sizes);
    if (count < 0 || value == nullptr || !options.read(arguments, {3, 5, 7, 6, 4, 2})) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : PyFloat_CheckExact(value) ? default_dtype() : INT64;
    return finish_full(filled_array(count, sizes, dtype, NOTHING), value, options);
}

// full_like(input, fill_value, *, dtype, layout, device, pin_memory, requires_grad, memory_format)
PyObject* full_like(const Arguments& arguments) {
    Options options;
    PyArrayObject* input = dense_array(arguments[0]);
    if (input == nullptr || !options.read(arguments, {2, 4, 6, 5, 3, -1, 7})) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(input);
    return finish_full(filled_as(input, dtype, NOTHING), arguments[1], options);
}

// new_zeros(self, *sizes, size, dtype, layout, device, pin_memory, requires_grad)
template <int value>
PyObject* filled_new(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_many(arguments, 1, sizes);
    if (count < 0 || !is_tensor(arguments[0]) || as_tensor(arguments[0])->array == nullptr) return nullptr;
    if (!options.read(arguments, {2, 4, 6, 5, 3})) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(as_tensor(arguments[0])->array);
    return finish(filled_array(count, sizes, dtype, value), options.requires_grad);
}

// eye(n, m, *, out, dtype, layout, device, pin_memory, requires_grad)
PyObject* eye(const Arguments& arguments) {
    Options options;
    npy_intp dims[2];
    if (!read_index(arguments[0], dims[0]) || !options.read(arguments, {3, 5, 7, 6, 4, 2})) return nullptr;
    dims[1] = dims[0];
    if (arguments.has(1) && !read_index(arguments[1], dims[1])) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    PyArrayObject* array = dims[0] < 1 || dims[1] < 1 ? nullptr : filled_array(2, dims, dtype, 0);
    if (array == nullptr) return nullptr;
    npy_intp step = PyArray_STRIDE(array, 0) + PyArray_STRIDE(array, 1);
    for (npy_intp i = 0; i < std::min(dims[0], dims[1]); i++) write_number(1, dtype, PyArray_BYTES(array) + i * step);
    return finish(array, options.requires_grad);
}

// Evenly spaced numbers, the first half counted from the start and the second from the end.
template <class T>
void write_between(T* to, double start, double end, npy_intp count) {
    T first = static_cast<T>(start), last = static_cast<T>(end), step = (last - first) / static_cast<T>(count - 1);
    for (npy_intp i = 0; i < count / 2; i++) to[i] = first + step * static_cast<T>(i);
    for (npy_intp i = count / 2; i < count; i++) to[i] = last - step * static_cast<T>(count - 1 - i);
}

// linspace(start, end, steps, *, out, dtype, layout, device, pin_memory, requires_grad)
PyObject* linspace(const Arguments& arguments) {
    constexpr double FAR = 1e37;
    Options options;
    double start, end;
    npy_intp count;
    if (!plain_number(arguments[0], start) || !plain_number(arguments[1], end) || !read_index(arguments[2], count) ||
        !options.read(arguments, {4, 6, 8, 7, 5, 3})) {
        return nullptr;
    }
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    if (!is_real(dtype) || count < 2 || !(std::fabs(start) < FAR) || !(std::fabs(end) < FAR)) return nullptr;
    PyArrayObject* array = new_array(1, &count, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    if (dtype == FLOAT32) {
        write_between(elements<float>(array), start, end, count);
    } else {
        write_between(elements<double>(array), start, end, count);
    }
    return finish(array, options.requires_grad);
}

template <class T>
void write_range(T* to, npy_intp start, npy_intp step, npy_intp count) {
#pragma omp simd
    for (npy_intp i = 0; i < count; i++) to[i] = static_cast<T>(start + i * step);
}

// arange(*bounds, start, end, step, out, dtype, layout, device, pin_memory, requires_grad), of integers
PyObject* arange(const Arguments& arguments) {
    Options options;
    npy_intp bounds[3], start = 0, step = 1;
    Py_ssize_t count = arguments.many_count;
    if (count < 1 || count > 3 || arguments.has(0) || arguments.has(1) || arguments.has(2)) return nullptr;
    if (!options.read(arguments, {4, 6, 8, 7, 5, 3})) return nullptr;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!read_index(arguments.many[i], bounds[i])) return nullptr;
    }
    npy_intp end = bounds[count == 1 ? 0 : 1];
    if (count > 1) start = bounds[0];
    if (count > 2) step = bounds[2];
    constexpr npy_intp LARGE = 1 << 24;  // up to here every float is exact
    if (step < 1 || end <= start || start < -LARGE || end > LARGE) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : INT64;
    npy_intp size = (end - start - 1) / step + 1;
    PyArrayObject* array = dtype == BOOL ? nullptr : new_array(1, &size, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    if (dtype == INT64) write_range(elements<int64_t>(array), start, step, size);
    if (dtype == FLOAT32) write_range(elements<float>(array), start, step, size);
    if (dtype == FLOAT64) write_range(elements<double>(array), start, step, size);
    return finish(array, options.requires_grad);
}

}  // namespace

void register_filled() {
    add_shortcut("core.filled.zeros", filled<0>);
    add_shortcut("core.filled.ones", filled<1>);
    add_shortcut("core.filled.empty", filled<NOTHING>);
    add_shortcut("core.filled.full", full);
    add_shortcut("core.likeness.zeros_like", like<0>);
    add_shortcut("core.likeness.ones_like", like<1>);
    add_shortcut("core.likeness.empty_like", like<NOTHING>);
    add_shortcut("core.likeness.full_like", full_like);
    add_shortcut("core.likeness.new_zeros", filled_new<0>);
    add_shortcut("core.likeness.new_ones", filled_new<1>);
    add_shortcut("core.likeness.new_empty", filled_new<NOTHING>);
    add_shortcut("core.filled.eye", eye);
    add_shortcut("core.ranges.arange", arange);
    add_shortcut("core.ranges.linspace", linspace);
}

}  // namespace rushlight
