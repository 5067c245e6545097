// Shortcuts of core/random/streams.py and core/random/random.py: the same arguments, read and handed to the draws.
#include "random/draws.h"

#include <algorithm>

#include "seam/shortcut.h"

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

// What all draws of an array are asked for.
struct Asked {
    Stream* stream = nullptr;
    Shape shape;
    int type = 0;

    // by the names of the list
    template <class List>
    bool read(const Arguments& arguments) {
        stream = stream_of(arguments[List::generator]);
        return stream != nullptr && shape.read(arguments[List::shape]) && read_type(arguments[List::dtype], type);
    }

    // as many numbers of one type, in a row
    bool read_row(PyObject* generator, PyObject* count, int of) {
        stream = stream_of(generator);
        type = of;
        return stream != nullptr && shape.read(&count, 1);
    }

    template <class Draw, class... Options>
    PyObject* drawn(Draw draw, Options... options) const {
        return as_object(filled(shape.ndim, shape.dims, type, [&](void* data, int64_t count) {
            return draw(*stream, type, data, count, options...);
        }));
    }
};

NAMES(PlainUniform, generator, count, low, high);

template <int Type>
PyObject* plain_uniform(const Arguments& arguments) {
    Asked asked;
    double low, high;
    DECLINE_IF(!asked.read_row(arguments[PlainUniform::generator], arguments[PlainUniform::count], Type));
    DECLINE_IF(!read_number(arguments[PlainUniform::low], 0, low) ||
               !read_number(arguments[PlainUniform::high], 1, high) || low != 0 || high != 1);
    return asked.drawn(draw_uniform, 0, 1);
}

NAMES(OneByOne, generator, count);

PyObject* normals_one_by_one(const Arguments& arguments) {
    Asked asked;
    DECLINE_IF(!asked.read_row(arguments[OneByOne::generator], arguments[OneByOne::count], NPY_FLOAT64));
    return asked.drawn(draw_normal, 0, 1, false);
}

NAMES(Uniform, shape, dtype, low, high, generator);

PyObject* uniform(const Arguments& arguments) {
    Asked asked;
    double low, high;
    DECLINE_IF(!asked.read<Uniform>(arguments));
    DECLINE_IF(!read_number(arguments[Uniform::low], 0, low) || !read_number(arguments[Uniform::high], 1, high));
    return asked.drawn(draw_uniform, low, high);
}

NAMES(Normal, shape, dtype, mean, std, generator, contiguous);

PyObject* normal(const Arguments& arguments) {
    Asked asked;
    double mean, std;
    bool contiguous;
    DECLINE_IF(!asked.read<Normal>(arguments));
    DECLINE_IF(!read_number(arguments[Normal::mean], 0, mean) || !read_number(arguments[Normal::std], 1, std));
    DECLINE_IF(!read_flag(arguments[Normal::contiguous], true, contiguous));
    return asked.drawn(draw_normal, mean, std, contiguous);
}

NAMES(Exponential, shape, dtype, rate, generator);

PyObject* exponential(const Arguments& arguments) {
    Asked asked;
    double rate;
    DECLINE_IF(!asked.read<Exponential>(arguments));
    DECLINE_IF(!read_number(arguments[Exponential::rate], 1, rate));
    return asked.drawn(draw_exponential, rate);
}

NAMES(Bernoulli, p, shape, dtype, generator);

PyObject* bernoulli(const Arguments& arguments) {
    Asked asked;
    double p;
    DECLINE_IF(!asked.read<Bernoulli>(arguments));
    DECLINE_IF(arguments[Bernoulli::p] == nullptr || !read_number(arguments[Bernoulli::p], 0, p));
    return asked.drawn(draw_coins, p, 1);
}

NAMES(Integers, low, high, shape, dtype, generator);

PyObject* integers(const Arguments& arguments) {
    Asked asked;
    int64_t low, high;
    DECLINE_IF(!asked.read<Integers>(arguments));
    DECLINE_IF(!read_integer(arguments[Integers::low], low) || !read_integer(arguments[Integers::high], high));
    return asked.drawn(draw_integers, low, high);
}

NAMES(Permutation, n, dtype, generator);

PyObject* permutation(const Arguments& arguments) {
    Asked asked;
    PyObject* dtype = arguments[Permutation::dtype];
    DECLINE_IF(!asked.read_row(arguments[Permutation::generator], arguments[Permutation::n], NPY_INT64));
    DECLINE_IF(dtype != nullptr && !read_type(dtype, asked.type));
    return asked.drawn(draw_permutation);
}

NAMES(Multinomial, probs, num_samples, replacement, generator);

PyObject* indices(const Arguments& arguments) {
    int64_t samples;
    bool replacement;
    Stream* stream = stream_of(arguments[Multinomial::generator]);
    DECLINE_IF(stream == nullptr || arguments[Multinomial::probs] == nullptr ||
               !PyArray_Check(arguments[Multinomial::probs]));
    DECLINE_IF(!read_integer(arguments[Multinomial::num_samples], samples) ||
               !read_flag(arguments[Multinomial::replacement], false, replacement));
    return as_object(
        multinomial(*stream, reinterpret_cast<PyArrayObject*>(arguments[Multinomial::probs]), samples, replacement));
}

KERNEL("core.random.streams.uniform32").shortcut(plain_uniform<NPY_FLOAT32>, PlainUniform::names);
KERNEL("core.random.streams.uniform64").shortcut(plain_uniform<NPY_FLOAT64>, PlainUniform::names);
KERNEL("core.random.streams.normals_one_by_one").shortcut(normals_one_by_one, OneByOne::names);
KERNEL("core.random.random.uniform").shortcut(uniform, Uniform::names);
KERNEL("core.random.random.normal").shortcut(normal, Normal::names);
KERNEL("core.random.random.exponential").shortcut(exponential, Exponential::names);
KERNEL("core.random.random.bernoulli").shortcut(bernoulli, Bernoulli::names);
KERNEL("core.random.random.integers").shortcut(integers, Integers::names);
KERNEL("core.random.random.permutation").shortcut(permutation, Permutation::names);
KERNEL("core.random.random.multinomial").shortcut(indices, Multinomial::names);

}  // namespace

}  // namespace rushlight
