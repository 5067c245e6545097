// Folding: reductions over dimensions in blocks, and row ops, on arrays seen as (outer, count, inner).
#pragma once

#include "kernels/table.h"
#include "loops/copy.h"
#include "ops/views.h"
#include "seam/plan.h"
#include "seam/promotion.h"

namespace rushlight {

// The dimensions that a call reduces, a bit for each.
using Dims = uint64_t;

constexpr Dims all_dims(int ndim) { return ndim >= 64 ? ~Dims{0} : (Dims{1} << ndim) - 1; }

// A dimension, or a sequence of them; None and, as for most ops, an empty sequence mean all. False where Python has to
// look: anything else, and what is out of range or twice there.
bool read_dims(PyObject* dim, int ndim, Dims& dims);
// True or False, and nothing that is merely like one; false where Python has to look.
bool read_flag(PyObject* flag, bool& found);

// How the elements stand, in elements: `inner` ones next to each other.
struct Middle {
    int64_t outer = 1, outer_stride = 0, count = 1, stride = 1, inner = 1;

    int64_t rows() const { return outer * inner; }
};

// An array's elements around the dimensions, or those of any array in C order; false if they are not of this form.
bool middle_of(PyArrayObject* array, Dims dims, Middle& middle);
bool middle_of(int ndim, const npy_intp* shape, Dims dims, Middle& middle);

// The shape after a reduction; returns how many dimensions are left.
int reduced_shape(int ndim, const npy_intp* shape, Dims dims, bool keepdim, npy_intp* result);

// The array in C order, or, where the dimensions are not next to each other, a copy that has them last.
Ref in_rows(PyArrayObject* array, Dims dims, Middle& middle);

// Rows of elements next to each other, and the tree of joins by which each is folded: in parts, which threads share,
// and those by halves down to leaves. For a chain, which folds what it leaves block by block, to the same bits.
struct FoldedRows {
    int64_t rows = 0, count = 0, part = 0, leaf = 0;

    FoldedRows() = default;
    FoldedRows(int dtype, const Middle& middle);
    int64_t parts() const { return (count + part - 1) / part; }
    bool operator==(const FoldedRows& other) const {
        return rows == other.rows && count == other.count && leaf == other.leaf;
    }
};

// The reduction of an array that is not empty, divided by `divisor`, into a new array; nullptr if it declines.
PyArrayObject* fold(Reduction which, PyArrayObject* array, Dims dims, bool keepdim, double divisor = 1);
// The same, where the shape of the result is known: it may have less or more dimensions of size 1.
PyArrayObject* fold_to(Reduction which, PyArrayObject* array, Dims dims, int ndim, const npy_intp* shape,
                       double divisor = 1);
// How many elements go into one of the result.
double reduced_count(int ndim, const npy_intp* shape, Dims dims);

// The elements divided, as those of a reduction's gradient are: a copy.
Ref divided(PyArrayObject* array, double divisor);
// A reduction's gradient, back over the dimensions that were reduced, divided by `divisor`: a new array of this shape.
PyArrayObject* spread(PyArrayObject* grad, int ndim, const npy_intp* shape, Dims dims, double divisor = 1);

// Run a row op over all rows; arrays are in C order.
void run_rows(RowOp op, int dtype, const RowArrays& arrays, const Middle& middle);

// One run of a row op: the arrays it reads and writes, all of one float dtype and in C order.
class RowRun {
public:
    explicit RowRun(PyArrayObject* first) : dtype(first == nullptr ? -1 : dtype_of(first)) {}

    bool is_float() const { return dtype == FLOAT32 || dtype == FLOAT64; }
    // As the op's input; false if it is missing, of another dtype, or has not so many elements.
    bool read(int which, PyArrayObject* array, int64_t size);
    // As the op's output, a new array. The run owns it until it is taken.
    void write(int which, int ndim, const npy_intp* shape);
    void write_like(int which, PyArrayObject* model) { write(which, PyArray_NDIM(model), PyArray_DIMS(model)); }
    // The gradient itself, if it may be overwritten, as the first output, else a new array of its shape.
    void write_over(const Gradient& gradient);
    PyArrayObject* take(int which);
    // The same, its dims in memory in the order of another array of its shape.
    PyArrayObject* take_like(int which, PyArrayObject* model);
    void run(RowOp op, const Middle& middle) const;

    RowArrays arrays;
    int dtype;

private:
    Ref held[5], written[4];
};

// The gradient of a reduction whose slope is a row op: of `input`, by its result and what came for that. False if it
// declines.
bool slope_of_rows(Gradient& gradient, RowOp op, PyArrayObject* input, Dims dims, PyArrayObject* result,
                   double option = 0);

}  // namespace rushlight
