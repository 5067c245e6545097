// Added products: beta times a tensor plus alpha times a product. See ops/products/added_products.py.
#include "loops/products.h"
#include "memory/arrays.h"
#include "seam/numbers.h"
#include "seam/plan.h"

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

// addmm, baddbmm and addmv, by the dims of their factors.
bool forward(Call& call) {
    PyArrayObject* input = call.array(AddedProduct::input);
    PyArrayObject *one = call.array(AddedProduct::left), *other = call.array(AddedProduct::right);
    bool batched = PyArray_NDIM(one) == 3, is_vector = PyArray_NDIM(other) == 1;
    double beta = call.number(AddedProduct::beta);
    Stack a, b;
    DECLINE_IF(!a.read(one) || !b.read(other, true));
    DECLINE_IF(a.columns != b.rows);
    DECLINE_IF(batched && PyArray_DIM(one, 0) != PyArray_DIM(other, 0));
    // the dims of a batch, of the rows and of the columns; a vector has rows alone
    npy_intp dims[] = {batched ? PyArray_DIM(one, 0) : 1, a.rows, b.columns}, steps[3] = {};
    int first = batched ? 0 : 1, ndim = is_vector ? 1 : PyArray_NDIM(one);
    if (!read_start(input, a.dtype, ndim, dims + first, steps + first)) return false;
    char* to = PyArray_BYTES(call.make(ndim, dims + first, type_num_of(a.dtype)));
    Product product = product_of(a, b);
    product.alpha = call.number(AddedProduct::alpha);
    product.beta = beta;
    product.start_row = steps[1];
    product.start_column = steps[2];
    for (npy_intp i = 0; i < dims[0]; i++) {
        product.c = to + i * a.rows * b.columns * SIZES[a.dtype];
        if (batched) {
            product.a = PyArray_BYTES(one) + i * PyArray_STRIDE(one, 0);
            product.b = PyArray_BYTES(other) + i * PyArray_STRIDE(other, 0);
        }
        // what beta = 0 multiplies is never read
        if (beta != 0) product.start = PyArray_BYTES(input) + i * steps[0] * SIZES[a.dtype];
        if (!multiply(product, a.dtype)) return false;
    }
    return true;
}

using Factor = PyArrayObject* (*)(PyArrayObject* grad, PyArrayObject* other, double alpha);

template <Factor left, Factor right>
bool backward(Gradient& gradient) {
    using Saved = SavedOfAddedProduct;
    PyArrayObject *grad = gradient.grad(), *one = gradient.array(Saved::left), *other = gradient.array(Saved::right);
    double alpha = gradient.number(Saved::alpha);
    DECLINE_IF(gradient.place_of(AddedProduct::input) >= 0 && gradient.number(Saved::beta) != 1);
    return gradient.pass_on(AddedProduct::input) &&
           gradient.fill(AddedProduct::left, [&] { return left(grad, other, alpha); }) &&
           gradient.fill(AddedProduct::right, [&] { return right(grad, one, alpha); });
}

bool batch_backward(Gradient& gradient) {
    using Saved = SavedOfAddedProduct;
    PyArrayObject *grad = gradient.grad(), *one = gradient.array(Saved::left), *other = gradient.array(Saved::right);
    PyArrayObject* factor = gradient.is_shown ? nullptr : other;
    double alpha = gradient.number(Saved::alpha);
    DECLINE_IF(gradient.place_of(AddedProduct::input) >= 0 && gradient.number(Saved::beta) != 1);
    return gradient.pass_on(AddedProduct::input) &&
           gradient.fill(AddedProduct::left, [&] { return left_gradient(grad, other, alpha); }) &&
           gradient.fill(AddedProduct::right, [&] { return right_gradient_as(factor, grad, one, alpha); });
}

constexpr TensorWant left = tensor(AddedProduct::left).floats().widened(),
                     right = tensor(AddedProduct::right).like(AddedProduct::left);

KERNEL("addmm")
    .forward(forward, "input, mat1, mat2, beta, alpha")
    .takes(left.rank(2), right.rank(2), tensor(AddedProduct::input).like(AddedProduct::left))
    .takes(number(AddedProduct::beta), number(AddedProduct::alpha))
    .gradient(backward<left_gradient, right_gradient>, "mat1, mat2, beta, alpha")
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfAddedProduct::left).like(GRADIENT))
    .given(tensor(SavedOfAddedProduct::right).like(GRADIENT), number(SavedOfAddedProduct::beta))
    .given(number(SavedOfAddedProduct::alpha));
KERNEL("addmv")
    .forward(forward, "input, mat, vec, beta, alpha")
    .takes(left.rank(2), right.rank(1), tensor(AddedProduct::input).like(AddedProduct::left))
    .takes(number(AddedProduct::beta), number(AddedProduct::alpha))
    .gradient(backward<outer_gradient, vector_gradient>, "mat, vec, beta, alpha")
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfAddedProduct::left).like(GRADIENT))
    .given(tensor(SavedOfAddedProduct::right).like(GRADIENT), number(SavedOfAddedProduct::beta))
    .given(number(SavedOfAddedProduct::alpha));
KERNEL("baddbmm")
    .forward(forward, "input, batch1, batch2, beta, alpha")
    .takes(left.rank(3), right.rank(3), tensor(AddedProduct::input).like(AddedProduct::left))
    .takes(number(AddedProduct::beta), number(AddedProduct::alpha))
    .gradient(batch_backward, "batch1, batch2, beta, alpha")
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfAddedProduct::left).like(GRADIENT))
    .given(tensor(SavedOfAddedProduct::right).like(GRADIENT), number(SavedOfAddedProduct::beta))
    .given(number(SavedOfAddedProduct::alpha));

}  // namespace

}  // namespace rushlight
