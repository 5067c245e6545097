// Cross entropy from logits, forward and gradient. See ops/losses/cross_entropy.py.
#include "kernels/table.h"
#include "loops/products.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "ops/classes.h"

namespace rushlight {

namespace {

// Logits for which a second thread pays.
constexpr int64_t PARALLEL_LOGITS = 1 << 14;

int64_t grain_of(const ClassRows& rows) { return PARALLEL_LOGITS / (rows.classes * rows.inner) + 1; }

bool forward(Call& call) {
    Classes classes;
    if (!classes.read(call)) return false;
    PyArrayObject *input = call.array(ClassLoss::input), *target = call.array(ClassLoss::target);
    int type = type_num_of(classes.dtype);
    Ref surprises = Ref::steal(as_object(made(new_array(PyArray_NDIM(target), PyArray_DIMS(target), type))));
    Ref probs = Ref::steal(as_object(made(new_array(PyArray_NDIM(input), PyArray_DIMS(input), type))));
    auto loop = table().losses.cross_entropy[classes.dtype];
    void *x = PyArray_DATA(input), *to = PyArray_DATA(probs.array()), *found = PyArray_DATA(surprises.array());
    parallel(classes.rows.outer, grain_of(classes.rows),
             [&](int64_t begin, int64_t end) { loop(classes.rows, x, to, found, begin, end); });
    return call.give(classes.bring_together(surprises.release_array())) && call.give(std::move(probs)) &&
           call.give(std::move(classes.shares));
}

// The probabilities, less one for the targets, times a scale: one for all rows, or one for each.
void less_one(const ClassRows& rows, PyArrayObject* probs, PyArrayObject* scales, PyArrayObject* result) {
    auto loop = table().losses.less_one[dtype_of(probs)];
    bool one_scale = PyArray_NDIM(scales) == 0;
    parallel(rows.outer, grain_of(rows), [&](int64_t begin, int64_t end) {
        loop(rows, PyArray_DATA(probs), PyArray_DATA(scales), one_scale, PyArray_DATA(result), begin, end);
    });
}

NAMES(LessOne, probs, target, scale);

bool less_one_forward(Call& call) {
    PyArrayObject *probs = call.array(LessOne::probs), *target = call.array(LessOne::target);
    PyArrayObject* scale = call.array(LessOne::scale);
    ClassRows rows;
    if (!read_rows(target, PyArray_NDIM(probs), PyArray_DIMS(probs), rows)) return false;
    DECLINE_IF(PyArray_NDIM(scale) != 0 && PyArray_SIZE(scale) != PyArray_SIZE(target));
    less_one(rows, probs, scale, call.make_like(probs));
    return true;
}

NAMES(Saved, probs, shares, target);

bool backward(Gradient& gradient) {
    PyArrayObject *probs = gradient.array(Saved::probs), *shares = gradient.array(Saved::shares);
    // the probabilities have gradients where this gradient has been differentiated
    DECLINE_IF(gradient.has_other_grads());
    ClassRows rows;
    if (!read_rows(gradient.array(Saved::target), PyArray_NDIM(probs), PyArray_DIMS(probs), rows)) return false;
    Ref scales = Ref::steal(as_object(row_gradients(gradient.grad(), shares)));
    if (!scales) return false;
    PyArrayObject* result = gradient.make_like(probs);
    less_one(rows, probs, scales.array(), result);
    return true;
}

KERNEL("_less_one_at_target")
    .forward(less_one_forward, LessOne::names)
    .takes(tensor(LessOne::probs).floats().rank_from(1).filled().packed())
    .takes(tensor(LessOne::target).integers().packed(), tensor(LessOne::scale).like(LessOne::probs).packed());
KERNEL("_cross_entropy")
    .forward(forward, ClassLoss::names)
    .takes(tensor(ClassLoss::input).floats().rank_from(1).filled().packed())
    .takes(tensor(ClassLoss::target).integers().packed(), tensor(ClassLoss::weight).like(ClassLoss::input).optional())
    .takes(integer(ClassLoss::ignore_index))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().packed(), tensor(Saved::shares).like(GRADIENT).dense())
    .given(tensor(Saved::probs).like(GRADIENT).dense(), tensor(Saved::target).integers().packed());

}  // namespace

}  // namespace rushlight
