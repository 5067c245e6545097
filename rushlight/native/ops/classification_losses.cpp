// Losses of a classification: the negated log-likelihood, and the shares of rows. See
// ops/losses/classification_losses.py.
#include <cmath>
#include <limits>

#include "memory/arrays.h"
#include "ops/classes.h"
#include "ops/views.h"

namespace rushlight {

namespace {

bool is_class(int64_t target, int64_t classes) {
    return static_cast<uint64_t>(target) < static_cast<uint64_t>(classes);
}

// The weight of each target's class, none for those that are ignored; for a mean divided by their sum.
template <class T>
void fill_shares(const ClassRows& rows, const T* weight, npy_intp step, int64_t ignored, bool mean, T* shares) {
    int64_t count = rows.outer * rows.inner;
    double total = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t target = rows.targets[i];
        shares[i] = target == ignored ? T(0) : weight == nullptr ? T(1) : weight[target * step];
        total += shares[i];
    }
    T sum = static_cast<T>(total);
    // where nothing counts there is no mean, but a gradient of zero
    for (int64_t i = 0; mean && sum != 0 && i < count; i++) shares[i] /= sum;
}

// The sum of the values times their shares, or each of them; NaN for a mean of nothing.
template <class T>
double shared(T* values, const T* shares, bool one_share, bool mean, int64_t count) {
    double total = 0;
    bool any = one_share;
    for (int64_t i = 0; i < count; i++) {
        if (!one_share) {
            any = any || shares[i] != 0;
            values[i] = shares[i] != 0 ? values[i] * shares[i] : T(0);
        }
        total += values[i];
    }
    if (one_share) total *= shares[0];
    return mean && !any ? std::numeric_limits<double>::quiet_NaN() : total;
}

template <class T>
void take(const ClassRows& rows, const T* input, T* values) {
    for (int64_t row = 0; row < rows.outer; row++) {
        for (int64_t j = 0; j < rows.inner; j++) {
            int64_t at = row * rows.inner + j, target = rows.targets[at];
            if (!is_class(target, rows.classes)) target = 0;
            values[at] = -input[(row * rows.classes + target) * rows.inner + j];
        }
    }
}

template <class T>
void place(const ClassRows& rows, const T* grads, bool one_grad, T* result) {
    for (int64_t row = 0; row < rows.outer; row++) {
        for (int64_t j = 0; j < rows.inner; j++) {
            int64_t at = row * rows.inner + j, target = rows.targets[at];
            if (!is_class(target, rows.classes)) continue;
            result[(row * rows.classes + target) * rows.inner + j] = -grads[one_grad ? 0 : at];
        }
    }
}

template <class T>
void multiply_rows(PyArrayObject* grad, PyArrayObject* shares, T* result, int64_t count) {
    auto *one = elements<const T>(grad), *other = elements<const T>(shares);
    bool one_grad = PyArray_NDIM(grad) == 0, one_share = PyArray_NDIM(shares) == 0;
    for (int64_t i = 0; i < count; i++) result[i] = one[one_grad ? 0 : i] * other[one_share ? 0 : i];
}

bool forward(Call& call) {
    Classes classes;
    if (!classes.read(call)) return false;
    PyArrayObject *input = call.array(ClassLoss::input), *target = call.array(ClassLoss::target);
    Ref values =
        Ref::steal(as_object(made(new_array(PyArray_NDIM(target), PyArray_DIMS(target), PyArray_TYPE(input)))));
    with_float(classes.dtype, [&](auto zero) {
        using T = decltype(zero);
        take(classes.rows, elements<const T>(input), elements<T>(values.array()));
    });
    return call.give(classes.bring_together(values.release_array())) && call.give(std::move(classes.shares));
}

NAMES(Saved, shares, target, input_shape);

bool backward(Gradient& gradient) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(Saved::input_shape), dims);
    DECLINE_IF(ndim < 0 || gradient.has_other_grads());
    ClassRows rows;
    if (!read_rows(gradient.array(Saved::target), ndim, dims, rows)) return false;
    Ref grads = Ref::steal(as_object(row_gradients(gradient.grad(), gradient.array(Saved::shares))));
    if (!grads) return false;
    PyArrayObject* result = gradient.make_zeros(ndim, dims, PyArray_TYPE(grads.array()));
    with_float(dtype_of(result), [&](auto zero) {
        using T = decltype(zero);
        place(rows, elements<const T>(grads.array()), PyArray_NDIM(grads.array()) == 0, elements<T>(result));
    });
    return true;
}

KERNEL("_nll_loss")
    .forward(forward, ClassLoss::names)
    .takes(tensor(ClassLoss::input).floats().widened().rank_from(1).filled().packed())
    .takes(tensor(ClassLoss::target).integers().packed(), tensor(ClassLoss::weight).like(ClassLoss::input).optional())
    .takes(integer(ClassLoss::ignore_index))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().widened().packed(), tensor(Saved::shares).like(GRADIENT).dense())
    .given(tensor(Saved::target).integers().packed());

}  // namespace

bool read_rows(PyArrayObject* target, int ndim, const npy_intp* dims, ClassRows& rows) {
    DECLINE_IF(ndim == 0 || PyArray_NDIM(target) != ndim - 1);
    rows.outer = ndim == 1 ? 1 : dims[0];
    rows.classes = dims[ndim == 1 ? 0 : 1];
    rows.inner = 1;
    for (int d = 2; d < ndim; d++) rows.inner *= dims[d];
    for (int d = 0; d < ndim - 1; d++) {
        DECLINE_IF(PyArray_DIM(target, d) != dims[d == 0 ? 0 : d + 1]);
    }
    rows.targets = static_cast<const int64_t*>(PyArray_DATA(target));
    return true;
}

bool Classes::read(const Call& call) {
    PyArrayObject *input = call.array(ClassLoss::input), *target = call.array(ClassLoss::target);
    dtype = dtype_of(input);
    reduced = read_reduction(call[ClassLoss::reduction]);
    DECLINE_IF(reduced == Reduced::OTHER);
    if (!read_rows(target, PyArray_NDIM(input), PyArray_DIMS(input), rows)) return false;
    return read_shares(target, call.array(ClassLoss::weight), call.integer(ClassLoss::ignore_index));
}

bool Classes::read_shares(PyArrayObject* target, PyArrayObject* weight, int64_t ignored) {
    int64_t count = rows.outer * rows.inner, skipped = 0;
    for (int64_t i = 0; i < count; i++) {
        bool skip = rows.targets[i] == ignored;
        DECLINE_IF(!skip && !is_class(rows.targets[i], rows.classes));
        skipped += skip;
    }
    bool mean = reduced == Reduced::MEAN;
    if (skipped == 0 && weight == nullptr) {
        one_share = true;
        shares = Ref::steal(as_object(made(single_array(mean ? 1 / static_cast<double>(count) : 1, dtype))));
        return true;
    }
    npy_intp step = 0;
    if (weight != nullptr) {
        DECLINE_IF(PyArray_NDIM(weight) != 1 || PyArray_DIM(weight, 0) != rows.classes || dtype_of(weight) != dtype);
        DECLINE_IF(PyArray_STRIDE(weight, 0) % SIZES[dtype] != 0);
        step = PyArray_STRIDE(weight, 0) / SIZES[dtype];
    }
    shares = Ref::steal(as_object(made(new_array(PyArray_NDIM(target), PyArray_DIMS(target), type_num_of(dtype)))));
    with_float(dtype, [&](auto zero) {
        using T = decltype(zero);
        const T* weights = weight == nullptr ? nullptr : elements<const T>(weight);
        fill_shares(rows, weights, step, ignored, mean, elements<T>(shares.array()));
    });
    return true;
}

PyArrayObject* Classes::bring_together(PyArrayObject* values) const {
    Ref owner = Ref::steal(as_object(values));
    double total = with_float(dtype, [&](auto zero) {
        using T = decltype(zero);
        return shared(elements<T>(values), elements<const T>(shares.array()), one_share, reduced == Reduced::MEAN,
                      rows.outer * rows.inner);
    });
    return reduced == Reduced::NONE ? owner.release_array() : single_array(total, dtype);
}

PyArrayObject* row_gradients(PyArrayObject* grad, PyArrayObject* shares) {
    bool alike = PyArray_NDIM(grad) == 0 || PyArray_NDIM(shares) == 0 || PyArray_SAMESHAPE(grad, shares);
    DECLINE_IF(!alike);
    PyArrayObject* like = PyArray_NDIM(grad) == 0 ? shares : grad;
    PyArrayObject* result = made(new_array(PyArray_NDIM(like), PyArray_DIMS(like), PyArray_TYPE(grad)));
    with_float(dtype_of(grad),
               [&](auto zero) { multiply_rows(grad, shares, elements<decltype(zero)>(result), PyArray_SIZE(like)); });
    return result;
}

}  // namespace rushlight
