// Products of matrices: how arrays are seen as matrices, and the choice between our own loops and the BLAS.
#pragma once

#include "kernels/products.h"
#include "memory/scratch.h"
#include "seam/promotion.h"
#include "seam/python.h"

namespace rushlight {

// An array of floats as a stack of matrices: its last two dims, and those before them. Steps are in elements.
struct Stack {
    PyArrayObject* array = nullptr;  // borrowed
    int dtype = 0;
    int depth = 0;  // how many dims there are before the last two
    npy_intp rows = 1, columns = 1, row_step = 0, column_step = 0;

    // A vector is a row, or a column. False for what is not float32 or float64, or has no dims.
    bool read(PyArrayObject* from, bool vector_is_column = false);
    Stack transposed() const;
    // All rows of all matrices as one matrix; false where their steps do not allow it.
    bool flatten();
};

// The product of two matrices, without what it is written to.
Product product_of(const Stack& a, const Stack& b);
// Compute a product; false if memory runs out, with an exception.
bool multiply(const Product& product, int dtype);
// Pack b once, into this memory, for a product that is computed in many parts; where it cannot be, it stays as it is.
void pack_columns(Product& product, int dtype, Scratch& memory);
// The sum of each column of a matrix whose columns are neighbours; nullptr with an exception.
PyArrayObject* sum_columns(const void* matrix, int64_t rows, int64_t columns, int64_t row_step, int dtype);
// alpha times the product of two stacks that are broadcast against each other. A result of vectors lacks a dim:
// `rows` and `columns` say whether those of the product are kept. nullptr, with or without an exception, where Python
// has to look.
PyArrayObject* multiply_stacks(const Stack& a, const Stack& b, bool rows = true, bool columns = true, double alpha = 1);
// The products of each element of the first array with each of the second, in the given shape.
PyArrayObject* multiply_all(PyArrayObject* a, PyArrayObject* b, int ndim, const npy_intp* dims, double alpha = 1);

// The gradients of factors, each from grad and the other factor: grad times the second transposed; the first transposed
// times grad; for a vector on the right of a matrix, or of a stack of them; for what a vector was multiplied with.
PyArrayObject* left_gradient(PyArrayObject* grad, PyArrayObject* other, double alpha = 1);
PyArrayObject* right_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha = 1);
// The second of these for a stack of matrices, laid out by columns where the factor, which may be nullptr, is: once it
// is transposed back it lies by rows.
PyArrayObject* right_gradient_as(PyArrayObject* factor, PyArrayObject* grad, PyArrayObject* input, double alpha = 1);
PyArrayObject* vector_gradient(PyArrayObject* grad, PyArrayObject* input, double alpha = 1);
PyArrayObject* outer_gradient(PyArrayObject* grad, PyArrayObject* vector, double alpha = 1);

}  // namespace rushlight
