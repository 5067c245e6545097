// Added products: beta times a tensor plus alpha times a product. See ops/added_products.py.
#include "arrays.h"
#include "numbers.h"
#include "plan.h"
#include "products.h"

namespace rushlight {

namespace {

// Each op has its own names for the factors.
NAMES(AddedProduct, input, left, right, beta, alpha);
NAMES(SavedOfAddedProduct, left, right, beta, alpha);

// What is added, broadcast to the dims of the result: steps in elements, 0 where it repeats itself.
bool read_start(PyArrayObject* input, int dtype, int ndim, const npy_intp* dims, npy_intp* steps) {
    int missing = ndim - PyArray_NDIM(input);
    DECLINE_IF(missing < 0 || dtype_of(input) != dtype);
    for (int d = 0; d < ndim; d++) {
        npy_intp extent = d < missing ? 1 : PyArray_DIM(input, d - missing);
        npy_intp stride = extent == 1 ? 0 : PyArray_STRIDE(input, d - missing);
        DECLINE_IF(extent != 1 && extent != dims[d]);
        DECLINE_IF(stride % SIZES[dtype] != 0);
        steps[d] = stride / SIZES[dtype];
    }
    return true;
}

// addmm, baddbmm, and addmv, whose factors have 2 and 2, 3 and 3, 2 and 1 dims.
template <int A, int B>
PyObject* forward(Call& call) {
    PyArrayObject* input = call.array(AddedProduct::input);
    PyArrayObject *one = call.array(AddedProduct::left), *other = call.array(AddedProduct::right);
    DECLINE_IF(input == nullptr || one == nullptr || other == nullptr);
    double alpha, beta;
    Stack a, b;
    DECLINE_IF(PyArray_NDIM(one) != A || PyArray_NDIM(other) != B);
    DECLINE_IF(!a.read(one) || !b.read(other, true));
    DECLINE_IF(a.columns != b.rows || a.dtype != b.dtype);
    DECLINE_IF(!plain_number(call[AddedProduct::beta], beta) || !plain_number(call[AddedProduct::alpha], alpha));
    DECLINE_IF(A == 3 && PyArray_DIM(one, 0) != PyArray_DIM(other, 0));
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
    using Saved = SavedOfAddedProduct;
    PyArrayObject* grad = gradient.grad();
    DECLINE_IF(grad == nullptr);
    double alpha = 1, beta;
    int place = gradient.place_of(AddedProduct::input);
    if (place >= 0) {
        DECLINE_IF(!plain_number(gradient.option(Saved::beta), beta) || beta != 1);
        Py_INCREF(grad);
        gradient.found[place] = grad;
    }
    int left_place = gradient.place_of(AddedProduct::left), right_place = gradient.place_of(AddedProduct::right);
    DECLINE_IF((left_place >= 0 || right_place >= 0) && !plain_number(gradient.option(Saved::alpha), alpha));
    if (left_place >= 0) {
        PyArrayObject* other = gradient.array(Saved::right);
        DECLINE_IF(other == nullptr);
        gradient.found[left_place] = left(grad, other, alpha);
        if (gradient.found[left_place] == nullptr) return false;
    }
    if (right_place >= 0) {
        PyArrayObject* other = gradient.array(Saved::left);
        DECLINE_IF(other == nullptr);
        gradient.found[right_place] = right(grad, other, alpha);
        if (gradient.found[right_place] == nullptr) return false;
    }
    return true;
}

KERNEL("addmm")
    .forward(forward<2, 2>, "input, mat1, mat2, beta, alpha")
    .gradient(backward<left_gradient, right_gradient>, "mat1, mat2, beta, alpha");
KERNEL("addmv")
    .forward(forward<2, 1>, "input, mat, vec, beta, alpha")
    .gradient(backward<outer_gradient, vector_gradient>, "mat, vec, beta, alpha");
KERNEL("baddbmm")
    .forward(forward<3, 3>, "input, batch1, batch2, beta, alpha")
    .gradient(backward<left_gradient, right_gradient>, "batch1, batch2, beta, alpha");

}  // namespace

}  // namespace rushlight
