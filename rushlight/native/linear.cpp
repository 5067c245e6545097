// Linear maps: what a layer does to its features, forward and gradient. See ops/linear.py.
#include <algorithm>

#include "arrays.h"
#include "kernels/table.h"
#include "plan.h"
#include "products.h"
#include "threads.h"

namespace rushlight {

namespace {

NAMES(Linear, input, weight, bias);
NAMES(SavedOfLinear, input, weight);

// The rows of an array of any dims as one matrix, of a contiguous copy where there is no other way.
struct Rows {
    Stack matrix;
    Ref copy;

    bool read(PyArrayObject* array) {
        if (!matrix.read(array)) return false;
        if (matrix.depth == 0 || matrix.flatten()) return true;
        return read_copy(array);
    }
    // The same, with columns that are neighbours.
    bool read_dense(PyArrayObject* array) {
        return read(array) && (matrix.column_step == 1 || matrix.columns == 1 || read_copy(array));
    }

private:
    bool read_copy(PyArrayObject* array) {
        copy = Ref::steal(reinterpret_cast<PyObject*>(contiguous(array)));
        return copy && matrix.read(copy.array()) && matrix.flatten();
    }
};

// An array of the same dims with another size of the last one.
PyArrayObject* with_last(PyArrayObject* array, npy_intp last) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array);
    std::copy_n(PyArray_DIMS(array), ndim, dims);
    dims[ndim - 1] = last;
    return new_array(ndim, dims, PyArray_TYPE(array));
}

PyObject* forward(Call& call) {
    PyArrayObject *input = call.array(Linear::input), *weight = call.array(Linear::weight);
    PyArrayObject* bias = call.array(Linear::bias);
    DECLINE_IF(input == nullptr || weight == nullptr || PyArray_NDIM(weight) != 2);
    Rows rows;
    Stack map;
    DECLINE_IF(!rows.read(input) || !map.read(weight));
    DECLINE_IF(rows.matrix.dtype != map.dtype || rows.matrix.columns != map.columns);
    Product product = product_of(rows.matrix, map.transposed());
    if (bias != nullptr) {
        Stack start;
        DECLINE_IF(PyArray_NDIM(bias) != 1 || !start.read(bias));
        DECLINE_IF(start.dtype != map.dtype || start.columns != map.rows);
        product.start = PyArray_DATA(bias);
        product.start_column = start.column_step;
    } else {
        DECLINE_IF(call[Linear::bias] != Py_None);
    }
    PyArrayObject* result = with_last(input, map.rows);
    if (result == nullptr) return nullptr;
    product.c = PyArray_DATA(result);
    if (!multiply(product, map.dtype)) Py_CLEAR(result);
    return as_object(result);
}

PyArrayObject* input_gradient(const Rows& grad, PyArrayObject* like, PyArrayObject* weight) {
    Stack map;
    DECLINE_IF(weight == nullptr || PyArray_NDIM(weight) != 2 || !map.read(weight));
    DECLINE_IF(map.dtype != grad.matrix.dtype || map.rows != grad.matrix.columns);
    PyArrayObject* result = with_last(like, map.columns);
    if (result == nullptr) return nullptr;
    Product product = product_of(grad.matrix, map);
    product.c = PyArray_DATA(result);
    if (!multiply(product, map.dtype)) Py_CLEAR(result);
    return result;
}

// In the layout of the weight: the transposed gradient times the input.
PyArrayObject* weight_gradient(const Rows& grad, PyArrayObject* input) {
    Rows rows;
    DECLINE_IF(input == nullptr || !rows.read(input));
    return multiply_stacks(grad.matrix.transposed(), rows.matrix);
}

PyArrayObject* bias_gradient(const Rows& grad) {
    const Stack& matrix = grad.matrix;
    return sum_columns(PyArray_BYTES(matrix.array), matrix.rows, matrix.columns, matrix.row_step, matrix.dtype);
}

bool backward(Gradient& gradient) {
    Rows grad;
    DECLINE_IF(gradient.grad() == nullptr || PyArray_NDIM(gradient.grad()) == 0);
    DECLINE_IF(!grad.read_dense(gradient.grad()));
    PyArrayObject *input = gradient.array(SavedOfLinear::input), *weight = gradient.array(SavedOfLinear::weight);
    // a weight that is a vector takes the last dim away
    DECLINE_IF(input != nullptr && PyArray_NDIM(input) != PyArray_NDIM(gradient.grad()));
    DECLINE_IF(weight != nullptr && PyArray_NDIM(weight) != 2);
    auto fill = [&](Linear::Name name, auto find) {
        int place = gradient.place_of(name);
        return place < 0 || (gradient.found[place] = find()) != nullptr;
    };
    return fill(Linear::input, [&] { return input_gradient(grad, gradient.grad(), weight); }) &&
           fill(Linear::weight, [&] { return weight_gradient(grad, input); }) &&
           fill(Linear::bias, [&] { return bias_gradient(grad); });
}

// What the node's name depends on: both ranks, whether there is a bias, and the order of the input in memory.
unsigned by_layout(const Call& call) {
    PyArrayObject *input = call.array(Linear::input), *weight = call.array(Linear::weight);
    if (input == nullptr || weight == nullptr) return 0;
    unsigned flags = (call[Linear::bias] != Py_None) << 1 | (PyArray_IS_C_CONTIGUOUS(input) ? 1 : 0);
    return 1u << 16 | static_cast<unsigned>(PyArray_NDIM(input)) << 8 | PyArray_NDIM(weight) << 2 | flags;
}

KERNEL("nn.functional.linear")
    .forward(forward, Linear::names)
    .gradient(backward, SavedOfLinear::names)
    .naming(by_layout);

}  // namespace

}  // namespace rushlight
