// Copies: elements moved from one place in memory to another, whatever the strides.
#include "loops/copy.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/table.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/numbers.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

constexpr int64_t PARALLEL_BYTES = 1 << 19;  // for which a second thread pays
constexpr npy_intp TILE = 16;

struct Complex {
    double parts[2];
};

// One dimension of a copy.
struct Axis {
    npy_intp extent, to, from;
};

// memcpy: tensors over a user's array may be unaligned
template <class T>
void copy_row(char* to, npy_intp to_step, const char* from, npy_intp from_step, npy_intp count) {
    for (npy_intp i = 0; i < count; i++, to += to_step, from += from_step) std::memcpy(to, from, sizeof(T));
}

template <class T>
void copy_reversed(char* to, const char* from, npy_intp count) {
#pragma omp simd
    for (npy_intp i = 0; i < count; i++)
        std::memcpy(to + i * sizeof(T), from - i * static_cast<npy_intp>(sizeof(T)), sizeof(T));
}

// One element, many times: the first few by themselves, then all that is there at once.
template <class T>
void repeat(char* to, const char* from, npy_intp count) {
    constexpr npy_intp FEW = 512;
    npy_intp done = std::min(count, FEW);
    T value;
    std::memcpy(&value, from, sizeof(T));
#pragma omp simd
    for (npy_intp i = 0; i < done; i++) std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    for (; done < count; done += FEW) {
        std::memcpy(to + done * sizeof(T), to, std::min(FEW, count - done) * sizeof(T));
    }
}

template <class T>
void copy_line(char* to, const char* from, const Axis& axis) {
    constexpr npy_intp size = sizeof(T);
    if (axis.to == size && axis.from == size) {
        std::memcpy(to, from, axis.extent * size);
    } else if (axis.to == size && axis.from == 0) {
        repeat<T>(to, from, axis.extent);
    } else if (axis.to == size && axis.from == -size) {
        copy_reversed<T>(to, from, axis.extent);
    } else if (axis.to == size) {
        copy_row<T>(to, size, from, axis.from, axis.extent);
    } else {
        copy_row<T>(to, axis.to, from, axis.from, axis.extent);
    }
}

// Two dimensions of which one is dense here and the other there: in tiles, so that cache lines are used up.
template <class T>
void copy_turned(char* to, const char* from, const Axis& outer, const Axis& inner) {
    for (npy_intp i = 0; i < outer.extent; i += TILE) {
        npy_intp rows = std::min(TILE, outer.extent - i);
        for (npy_intp j = 0; j < inner.extent; j += TILE) {
            npy_intp columns = std::min(TILE, inner.extent - j);
            for (npy_intp k = 0; k < rows; k++) {
                copy_row<T>(to + (i + k) * outer.to + j * inner.to, inner.to,
                            from + (i + k) * outer.from + j * inner.from, inner.from, columns);
            }
        }
    }
}

// A short dimension that is dense here and far apart there, as channels are that come last: column by column, some rows
// at a time, so that what is written stays in the cache.
template <class T>
void copy_columns(char* to, const char* from, const Axis& outer, const Axis& inner) {
    constexpr npy_intp ROWS = 256;
    for (npy_intp i = 0; i < outer.extent; i += ROWS) {
        npy_intp rows = std::min(ROWS, outer.extent - i);
        for (npy_intp j = 0; j < inner.extent; j++) {
            copy_row<T>(to + i * outer.to + j * inner.to, outer.to, from + i * outer.from + j * inner.from, outer.from,
                        rows);
        }
    }
}

// The dimensions that count, in the order of the target's memory, neighbours joined.
int find_axes(Axis* axes, const npy_intp* to_strides, const npy_intp* from_strides, int ndim, const npy_intp* dims) {
    Axis found[NPY_MAXDIMS];
    int count = 0;
    for (int d = 0; d < ndim; d++) {
        if (dims[d] != 1) found[count++] = {dims[d], to_strides[d], from_strides[d]};
    }
    bool sorted = true;
    for (int i = 1; i < count; i++) sorted = sorted && found[i].to <= found[i - 1].to;
    if (!sorted) std::stable_sort(found, found + count, [](const Axis& a, const Axis& b) { return a.to > b.to; });
    int joined = 0;
    for (int i = 0; i < count; i++) {
        const Axis& next = found[i];
        Axis* last = joined > 0 ? &axes[joined - 1] : nullptr;
        if (last != nullptr && last->to == next.to * next.extent && last->from == next.from * next.extent) {
            *last = {last->extent * next.extent, next.to, next.from};
        } else {
            axes[joined++] = next;
        }
    }
    return joined;
}

template <class T>
void copy_axes(char* to, const char* from, const Axis* axes, int count) {
    if (count == 0) {
        std::memcpy(to, from, sizeof(T));
    } else if (count == 1) {
        copy_line<T>(to, from, axes[0]);
    } else if (count == 2 && axes[0].from < axes[1].from && axes[1].extent >= TILE && axes[0].from > 0) {
        copy_turned<T>(to, from, axes[0], axes[1]);
    } else if (count == 2 && axes[0].from == sizeof(T) && axes[1].from != 0 && axes[0].extent > axes[1].extent) {
        copy_columns<T>(to, from, axes[0], axes[1]);
    } else {
        for (npy_intp i = 0; i < axes[0].extent; i++) {
            copy_axes<T>(to + i * axes[0].to, from + i * axes[0].from, axes + 1, count - 1);
        }
    }
}

template <class T>
void copy_all(char* to, const char* from, const Axis* axes, int count) {
    int64_t bytes = sizeof(T);
    for (int i = 0; i < count; i++) bytes *= axes[i].extent;
    if (bytes < PARALLEL_BYTES || count == 0) return copy_axes<T>(to, from, axes, count);
    npy_intp extent = axes[0].extent;
    int64_t grain = std::max<int64_t>(1, extent * (PARALLEL_BYTES / 2) / bytes);
    parallel(extent, grain, [&](int64_t begin, int64_t end) {
        Axis own[NPY_MAXDIMS];
        std::copy_n(axes, count, own);
        own[0].extent = end - begin;
        copy_axes<T>(to + begin * axes[0].to, from + begin * axes[0].from, own, count);
    });
}

}  // namespace

bool is_movable(PyArrayObject* array) {
    if (array == nullptr) return false;
    PyArray_Descr* dtype = PyArray_DESCR(array);
    npy_intp size = PyDataType_ELSIZE(dtype);
    return !PyDataType_REFCHK(dtype) && (size == 1 || size == 2 || size == 4 || size == 8 || size == 16) &&
           PyArray_ISNOTSWAPPED(array);
}

bool is_addable(PyArrayObject* array) {
    if (array == nullptr) return false;
    int type = PyArray_TYPE(array);
    return (type == NPY_FLOAT || type == NPY_DOUBLE) && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
}

bool may_overlap(PyArrayObject* one, PyArrayObject* other) {
    if (PyArray_SIZE(one) == 0 || PyArray_SIZE(other) == 0) return false;
    const char *start[2], *end[2];
    PyArrayObject* arrays[] = {one, other};
    for (int i = 0; i < 2; i++) {
        start[i] = PyArray_BYTES(arrays[i]);
        end[i] = start[i] + PyArray_ITEMSIZE(arrays[i]);
        for (int d = 0; d < PyArray_NDIM(arrays[i]); d++) {
            npy_intp reach = (PyArray_DIM(arrays[i], d) - 1) * PyArray_STRIDE(arrays[i], d);
            (reach > 0 ? end[i] : start[i]) += reach;
        }
    }
    return start[0] < end[1] && start[1] < end[0];
}

bool is_ordered(PyArrayObject* array) {
    if (PyArray_IS_C_CONTIGUOUS(array)) return true;
    npy_intp before = NPY_MAX_INTP;
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (PyArray_DIM(array, d) == 1) continue;
        if (PyArray_STRIDE(array, d) > before || PyArray_STRIDE(array, d) <= 0) return false;
        before = PyArray_STRIDE(array, d);
    }
    return true;
}

void copy_elements(char* to, const npy_intp* to_strides, const char* from, const npy_intp* from_strides, int ndim,
                   const npy_intp* dims, int itemsize) {
    Axis axes[NPY_MAXDIMS];
    int count = find_axes(axes, to_strides, from_strides, ndim, dims);
    switch (itemsize) {
        case 1: return copy_all<int8_t>(to, from, axes, count);
        case 2: return copy_all<int16_t>(to, from, axes, count);
        case 4: return copy_all<int32_t>(to, from, axes, count);
        case 8: return copy_all<int64_t>(to, from, axes, count);
        default: return copy_all<Complex>(to, from, axes, count);
    }
}

PyArrayObject* packed_copy(PyArrayObject* array) {
    if (!is_movable(array)) return reinterpret_cast<PyArrayObject*>(PyArray_NewCopy(array, NPY_CORDER));
    PyArrayObject* made = new_array(PyArray_NDIM(array), PyArray_DIMS(array), PyArray_TYPE(array));
    if (made == nullptr || PyArray_SIZE(made) == 0) return made;
    if (PyArray_IS_C_CONTIGUOUS(array) && PyArray_NBYTES(array) < PARALLEL_BYTES) {
        std::memcpy(PyArray_DATA(made), PyArray_DATA(array), PyArray_NBYTES(array));
    } else {
        copy_into(made, array);
    }
    return made;
}

bool read_element(PyObject* value, PyArrayObject* like, char* element) {
    constexpr double LARGEST_HALF = 65504;  // as far as writing.py goes without a look
    double number;
    if (PyBool_Check(value) || !plain_number(value, number)) return false;
    if (PyArray_TYPE(like) == NPY_INT64 && PyLong_CheckExact(value)) {
        auto whole = static_cast<int64_t>(number);
        std::memcpy(element, &whole, sizeof(whole));
        return true;
    }
    if (!(std::fabs(number) <= LARGEST_HALF)) return false;
    if (PyArray_TYPE(like) == NPY_FLOAT) {
        auto single = static_cast<float>(number);
        std::memcpy(element, &single, sizeof(single));
        return true;
    }
    if (PyArray_TYPE(like) == NPY_BOOL) {
        *element = number != 0;
        return true;
    }
    int half = kept_dtype_of(like);
    if (half >= DTYPES) {
        auto single = static_cast<float>(number);
        table().shorten[half - DTYPES](&single, element, 1);
        // else it would be rounded twice
        return single == number;
    }
    std::memcpy(element, &number, sizeof(number));
    return PyArray_TYPE(like) == NPY_DOUBLE;
}

void fill_elements(PyArrayObject* array, const char* value) {
    npy_intp still[NPY_MAXDIMS] = {};
    copy_elements(PyArray_BYTES(array), PyArray_STRIDES(array), value, still, PyArray_NDIM(array), PyArray_DIMS(array),
                  static_cast<int>(PyArray_ITEMSIZE(array)));
}

}  // namespace rushlight
