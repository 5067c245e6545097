// Arrays: new ones over pooled memory, owned and freed as NumPy owns and frees its own.
#include "arrays.h"

#include <algorithm>
#include <utility>

#include "allocator.h"

namespace rushlight {

// Python 3.11 forgets to say that this one is a C function.
namespace c {
extern "C" int PyTraceMalloc_Track(unsigned int domain, uintptr_t p, size_t size);
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
    constexpr npy_intp MOST = NPY_MAX_INTP;
    npy_intp bytes = itemsize;
    bool empty = false;
    for (int i = 0; i < ndim; ++i) {
        if (dims[i] < 0) return -1;
        if (dims[i] == 0) {
            empty = true;
            continue;
        }
        if (bytes > MOST / dims[i]) return -1;
        bytes *= dims[i];
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

// What the pool does not serve: NumPy gives empty arrays strides of its own, and words the errors of arrays that cannot
// be or have no room.
PyObject* make_by_numpy(int ndim, const npy_intp* dims, const npy_intp* strides, PyArray_Descr* descr, bool zeros) {
    PyErr_Clear();
    if (zeros) return PyArray_Zeros(ndim, dims, descr, 0);
    return PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, nullptr, 0, nullptr);
}

// Strides of nullptr are those of a C-contiguous array.
PyArrayObject* make(int ndim, const npy_intp* dims, const npy_intp* strides, int type_num, bool zeros) {
    PyArray_Descr* descr = descriptor(type_num);
    if (descr == nullptr) return nullptr;
    npy_intp bytes = ndim <= NPY_MAXDIMS ? size_in_bytes(ndim, dims, PyDataType_ELSIZE(descr)) : -1;
    size_t asked = bytes > 0 && !PyDataType_REFCHK(descr) ? static_cast<size_t>(bytes) : 0;
    PyObject* owner = pool_handler();
    void* data = nullptr;
    if (owner != nullptr && asked > 0) data = zeros ? pool_allocate_zeroed(asked) : pool_allocate(asked);
    if (data == nullptr)
        return reinterpret_cast<PyArrayObject*>(make_by_numpy(ndim, dims, strides, descr, zeros));
    PyObject* array =
        PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, data, NPY_ARRAY_CARRAY, nullptr);
    if (array == nullptr) {
        pool_free(data, asked);
        return nullptr;
    }
    auto* fields = reinterpret_cast<PyArrayObject_fields*>(array);
    fields->flags |= NPY_ARRAY_OWNDATA;
    fields->mem_handler = Py_NewRef(owner);
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

}  // namespace rushlight
