// Statistics: variances and deviations, alone or with the mean, and their gradients. See ops/reductions/statistics.py.
#include <algorithm>
#include <vector>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// What an op gives; the kernel's data points to one.
struct Spread {
    bool rooted, with_mean;
    Inner op;
};

Spread variance{false, false, Inner("_variance")}, deviation{true, false, Inner("_deviation")};
Spread variance_and_mean{false, true, Inner("_variance_and_mean")};
Spread deviation_and_mean{true, true, Inner("_deviation_and_mean")};

Spread& spread_of(const OpInfo& op) { return *static_cast<Spread*>(const_cast<void*>(op.kernel->data)); }

constexpr int64_t BLOCK = 1 << 16;  // elements

// Call `part(block, begin, count)` on the blocks of one long row, then add up what it left in `parts`.
template <class Part>
double sum_blocks(double* parts, int64_t count, Part part) {
    int64_t blocks = (count + BLOCK - 1) / BLOCK;
    parallel(blocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; block++) {
            part(block, block * BLOCK, std::min(BLOCK, count - block * BLOCK));
        }
    });
    table().folding.folds[SUM][FLOAT64].join(parts, blocks, 1);
    return parts[0];
}

// One long row, whose blocks threads share.
void run_long(RowRun& rows, int64_t count) {
    std::vector<double> held((count + BLOCK - 1) / BLOCK);
    double* parts = held.data();
    auto* input = static_cast<const char*>(rows.arrays.inputs[0]);
    const Fold& sum = table().folding.folds[SUM][rows.dtype];
    double mean = sum_blocks(parts, count, [&](int64_t block, int64_t begin, int64_t length) {
        sum.along(input + begin * SIZES[rows.dtype], 1, 0, length, parts + block);
    });
    mean /= static_cast<double>(count);
    RowArrays arrays;
    arrays.inputs[0] = input;
    arrays.outputs[0] = parts;
    arrays.options[0] = mean;
    RowLoop loop = table().folding.rows[OFFSETS][rows.dtype];
    double found = sum_blocks(parts, count, [&](int64_t block, int64_t begin, int64_t length) {
        loop(arrays, Piece{1, length, 0, 0, begin, block});
    });
    found /= rows.arrays.options[0];
    const Fold& root = table().folding.folds[SQUARES][rows.dtype];
    (rows.arrays.options[1] != 0 ? root : sum).give(&found, 1, 1, rows.arrays.outputs[0]);
    if (rows.arrays.outputs[1] != nullptr) sum.give(&mean, 1, 1, rows.arrays.outputs[1]);
}

NAMES(Moments, input, dim, keepdim, correction);
// The gradients of variances read all but the last.
NAMES(SavedOfMoments, input, dim, correction, result);
constexpr const char* saved_of_variances = "input, dim, correction";

bool forward(Call& call) {
    const Spread& kind = spread_of(*call.op);
    PyArrayObject* array = call.array(Moments::input);
    Dims dims = call.dims(Moments::dim);
    RowRun rows(array);
    Middle middle;
    Ref held = in_rows(array, dims, middle);
    if (!held) return false;
    rows.arrays.options[0] = static_cast<double>(middle.count) - call.number(Moments::correction);
    rows.arrays.options[1] = kind.rooted;
    DECLINE_IF(rows.arrays.options[0] <= 0);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, call.flag(Moments::keepdim), shape);
    rows.read(0, held.array(), PyArray_SIZE(array));
    rows.write(0, ndim, shape);
    if (kind.with_mean) rows.write(1, ndim, shape);
    if (middle.rows() == 1 && middle.count > BLOCK) {
        run_long(rows, middle.count);
    } else {
        rows.run(MOMENTS, middle);
    }
    return call.give(rows.take(0)) && (!kind.with_mean || call.give(rows.take(1)));
}

bool backward(Gradient& gradient) {
    using Saved = SavedOfMoments;
    const Spread& kind = spread_of(*gradient.plan->op);
    PyArrayObject *input = gradient.array(Saved::input), *grad = gradient.grads[0];
    PyArrayObject* mean_grad = kind.with_mean ? gradient.grads[1] : nullptr;
    RowRun rows(input);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), gradient.dims(Saved::dim), middle));
    rows.arrays.options[0] = static_cast<double>(middle.count) - gradient.number(Saved::correction);
    rows.arrays.options[1] = kind.rooted;
    DECLINE_IF(rows.arrays.options[0] <= 0);
    rows.read(0, input, PyArray_SIZE(input));
    DECLINE_IF(grad != nullptr && !rows.read(1, grad, middle.rows()));
    DECLINE_IF(kind.rooted && !rows.read(2, gradient.array(Saved::result), middle.rows()));
    DECLINE_IF(mean_grad != nullptr && !rows.read(3, mean_grad, middle.rows()));
    rows.write_like(0, input);
    rows.run(VARIANCE_SLOPE, middle);
    return gradient.give(rows.take_like(0, input));
}

// Those that give a mean too have no `out`: they read all but the last.
NAMES(Public, input, dim, unbiased, keepdim, correction, axis, keepdims, out);
constexpr const char* without_out = "input, dim, unbiased, keepdim, correction, axis, keepdims";

// var and kin, in one form
PyObject* route(Call& call) {
    Spread& kind = spread_of(*call.op);
    PyObject *dim = call[Public::dim], *unbiased = call[Public::unbiased], *correction = call[Public::correction];
    DECLINE_IF(!kind.with_mean && call[Public::out] != Py_None);
    if (PyBool_Check(dim)) {
        unbiased = dim;
        dim = Py_None;
    }
    DECLINE_IF(unbiased != Py_None && (correction != Py_None || !PyBool_Check(unbiased)));
    Ref number = correction != Py_None ? Ref::borrow(correction) : Ref::steal(PyLong_FromLong(unbiased != Py_False));
    return number ? kind.op.either(call[Public::input], dim, call[Public::keepdim], number.get()) : nullptr;
}

KERNEL("var")
    .route(route, Public::names)
    .takes(tensor(Public::input), none(Public::axis), none(Public::keepdims))
    .with(&variance);
KERNEL("std").as("var").with(&deviation);
KERNEL("var_mean")
    .route(route, without_out)
    .takes(tensor(Public::input), none(Public::axis), none(Public::keepdims))
    .with(&variance_and_mean);
KERNEL("std_mean").as("var_mean").with(&deviation_and_mean);
KERNEL("_variance")
    .forward(forward, Moments::names)
    .takes(tensor(Moments::input).floats().widened().filled(), dims(Moments::dim, Moments::input),
           flag(Moments::keepdim), number(Moments::correction))
    .gradient(backward, saved_of_variances)
    .given(tensor(SavedOfMoments::input).floats().filled(), dims(SavedOfMoments::dim, SavedOfMoments::input),
           number(SavedOfMoments::correction))
    .with(&variance);
KERNEL("_deviation").as("_variance").gradient(backward, SavedOfMoments::names).with(&deviation);
KERNEL("_variance_and_mean").as("_variance").with(&variance_and_mean);
KERNEL("_deviation_and_mean").as("_deviation").with(&deviation_and_mean);

}  // namespace

}  // namespace rushlight
