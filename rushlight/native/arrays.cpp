// Arrays: new ones over pooled memory, owned and freed as NumPy owns and frees its own.
#include "arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "allocator.h"
#include "spares.h"

namespace rushlight {

// Python 3.11 forgets to say that this one is a C function.
namespace c {
extern "C" int PyTraceMalloc_Track(unsigned int domain, uintptr_t p, size_t size);
extern "C" int PyTraceMalloc_Untrack(unsigned int domain, uintptr_t p);
}

namespace {

// np.lib.tracemalloc_domain
constexpr unsigned TRACE_DOMAIN = 389047;

// A new reference to the descriptor of a type. The common ones are looked up once: they live as long as NumPy.
PyArray_Descr* descriptor(int type_num) {
    static PyArray_Descr* known[NPY_NTYPES_LEGACY] = {};
    if (type_num < 0 || type_num >= NPY_NTYPES_LEGACY) return PyArray_DescrFromType(type_num);
    PyArray_Descr*& descr = known[type_num];
    if (descr == nullptr) descr = PyArray_DescrFromType(type_num);
    Py_XINCREF(descr);
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

// The dims from the fastest to the slowest, ordered as core/layout.py's stride_order does.
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

// Make a spare a C-contiguous array of at least one element. Takes the reference to descr.
void revive(PyArrayObject_fields* array, const npy_intp* dims, PyArray_Descr* descr) {
    npy_intp step = PyDataType_ELSIZE(descr);
    int long_dims = 0;
    for (int i = array->nd - 1; i >= 0; --i) {
        array->dimensions[i] = dims[i];
        array->strides[i] = step;
        step *= dims[i];
        long_dims += dims[i] != 1;
    }
    array->flags = NPY_ARRAY_CARRAY | (long_dims <= 1 ? NPY_ARRAY_F_CONTIGUOUS : 0);
    Py_XSETREF(array->descr, descr);
}

// What the pool does not serve: NumPy gives empty arrays strides of its own, and words the errors of arrays that cannot
// be or have no room.
PyArrayObject* make_by_numpy(int ndim, const npy_intp* dims, const npy_intp* strides, PyArray_Descr* descr,
                             bool zeros) {
    PyErr_Clear();
    return reinterpret_cast<PyArrayObject*>(
        zeros ? PyArray_Zeros(ndim, dims, descr, 0)
              : PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, nullptr, 0, nullptr));
}

// The memory of an array: that of a spare, or new. nullptr where NumPy has to make it.
void* find_memory(const PyArrayObject_fields* spare, size_t bytes, bool zeros) {
    if (spare == nullptr || spare->data == nullptr) return zeros ? pool_allocate_zeroed(bytes) : pool_allocate(bytes);
    if (zeros) std::memset(spare->data, 0, bytes);
    return spare->data;
}

// Strides of nullptr are those of a C-contiguous array.
PyArrayObject* make(int ndim, const npy_intp* dims, const npy_intp* strides, int type_num, bool zeros) {
    PyArray_Descr* descr = descriptor(type_num);
    if (descr == nullptr) return nullptr;
    npy_intp bytes = ndim <= NPY_MAXDIMS ? size_in_bytes(ndim, dims, PyDataType_ELSIZE(descr)) : -1;
    size_t asked = bytes > 0 && !PyDataType_REFCHK(descr) ? static_cast<size_t>(bytes) : 0;
    PyObject* owner = pool_handler();
    if (owner == nullptr || asked == 0) return make_by_numpy(ndim, dims, strides, descr, zeros);
    PyArrayObject_fields* array = strides == nullptr ? spares.take(ndim, asked) : nullptr;
    void* data = find_memory(array, asked, zeros);
    if (data == nullptr) {
        Py_XDECREF(reinterpret_cast<PyObject*>(array));
        return make_by_numpy(ndim, dims, strides, descr, zeros);
    }
    if (array != nullptr) {
        array->data = static_cast<char*>(data);
        revive(array, dims, descr);
    } else {
        array = fields_of(
            PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, data, NPY_ARRAY_CARRAY, nullptr));
        if (array == nullptr) {
            pool_free(data, asked);
            return nullptr;
        }
        array->mem_handler = Py_NewRef(owner);
    }
    array->flags |= NPY_ARRAY_OWNDATA;
    // as NumPy does, so that tracemalloc sees tensors; two nanoseconds when it is off
    c::PyTraceMalloc_Track(TRACE_DOMAIN, reinterpret_cast<uintptr_t>(data), asked);
    return reinterpret_cast<PyArrayObject*>(array);
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
    Py_DECREF(descr);
    if (size_in_bytes(ndim, dims, step) < 0) return new_array(ndim, dims, type_num);
    for (int i = 0; i < ndim; ++i) {
        packed[order[i]] = step;
        step *= dims[order[i]];
    }
    return make(ndim, dims, packed, type_num, false);
}

void drop(PyArrayObject* array) {
    PyArrayObject_fields* fields = fields_of(array);
    bool is_ours = Py_REFCNT(array) == 1 && PyArray_CheckExact(array) && fields->mem_handler == pool_handler() &&
                   fields->base == nullptr && fields->weakreflist == nullptr && fields->_buffer_info == nullptr &&
                   (fields->flags & NPY_ARRAY_OWNDATA) != 0;
    void* data = fields->data;
    if (is_ours && spares.keep(fields, static_cast<size_t>(PyArray_NBYTES(array)))) {
        c::PyTraceMalloc_Untrack(TRACE_DOMAIN, reinterpret_cast<uintptr_t>(data));
    } else {
        Py_DECREF(array);
    }
}

int64_t spare_bytes() { return spares.held(); }

void release_spares() { spares.release(); }

}  // namespace rushlight
