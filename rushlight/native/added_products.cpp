// Added products: beta times a tensor plus alpha times a product. See ops/added_products.py.
#include "arrays.h"
#include "numbers.h"
#include "parts.h"
#include "plan.h"
#include "products.h"

namespace rushlight {

namespace {

// What is added, broadcast to the dims of the result: steps in elements, 0 where it repeats itself.
bool read_start(PyArrayObject* input, int dtype, int ndim, const npy_intp* dims, npy_intp* steps) {
    int missing = ndim - PyArray_NDIM(input);
    if (missing < 0 || dtype_of(input) != dtype) return false;
    for (int d = 0; d < ndim; d++) {
        npy_intp extent = d < missing ? 1 : PyArray_DIM(input, d - missing);
        npy_intp stride = extent == 1 ? 0 : PyArray_STRIDE(input, d - missing);
        if ((extent != 1 && extent != dims[d]) || stride % SIZES[dtype] != 0) return false;
        steps[d] = stride / SIZES[dtype];
    }
    return true;
}

// addmm, baddbmm, and addmv, whose factors have 2 and 2, 3 and 3, 2 and 1 dims.
template <int A, int B>
PyObject* forward(Call& call) {
    PyArrayObject *input = call.array(0), *one = call.array(1), *other = call.array(2);
    if (input == nullptr || one == nullptr || other == nullptr) return nullptr;
    double alpha, beta;
    Stack a, b;
    if (PyArray_NDIM(one) != A || PyArray_NDIM(other) != B || !a.read(one) || !b.read(other, true)) return nullptr;
    if (a.columns != b.rows || a.dtype != b.dtype || !plain_number(call[3], beta) || !plain_number(call[4], alpha)) {
        return nullptr;
    }
    if (A == 3 && PyArray_DIM(one, 0) != PyArray_DIM(other, 0)) return nullptr;
    // the dims of a batch, of the rows and of the columns; a vector has rows alone
    npy_intp dims[] = {A == 3 ? PyArray_DIM(one, 0) : 1, a.rows, b.columns}, steps[3] = {};
    constexpr int first = A == 3 ? 0 : 1, ndim = B == 1 ? 1 : A;
    if (!read_start(input, a.dtype, ndim, dims + first, steps + first)) return nullptr;
    PyArrayObject* result = new_array(ndim, dims + first, type_num_of(a.dtype));
    if (result == nullptr) return nullptr;
    Product product = product_of(a, b);
    product.alpha = alpha;
    product.beta = beta;
    product.start_row = steps[1];
    product.start_column = steps[2];
    for (npy_intp i = 0; i < dims[0]; i++) {
        product.c = PyArray_BYTES(result) + i * a.rows * b.columns * SIZES[a.dtype];
        if (A == 3) {
            product.a = PyArray_BYTES(one) + i * PyArray_STRIDE(one, 0);
            product.b = PyArray_BYTES(other) + i * PyArray_STRIDE(other, 0);
        }
        // what beta = 0 multiplies is never read
        if (beta != 0) product.start = PyArray_BYTES(input) + i * steps[0] * SIZES[a.dtype];
        if (!multiply(product, a.dtype)) {
            Py_DECREF(result);
            return nullptr;
        }
    }
    return as_object(result);
}

using Factor = PyArrayObject* (*)(PyArrayObject* grad, PyArrayObject* other, double alpha);

template <Factor left, Factor right>
bool backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    if (grad == nullptr) return false;
    for (int k = 0; k < gradient.plan->input_count; k++) {
        int position = gradient.plan->inputs[k];
        double factor;
        if (!plain_number(gradient.option(position == 0 ? 2 : 3), factor)) return false;
        if (position == 0) {
            if (factor != 1) return false;
            Py_INCREF(grad);
            gradient.found[k] = grad;
            continue;
        }
        PyArrayObject* other = gradient.array(position == 1 ? 1 : 0);
        if (other == nullptr) return false;
        gradient.found[k] = position == 1 ? left(grad, other, factor) : right(grad, other, factor);
        if (gradient.found[k] == nullptr) return false;
    }
    return true;
}

}  // namespace

void register_added_products() {
    add_kernel({"addmm", forward<2, 2>, backward<left_gradient, right_gradient>, {"mat1", "mat2", "beta", "alpha"}});
    add_kernel({"addmv", forward<2, 1>, backward<outer_gradient, vector_gradient>, {"mat", "vec", "beta", "alpha"}});
    add_kernel(
        {"baddbmm", forward<3, 3>, backward<left_gradient, right_gradient>, {"batch1", "batch2", "beta", "alpha"}});
}

}  // namespace rushlight
