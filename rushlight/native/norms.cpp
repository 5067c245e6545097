// Norms: the length of vectors of order 1, 2 and infinity, and its gradient. See ops/norms.py.
#include <cmath>
#include <limits>

#include "call.h"
#include "folding.h"

namespace rushlight {

namespace {

struct Order {
    Reduction fold;
    RowOp slope;
};

// What an order runs; false for the others, and for what is no plain number.
bool read_order(PyObject* ord, Order& order) {
    if (ord == nullptr || (!PyFloat_CheckExact(ord) && !PyLong_CheckExact(ord))) return false;
    double value = PyFloat_AsDouble(ord);
    if (value == 2) {
        order = {SQUARES, LENGTH_SLOPE};
    } else if (value == 1) {
        order = {ABSOLUTES, SIGN_SLOPE};
    } else if (value == INFINITY) {
        order = {LARGEST_SIZE, LARGEST_SIZE_SLOPE};
    } else {
        PyErr_Clear();
        return false;
    }
    return true;
}

// Whether all lengths are such that no square has left the range of the dtype; Python scales the others first.
template <class T>
bool are_usual(PyArrayObject* lengths) {
    static const T least = std::sqrt(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
    const T* values = static_cast<const T*>(PyArray_DATA(lengths));
    for (npy_intp i = 0; i < PyArray_SIZE(lengths); i++) {
        if (!(values[i] > least && values[i] <= std::numeric_limits<T>::max())) return false;
    }
    return true;
}

bool is_usual(PyArrayObject* lengths) {
    if (!PyArray_IS_C_CONTIGUOUS(lengths)) return true;
    switch (PyArray_TYPE(lengths)) {
        case NPY_FLOAT32: return are_usual<float>(lengths);
        case NPY_FLOAT64: return are_usual<double>(lengths);
        default: return true;
    }
}

NAMES(VectorNorm, input, ord, dim, keepdim, dtype);
NAMES(SavedOfVectorNorm, input, result, ord, dim);

PyObject* forward(Call& call) {
    PyArrayObject* array = call.array(VectorNorm::input);
    Order order;
    Dims dims;
    bool keepdim;
    DECLINE_IF(array == nullptr);
    DECLINE_IF(call[VectorNorm::dtype] != Py_None);
    DECLINE_IF(!read_order(call[VectorNorm::ord], order));
    DECLINE_IF(!read_dims(call[VectorNorm::dim], PyArray_NDIM(array), dims));
    DECLINE_IF(!read_flag(call[VectorNorm::keepdim], keepdim));
    Ref made = Ref::steal(as_object(fold(order.fold, array, dims, keepdim)));
    DECLINE_IF(made && order.fold == SQUARES && !is_usual(made.array()));
    return made.release();
}

bool backward(Gradient& gradient) {
    PyArrayObject* input = gradient.array(SavedOfVectorNorm::input);
    PyArrayObject* result = gradient.array(SavedOfVectorNorm::result);
    PyObject* dim = gradient.option(SavedOfVectorNorm::dim);
    RowRun rows(input);
    Order order;
    Dims dims;
    Middle middle;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(input) == 0);
    DECLINE_IF(!read_order(gradient.option(SavedOfVectorNorm::ord), order));
    DECLINE_IF(dim == nullptr || !read_dims(dim, PyArray_NDIM(input), dims));
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), dims, middle));
    DECLINE_IF(!rows.read(0, input, PyArray_SIZE(input)) || !rows.read(1, result, middle.rows()));
    DECLINE_IF(!rows.read(2, gradient.grad(), middle.rows()));
    if (!rows.write(0, PyArray_NDIM(input), PyArray_DIMS(input))) return false;
    rows.run(order.slope, middle);
    gradient.found[0] = rows.take_like(0, input);
    return true;
}

PyObject* vector_norm(PyObject* x, PyObject* ord, PyObject* dim, PyObject* keepdim) {
    static Function* const inner = find_function("linalg.vector_norm");
    PyObject* args[] = {x, ord, dim, keepdim};
    DECLINE_IF(inner == nullptr);
    return call_function(inner, args, 4, nullptr);
}

bool is_number(PyObject* value) { return PyFloat_CheckExact(value) || PyLong_CheckExact(value); }

// How many dimensions are named: one by a number; -1 for what is no sequence.
Py_ssize_t dim_count(PyObject* dim) {
    if (PyLong_CheckExact(dim)) return 1;
    return PyTuple_CheckExact(dim) || PyList_CheckExact(dim) ? PySequence_Fast_GET_SIZE(dim) : -1;
}

NAMES(Norm, input, p, dim, keepdim, out, dtype);

PyObject* norm(Call& call) {
    PyObject *input = call[Norm::input], *p = call[Norm::p], *dim = call[Norm::dim], *keepdim = call[Norm::keepdim];
    DECLINE_IF(!is_tensor(input));
    DECLINE_IF(call[Norm::out] != Py_None || call[Norm::dtype] != Py_None);
    if (is_number(p)) return vector_norm(input, p, dim, keepdim);
    bool is_fro = p == Py_None || (PyUnicode_Check(p) && PyUnicode_CompareWithASCIIString(p, "fro") == 0);
    DECLINE_IF(!is_fro);
    DECLINE_IF(dim != Py_None && (dim_count(dim) < 0 || dim_count(dim) > 2));
    Ref two = Ref::steal(PyLong_FromLong(2));
    return two ? vector_norm(input, two.get(), dim, keepdim) : nullptr;
}

NAMES(LinalgNorm, input, ord, dim, keepdim, axis, keepdims, dtype, out);

// Matrices are left to Python.
PyObject* linalg_norm(Call& call) {
    PyObject *input = call[LinalgNorm::input], *keepdim = call[LinalgNorm::keepdim];
    PyObject *ord = call[LinalgNorm::ord], *dim = call[LinalgNorm::dim];
    PyArrayObject* array = call.array(LinalgNorm::input);
    DECLINE_IF(array == nullptr);
    DECLINE_IF(call[LinalgNorm::axis] != Py_None || call[LinalgNorm::keepdims] != Py_None);
    DECLINE_IF(call[LinalgNorm::dtype] != Py_None || call[LinalgNorm::out] != Py_None);
    Py_ssize_t count = dim == Py_None ? PyArray_NDIM(array) : dim_count(dim);
    if (ord == Py_None) {
        DECLINE_IF(dim != Py_None && count != 1 && count != 2);
        Ref two = Ref::steal(PyLong_FromLong(2));
        return two ? vector_norm(input, two.get(), dim, keepdim) : nullptr;
    }
    DECLINE_IF(count != 1 || !is_number(ord));
    return vector_norm(input, ord, dim, keepdim);
}

KERNEL("linalg.vector_norm").forward(forward, VectorNorm::names).gradient(backward, SavedOfVectorNorm::names);
KERNEL("norm").route(norm, Norm::names);
KERNEL("linalg.norm").route(linalg_norm, LinalgNorm::names);

}  // namespace

}  // namespace rushlight
