// Uniqueness: the different elements of a tensor, and how often each occurs. See ops/reductions/uniqueness.py.
#include "loops/order.h"
#include "memory/arrays.h"
#include "seam/call.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// The values, which of them each element is, and how many there are of each.
template <class T>
bool distinct(Call& call, PyArrayObject* input) {
    npy_intp count = PyArray_SIZE(input);
    auto* from = static_cast<const T*>(PyArray_DATA(input));
    Order<T> order(count);
    DECLINE_IF(!order);
    auto* sorted = order.sort(from, 1, count, false);
    // NaN differs from itself: each one stands alone
    auto is_new = [=](npy_intp i) { return i == 0 || from[sorted[i].place] != from[sorted[i - 1].place]; };
    npy_intp different = 0;
    for (npy_intp i = 0; i < count; i++) different += is_new(i);
    auto* value = elements<T>(call.make(1, &different, PyArray_TYPE(input)));
    auto* which = elements<int64_t>(call.make(PyArray_NDIM(input), PyArray_DIMS(input), NPY_INT64));
    auto* many = elements<int64_t>(call.make_zeros(1, &different, NPY_INT64));
    npy_intp at = -1;
    for (npy_intp i = 0; i < count; i++) {
        if (is_new(i)) value[++at] = from[sorted[i].place];
        which[sorted[i].place] = at;
        many[at]++;
    }
    return true;
}

// The same for runs of equal elements.
template <class T>
bool runs(Call& call, PyArrayObject* input) {
    npy_intp count = PyArray_SIZE(input), different = 1;
    auto* from = static_cast<const T*>(PyArray_DATA(input));
    for (npy_intp i = 1; i < count; i++) different += from[i] != from[i - 1];
    auto* value = elements<T>(call.make(1, &different, PyArray_TYPE(input)));
    auto* which = elements<int64_t>(call.make(PyArray_NDIM(input), PyArray_DIMS(input), NPY_INT64));
    auto* many = elements<int64_t>(call.make(1, &different, NPY_INT64));
    npy_intp at = 0, start = 0;
    value[0] = from[0];
    which[0] = 0;
    for (npy_intp i = 1; i < count; i++) {
        if (from[i] != from[i - 1]) {
            many[at++] = i - start;
            value[at] = from[i];
            start = i;
        }
        which[i] = at;
    }
    many[at] = count - start;
    return true;
}

NAMES(Distinct, input, dim, consecutive);

// Of all elements.
bool forward(Call& call) {
    PyArrayObject* input = call.array(Distinct::input);
    DECLINE_IF(!is_orderable(PyArray_SIZE(input)));
    int dtype = dtype_of(input);
    if (call.flag(Distinct::consecutive)) {
        return (dtype == FLOAT32 ? runs<float> : dtype == FLOAT64 ? runs<double> : runs<int64_t>)(call, input);
    }
    return (dtype == FLOAT32 ? distinct<float> : dtype == FLOAT64 ? distinct<double> : distinct<int64_t>)(call, input);
}

KERNEL("_distinct")
    .forward(forward, Distinct::names)
    .takes(tensor(Distinct::input).floats().integers().widened().packed(), none(Distinct::dim),
           flag(Distinct::consecutive));

}  // namespace

}  // namespace rushlight
