// Norms: the length of vectors of order 1, 2 and infinity, and its gradient. See ops/reductions/norms.py.
#include <cmath>
#include <limits>

#include "loops/folding.h"
#include "seam/call.h"

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

bool forward(Call& call) {
    Order order;
    DECLINE_IF(!read_order(call[VectorNorm::ord], order));
    Ref lengths = Ref::steal(as_object(
        fold(order.fold, call.array(VectorNorm::input), call.dims(VectorNorm::dim), call.flag(VectorNorm::keepdim))));
    DECLINE_IF(lengths && order.fold == SQUARES && !is_usual(lengths.array()));
    return call.give(std::move(lengths));
}

bool backward(Gradient& gradient) {
    using Saved = SavedOfVectorNorm;
    Order order;
    DECLINE_IF(!read_order(gradient.option(Saved::ord), order));
    return slope_of_rows(gradient, order.slope, gradient.array(Saved::input), gradient.dims(Saved::dim),
                         gradient.array(Saved::result));
}

Inner vector_norm("linalg.vector_norm");

bool is_number(PyObject* value) { return PyFloat_CheckExact(value) || PyLong_CheckExact(value); }

// How many dimensions are named: one by a number; -1 for what is no sequence.
Py_ssize_t dim_count(PyObject* dim) {
    if (PyLong_CheckExact(dim)) return 1;
    return PyTuple_CheckExact(dim) || PyList_CheckExact(dim) ? PySequence_Fast_GET_SIZE(dim) : -1;
}

NAMES(Norm, input, p, dim, keepdim, out, dtype);

PyObject* norm(Call& call) {
    PyObject *input = call[Norm::input], *p = call[Norm::p], *dim = call[Norm::dim], *keepdim = call[Norm::keepdim];
    if (is_number(p)) return vector_norm.either(input, p, dim, keepdim);
    bool is_fro = p == Py_None || (PyUnicode_Check(p) && PyUnicode_CompareWithASCIIString(p, "fro") == 0);
    DECLINE_IF(!is_fro);
    DECLINE_IF(dim != Py_None && (dim_count(dim) < 0 || dim_count(dim) > 2));
    Ref two = Ref::steal(PyLong_FromLong(2));
    return two ? vector_norm.either(input, two.get(), dim, keepdim) : nullptr;
}

NAMES(LinalgNorm, input, ord, dim, keepdim, axis, keepdims, dtype, out);

// Matrices are left to Python.
PyObject* linalg_norm(Call& call) {
    PyObject *input = call[LinalgNorm::input], *keepdim = call[LinalgNorm::keepdim];
    PyObject *ord = call[LinalgNorm::ord], *dim = call[LinalgNorm::dim];
    Py_ssize_t count = dim == Py_None ? PyArray_NDIM(call.array(LinalgNorm::input)) : dim_count(dim);
    if (ord == Py_None) {
        DECLINE_IF(dim != Py_None && count != 1 && count != 2);
        Ref two = Ref::steal(PyLong_FromLong(2));
        return two ? vector_norm.either(input, two.get(), dim, keepdim) : nullptr;
    }
    DECLINE_IF(count != 1 || !is_number(ord));
    return vector_norm.either(input, ord, dim, keepdim);
}

KERNEL("linalg.vector_norm")
    .forward(forward, VectorNorm::names)
    .takes(tensor(VectorNorm::input).floats().widened().filled(), dims(VectorNorm::dim, VectorNorm::input),
           flag(VectorNorm::keepdim), none(VectorNorm::dtype))
    .gradient(backward, SavedOfVectorNorm::names)
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfVectorNorm::input).like(GRADIENT).filled(),
           tensor(SavedOfVectorNorm::result).like(GRADIENT), dims(SavedOfVectorNorm::dim, SavedOfVectorNorm::input));
KERNEL("norm").route(norm, Norm::names).takes(tensor(Norm::input), none(Norm::out), none(Norm::dtype));
KERNEL("linalg.norm")
    .route(linalg_norm, LinalgNorm::names)
    .takes(tensor(LinalgNorm::input), none(LinalgNorm::axis), none(LinalgNorm::keepdims), none(LinalgNorm::dtype),
           none(LinalgNorm::out));

}  // namespace

}  // namespace rushlight
