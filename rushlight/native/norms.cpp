// Norms: the length of vectors of order 1, 2 and infinity, and its gradient. See ops/norms.py.
#include <cmath>
#include <limits>

#include "call.h"
#include "folding.h"
#include "parts.h"

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

// (x, ord, dim, keepdim, dtype)
PyObject* forward(Call& call) {
    PyArrayObject* array = call.array(0);
    Order order;
    Dims dims;
    bool keepdim;
    if (array == nullptr || call[4] != Py_None || !read_order(call[1], order) ||
        !read_dims(call[2], PyArray_NDIM(array), dims) || !read_flag(call[3], keepdim)) {
        return nullptr;
    }
    Ref made = Ref::steal(as_object(fold(order.fold, array, dims, keepdim)));
    if (made && order.fold == SQUARES && !is_usual(made.array())) return nullptr;
    return made.release();
}

// reads x, result, ord, dim
bool backward(Gradient& gradient) {
    PyArrayObject* x = gradient.array(0);
    PyObject* dim = gradient.option(3);
    RowRun rows(x);
    Order order;
    Dims dims;
    Middle middle;
    if (!rows.is_float() || dim == nullptr || PyArray_SIZE(x) == 0 || !read_order(gradient.option(2), order) ||
        !read_dims(dim, PyArray_NDIM(x), dims) || !middle_of(PyArray_NDIM(x), PyArray_DIMS(x), dims, middle) ||
        !rows.read(0, x, PyArray_SIZE(x)) || !rows.read(1, gradient.array(1), middle.rows()) ||
        !rows.read(2, gradient.grad(), middle.rows()) || !rows.write(0, PyArray_NDIM(x), PyArray_DIMS(x))) {
        return false;
    }
    rows.run(order.slope, middle);
    gradient.found[0] = rows.take_like(0, x);
    return true;
}

PyObject* vector_norm(PyObject* x, PyObject* ord, PyObject* dim, PyObject* keepdim) {
    static Function* const inner = find_function("linalg.vector_norm");
    PyObject* args[] = {x, ord, dim, keepdim};
    return inner == nullptr ? nullptr : call_function(inner, args, 4, nullptr);
}

bool is_number(PyObject* value) { return PyFloat_CheckExact(value) || PyLong_CheckExact(value); }

// How many dimensions are named: one by a number; -1 for what is no sequence.
Py_ssize_t dim_count(PyObject* dim) {
    if (PyLong_CheckExact(dim)) return 1;
    return PyTuple_CheckExact(dim) || PyList_CheckExact(dim) ? PySequence_Fast_GET_SIZE(dim) : -1;
}

// norm: (input, p, dim, keepdim, out, dtype)
PyObject* norm(Call& call) {
    PyObject *p = call[1], *dim = call[2];
    if (!call.is_tensor(0) || call[4] != Py_None || call[5] != Py_None) return nullptr;
    if (is_number(p)) return vector_norm(call[0], p, dim, call[3]);
    bool is_fro = p == Py_None || (PyUnicode_Check(p) && PyUnicode_CompareWithASCIIString(p, "fro") == 0);
    if (!is_fro || (dim != Py_None && (dim_count(dim) < 0 || dim_count(dim) > 2))) return nullptr;
    Ref two = Ref::steal(PyLong_FromLong(2));
    return two ? vector_norm(call[0], two.get(), dim, call[3]) : nullptr;
}

// linalg.norm: (input, ord, dim, keepdim, *, axis, keepdims, dtype, out); matrices are left to Python
PyObject* linalg_norm(Call& call) {
    PyObject *ord = call[1], *dim = call[2];
    PyArrayObject* array = call.array(0);
    if (array == nullptr) return nullptr;
    for (int option = 4; option < 8; option++) {
        if (call[option] != Py_None) return nullptr;
    }
    Py_ssize_t count = dim == Py_None ? PyArray_NDIM(array) : dim_count(dim);
    if (ord == Py_None) {
        if (dim != Py_None && count != 1 && count != 2) return nullptr;
        Ref two = Ref::steal(PyLong_FromLong(2));
        return two ? vector_norm(call[0], two.get(), dim, call[3]) : nullptr;
    }
    return count == 1 && is_number(ord) ? vector_norm(call[0], ord, dim, call[3]) : nullptr;
}

}  // namespace

void register_norms() {
    add_kernel({"linalg.vector_norm", forward, backward, {"input", "result", "ord", "dim"}});
    add_kernel({"norm", nullptr, nullptr, {}, norm});
    add_kernel({"linalg.norm", nullptr, nullptr, {}, linalg_norm});
}

}  // namespace rushlight
