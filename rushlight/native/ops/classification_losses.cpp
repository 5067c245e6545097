// Losses of a classification: the negated log-likelihood, and the shares of rows. See
// ops/losses/classification_losses.py.
#include <cmath>
#include <limits>

#include "loops/products.h"
#include "memory/arrays.h"
#include "ops/classes.h"

namespace rushlight {

namespace {

bool is_class(int64_t target, int64_t classes) {
    return static_cast<uint64_t>(target) < static_cast<uint64_t>(classes);
}

template <class T>
T* data_of(const Ref& ref) {
    return static_cast<T*>(PyArray_DATA(ref.array()));
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
    auto *one = static_cast<const T*>(PyArray_DATA(grad)), *other = static_cast<const T*>(PyArray_DATA(shares));
    bool one_grad = PyArray_NDIM(grad) == 0, one_share = PyArray_NDIM(shares) == 0;
    for (int64_t i = 0; i < count; i++) result[i] = one[one_grad ? 0 : i] * other[one_share ? 0 : i];
}

PyObject* forward(Call& call) {
    Classes classes;
    if (!classes.read(call)) return nullptr;
    PyArrayObject* target = classes.targets.array();
    PyArrayObject* values = new_array(PyArray_NDIM(target), PyArray_DIMS(target), type_num_of(classes.dtype));
    if (values == nullptr) return nullptr;
    if (classes.dtype == FLOAT32) {
        take(classes.rows, data_of<float>(classes.input), static_cast<float*>(PyArray_DATA(values)));
    } else {
        take(classes.rows, data_of<double>(classes.input), static_cast<double*>(PyArray_DATA(values)));
    }
    Ref loss = Ref::steal(as_object(classes.bring_together(values)));
    return loss ? PyTuple_Pack(2, loss.get(), classes.shares.get()) : nullptr;
}

NAMES(Saved, shares, target, input_shape);

bool backward(Gradient& gradient) {
    PyArrayObject *shares = gradient.array(Saved::shares), *target = gradient.array(Saved::target);
    PyObject* shape = gradient.option(Saved::input_shape);
    DECLINE_IF(gradient.grad() == nullptr || shares == nullptr || target == nullptr || !PyTuple_Check(shape));
    DECLINE_IF(gradient.grad_count > 1 && gradient.grads[1] != nullptr);
    npy_intp dims[NPY_MAXDIMS];
    int ndim = static_cast<int>(PyTuple_GET_SIZE(shape));
    for (int d = 0; d < ndim; d++) dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
    ClassRows rows;
    Ref targets = Ref::steal(as_object(contiguous(target)));
    if (!targets) return false;
    if (!read_rows(targets.array(), ndim, dims, rows)) return false;
    Ref grads = Ref::steal(as_object(row_gradients(gradient.grad(), shares)));
    if (!grads) return false;
    int type = PyArray_TYPE(grads.array());
    bool one_grad = PyArray_NDIM(grads.array()) == 0;
    PyArrayObject* result = zeros_array(ndim, dims, type);
    if (result == nullptr) return false;
    if (type == NPY_FLOAT32) {
        place(rows, data_of<float>(grads), one_grad, static_cast<float*>(PyArray_DATA(result)));
    } else {
        place(rows, data_of<double>(grads), one_grad, static_cast<double*>(PyArray_DATA(result)));
    }
    gradient.found[0] = result;
    return true;
}

KERNEL("_nll_loss").forward(forward, ClassLoss::names).gradient(backward, Saved::names);

}  // namespace

bool read_rows(PyArrayObject* target, int ndim, const npy_intp* dims, ClassRows& rows) {
    DECLINE_IF(ndim == 0 || PyArray_NDIM(target) != ndim - 1);
    DECLINE_IF(dtype_of(target) != INT64);
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
    PyArrayObject *given = call.array(ClassLoss::input), *target = call.array(ClassLoss::target);
    PyArrayObject* weight = call.array(ClassLoss::weight);
    int64_t ignored;
    DECLINE_IF(given == nullptr || target == nullptr || PyArray_SIZE(given) == 0);
    dtype = dtype_of(given);
    reduced = read_reduction(call[ClassLoss::reduction]);
    DECLINE_IF(!is_real(dtype));
    DECLINE_IF(reduced == Reduced::OTHER);
    DECLINE_IF(!plain_integer(call[ClassLoss::ignore_index], ignored));
    DECLINE_IF(weight == nullptr && call[ClassLoss::weight] != Py_None);
    input = Ref::steal(as_object(contiguous(given)));
    targets = Ref::steal(as_object(contiguous(target)));
    if (!input || !targets) return false;
    if (!read_rows(targets.array(), PyArray_NDIM(given), PyArray_DIMS(given), rows)) return false;
    return read_shares(weight, ignored);
}

bool Classes::read_shares(PyArrayObject* weight, int64_t ignored) {
    int64_t count = rows.outer * rows.inner, skipped = 0;
    for (int64_t i = 0; i < count; i++) {
        bool skip = rows.targets[i] == ignored;
        DECLINE_IF(!skip && !is_class(rows.targets[i], rows.classes));
        skipped += skip;
    }
    bool mean = reduced == Reduced::MEAN;
    if (skipped == 0 && weight == nullptr) {
        one_share = true;
        shares = Ref::steal(as_object(single_array(mean ? 1 / static_cast<double>(count) : 1, dtype)));
        return static_cast<bool>(shares);
    }
    npy_intp step = 0;
    if (weight != nullptr) {
        step = PyArray_NDIM(weight) == 1 ? PyArray_STRIDE(weight, 0) : 1;
        DECLINE_IF(step % SIZES[dtype] != 0 || dtype_of(weight) != dtype);
        DECLINE_IF(PyArray_DIM(weight, 0) != rows.classes);
        step /= SIZES[dtype];
    }
    PyArrayObject* target = targets.array();
    shares = Ref::steal(as_object(new_array(PyArray_NDIM(target), PyArray_DIMS(target), type_num_of(dtype))));
    if (!shares) return false;
    const void* weights = weight == nullptr ? nullptr : PyArray_DATA(weight);
    if (dtype == FLOAT32) {
        fill_shares(rows, static_cast<const float*>(weights), step, ignored, mean, data_of<float>(shares));
    } else {
        fill_shares(rows, static_cast<const double*>(weights), step, ignored, mean, data_of<double>(shares));
    }
    return true;
}

PyArrayObject* Classes::bring_together(PyArrayObject* values) const {
    Ref owner = Ref::steal(as_object(values));
    int64_t count = rows.outer * rows.inner;
    bool mean = reduced == Reduced::MEAN;
    double total = dtype == FLOAT32 ? shared(data_of<float>(owner), data_of<float>(shares), one_share, mean, count)
                                    : shared(data_of<double>(owner), data_of<double>(shares), one_share, mean, count);
    if (reduced == Reduced::NONE) return reinterpret_cast<PyArrayObject*>(owner.release());
    return single_array(total, dtype);
}

PyArrayObject* row_gradients(PyArrayObject* grad, PyArrayObject* shares) {
    int dtype = dtype_of(grad);
    DECLINE_IF(!is_real(dtype) || dtype_of(shares) != dtype);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(shares));
    bool alike = PyArray_NDIM(grad) == 0 || PyArray_NDIM(shares) == 0 || PyArray_SAMESHAPE(grad, shares);
    DECLINE_IF(!alike);
    Ref dense = Ref::steal(as_object(contiguous(grad)));
    if (!dense) return nullptr;
    PyArrayObject* like = PyArray_NDIM(grad) == 0 ? shares : grad;
    PyArrayObject* result = new_array(PyArray_NDIM(like), PyArray_DIMS(like), type_num_of(dtype));
    if (result == nullptr) return nullptr;
    int64_t count = PyArray_SIZE(like);
    if (dtype == FLOAT32) {
        multiply_rows(dense.array(), shares, static_cast<float*>(PyArray_DATA(result)), count);
    } else {
        multiply_rows(dense.array(), shares, static_cast<double*>(PyArray_DATA(result)), count);
    }
    return result;
}

}  // namespace rushlight
