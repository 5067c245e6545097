// Cross entropy from logits, forward and gradient. See ops/cross_entropy.py.
#include "arrays.h"
#include "classes.h"
#include "kernels/table.h"
#include "products.h"
#include "threads.h"

namespace rushlight {

namespace {

// Logits for which a second thread pays.
constexpr int64_t PARALLEL_LOGITS = 1 << 14;

int64_t grain_of(const ClassRows& rows) { return PARALLEL_LOGITS / (rows.classes * rows.inner) + 1; }

PyObject* forward(Call& call) {
    Classes classes;
    if (!classes.read(call)) return nullptr;
    PyArrayObject *input = classes.input.array(), *target = classes.targets.array();
    int type = type_num_of(classes.dtype);
    Ref probs = Ref::steal(as_object(new_array(PyArray_NDIM(input), PyArray_DIMS(input), type)));
    Ref surprises = Ref::steal(as_object(new_array(PyArray_NDIM(target), PyArray_DIMS(target), type)));
    if (!probs || !surprises) return nullptr;
    auto loop = table().losses.cross_entropy[classes.dtype];
    void *x = PyArray_DATA(input), *to = PyArray_DATA(probs.array()), *found = PyArray_DATA(surprises.array());
    parallel(classes.rows.outer, grain_of(classes.rows),
             [&](int64_t begin, int64_t end) { loop(classes.rows, x, to, found, begin, end); });
    auto* values = reinterpret_cast<PyArrayObject*>(surprises.release());
    Ref loss = Ref::steal(as_object(classes.bring_together(values)));
    return loss ? PyTuple_Pack(3, loss.get(), probs.get(), classes.shares.get()) : nullptr;
}

NAMES(Saved, probs, shares, target);

bool backward(Gradient& gradient) {
    PyArrayObject *probs = gradient.array(Saved::probs), *shares = gradient.array(Saved::shares);
    PyArrayObject* target = gradient.array(Saved::target);
    DECLINE_IF(gradient.grad() == nullptr || probs == nullptr || shares == nullptr || target == nullptr);
    // the probabilities have gradients where this gradient has been differentiated
    for (int i = 1; i < gradient.grad_count; i++) {
        DECLINE_IF(gradient.grads[i] != nullptr);
    }
    ClassRows rows;
    Ref targets = Ref::steal(as_object(contiguous(target)));
    Ref scales = Ref::steal(as_object(row_gradients(gradient.grad(), shares)));
    if (!targets || !scales) return false;
    DECLINE_IF(dtype_of(probs) != dtype_of(shares) || !PyArray_IS_C_CONTIGUOUS(probs));
    if (!read_rows(targets.array(), PyArray_NDIM(probs), PyArray_DIMS(probs), rows)) return false;
    PyArrayObject* result = new_array(PyArray_NDIM(probs), PyArray_DIMS(probs), PyArray_TYPE(probs));
    if (result == nullptr) return false;
    auto loop = table().losses.less_one[dtype_of(probs)];
    bool one_scale = PyArray_NDIM(scales.array()) == 0;
    parallel(rows.outer, grain_of(rows), [&](int64_t begin, int64_t end) {
        loop(rows, PyArray_DATA(probs), PyArray_DATA(scales.array()), one_scale, PyArray_DATA(result), begin, end);
    });
    gradient.found[0] = result;
    return true;
}

KERNEL("_cross_entropy").forward(forward, ClassLoss::names).gradient(backward, Saved::names);

}  // namespace

}  // namespace rushlight
