// Values brought together at the positions that an index gives, in any dtype: what scatter_add, index_add, put and
// scatter_reduce do where they have no kernel. See ops/machine/writing.py.
#include "ops/folding_at.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/table.h"
#include "memory/arrays.h"
#include "seam/guard.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

enum Fold { SUM, PROD, AMAX, AMIN, FOLDS };

// A target and what is brought to it; steps are in elements, those of the index 0 where it is spread out.
struct Places {
    int ndim, dim;
    npy_intp dims[NPY_MAXDIMS];
    npy_intp target[NPY_MAXDIMS], index[NPY_MAXDIMS], values[NPY_MAXDIMS];
    npy_intp extent;  // of the target along `dim`
};

template <Fold fold, class T>
T join(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return fold == SUM || fold == AMAX ? a || b : a && b;
    if constexpr (fold == SUM) return a + b;
    if constexpr (fold == PROD) return a * b;
    // NaN stays
    if constexpr (fold == AMAX) return a != a || a >= b ? a : b;
    if constexpr (fold == AMIN) return a != a || a <= b ? a : b;
}

template <Fold fold>
int64_t join(int64_t a, int64_t b) {
    auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);  // sums wrap around
    if (fold == SUM || fold == PROD) return static_cast<int64_t>(fold == SUM ? x + y : x * y);
    return fold == AMAX ? std::max(a, b) : std::min(a, b);
}

// Half precision, one number at a time; by bits, as kernels/conversion.cpp does it.
template <int half>
struct Half {
    uint16_t bits;
};

template <class To, class From>
To bits_as(From from) {
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

float widened(Half<BFLOAT16> x) { return bits_as<float>(static_cast<uint32_t>(x.bits) << 16); }

float widened(Half<FLOAT16> x) {
    uint32_t size = (x.bits & 0x7fffu) << 13;
    uint32_t scaled = bits_as<uint32_t>(bits_as<float>(size) * bits_as<float>(0x77800000u));
    uint32_t wide = size >= 0x0f800000u ? size | 0x7f800000u : scaled;
    return bits_as<float>(wide | ((x.bits & 0x8000u) << 16));
}

template <int half>
Half<half> shortened(float x) {
    uint32_t bits = bits_as<uint32_t>(x), size = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;
    if constexpr (half == BFLOAT16) {
        uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
        return {static_cast<uint16_t>(size > 0x7f800000u ? 0x7fc0u | sign : rounded)};
    }
    constexpr uint32_t magic = 0x3f000000u;
    uint32_t small = bits_as<uint32_t>(bits_as<float>(size) + bits_as<float>(magic)) - magic;
    uint32_t normal = (size + 0xc8000fffu + ((size >> 13) & 1u)) >> 13;
    uint32_t found = size < 0x38800000u ? small : normal;
    if (size >= 0x47800000u) found = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return {static_cast<uint16_t>(found | sign)};
}

// Rounded after each step, as torch's loops do.
template <Fold fold, int half>
Half<half> join(Half<half> a, Half<half> b) {
    return shortened<half>(join<fold>(widened(a), widened(b)));
}

template <Fold fold, class T>
void fold_row(T* to, const T* values, npy_intp count) {
    for (npy_intp k = 0; k < count; k++) to[k] = join<fold>(to[k], values[k]);
}

// A row of half precision is read and written by the loops of the processor's level.
template <Fold fold, int half>
void fold_row(Half<half>* to, const Half<half>* values, npy_intp count) {
    constexpr npy_intp BLOCK = 256;
    float sums[BLOCK], wide[BLOCK];
    for (npy_intp k = 0; k < count; k += BLOCK) {
        npy_intp size = std::min(BLOCK, count - k);
        table().widen[half - DTYPES](to + k, sums, size);
        table().widen[half - DTYPES](values + k, wide, size);
        fold_row<fold>(sums, wide, size);
        table().shorten[half - DTYPES](sums, to + k, size);
    }
}

template <Fold fold, class T>
void fold_line(T* target, const int64_t* index, const T* values, const Places& places) {
    int last = places.ndim - 1;
    npy_intp count = places.dims[last], step = places.values[last], index_step = places.index[last];
    npy_intp along = places.target[places.dim], beside = last == places.dim ? 0 : places.target[last];
    if (index_step == 0 && beside == 1 && step == 1) {
        return fold_row<fold>(target + *index * along, values, count);
    }
    for (npy_intp k = 0; k < count; k++) {
        T& to = target[index[k * index_step] * along + k * beside];
        to = join<fold>(to, values[k * step]);
    }
}

template <Fold fold, class T>
void fold_all(void* target, const int64_t* index, const void* values, const Places& places) {
    npy_intp at[NPY_MAXDIMS] = {};
    auto* to = static_cast<T*>(target);
    auto* from = static_cast<const T*>(values);
    for (;;) {
        fold_line<fold>(to, index, from, places);
        int d = places.ndim - 2;
        for (; d >= 0; d--) {
            npy_intp step = d == places.dim ? 0 : places.target[d];
            bool more = ++at[d] < places.dims[d];
            npy_intp moved = more ? 1 : 1 - places.dims[d];
            to += moved * step, index += moved * places.index[d], from += moved * places.values[d];
            if (more) break;
            at[d] = 0;
        }
        if (d < 0) return;
    }
}

using FoldAll = void (*)(void*, const int64_t*, const void*, const Places&);

template <class T>
FoldAll fold_of(int fold) {
    constexpr FoldAll all[FOLDS] = {fold_all<SUM, T>, fold_all<PROD, T>, fold_all<AMAX, T>, fold_all<AMIN, T>};
    return all[fold];
}

FoldAll loop_of(int dtype, int fold) {
    switch (dtype) {
        case FLOAT32: return fold_of<float>(fold);
        case FLOAT64: return fold_of<double>(fold);
        case INT64: return fold_of<int64_t>(fold);
        case BOOL: return fold_of<bool>(fold);
        case FLOAT16: return fold_of<Half<FLOAT16>>(fold);
        case BFLOAT16: return fold_of<Half<BFLOAT16>>(fold);
        default: return nullptr;
    }
}

// Whether every position is one of the target's.
bool within(const int64_t* index, const Places& places, int d) {
    npy_intp count = places.index[d] == 0 ? 1 : places.dims[d], step = places.index[d];
    if (d == places.ndim - 1) {
        // without a way out, so that several are looked at together
        uint64_t largest = 0;
        for (npy_intp k = 0; k < count; k++) largest = std::max(largest, static_cast<uint64_t>(index[k * step]));
        return largest < static_cast<uint64_t>(places.extent);
    }
    for (npy_intp k = 0; k < count; k++) {
        if (!within(index + k * step, places, d + 1)) return false;
    }
    return true;
}

bool describe(Places& places, PyArrayObject* target, PyArrayObject* index, PyArrayObject* values) {
    places.ndim = PyArray_NDIM(index);
    bool fits = places.ndim > 0 && PyArray_NDIM(target) == places.ndim && have_same_shape(index, values) &&
                places.dim >= 0 && places.dim < places.ndim;
    for (int d = 0; fits && d < places.ndim; d++) {
        places.dims[d] = PyArray_DIM(index, d);
        places.target[d] = PyArray_STRIDE(target, d) / PyArray_ITEMSIZE(target);
        places.index[d] = PyArray_STRIDE(index, d) / 8;
        places.values[d] = PyArray_STRIDE(values, d) / PyArray_ITEMSIZE(values);
        fits = places.dims[d] > 0 && (d == places.dim || places.dims[d] <= PyArray_DIM(target, d));
    }
    places.extent = fits ? PyArray_DIM(target, places.dim) : 0;
    return fits;
}

// fold_at(target, dim, index, values, fold): whether it was done; if not, NumPy has to do it, or to object.
PyObject* fold_at(PyObject*, PyObject* arguments) {
    PyObject *first, *second, *third;
    Places places;
    int fold;
    if (!PyArg_ParseTuple(arguments, "O!iO!O!i", &PyArray_Type, &first, &places.dim, &PyArray_Type, &second,
                          &PyArray_Type, &third, &fold)) {
        return nullptr;
    }
    if (!PyArray_CheckExact(first) || !PyArray_CheckExact(second) || !PyArray_CheckExact(third)) Py_RETURN_FALSE;
    auto *target = reinterpret_cast<PyArrayObject*>(first), *index = reinterpret_cast<PyArrayObject*>(second),
         *values = reinterpret_cast<PyArrayObject*>(third);
    int dtype = kept_dtype_of(target);
    FoldAll loop = fold >= 0 && fold < FOLDS ? loop_of(dtype, fold) : nullptr;
    bool fits = loop != nullptr && kept_dtype_of(values) == dtype && kept_dtype_of(index) == INT64 &&
                PyArray_ISWRITEABLE(target) && describe(places, target, index, values);
    if (!fits || !within(elements<const int64_t>(index), places, 0)) Py_RETURN_FALSE;
    loop(PyArray_DATA(target), elements<const int64_t>(index), PyArray_DATA(values), places);
    Py_RETURN_TRUE;
}

}  // namespace

PyMethodDef folding_methods[] = {
    {"fold_at", guarded<fold_at>, METH_VARARGS, "Values brought together with those at an index's positions."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
