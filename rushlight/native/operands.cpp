// Operands: broadcasting, and the walk that hands contiguous stretches to a loop.
#include "operands.h"

#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "threads.h"

namespace rushlight {

namespace {

constexpr int64_t STRETCH = 1024;      // elements that are gathered or spread at once
constexpr int64_t PARALLEL = 1 << 16;  // elements for which a second thread pays

constexpr int SIZES[DTYPES] = {4, 8, 8, 1};

bool is_contiguous(const PyArrayObject* array) { return PyArray_IS_C_CONTIGUOUS(const_cast<PyArrayObject*>(array)); }

// The memory that an array reaches into: from the first byte to the one after the last.
void reach(PyArrayObject* array, char*& low, char*& high) {
    low = high = PyArray_BYTES(array);
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        npy_intp far = (PyArray_DIM(array, d) - 1) * PyArray_STRIDE(array, d);
        (far < 0 ? low : high) += far;
    }
    high += PyArray_ITEMSIZE(array);
}

bool may_overlap(PyArrayObject* one, PyArrayObject* other) {
    if (PyArray_SIZE(one) == 0 || PyArray_SIZE(other) == 0) return false;
    char *low, *high, *other_low, *other_high;
    reach(one, low, high);
    reach(other, other_low, other_high);
    return low < other_high && other_low < high;
}

// A number, as many times as asked.
void spread(const Operand& operand, int dtype, char* to, int64_t count) {
    switch (dtype) {
        case FLOAT32: std::fill_n(reinterpret_cast<float*>(to), count, static_cast<float>(operand.number)); break;
        case FLOAT64: std::fill_n(reinterpret_cast<double*>(to), count, operand.number); break;
        case INT64: std::fill_n(reinterpret_cast<int64_t*>(to), count, operand.integer); break;
        default: std::fill_n(reinterpret_cast<bool*>(to), count, operand.integer != 0); break;
    }
}

template <class T>
void gather_as(const char* from, npy_intp stride, char* to, int64_t count) {
    T* out = reinterpret_cast<T*>(to);
    if (stride == 0) {
        std::fill_n(out, count, *reinterpret_cast<const T*>(from));
        return;
    }
    for (int64_t i = 0; i < count; i++, from += stride) out[i] = *reinterpret_cast<const T*>(from);
}

void gather(const char* from, npy_intp stride, char* to, int64_t count, int itemsize) {
    if (itemsize == 4) {
        gather_as<int32_t>(from, stride, to, count);
    } else if (itemsize == 8) {
        gather_as<int64_t>(from, stride, to, count);
    } else {
        gather_as<int8_t>(from, stride, to, count);
    }
}

template <class T>
void scatter_as(const char* from, char* to, npy_intp stride, int64_t count) {
    const T* in = reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < count; i++, to += stride) *reinterpret_cast<T*>(to) = in[i];
}

void scatter(const char* from, char* to, npy_intp stride, int64_t count, int itemsize) {
    if (itemsize == 4) {
        scatter_as<int32_t>(from, to, stride, count);
    } else if (itemsize == 8) {
        scatter_as<int64_t>(from, to, stride, count);
    } else {
        scatter_as<int8_t>(from, to, stride, count);
    }
}

}  // namespace

int dtype_of(PyArrayObject* array) {
    int dtype;
    switch (PyArray_TYPE(array)) {
        case NPY_FLOAT32: dtype = FLOAT32; break;
        case NPY_FLOAT64: dtype = FLOAT64; break;
        case NPY_INT64: dtype = INT64; break;
        case NPY_BOOL: dtype = BOOL; break;
        default: return -1;
    }
    return PyArray_ISNOTSWAPPED(array) && PyArray_ISALIGNED(array) ? dtype : -1;
}

int type_num_of(int dtype) {
    constexpr int types[DTYPES] = {NPY_FLOAT32, NPY_FLOAT64, NPY_INT64, NPY_BOOL};
    return types[dtype];
}

bool number_operand(PyObject* value, int dtype, Operand& operand) {
    if (PyFloat_CheckExact(value)) {
        operand.number = PyFloat_AS_DOUBLE(value);
        return dtype == FLOAT32 || dtype == FLOAT64;
    }
    if (!PyLong_Check(value) || dtype == BOOL) return false;
    int overflow;
    operand.integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    operand.number = static_cast<double>(operand.integer);
    // an integer that float64 cannot hold is rounded twice on its way to float32: leave it to Python
    bool exact = dtype == INT64 || (operand.integer >= -(1LL << 53) && operand.integer <= (1LL << 53));
    return overflow == 0 && exact;
}

bool Operands::add(PyObject* value, int dtype) {
    if (count == MAX_OPERANDS) return false;
    Operand& operand = items[count++];
    operand = Operand();
    if (PyArray_Check(value)) {
        operand.array = reinterpret_cast<PyArrayObject*>(value);
        return dtype_of(operand.array) == dtype;
    }
    return number_operand(value, dtype, operand);
}

bool Operands::broadcast() {
    // most calls: arrays of one shape, and numbers
    PyArrayObject* first = nullptr;
    plain = true;
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr) continue;
        if (first == nullptr) first = array;
        plain = plain && PyArray_IS_C_CONTIGUOUS(array) && (array == first || PyArray_SAMESHAPE(array, first));
        ndim = std::max(ndim, PyArray_NDIM(array));
    }
    if (first == nullptr) return false;
    if (plain) {
        for (int d = 0; d < ndim; d++) {
            dims[d] = PyArray_DIM(first, d);
            size *= dims[d];
        }
        return true;
    }
    std::fill_n(dims, ndim, 1);
    for (int i = 0; i < count; i++) {
        if (items[i].array == nullptr) continue;
        int missing = ndim - PyArray_NDIM(items[i].array);
        for (int d = missing; d < ndim; d++) {
            npy_intp extent = PyArray_DIM(items[i].array, d - missing);
            if (extent == dims[d] || extent == 1) continue;
            if (dims[d] != 1) return false;
            dims[d] = extent;
        }
    }
    for (int d = 0; d < ndim; d++) size *= dims[d];
    // the order of the result in memory: that of the arrays, where they agree
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr || PyArray_IS_C_CONTIGUOUS(array)) continue;
        bool whole = PyArray_NDIM(array) == ndim && PyArray_CompareLists(PyArray_DIMS(array), dims, ndim);
        if (!whole) return false;
        if (leader == nullptr) leader = array;
    }
    for (int i = 0; leader != nullptr && i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr || array == leader || PyArray_SIZE(array) == 1) continue;
        bool same = PyArray_NDIM(array) == ndim && PyArray_SAMESHAPE(array, const_cast<PyArrayObject*>(leader)) &&
                    PyArray_CompareLists(PyArray_STRIDES(array), PyArray_STRIDES(const_cast<PyArrayObject*>(leader)),
                                         ndim);
        int walked = 0;
        for (int d = 0; d < PyArray_NDIM(array); d++) walked += PyArray_DIM(array, d) != 1;
        if (!same && walked > 1) return false;
    }
    return true;
}

PyArrayObject* Operands::new_result(int type_num) const {
    if (leader == nullptr) return new_array(ndim, dims, type_num);
    return new_array_like_strides(ndim, dims, PyArray_STRIDES(const_cast<PyArrayObject*>(leader)), type_num);
}

bool Operands::fits(PyArrayObject* out) const {
    if (PyArray_NDIM(out) != ndim || !PyArray_CompareLists(PyArray_DIMS(out), dims, ndim)) return false;
    if (!PyArray_ISALIGNED(out) || !PyArray_ISNOTSWAPPED(out)) return false;
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = items[i].array;
        if (array == nullptr || array == out) continue;
        bool same_place = PyArray_DATA(array) == PyArray_DATA(out) && PyArray_SAMESHAPE(array, out) &&
                          PyArray_CompareLists(PyArray_STRIDES(array), PyArray_STRIDES(out), ndim);
        // a walk that reads what it has already written: Python copies first
        if (!same_place && may_overlap(array, out)) return false;
    }
    return true;
}

void Operands::run_plain(Loop loop, char* out, const double* options, int dtype, int result_dtype) const {
    bool has_numbers = false;
    for (int i = 0; i < count; i++) has_numbers = has_numbers || items[i].array == nullptr;
    int itemsize = SIZES[dtype], result_size = SIZES[result_dtype];
    auto stretch = [&](int64_t begin, int64_t end) {
        const void* inputs[MAX_OPERANDS];
        alignas(64) char numbers[MAX_OPERANDS][STRETCH * 8];
        int64_t step = has_numbers ? STRETCH : end - begin;
        for (int i = 0; i < count; i++) {
            if (items[i].array == nullptr) spread(items[i], dtype, numbers[i], std::min(step, end - begin));
        }
        for (int64_t at = begin; at < end; at += step) {
            for (int i = 0; i < count; i++) {
                inputs[i] = items[i].array == nullptr ? numbers[i] : PyArray_BYTES(items[i].array) + at * itemsize;
            }
            loop(inputs, out + at * result_size, std::min(step, end - at), options);
        }
    };
    if (size <= PARALLEL) {
        if (size > 0) stretch(0, size);
    } else {
        parallel(size, PARALLEL, stretch);
    }
}

void Operands::run(Loop loop, PyArrayObject* result, const double* options, int dtype, int result_dtype) const {
    if (size == 0) return;
    if (plain && is_contiguous(result)) {
        run_plain(loop, PyArray_BYTES(result), options, dtype, result_dtype);
        return;
    }
    // strides of the result, then of the operands; dims in the order of the result's memory, neighbours joined
    npy_intp strides[MAX_OPERANDS + 1][NPY_MAXDIMS];
    npy_intp extents[NPY_MAXDIMS];
    int order[NPY_MAXDIMS];
    for (int d = 0; d < ndim; d++) order[d] = d;
    std::stable_sort(order, order + ndim,
                     [&](int a, int b) { return PyArray_STRIDE(result, a) > PyArray_STRIDE(result, b); });
    int walked = 0;
    for (int k = 0; k < ndim; k++) {
        int d = order[k];
        if (dims[d] == 1) continue;
        npy_intp step[MAX_OPERANDS + 1];
        step[0] = PyArray_STRIDE(result, d);
        for (int i = 0; i < count; i++) {
            PyArrayObject* array = items[i].array;
            int own = array == nullptr ? -1 : d - (ndim - PyArray_NDIM(array));
            step[i + 1] = own < 0 || PyArray_DIM(array, own) == 1 ? 0 : PyArray_STRIDE(array, own);
        }
        bool joins = walked > 0;
        for (int i = 0; joins && i <= count; i++) joins = strides[i][walked - 1] == step[i] * dims[d];
        if (joins) {
            extents[walked - 1] *= dims[d];
        } else {
            extents[walked++] = dims[d];
        }
        for (int i = 0; i <= count; i++) strides[i][walked - 1] = step[i];
    }
    if (walked == 0) {
        extents[0] = 1;
        for (int i = 0; i <= count; i++) strides[i][0] = SIZES[i == 0 ? result_dtype : dtype];
        walked = 1;
    }
    int inner = walked - 1;
    int itemsize = SIZES[dtype], result_size = SIZES[result_dtype];
    bool buffered = strides[0][inner] != result_size;
    for (int i = 0; i < count; i++) buffered = buffered || strides[i + 1][inner] != itemsize;
    int64_t step = buffered ? STRETCH : extents[inner];
    int64_t rows = size / extents[inner];
    auto walk = [&](int64_t begin, int64_t end) {
        alignas(64) char buffers[MAX_OPERANDS + 1][STRETCH * 8];
        const void* inputs[MAX_OPERANDS];
        for (int i = 0; i < count; i++) {
            if (items[i].array == nullptr) spread(items[i], dtype, buffers[i + 1], std::min(step, int64_t(STRETCH)));
        }
        for (int64_t row = begin; row < end; row++) {
            npy_intp offsets[MAX_OPERANDS + 1] = {};
            int64_t rest = row;
            for (int k = inner - 1; k >= 0; k--) {
                int64_t at = rest % extents[k];
                rest /= extents[k];
                for (int i = 0; i <= count; i++) offsets[i] += at * strides[i][k];
            }
            for (int64_t at = 0; at < extents[inner]; at += step) {
                int64_t number = std::min(step, static_cast<int64_t>(extents[inner]) - at);
                for (int i = 0; i < count; i++) {
                    if (items[i].array == nullptr) {
                        inputs[i] = buffers[i + 1];
                        continue;
                    }
                    npy_intp stride = strides[i + 1][inner];
                    const char* from = PyArray_BYTES(items[i].array) + offsets[i + 1] + at * stride;
                    inputs[i] = from;
                    if (stride != itemsize) {
                        gather(from, stride, buffers[i + 1], number, itemsize);
                        inputs[i] = buffers[i + 1];
                    }
                }
                char* to = PyArray_BYTES(result) + offsets[0] + at * strides[0][inner];
                bool direct = strides[0][inner] == result_size;
                loop(inputs, direct ? to : buffers[0], number, options);
                if (!direct) scatter(buffers[0], to, strides[0][inner], number, result_size);
            }
        }
    };
    int64_t grain = std::max<int64_t>(1, PARALLEL / extents[inner]);
    if (size <= PARALLEL) {
        walk(0, rows);
    } else {
        parallel(rows, grain, walk);
    }
}

}  // namespace rushlight
