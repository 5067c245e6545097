// Linear maps: what a layer does to its features, forward and gradient. See ops/products/linear.py.
#include "kernels/table.h"
#include "loops/copy.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/plan.h"

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
        copy = in_c_order(array);
        return matrix.read(copy.array()) && matrix.flatten();
    }
};

// The dims of an array, with another size of the last one.
struct WithLast : Geometry {
    WithLast(PyArrayObject* array, npy_intp last) : Geometry(array) { dims[ndim - 1] = last; }
};

bool forward(Call& call) {
    PyArrayObject *input = call.array(Linear::input), *bias = call.array(Linear::bias);
    Rows rows;
    Stack map, start;
    DECLINE_IF(!rows.read(input) || !map.read(call.array(Linear::weight)));
    DECLINE_IF(rows.matrix.columns != map.columns);
    Product product = product_of(rows.matrix, map.transposed());
    if (bias != nullptr) {
        DECLINE_IF(!start.read(bias) || start.columns != map.rows);
        product.start = PyArray_DATA(bias);
        product.start_column = start.column_step;
    }
    WithLast shape(input, map.rows);
    product.c = PyArray_DATA(call.make(shape.ndim, shape.dims, PyArray_TYPE(input)));
    return multiply(product, map.dtype);
}

PyArrayObject* input_gradient(const Rows& grad, PyArrayObject* like, PyArrayObject* weight) {
    Stack map;
    DECLINE_IF(weight == nullptr || !map.read(weight) || map.rows != grad.matrix.columns);
    WithLast shape(like, map.columns);
    Ref result = Ref::steal(as_object(made(new_array(shape.ndim, shape.dims, PyArray_TYPE(like)))));
    Product product = product_of(grad.matrix, map);
    product.c = PyArray_DATA(result.array());
    return multiply(product, map.dtype) ? result.release_array() : nullptr;
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
    PyArrayObject *input = gradient.array(SavedOfLinear::input), *weight = gradient.array(SavedOfLinear::weight);
    // a weight that is a vector takes the last dim away
    DECLINE_IF(input != nullptr && PyArray_NDIM(input) != PyArray_NDIM(gradient.grad()));
    DECLINE_IF(!grad.read_dense(gradient.grad()));
    return gradient.fill(Linear::input, [&] { return input_gradient(grad, gradient.grad(), weight); }) &&
           gradient.fill(Linear::weight, [&] { return weight_gradient(grad, input); }) &&
           gradient.fill(Linear::bias, [&] { return bias_gradient(grad); });
}

// What the node's name depends on: both ranks, whether there is a bias, and the order of the input in memory.
unsigned by_layout(const Call& call) {
    PyArrayObject *input = call.own_array(Linear::input), *weight = call.own_array(Linear::weight);
    if (input == nullptr || weight == nullptr) return 0;
    unsigned flags = (call[Linear::bias] != Py_None) << 1 | (PyArray_IS_C_CONTIGUOUS(input) ? 1 : 0);
    return 1u << 16 | static_cast<unsigned>(PyArray_NDIM(input)) << 8 | PyArray_NDIM(weight) << 2 | flags;
}

KERNEL("nn.functional.linear")
    .forward(forward, Linear::names)
    .takes(tensor(Linear::input).floats().widened().rank_from(1), tensor(Linear::weight).like(Linear::input).rank(2))
    .takes(tensor(Linear::bias).like(Linear::input).rank(1).optional())
    .gradient(backward, SavedOfLinear::names)
    .given(tensor(GRADIENT).floats().rank_from(1), tensor(SavedOfLinear::input).like(GRADIENT))
    .given(tensor(SavedOfLinear::weight).like(GRADIENT).rank(2))
    .naming(by_layout);

}  // namespace

}  // namespace rushlight
