// Arrays: new ones over pooled memory, owned and freed as NumPy owns and frees its own.
#include "memory/arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory/allocator.h"
#include "memory/free_list.h"

namespace rushlight {

// Python 3.11 forgets to say that this one is a C function.
namespace c {
extern "C" int PyTraceMalloc_Track(unsigned int domain, uintptr_t p, size_t size);
extern "C" int PyTraceMalloc_Untrack(unsigned int domain, uintptr_t p);
}  // namespace c

namespace {

// np.lib.tracemalloc_domain
constexpr unsigned TRACE_DOMAIN = 389047;

// The descriptor of a type, borrowed: it lives as long as NumPy. nullptr with an exception.
PyArray_Descr* descriptor(int type_num) {
    static PyArray_Descr* known[NPY_NTYPES_LEGACY] = {};
    bool common = type_num >= 0 && type_num < NPY_NTYPES_LEGACY;
    if (common && known[type_num] != nullptr) return known[type_num];
    PyArray_Descr* descr = PyArray_DescrFromType(type_num);
    if (common) {
        known[type_num] = descr;
    } else {
        Py_XDECREF(descr);
    }
    return descr;
}

// The bytes of an array, or -1 when NumPy has something to say about its dims.
npy_intp size_in_bytes(int ndim, const npy_intp* dims, npy_intp itemsize) {
    npy_intp bytes = itemsize;
    bool empty = false;
    for (int i = 0; i < ndim; ++i) {
        if (dims[i] < 0) return -1;
        if (dims[i] == 0) {
            empty = true;
            continue;
        }
        if (__builtin_mul_overflow(bytes, dims[i], &bytes)) return -1;
    }
    return empty ? 0 : bytes;
}

// The dims from the fastest to the slowest, ordered as core/memory/layout.py's stride_order does.
void stride_order(int ndim, const npy_intp* dims, const npy_intp* strides, int* order) {
    for (int i = 0; i < ndim; ++i) order[i] = ndim - 1 - i;
    for (int place = 1; place < ndim; ++place) {
        int current = place;
        for (int other = place - 1; other >= 0; --other) {
            int inner = order[other], outer = order[current];
            npy_intp a = strides[inner], b = strides[outer];
            if (a == 0 || b == 0) continue;
            if (!(a > b || (a == b && dims[inner] > dims[outer]))) break;
            std::swap(order[other], order[current]);
            current = other;
        }
    }
}

PyArrayObject_fields* fields_of(void* array) { return static_cast<PyArrayObject_fields*>(array); }

Spares spares;

// An array that dies or comes back, as NumPy would tell tracemalloc; two nanoseconds when it is off.
void track(const PyArrayObject_fields* array, size_t bytes) {
    c::PyTraceMalloc_Track(TRACE_DOMAIN, reinterpret_cast<uintptr_t>(array->data), bytes);
}
void untrack(const void* data) { c::PyTraceMalloc_Untrack(TRACE_DOMAIN, reinterpret_cast<uintptr_t>(data)); }

// What the pool does not serve: NumPy gives empty arrays strides of its own, and words the errors of arrays that cannot
// be or have no room.
PyArrayObject* make_by_numpy(int ndim, const npy_intp* dims, const npy_intp* strides, PyArray_Descr* descr,
                             bool zeros) {
    PyErr_Clear();
    Py_INCREF(descr);
    return reinterpret_cast<PyArrayObject*>(
        zeros ? PyArray_Zeros(ndim, dims, descr, 0)
              : PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, nullptr, 0, nullptr));
}

// Strides of nullptr are those of a C-contiguous array.
PyArrayObject* make_new(int ndim, const npy_intp* dims, const npy_intp* strides, PyArray_Descr* descr, size_t bytes,
                        bool zeros) {
    PyObject* owner = bytes > 0 ? pool_handler() : nullptr;
    void* data = owner == nullptr ? nullptr : zeros ? pool_allocate_zeroed(bytes) : pool_allocate(bytes);
    if (data == nullptr) return make_by_numpy(ndim, dims, strides, descr, zeros);
    Py_INCREF(descr);
    auto* array =
        fields_of(PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, data, NPY_ARRAY_CARRAY, nullptr));
    if (array == nullptr) {
        pool_free(data, bytes);
        return nullptr;
    }
    array->mem_handler = Py_NewRef(owner);
    array->flags |= NPY_ARRAY_OWNDATA;
    track(array, bytes);
    return reinterpret_cast<PyArrayObject*>(array);
}

// A spare array with memory for `bytes`, its shape still to be set; nullptr if there is none.
PyArrayObject_fields* take_spare(int ndim, size_t bytes, PyArray_Descr* descr) {
    PyArrayObject_fields* array = spares.take(ndim, bytes);
    if (array == nullptr) return nullptr;
    if (array->data == nullptr) array->data = static_cast<char*>(pool_allocate(bytes));
    if (array->data == nullptr) {
        Py_DECREF(reinterpret_cast<PyObject*>(array));
        return nullptr;
    }
    if (array->descr != descr) {
        Py_INCREF(descr);
        Py_XSETREF(array->descr, descr);
    }
    track(array, bytes);
    return array;
}

// Make a spare a C-contiguous array of at least one element.
void set_shape(PyArrayObject_fields* array, const npy_intp* dims) {
    npy_intp step = PyDataType_ELSIZE(array->descr);
    int long_dims = 0;
    for (int i = array->nd - 1; i >= 0; --i) {
        array->dimensions[i] = dims[i];
        array->strides[i] = step;
        step *= dims[i];
        long_dims += dims[i] != 1;
    }
    array->flags = NPY_ARRAY_CARRAY | NPY_ARRAY_OWNDATA | (long_dims <= 1 ? NPY_ARRAY_F_CONTIGUOUS : 0);
}

PyArrayObject* make(int ndim, const npy_intp* dims, const npy_intp* strides, int type_num, bool zeros) {
    PyArray_Descr* descr = descriptor(type_num);
    if (descr == nullptr) return nullptr;
    npy_intp size = ndim <= NPY_MAXDIMS ? size_in_bytes(ndim, dims, PyDataType_ELSIZE(descr)) : -1;
    size_t bytes = size > 0 && !PyDataType_REFCHK(descr) ? static_cast<size_t>(size) : 0;
    PyArrayObject_fields* spare = strides == nullptr && bytes > 0 ? take_spare(ndim, bytes, descr) : nullptr;
    if (spare == nullptr) return make_new(ndim, dims, strides, descr, bytes, zeros);
    set_shape(spare, dims);
    if (zeros) std::memset(spare->data, 0, bytes);
    return reinterpret_cast<PyArrayObject*>(spare);
}

}  // namespace

PyArrayObject* new_array(int ndim, const npy_intp* dims, int type_num) {
    return make(ndim, dims, nullptr, type_num, false);
}

PyArrayObject* zeros_array(int ndim, const npy_intp* dims, int type_num) {
    return make(ndim, dims, nullptr, type_num, true);
}

PyArrayObject* new_array_like_strides(int ndim, const npy_intp* dims, const npy_intp* strides, int type_num) {
    if (ndim < 2 || ndim > NPY_MAXDIMS || std::find(dims, dims + ndim, 0) != dims + ndim)
        return new_array(ndim, dims, type_num);
    int order[NPY_MAXDIMS];
    stride_order(ndim, dims, strides, order);
    npy_intp packed[NPY_MAXDIMS];
    PyArray_Descr* descr = descriptor(type_num);
    if (descr == nullptr) return nullptr;
    npy_intp step = PyDataType_ELSIZE(descr);
    if (size_in_bytes(ndim, dims, step) < 0) return new_array(ndim, dims, type_num);
    for (int i = 0; i < ndim; ++i) {
        packed[order[i]] = step;
        step *= dims[order[i]];
    }
    return make(ndim, dims, packed, type_num, false);
}

PyArrayObject* new_array_like(PyArrayObject* model, npy_intp size) {
    PyArray_Descr* descr = descriptor(PyArray_TYPE(model));
    int ndim = PyArray_NDIM(model);
    auto bytes = static_cast<size_t>(size * PyDataType_ELSIZE(descr));
    PyArrayObject_fields* array = take_spare(ndim, bytes, descr);
    if (array == nullptr) return make_new(ndim, PyArray_DIMS(model), nullptr, descr, bytes, false);
    set_shape(array, PyArray_DIMS(model));
    return reinterpret_cast<PyArrayObject*>(array);
}

bool has_usual_steps(PyArrayObject* array) {
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int i = PyArray_NDIM(array) - 1; i >= 0; step *= PyArray_DIM(array, i--)) {
        if (PyArray_DIM(array, i) == 1 && PyArray_STRIDE(array, i) != step) return false;
    }
    return true;
}

PyArrayObject* keep_unit_steps(PyArrayObject* made, PyArrayObject* model) {
    if (made == nullptr || PyArray_SIZE(made) == 0) return made;
    npy_intp to = PyArray_ITEMSIZE(made), from = PyArray_ITEMSIZE(model);
    for (int i = 0; i < PyArray_NDIM(made); i++) {
        if (PyArray_DIM(made, i) == 1) PyArray_STRIDES(made)[i] = PyArray_STRIDE(model, i) / from * to;
    }
    return made;
}

void drop(PyArrayObject* array) {
    PyArrayObject_fields* fields = fields_of(array);
    bool is_ours = Py_REFCNT(array) == 1 && PyArray_CheckExact(array) && fields->mem_handler == pool_capsule &&
                   fields->mem_handler != nullptr && (fields->flags & NPY_ARRAY_OWNDATA) != 0 &&
                   fields->base == nullptr && fields->weakreflist == nullptr && fields->_buffer_info == nullptr;
    if (is_ours) {
        void* data = fields->data;
        if (spares.keep(fields, static_cast<size_t>(element_count(array) * PyArray_ITEMSIZE(array)))) {
            untrack(data);
            return;
        }
    }
    Py_DECREF(array);
}

int64_t spare_bytes() { return spares.held(); }

void release_spares() { spares.release(); }

}  // namespace rushlight
