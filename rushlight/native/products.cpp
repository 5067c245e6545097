// Products: matmul and its kin, forward and gradient. See ops/products.py.
#include "products.h"

#include "call.h"
#include "kernels/table.h"
#include "numbers.h"
#include "parts.h"
#include "sums.h"

namespace rushlight {

namespace {

// The product of arrays of any dims, as matmul has it: a new reference.
PyArrayObject* product_array(PyArrayObject* a, PyArrayObject* b) {
    Stack left, right;
    if (!left.read(a) || !right.read(b, true)) return nullptr;
    return multiply_stacks(left, right, PyArray_NDIM(a) > 1, PyArray_NDIM(b) > 1);
}

PyArrayObject* dot_array(PyArrayObject* a, PyArrayObject* b) {
    int dtype = dtype_of(a);
    if (!is_real(dtype) || dtype_of(b) != dtype) return nullptr;
    npy_intp size = SIZES[dtype], count = PyArray_DIM(a, 0);
    npy_intp a_step = PyArray_STRIDE(a, 0), b_step = PyArray_STRIDE(b, 0);
    if (PyArray_DIM(b, 0) != count || a_step % size != 0 || b_step % size != 0) return nullptr;
    auto loop = table().products.dot[dtype];
    double total = sum_of_parts(count, [&](int64_t begin, int64_t end) {
        return loop(PyArray_BYTES(a) + begin * a_step, a_step / size, PyArray_BYTES(b) + begin * b_step,
                    b_step / size, end - begin);
    });
    return single_array(total, dtype);
}

// An op on arrays of these dims; -1 stands for any but 0.
template <int A, int B>
PyObject* forward(Call& call) {
    PyArrayObject *a = call.array(0), *b = call.array(1);
    if (a == nullptr || b == nullptr) return nullptr;
    int a_ndim = PyArray_NDIM(a), b_ndim = PyArray_NDIM(b);
    if ((A >= 0 && a_ndim != A) || (B >= 0 && b_ndim != B) || a_ndim == 0 || b_ndim == 0) return nullptr;
    // bmm does not broadcast
    if (A == 3 && PyArray_DIM(a, 0) != PyArray_DIM(b, 0)) return nullptr;
    return as_object(a_ndim == 1 && b_ndim == 1 ? dot_array(a, b) : product_array(a, b));
}

// The first matrix transposed, times the second.
PyObject* columns_product(Call& call) {
    PyArrayObject *a = call.array(0), *b = call.array(1);
    Stack left, right;
    if (a == nullptr || b == nullptr || PyArray_NDIM(a) != 2 || PyArray_NDIM(b) != 2) return nullptr;
    if (!left.read(a) || !right.read(b)) return nullptr;
    return as_object(multiply_stacks(left.transposed(), right));
}

}  // namespace

PyArrayObject* left_gradient(PyArrayObject* grad, PyArrayObject* other, double alpha) {
    Stack left, right;
    if (!left.read(grad) || !right.read(other)) return nullptr;
    return multiply_stacks(left, right.transposed(), PyArray_NDIM(grad) > 1, true, alpha);
}

PyArrayObject* right_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha) {
    Stack left, right;
    if (!left.read(input) || !right.read(grad)) return nullptr;
    return multiply_stacks(left.transposed(), right, true, true, alpha);
}

PyArrayObject* vector_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha) {
    Ref copy = Ref::steal(as_object(contiguous(grad)));
    Stack row, matrix;
    if (!copy || !row.read(copy.array()) || !matrix.read(input) || !matrix.flatten()) return nullptr;
    row.rows = row.column_step = 1;
    row.columns = row.row_step = PyArray_SIZE(grad);
    row.depth = 0;
    return multiply_stacks(row, matrix, false, true, alpha);
}

PyArrayObject* outer_gradient(PyArrayObject* grad, PyArrayObject* vector, double alpha) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(grad);
    if (ndim >= NPY_MAXDIMS) return nullptr;
    for (int d = 0; d < ndim; d++) dims[d] = PyArray_DIM(grad, d);
    dims[ndim] = PyArray_DIM(vector, 0);
    return multiply_all(grad, vector, ndim + 1, dims, alpha);
}

namespace {

// See matmul_left and matmul_right in ops/products.py.
PyArrayObject* matmul_left(PyArrayObject* grad, PyArrayObject* other) {
    if (PyArray_NDIM(other) == 1) return outer_gradient(grad, other);
    // a vector that met a stack
    if (PyArray_NDIM(grad) < PyArray_NDIM(other) && PyArray_NDIM(other) > 2) return nullptr;
    return left_gradient(grad, other);
}

PyArrayObject* matmul_right(PyArrayObject* grad, PyArrayObject* input, Py_ssize_t ndim) {
    if (PyArray_NDIM(input) == 1) {
        if (ndim > 2) return nullptr;
        npy_intp dims[] = {PyArray_DIM(input, 0), ndim == 1 ? 0 : PyArray_DIM(grad, 0)};
        return multiply_all(input, grad, static_cast<int>(ndim), dims);
    }
    if (ndim == 1) return vector_gradient(grad, input);
    if (ndim > 2 || PyArray_NDIM(input) == 2) return right_gradient(grad, input);
    Stack left, right;
    Ref copy_a = Ref::steal(as_object(contiguous(input))), copy_b = Ref::steal(as_object(contiguous(grad)));
    if (!copy_a || !copy_b || !left.read(copy_a.array()) || !right.read(copy_b.array())) return nullptr;
    if (!left.flatten() || !right.flatten()) return nullptr;
    return multiply_stacks(left.transposed(), right);
}

// The gradients of the two factors that are wanted, each by a function of grad and the other factor.
template <class Left, class Right>
bool fill(Gradient& gradient, Left left, Right right) {
    for (int k = 0; k < gradient.plan->input_count; k++) {
        bool first = gradient.plan->inputs[k] == 0;
        PyArrayObject *grad = gradient.grad(), *other = gradient.array(first ? 1 : 0);
        if (grad == nullptr || other == nullptr) return false;
        gradient.found[k] = first ? left(grad, other) : right(grad, other);
        if (gradient.found[k] == nullptr) return false;
    }
    return true;
}

bool matmul_backward(Gradient& gradient) {
    return fill(gradient, matmul_left, [&](PyArrayObject* grad, PyArrayObject* input) -> PyArrayObject* {
        PyObject* shape = gradient.option(2);
        return shape != nullptr && PyTuple_Check(shape) ? matmul_right(grad, input, PyTuple_GET_SIZE(shape)) : nullptr;
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
    for (int i = 0; i < 2; i++) {
        if (call.array(i) == nullptr || PyArray_NDIM(call.array(i)) != 1) return nullptr;
    }
    if (unsqueeze == nullptr || mul == nullptr || call[2] != Py_None) return nullptr;
    Ref last = Ref::steal(PyLong_FromLong(-1));
    PyObject* view_args[] = {call[0], last.get()};
    Ref column = last ? Ref::steal(call_function(unsqueeze, view_args, 2, nullptr)) : Ref();
    if (!column) return nullptr;
    PyObject* args[] = {column.get(), call[1]};
    return call_function(mul, args, 2, nullptr);
}

}  // namespace

void register_products() {
    add_kernel({"matmul", forward<-1, -1>, matmul_backward, {"input", "other", "other_shape"}});
    add_kernel({"mm", forward<2, 2>, backward<left_gradient, right_gradient>, {"input", "mat2"}});
    add_kernel({"bmm", forward<3, 3>, backward<left_gradient, right_gradient>, {"input", "mat2"}});
    add_kernel({"mv", forward<2, 1>, backward<outer_gradient, vector_gradient>, {"input", "vec"}});
    add_kernel({"dot", forward<1, 1>, backward<outer_gradient, outer_gradient>, {"input", "tensor"}});
    add_kernel({"_columns_product", columns_product, columns_backward, {"input", "other"}});
    add_route("outer", outer);
}

}  // namespace rushlight
