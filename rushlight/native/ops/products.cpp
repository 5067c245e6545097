// Products: matmul and its kin, forward and gradient. See ops/products/products.py.
#include "loops/products.h"

#include "kernels/table.h"
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
    DECLINE_IF(!is_real(dtype) || dtype_of(b) != dtype);
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

// An op on arrays of these dims; -1 stands for any but 0.
template <int A, int B>
PyObject* forward(Call& call) {
    PyArrayObject *a = call.array(Factors::left), *b = call.array(Factors::right);
    DECLINE_IF(a == nullptr || b == nullptr);
    int a_ndim = PyArray_NDIM(a), b_ndim = PyArray_NDIM(b);
    DECLINE_IF((A >= 0 && a_ndim != A) || (B >= 0 && b_ndim != B) || a_ndim == 0 || b_ndim == 0);
    // bmm does not broadcast
    DECLINE_IF(A == 3 && PyArray_DIM(a, 0) != PyArray_DIM(b, 0));
    return as_object(a_ndim == 1 && b_ndim == 1 ? dot_array(a, b) : product_array(a, b));
}

// The first matrix transposed, times the second.
PyObject* columns_product(Call& call) {
    PyArrayObject *a = call.array(Factors::left), *b = call.array(Factors::right);
    Stack left, right;
    DECLINE_IF(a == nullptr || b == nullptr || PyArray_NDIM(a) != 2 || PyArray_NDIM(b) != 2);
    DECLINE_IF(!left.read(a) || !right.read(b));
    return as_object(multiply_stacks(left.transposed(), right));
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

PyArrayObject* vector_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha) {
    Ref copy = Ref::steal(as_object(contiguous(grad)));
    Stack row, matrix;
    if (!copy) return nullptr;
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
    Ref copy_a = Ref::steal(as_object(contiguous(input))), copy_b = Ref::steal(as_object(contiguous(grad)));
    if (!copy_a || !copy_b) return nullptr;
    DECLINE_IF(!left.read(copy_a.array()) || !right.read(copy_b.array()));
    DECLINE_IF(!left.flatten() || !right.flatten());
    return multiply_stacks(left.transposed(), right);
}

// The gradients of the two factors that are wanted, each by a function of grad and the other factor.
template <class Left, class Right>
bool fill(Gradient& gradient, Left left, Right right) {
    PyArrayObject* grad = gradient.grad();
    DECLINE_IF(grad == nullptr);
    int left_place = gradient.place_of(Factors::left), right_place = gradient.place_of(Factors::right);
    if (left_place >= 0) {
        PyArrayObject* other = gradient.array(SavedOfProduct::right);
        DECLINE_IF(other == nullptr);
        gradient.found[left_place] = left(grad, other);
        if (gradient.found[left_place] == nullptr) return false;
    }
    if (right_place >= 0) {
        PyArrayObject* other = gradient.array(SavedOfProduct::left);
        DECLINE_IF(other == nullptr);
        gradient.found[right_place] = right(grad, other);
        if (gradient.found[right_place] == nullptr) return false;
    }
    return true;
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

bool columns_backward(Gradient& gradient) {
    return fill(
        gradient, [](PyArrayObject* grad, PyArrayObject* other) { return left_gradient(other, grad); },
        [](PyArrayObject* grad, PyArrayObject* input) { return product_array(input, grad); });
}

// Two vectors: the first as a column, times the second.
PyObject* outer(Call& call) {
    static Function* const unsqueeze = find_function("unsqueeze");
    static Function* const mul = find_function("mul");
    for (Outer::Name each : {Outer::input, Outer::vec2}) {
        DECLINE_IF(call.array(each) == nullptr || PyArray_NDIM(call.array(each)) != 1);
    }
    DECLINE_IF(unsqueeze == nullptr || mul == nullptr);
    DECLINE_IF(call[Outer::out] != Py_None);
    Ref last = Ref::steal(PyLong_FromLong(-1));
    PyObject* view_args[] = {call[Outer::input], last.get()};
    Ref column = last ? Ref::steal(call_function(unsqueeze, view_args, 2, nullptr)) : Ref();
    if (!column) return nullptr;
    PyObject* args[] = {column.get(), call[Outer::vec2]};
    return call_function(mul, args, 2, nullptr);
}

KERNEL("matmul").forward(forward<-1, -1>, "input, other").gradient(matmul_backward, "input, other, other_shape");
KERNEL("mm").forward(forward<2, 2>, "input, mat2").gradient(backward<left_gradient, right_gradient>, "input, mat2");
KERNEL("bmm").forward(forward<3, 3>, "input, mat2").gradient(backward<left_gradient, right_gradient>, "input, mat2");
KERNEL("mv").forward(forward<2, 1>, "input, vec").gradient(backward<outer_gradient, vector_gradient>, "input, vec");
KERNEL("dot")
    .forward(forward<1, 1>, "input, tensor")
    .gradient(backward<outer_gradient, outer_gradient>, "input, tensor");
KERNEL("_columns_product").forward(columns_product, "input, other").gradient(columns_backward, "input, other");
KERNEL("outer").route(outer, Outer::names);

}  // namespace

}  // namespace rushlight
