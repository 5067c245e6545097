// Products: matmul and its kin, forward and gradient. See ops/products/products.py.
#include "loops/products.h"

#include <algorithm>

#include "kernels/table.h"
#include "loops/copy.h"
#include "loops/sums.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// Each op has its own names for the factors; matmul alone reads the shape of the second.
NAMES(Factors, left, right);
NAMES(SavedOfProduct, left, right, right_shape);
NAMES(Outer, input, vec2, out);

// The product of arrays of any dims, as matmul has it: a new reference.
PyArrayObject* product_array(PyArrayObject* a, PyArrayObject* b) {
    Stack left, right;
    DECLINE_IF(!left.read(a) || !right.read(b, true));
    return multiply_stacks(left, right, PyArray_NDIM(a) > 1, PyArray_NDIM(b) > 1);
}

PyArrayObject* dot_array(PyArrayObject* a, PyArrayObject* b) {
    int dtype = dtype_of(a);
    npy_intp size = SIZES[dtype], count = PyArray_DIM(a, 0);
    npy_intp a_step = PyArray_STRIDE(a, 0), b_step = PyArray_STRIDE(b, 0);
    DECLINE_IF(PyArray_DIM(b, 0) != count);
    DECLINE_IF(a_step % size != 0 || b_step % size != 0);
    auto loop = table().products.dot[dtype];
    double total = sum_of_parts(count, [&](int64_t begin, int64_t end) {
        return loop(PyArray_BYTES(a) + begin * a_step, a_step / size, PyArray_BYTES(b) + begin * b_step, b_step / size,
                    end - begin);
    });
    return single_array(total, dtype);
}

bool forward(Call& call) {
    PyArrayObject *a = call.array(Factors::left), *b = call.array(Factors::right);
    return call.give(PyArray_NDIM(a) == 1 && PyArray_NDIM(b) == 1 ? dot_array(a, b) : product_array(a, b));
}

// bmm does not broadcast
bool batch_product(Call& call) {
    DECLINE_IF(PyArray_DIM(call.array(Factors::left), 0) != PyArray_DIM(call.array(Factors::right), 0));
    return forward(call);
}

// The first matrix transposed, times the second.
bool columns_product(Call& call) {
    Stack left, right;
    DECLINE_IF(!left.read(call.array(Factors::left)) || !right.read(call.array(Factors::right)));
    return call.give(multiply_stacks(left.transposed(), right));
}

}  // namespace

PyArrayObject* left_gradient(PyArrayObject* grad, PyArrayObject* other, double alpha) {
    Stack left, right;
    DECLINE_IF(!left.read(grad) || !right.read(other));
    return multiply_stacks(left, right.transposed(), PyArray_NDIM(grad) > 1, true, alpha);
}

PyArrayObject* right_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha) {
    Stack left, right;
    DECLINE_IF(!left.read(input) || !right.read(grad));
    return multiply_stacks(left.transposed(), right, true, true, alpha);
}

PyArrayObject* right_gradient_as(PyArrayObject* factor, PyArrayObject* grad, PyArrayObject* input, double alpha) {
    npy_intp size = PyArray_ITEMSIZE(grad);
    bool by_columns = factor != nullptr && PyArray_NDIM(factor) == 3 && PyArray_STRIDE(factor, 1) == size &&
                      PyArray_STRIDE(factor, 2) > size;
    if (!by_columns) return right_gradient(grad, input, alpha);
    Stack left, right;
    DECLINE_IF(!left.read(grad) || !right.read(input));
    Ref turned = Ref::steal(as_object(multiply_stacks(left.transposed(), right, true, true, alpha)));
    return turned ? reinterpret_cast<PyArrayObject*>(PyArray_SwapAxes(turned.array(), 1, 2)) : nullptr;
}

PyArrayObject* vector_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha) {
    Ref copy = in_c_order(grad);
    Stack row, matrix;
    DECLINE_IF(!row.read(copy.array()) || !matrix.read(input) || !matrix.flatten());
    row.rows = row.column_step = 1;
    row.columns = row.row_step = PyArray_SIZE(grad);
    row.depth = 0;
    return multiply_stacks(row, matrix, false, true, alpha);
}

PyArrayObject* outer_gradient(PyArrayObject* grad, PyArrayObject* vector, double alpha) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(grad);
    DECLINE_IF(ndim >= NPY_MAXDIMS);
    for (int d = 0; d < ndim; d++) dims[d] = PyArray_DIM(grad, d);
    dims[ndim] = PyArray_DIM(vector, 0);
    return multiply_all(grad, vector, ndim + 1, dims, alpha);
}

namespace {

// See matmul_left and matmul_right in ops/products/products.py.
PyArrayObject* matmul_left(PyArrayObject* grad, PyArrayObject* other) {
    if (PyArray_NDIM(other) == 1) return outer_gradient(grad, other);
    // a vector that met a stack
    DECLINE_IF(PyArray_NDIM(grad) < PyArray_NDIM(other) && PyArray_NDIM(other) > 2);
    return left_gradient(grad, other);
}

PyArrayObject* matmul_right(PyArrayObject* grad, PyArrayObject* input, Py_ssize_t ndim) {
    if (PyArray_NDIM(input) == 1) {
        DECLINE_IF(ndim > 2);
        npy_intp dims[] = {PyArray_DIM(input, 0), ndim == 1 ? 0 : PyArray_DIM(grad, 0)};
        return multiply_all(input, grad, static_cast<int>(ndim), dims);
    }
    if (ndim == 1) return vector_gradient(grad, input);
    if (ndim > 2 || PyArray_NDIM(input) == 2) return right_gradient(grad, input);
    Stack left, right;
    Ref copy_a = in_c_order(input), copy_b = in_c_order(grad);
    DECLINE_IF(!left.read(copy_a.array()) || !right.read(copy_b.array()));
    DECLINE_IF(!left.flatten() || !right.flatten());
    return multiply_stacks(left.transposed(), right);
}

// The gradients of the two factors that are wanted, each by a function of grad and the other factor.
template <class Left, class Right>
bool fill(Gradient& gradient, Left left, Right right) {
    PyArrayObject *one = gradient.array(SavedOfProduct::left), *other = gradient.array(SavedOfProduct::right);
    return gradient.fill(Factors::left, [&] { return left(gradient.grad(), other); }) &&
           gradient.fill(Factors::right, [&] { return right(gradient.grad(), one); });
}

bool matmul_backward(Gradient& gradient) {
    return fill(gradient, matmul_left, [&](PyArrayObject* grad, PyArrayObject* input) -> PyArrayObject* {
        PyObject* shape = gradient.option(SavedOfProduct::right_shape);
        DECLINE_IF(shape == nullptr || !PyTuple_Check(shape));
        return matmul_right(grad, input, PyTuple_GET_SIZE(shape));
    });
}

template <PyArrayObject* (*left)(PyArrayObject*, PyArrayObject*, double),
          PyArrayObject* (*right)(PyArrayObject*, PyArrayObject*, double)>
bool backward(Gradient& gradient) {
    return fill(
        gradient, [](PyArrayObject* grad, PyArrayObject* other) { return left(grad, other, 1); },
        [](PyArrayObject* grad, PyArrayObject* input) { return right(grad, input, 1); });
}

bool batch_backward(Gradient& gradient) {
    PyArrayObject* factor = gradient.is_shown ? nullptr : gradient.array(SavedOfProduct::right);
    return fill(
        gradient, [](PyArrayObject* grad, PyArrayObject* other) { return left_gradient(grad, other); },
        [&](PyArrayObject* grad, PyArrayObject* input) { return right_gradient_as(factor, grad, input); });
}

bool columns_backward(Gradient& gradient) {
    return fill(
        gradient, [](PyArrayObject* grad, PyArrayObject* other) { return left_gradient(other, grad); },
        [](PyArrayObject* grad, PyArrayObject* input) { return product_array(input, grad); });
}

// Two vectors: the first as a column, times the second.
PyObject* outer(Call& call) {
    static Inner view("_view"), alias("_reshape_alias"), mul("mul");
    PyArrayObject* input = call.array(Outer::input);
    npy_intp sizes[] = {PyArray_DIM(input, 0), 1};
    Ref shape = Ref::steal(PyArray_IntTupleFromIntp(2, sizes));
    if (!shape) return nullptr;
    Inner& reshape = PyArray_IS_C_CONTIGUOUS(input) ? view : alias;
    Ref column = Ref::steal(reshape.either(call[Outer::input], shape.get()));
    return column ? mul.either(column.get(), call[Outer::vec2]) : nullptr;
}

// How many dimensions there are on either side. Python looks at the sizes of a matrix beside a batch.
unsigned matmul_variant(const Call& call) {
    if (!is_any_tensor(call[Factors::left]) || !is_any_tensor(call[Factors::right])) return 0;
    int one = PyArray_NDIM(shown_array(as_tensor(call[Factors::left])));
    int other = PyArray_NDIM(shown_array(as_tensor(call[Factors::right])));
    return one == 2 && other > 2 ? 0 : 1 + 4 * std::min(one, 3) + std::min(other, 3);
}

constexpr TensorWant left = tensor(Factors::left).floats(), right = tensor(Factors::right).like(Factors::left);
constexpr TensorWant grad = tensor(GRADIENT).floats(), saved_left = tensor(SavedOfProduct::left).like(GRADIENT);
constexpr TensorWant saved_right = tensor(SavedOfProduct::right).like(GRADIENT);

KERNEL("matmul")
    .forward(forward, "input, other")
    .takes(left.widened().rank_from(1), right.rank_from(1))
    .gradient(matmul_backward, "input, other, other_shape")
    .given(grad, saved_left, saved_right)
    .naming(matmul_variant);
KERNEL("mm")
    .forward(forward, "input, mat2")
    .takes(left.widened().rank(2), right.rank(2))
    .gradient(backward<left_gradient, right_gradient>, "input, mat2")
    .given(grad, saved_left, saved_right);
KERNEL("bmm")
    .forward(batch_product, "input, mat2")
    .takes(left.widened().rank(3), right.rank(3))
    .gradient(batch_backward, "input, mat2")
    .given(grad, saved_left, saved_right);
KERNEL("mv")
    .forward(forward, "input, vec")
    .takes(left.widened().rank(2), right.rank(1))
    .gradient(backward<outer_gradient, vector_gradient>, "input, vec")
    .given(grad, saved_left, saved_right);
KERNEL("dot")
    .forward(forward, "input, tensor")
    .takes(left.widened().rank(1), right.rank(1))
    .gradient(backward<outer_gradient, outer_gradient>, "input, tensor")
    .given(grad, saved_left, saved_right);
KERNEL("_columns_product")
    .forward(columns_product, "input, other")
    .takes(left.rank(2), right.rank(2))
    .gradient(columns_backward, "input, other")
    .given(grad, saved_left, saved_right);
KERNEL("outer")
    .route(outer, Outer::names)
    .takes(tensor(Outer::input).rank(1), tensor(Outer::vec2).rank(1), none(Outer::out));

}  // namespace

}  // namespace rushlight
