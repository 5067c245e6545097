// Shortcuts of core/streams.py and core/random.py: the same arguments, read and handed to the draws.
#include "draws.h"

#include <algorithm>

#include "shortcut.h"

namespace rushlight {

bool Shape::read(PyObject* const* sizes, Py_ssize_t count) {
    if (count > NPY_MAXDIMS) return false;
    ndim = static_cast<int>(count);
    for (int i = 0; i < ndim; i++) {
        int64_t size;
        if (!read_integer(sizes[i], size) || size < 0) return false;
        dims[i] = static_cast<npy_intp>(size);
    }
    return true;
}

bool Shape::read(PyObject* sizes) {
    if (sizes == nullptr || !(PyTuple_Check(sizes) || PyList_CheckExact(sizes))) return false;
    return read(PySequence_Fast_ITEMS(sizes), PySequence_Fast_GET_SIZE(sizes));
}

bool Shape::broadcast(PyArrayObject* array) {
    int own = PyArray_NDIM(array), more = own - ndim;
    if (more > 0) {
        std::copy_backward(dims, dims + ndim, dims + own);
        std::fill_n(dims, more, 1);
        ndim = own;
    }
    for (int i = 0; i < own; i++) {
        npy_intp& size = dims[ndim - own + i];
        npy_intp extent = PyArray_DIM(array, i);
        if (size != extent && size != 1 && extent != 1) return false;
        if (size == 1) size = extent;
    }
    return true;
}

bool read_integer(PyObject* value, int64_t& number) {
    if (value == nullptr || !PyLong_CheckExact(value)) return false;
    int overflow;
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0;
}

bool read_number(PyObject* value, double fallback, double& number) {
    if (value == nullptr) {
        number = fallback;
        return true;
    }
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
        return true;
    }
    int64_t integer;
    if (!read_integer(value, integer)) return false;
    number = static_cast<double>(integer);
    return integer >= -(int64_t(1) << 53) && integer <= int64_t(1) << 53;
}

bool read_flag(PyObject* value, bool fallback, bool& flag) {
    flag = value == nullptr ? fallback : value == Py_True;
    return value == nullptr || value == Py_True || value == Py_False;
}

bool read_type(PyObject* dtype, int& type) {
    if (dtype == nullptr || !PyArray_DescrCheck(dtype)) return false;
    auto* descr = reinterpret_cast<PyArray_Descr*>(dtype);
    type = descr->type_num;
    return type < NPY_NTYPES_LEGACY && PyArray_ISNBO(descr->byteorder);
}

Ref spread(PyArrayObject* array, const Shape& shape) {
    bool fits = PyArray_NDIM(array) == shape.ndim && PyArray_CompareLists(PyArray_DIMS(array), shape.dims, shape.ndim);
    if (fits && is_plain(array)) return Ref::borrow(reinterpret_cast<PyObject*>(array));
    PyArrayObject* copy = new_array(shape.ndim, shape.dims, PyArray_TYPE(array));
    Ref owner = Ref::steal(reinterpret_cast<PyObject*>(copy));
    return copy != nullptr && PyArray_CopyInto(copy, array) >= 0 ? std::move(owner) : Ref();
}

PyArrayObject* multinomial(Stream& stream, PyArrayObject* weights, int64_t samples, bool replacement) {
    int ndim = PyArray_NDIM(weights);
    if (ndim < 1 || ndim > 2 || samples < 1 || !is_plain(weights)) return nullptr;
    int64_t width = PyArray_DIM(weights, ndim - 1), rows = ndim == 2 ? PyArray_DIM(weights, 0) : 1;
    npy_intp dims[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(samples)};
    return filled(ndim, dims + (2 - ndim), NPY_INT64, [&](void* data, int64_t) {
        return draw_indices(stream, PyArray_TYPE(weights), PyArray_DATA(weights), rows, width, samples, replacement,
                            static_cast<int64_t*>(data));
    });
}

namespace {

PyObject* as_object(PyArrayObject* array) { return reinterpret_cast<PyObject*>(array); }

// uniform32(generator, count, low=0.0, high=1.0), and uniform64
template <int Type>
PyObject* plain_uniform(const Arguments& arguments) {
    Stream* stream = stream_of(arguments[0]);
    int64_t count;
    double low, high;
    if (stream == nullptr || !read_integer(arguments[1], count)) return nullptr;
    if (!read_number(arguments[2], 0, low) || !read_number(arguments[3], 1, high) || low != 0 || high != 1) {
        return nullptr;
    }
    npy_intp size = static_cast<npy_intp>(count);
    return as_object(filled(1, &size, Type, [&](void* data, int64_t n) {
        return draw_uniform(*stream, Type, data, n, 0, 1);
    }));
}

// normals_one_by_one(generator, count)
PyObject* normals_one_by_one(const Arguments& arguments) {
    Stream* stream = stream_of(arguments[0]);
    int64_t count;
    if (stream == nullptr || !read_integer(arguments[1], count)) return nullptr;
    npy_intp size = static_cast<npy_intp>(count);
    return as_object(filled(1, &size, NPY_FLOAT64, [&](void* data, int64_t n) {
        return draw_normal(*stream, NPY_FLOAT64, data, n, 0, 1, false);
    }));
}

// uniform(shape, dtype, low=0.0, high=1.0, generator=None)
PyObject* uniform(const Arguments& arguments) {
    Shape shape;
    int type;
    double low, high;
    Stream* stream = stream_of(arguments[4]);
    if (stream == nullptr || !shape.read(arguments[0]) || !read_type(arguments[1], type)) return nullptr;
    if (!read_number(arguments[2], 0, low) || !read_number(arguments[3], 1, high)) return nullptr;
    return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        return draw_uniform(*stream, type, data, count, low, high);
    }));
}

// normal(shape, dtype, mean=0.0, std=1.0, generator=None, contiguous=True)
PyObject* normal(const Arguments& arguments) {
    Shape shape;
    int type;
    double mean, std;
    bool contiguous;
    Stream* stream = stream_of(arguments[4]);
    if (stream == nullptr || !shape.read(arguments[0]) || !read_type(arguments[1], type)) return nullptr;
    if (!read_number(arguments[2], 0, mean) || !read_number(arguments[3], 1, std)) return nullptr;
    if (!read_flag(arguments[5], true, contiguous)) return nullptr;
    return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        return draw_normal(*stream, type, data, count, mean, std, contiguous);
    }));
}

// exponential(shape, dtype, rate=1.0, generator=None)
PyObject* exponential(const Arguments& arguments) {
    Shape shape;
    int type;
    double rate;
    Stream* stream = stream_of(arguments[3]);
    if (stream == nullptr || !shape.read(arguments[0]) || !read_type(arguments[1], type)) return nullptr;
    if (!read_number(arguments[2], 1, rate)) return nullptr;
    return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        return draw_exponential(*stream, type, data, count, rate);
    }));
}

// bernoulli(p, shape=None, dtype=None, generator=None), for a number p
PyObject* bernoulli(const Arguments& arguments) {
    Shape shape;
    int type;
    double p;
    Stream* stream = stream_of(arguments[3]);
    if (stream == nullptr || !shape.read(arguments[1]) || !read_type(arguments[2], type)) return nullptr;
    if (arguments[0] == nullptr || !read_number(arguments[0], 0, p)) return nullptr;
    return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        return draw_coins(*stream, type, data, count, p, 1);
    }));
}

// integers(low, high, shape, dtype, generator=None)
PyObject* integers(const Arguments& arguments) {
    Shape shape;
    int type;
    int64_t low, high;
    Stream* stream = stream_of(arguments[4]);
    if (stream == nullptr || !shape.read(arguments[2]) || !read_type(arguments[3], type)) return nullptr;
    if (!read_integer(arguments[0], low) || !read_integer(arguments[1], high)) return nullptr;
    return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
        return draw_integers(*stream, type, data, count, low, high);
    }));
}

// permutation(n, dtype=np.int64, generator=None)
PyObject* permutation(const Arguments& arguments) {
    int type = NPY_INT64;
    int64_t n;
    Stream* stream = stream_of(arguments[2]);
    if (stream == nullptr || !read_integer(arguments[0], n) || n < 0) return nullptr;
    if (arguments[1] != nullptr && !read_type(arguments[1], type)) return nullptr;
    npy_intp size = static_cast<npy_intp>(n);
    return as_object(filled(1, &size, type, [&](void* data, int64_t count) {
        return draw_permutation(*stream, type, data, count);
    }));
}

// multinomial(probs, num_samples, replacement=False, generator=None)
PyObject* indices(const Arguments& arguments) {
    int64_t samples;
    bool replacement;
    Stream* stream = stream_of(arguments[3]);
    if (stream == nullptr || arguments[0] == nullptr || !PyArray_Check(arguments[0])) return nullptr;
    if (!read_integer(arguments[1], samples) || !read_flag(arguments[2], false, replacement)) return nullptr;
    return as_object(multinomial(*stream, reinterpret_cast<PyArrayObject*>(arguments[0]), samples, replacement));
}

}  // namespace

void add_draws() {
    add_shortcut("core.streams.uniform32", plain_uniform<NPY_FLOAT32>);
    add_shortcut("core.streams.uniform64", plain_uniform<NPY_FLOAT64>);
    add_shortcut("core.streams.normals_one_by_one", normals_one_by_one);
    add_shortcut("core.random.uniform", uniform);
    add_shortcut("core.random.normal", normal);
    add_shortcut("core.random.exponential", exponential);
    add_shortcut("core.random.bernoulli", bernoulli);
    add_shortcut("core.random.integers", integers);
    add_shortcut("core.random.permutation", permutation);
    add_shortcut("core.random.multinomial", indices);
}

}  // namespace rushlight
