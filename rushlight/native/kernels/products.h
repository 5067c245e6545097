// Products of matrices that are too small or too thin for a BLAS: what kernels/products.cpp fills for one level of CPU.
#pragma once

#include <cstdint>

namespace rushlight {

// c = alpha a b + beta start, with a (rows, inner) and b (inner, columns). Steps are in elements, of any sign or zero.
struct Product {
    int64_t rows = 0, columns = 0, inner = 0;
    const void* a = nullptr;
    int64_t a_row = 0, a_inner = 0;
    const void* b = nullptr;
    int64_t b_inner = 0, b_column = 0;
    bool panelled = false;  // b was packed by `pack_columns`; columns are then divided at whole panels
    void* c = nullptr;
    int64_t c_row = 0;  // the columns of c are neighbours
    // what is added, nullptr for nothing; it may be c itself; `start_column` is 0 or 1
    const void* start = nullptr;
    int64_t start_row = 0, start_column = 1;
    double alpha = 1, beta = 1;
};

// So many rows use a panel of b before it is packed anew.
constexpr int64_t PANEL_ROWS = 256;

// The distances of one point from `count` others, whose coordinates lie `stride` apart, point beside point.
using DistanceLoop = void (*)(const void* point, const void* others, int64_t width, int64_t stride, int64_t count,
                              void* to);

// Float32 first, float64 second.
struct ProductLoops {
    // some rows and columns of a product, the same to the last bit as in the whole
    void (*product[2])(const Product& product, int64_t row, int64_t rows, int64_t column, int64_t columns) = {};
    // some columns of b in the order that they are read in, for products that would pack it again and again: whole
    // panels of `panel` columns each, the first of them at `to`
    void (*pack_columns[2])(const Product& product, int64_t column, int64_t columns, void* to) = {};
    int64_t panel[2] = {};
    // the sum of each column of a matrix whose columns are neighbours
    void (*sum_columns[2])(const void* matrix, int64_t rows, int64_t columns, int64_t row_step, void* sums) = {};
    // the sum of the products of two vectors
    double (*dot[2])(const void* a, int64_t a_step, const void* b, int64_t b_step, int64_t count) = {};
    // by sums of absolute differences, then by roots of sums of squares
    DistanceLoop distances[2][2] = {};
    // products of up to this many multiplications are faster here than in a BLAS
    int64_t small_product = 0;
};

}  // namespace rushlight
