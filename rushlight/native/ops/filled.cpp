// Filled tensors: the common calls of zeros, full, eye, arange and kin. See core/creation/filled.py, ranges.py and
// core/creation/likeness.py; other dtypes, devices and layouts are left to them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "object/tensor.h"
#include "ops/creation.h"
#include "ops/views.h"
#include "seam/numbers.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

template <class Name>
int read_many(const Arguments& arguments, Name named, npy_intp* sizes) {
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

NAMES(Filled, size, out, dtype, layout, device, pin_memory, requires_grad);
NAMES(Empty, size, out, dtype, layout, device, pin_memory, requires_grad, memory_format);

template <class List, int value>
PyObject* filled(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_many(arguments, List::size, sizes);
    DECLINE_IF(count < 0);
    DECLINE_IF(arguments.has(List::out) || !options.read<List>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    return finish(filled_array(count, sizes, dtype, value), options.requires_grad);
}

PyObject* empty(const Arguments& arguments) {
    DECLINE_IF(arguments.has(Empty::memory_format));
    return filled<Empty, NOTHING>(arguments);
}

// The array of an argument that is a C-contiguous tensor, or nullptr.
PyArrayObject* dense_array(PyObject* given) {
    if (given == nullptr || !is_tensor(given) || as_tensor(given)->array == nullptr) return nullptr;
    return PyArray_IS_C_CONTIGUOUS(as_tensor(given)->array) ? as_tensor(given)->array : nullptr;
}

PyArrayObject* filled_as(PyArrayObject* input, int dtype, int value) {
    return keep_unit_steps(filled_array(PyArray_NDIM(input), PyArray_DIMS(input), dtype, value), input);
}

NAMES(Like, input, dtype, layout, device, pin_memory, requires_grad, memory_format);

template <int value>
PyObject* like(const Arguments& arguments) {
    Options options;
    PyArrayObject* input = dense_array(arguments[Like::input]);
    DECLINE_IF(input == nullptr);
    DECLINE_IF(arguments.has(Like::memory_format) || !options.read<Like>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(input);
    return finish(filled_as(input, dtype, value), options.requires_grad);
}

// The array, which may be nullptr, with one number everywhere, as a tensor.
PyObject* finish_full(PyArrayObject* made, PyObject* value, const Options& options) {
    Ref array = Ref::steal(as_object(made));
    alignas(8) char element[8];
    if (!array) return nullptr;
    DECLINE_IF(value == nullptr || !read_element(value, array.array(), element));
    if (PyArray_SIZE(array.array()) > 0) fill_elements(array.array(), element);
    return finish(reinterpret_cast<PyArrayObject*>(array.release()), options.requires_grad);
}

NAMES(Full, size, fill_value, out, dtype, layout, device, pin_memory, requires_grad);

PyObject* full(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    PyObject* value = arguments[Full::fill_value];
    int count = read_sizes(arguments[Full::size], sizes);
    DECLINE_IF(count < 0 || value == nullptr);
    DECLINE_IF(arguments.has(Full::out) || !options.read<Full>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : PyFloat_CheckExact(value) ? default_dtype() : INT64;
    return finish_full(filled_array(count, sizes, dtype, NOTHING), value, options);
}

NAMES(FullLike, input, fill_value, dtype, layout, device, pin_memory, requires_grad, memory_format);

PyObject* full_like(const Arguments& arguments) {
    Options options;
    PyArrayObject* input = dense_array(arguments[FullLike::input]);
    DECLINE_IF(input == nullptr);
    DECLINE_IF(arguments.has(FullLike::memory_format) || !options.read<FullLike>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(input);
    return finish_full(filled_as(input, dtype, NOTHING), arguments[FullLike::fill_value], options);
}

NAMES(New, self, size, dtype, layout, device, pin_memory, requires_grad);

template <int value>
PyObject* filled_new(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    PyObject* self = arguments[New::self];
    int count = read_many(arguments, New::size, sizes);
    DECLINE_IF(count < 0 || self == nullptr || !is_tensor(self) || as_tensor(self)->array == nullptr);
    DECLINE_IF(!options.read<New>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(as_tensor(self)->array);
    return finish(filled_array(count, sizes, dtype, value), options.requires_grad);
}

NAMES(Eye, n, m, out, dtype, layout, device, pin_memory, requires_grad);

PyObject* eye(const Arguments& arguments) {
    Options options;
    npy_intp dims[2];
    DECLINE_IF(!read_index(arguments[Eye::n], dims[0]));
    DECLINE_IF(arguments.has(Eye::out) || !options.read<Eye>(arguments));
    dims[1] = dims[0];
    DECLINE_IF(arguments.has(Eye::m) && !read_index(arguments[Eye::m], dims[1]));
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    DECLINE_IF(dims[0] < 1 || dims[1] < 1);
    PyArrayObject* array = filled_array(2, dims, dtype, 0);
    if (array == nullptr) return nullptr;
    npy_intp step = PyArray_STRIDE(array, 0) + PyArray_STRIDE(array, 1);
    for (npy_intp i = 0; i < std::min(dims[0], dims[1]); i++) write_number(1, dtype, PyArray_BYTES(array) + i * step);
    return finish(array, options.requires_grad);
}

// `factor * place + base` with one rounding at the end; a product of two floats has room in a double.
float rounded_once(float factor, float place, float base) {
    return static_cast<float>(static_cast<double>(factor) * place + base);
}
double rounded_once(double factor, double place, double base) { return std::fma(factor, place, base); }

// Evenly spaced numbers, the first half counted from the start and the second from the end.
template <class T>
void write_between(T* to, double start, double end, npy_intp count) {
    T first = static_cast<T>(start), last = static_cast<T>(end), step = (last - first) / static_cast<T>(count - 1);
    for (npy_intp i = 0; i < count / 2; i++) to[i] = rounded_once(step, static_cast<T>(i), first);
    for (npy_intp i = count / 2; i < count; i++) to[i] = rounded_once(-step, static_cast<T>(count - 1 - i), last);
}

// Such numbers as a new array; nullptr where Python must look.
PyArrayObject* between(PyObject* first, PyObject* last, PyObject* steps, int dtype) {
    constexpr double FAR = 1e37;
    double start, end;
    npy_intp count;
    DECLINE_IF(!plain_number(first, start) || !plain_number(last, end) || !read_index(steps, count));
    DECLINE_IF(!is_real(dtype) || count < 2 || !(std::fabs(start) < FAR) || !(std::fabs(end) < FAR));
    PyArrayObject* array = new_array(1, &count, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    with_float(dtype, [&](auto zero) { write_between(elements<decltype(zero)>(array), start, end, count); });
    return array;
}

NAMES(Linspace, start, end, steps, out, dtype, layout, device, pin_memory, requires_grad);

PyObject* linspace(const Arguments& arguments) {
    Options options;
    DECLINE_IF(arguments.has(Linspace::out) || !options.read<Linspace>(arguments));
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    PyArrayObject* array =
        between(arguments[Linspace::start], arguments[Linspace::end], arguments[Linspace::steps], dtype);
    return array == nullptr ? nullptr : finish(array, options.requires_grad);
}

NAMES(Logspace, start, end, steps, base, out, dtype, layout, device, pin_memory, requires_grad);

// A few powers; NumPy has a faster way for many.
PyObject* logspace(const Arguments& arguments) {
    constexpr npy_intp FEW = 512;
    Options options;
    double base = 10;
    npy_intp count;
    PyObject* given = arguments[Logspace::base];
    DECLINE_IF(arguments.has(Logspace::out) || !options.read<Logspace>(arguments));
    DECLINE_IF(given != nullptr && !plain_number(given, base));
    DECLINE_IF(!read_index(arguments[Logspace::steps], count) || count > FEW);
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    Ref array = Ref::steal(
        as_object(between(arguments[Logspace::start], arguments[Logspace::end], arguments[Logspace::steps], dtype)));
    if (!array) return nullptr;
    with_float(dtype, [&](auto zero) {
        using T = decltype(zero);
        T* numbers = elements<T>(array.array());
        for (npy_intp i = 0; i < count; i++) numbers[i] = std::pow(static_cast<T>(base), numbers[i]);
    });
    return finish(array.release_array(), options.requires_grad);
}

template <class T>
void write_range(T* to, npy_intp start, npy_intp step, npy_intp count) {
#pragma omp simd
    for (npy_intp i = 0; i < count; i++) to[i] = static_cast<T>(start + i * step);
}

NAMES(Arange, start, end, step, out, dtype, layout, device, pin_memory, requires_grad);

// As torch's loop makes them: in float32 eight at a time, from a first one that is rounded itself.
template <class T>
void write_steps(T* to, double start, double step, npy_intp count) {
    constexpr npy_intp EIGHT = 8;
    npy_intp whole = sizeof(T) == sizeof(float) ? count / 16 * 16 : 0;
    for (npy_intp i = 0; i < whole; i += EIGHT) {
        double first = static_cast<T>(static_cast<double>(i) * step + start);
#pragma omp simd
        for (npy_intp j = 0; j < EIGHT; j++) to[i + j] = static_cast<T>(first + step * static_cast<double>(j));
    }
#pragma omp simd
    for (npy_intp i = whole; i < count; i++) to[i] = static_cast<T>(static_cast<double>(i) * step + start);
}

// arange of floats that lead upwards
PyObject* steps(const Arguments& arguments, const Options& options) {
    constexpr double FAR = 1e15;
    double bounds[3], start = 0, step = 1;
    Py_ssize_t given = arguments.many_count;
    for (Py_ssize_t i = 0; i < given; i++) DECLINE_IF(!plain_number(arguments.many[i], bounds[i]));
    double end = bounds[given == 1 ? 0 : 1];
    if (given > 1) start = bounds[0];
    if (given > 2) step = bounds[2];
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    double length = (end - start) / step;
    DECLINE_IF(!is_real(dtype) || !(step > 0) || !(end > start) || !(length < FAR));
    DECLINE_IF(!(std::fabs(start) < FAR) || !(std::fabs(end) < FAR));
    auto count = static_cast<npy_intp>(std::ceil(length));
    PyArrayObject* array = new_array(1, &count, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    with_float(dtype, [&](auto zero) { write_steps(elements<decltype(zero)>(array), start, step, count); });
    return finish(array, options.requires_grad);
}

// given by position
PyObject* arange(const Arguments& arguments) {
    Options options;
    npy_intp bounds[3], start = 0, step = 1;
    Py_ssize_t count = arguments.many_count;
    DECLINE_IF(count < 1 || count > 3);
    DECLINE_IF(arguments.has(Arange::start) || arguments.has(Arange::end) || arguments.has(Arange::step));
    DECLINE_IF(arguments.has(Arange::out) || !options.read<Arange>(arguments));
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyFloat_CheckExact(arguments.many[i])) return steps(arguments, options);
        DECLINE_IF(!read_index(arguments.many[i], bounds[i]));
    }
    npy_intp end = bounds[count == 1 ? 0 : 1];
    if (count > 1) start = bounds[0];
    if (count > 2) step = bounds[2];
    constexpr npy_intp LARGE = 1 << 24;  // up to here every float is exact
    DECLINE_IF(step < 1 || end <= start || start < -LARGE || end > LARGE);
    int dtype = options.dtype >= 0 ? options.dtype : INT64;
    npy_intp size = (end - start - 1) / step + 1;
    DECLINE_IF(dtype == BOOL);
    PyArrayObject* array = new_array(1, &size, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    if (dtype == INT64) write_range(elements<int64_t>(array), start, step, size);
    if (dtype == FLOAT32) write_range(elements<float>(array), start, step, size);
    if (dtype == FLOAT64) write_range(elements<double>(array), start, step, size);
    return finish(array, options.requires_grad);
}

// The places of a matrix on one side of a diagonal, row by row: all rows, then all columns.
template <bool lower>
void write_triangle(int64_t* to, npy_intp rows, npy_intp columns, npy_intp offset, npy_intp count) {
    for (npy_intp i = 0; i < rows; i++) {
        npy_intp border = std::clamp<npy_intp>(i + offset + (lower ? 1 : 0), 0, columns);
        npy_intp first = lower ? 0 : border, size = lower ? border : columns - border;
        std::fill(to, to + size, i);
        std::iota(to + count, to + count + size, first);
        to += size;
    }
}

NAMES(Triangle, row, col, offset, dtype, layout, device, pin_memory);

template <bool lower>
PyObject* triangle(const Arguments& arguments) {
    constexpr npy_intp FAR = npy_intp{1} << 20;
    npy_intp rows, columns, offset = 0, dims[] = {2, 0};
    DECLINE_IF(!read_index(arguments[Triangle::row], rows) || !read_index(arguments[Triangle::col], columns));
    DECLINE_IF(arguments[Triangle::offset] != nullptr && !read_index(arguments[Triangle::offset], offset));
    DECLINE_IF(arguments.has(Triangle::dtype) || arguments.has(Triangle::layout) ||
               arguments.has(Triangle::pin_memory) || !Options::read_device(arguments[Triangle::device]));
    DECLINE_IF(rows < 0 || rows > FAR || columns < 0 || columns > FAR || offset < -FAR || offset > FAR);
    for (npy_intp i = 0; i < rows; i++) {
        npy_intp border = std::clamp<npy_intp>(i + offset + (lower ? 1 : 0), 0, columns);
        dims[1] += lower ? border : columns - border;
    }
    PyArrayObject* array = new_array(2, dims, NPY_INT64);
    if (array == nullptr) return nullptr;
    write_triangle<lower>(elements<int64_t>(array), rows, columns, offset, dims[1]);
    return finish(array, false);
}

KERNEL("core.creation.filled.zeros").shortcut(filled<Filled, 0>, Filled::names);
KERNEL("core.creation.filled.ones").shortcut(filled<Filled, 1>, Filled::names);
KERNEL("core.creation.filled.empty").shortcut(empty, Empty::names);
KERNEL("core.creation.filled.full").shortcut(full, Full::names);
KERNEL("core.creation.filled.eye").shortcut(eye, Eye::names);
KERNEL("core.creation.likeness.zeros_like").shortcut(like<0>, Like::names);
KERNEL("core.creation.likeness.ones_like").shortcut(like<1>, Like::names);
KERNEL("core.creation.likeness.empty_like").shortcut(like<NOTHING>, Like::names);
KERNEL("core.creation.likeness.full_like").shortcut(full_like, FullLike::names);
KERNEL("core.creation.likeness.new_zeros").shortcut(filled_new<0>, New::names);
KERNEL("core.creation.likeness.new_ones").shortcut(filled_new<1>, New::names);
KERNEL("core.creation.likeness.new_empty").shortcut(filled_new<NOTHING>, New::names);
KERNEL("core.creation.ranges.arange").shortcut(arange, Arange::names);
KERNEL("core.creation.ranges.linspace").shortcut(linspace, Linspace::names);
KERNEL("core.creation.ranges.logspace").shortcut(logspace, Logspace::names);
KERNEL("core.creation.ranges.tril_indices").shortcut(triangle<true>, Triangle::names);
KERNEL("core.creation.ranges.triu_indices").shortcut(triangle<false>, Triangle::names);

}  // namespace

}  // namespace rushlight
