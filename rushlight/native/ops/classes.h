// What losses over classes read: rows of classes, a target for each, and the share that each has in the loss.
#pragma once

#include "kernels/losses.h"
#include "ops/losses.h"

namespace rushlight {

NAMES(ClassLoss, input, target, weight, ignore_index, reduction);

// The arguments of _nll_loss and _cross_entropy.
struct Classes {
    ClassRows rows;
    int dtype = 0;
    Reduced reduced = Reduced::OTHER;
    bool one_share = false;
    Ref shares;  // one for all, or one for each target

    // False for what Python has to look at: a target that is no class among others.
    bool read(const Call& call);
    // The loss of the rows' values, which it may take over: a new reference.
    PyArrayObject* bring_together(PyArrayObject* values) const;

private:
    bool read_shares(PyArrayObject* target, PyArrayObject* weight, int64_t ignored);
};

// An array seen as rows of classes. False if the targets are not one for each row.
bool read_rows(PyArrayObject* target, int ndim, const npy_intp* dims, ClassRows& rows);
// The gradient of each row: that of the loss, C-contiguous, times its share. An array of one number if it is the same
// for all.
PyArrayObject* row_gradients(PyArrayObject* grad, PyArrayObject* shares);

}  // namespace rushlight
