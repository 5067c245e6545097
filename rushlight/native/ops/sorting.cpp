// Sorting: sort, argsort, topk, kthvalue and mode along a dimension, and gradients. See ops/reductions/sorting.py.
#include <atomic>

#include "loops/folding.h"
#include "loops/order.h"
#include "loops/selection.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "ops/gathering.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

constexpr int64_t GRAIN = int64_t{1} << 15;  // elements for which a second thread pays

// What is wanted of each row: its first elements in this order, or all.
struct Wanted {
    int64_t count;
    bool descending;
    bool is_stable = true;  // equal elements in the order of the input
    bool is_sorted = true;
};

// The first elements of a row as torch's selection leaves them: equal ones, and those that need not be in order.
template <class T>
const Placed<typename Order<T>::Key>* as_selected(Order<T>& order, const Placed<typename Order<T>::Key>* found,
                                                  const T* from, const Middle& middle, const Wanted& wanted) {
    if (wanted.is_sorted && order.are_decided(found, wanted.count)) return found;
    auto* row = order.all(from, middle.inner, middle.count, wanted.descending);
    Selection<typename Order<T>::Key>(row, middle.count).top(wanted.count, wanted.is_sorted);
    return row;
}

// The first elements of one row.
template <class T>
const Placed<typename Order<T>::Key>* ordered_row(Order<T>& order, const T* from, const Middle& middle,
                                                  const Wanted& wanted) {
    using Select = Selection<typename Order<T>::Key>;
    if (!wanted.is_stable && Select::is_scarce(wanted.count, middle.count)) {
        auto* row = order.all(from, middle.inner, wanted.count, wanted.descending);
        Select(row, wanted.count).top_scarce(middle.count, [&](int64_t place) {
            return Order<T>::entry(from[place * middle.inner], place, wanted.descending);
        });
        return row;
    }
    auto* found = order.first_or_all(from, middle.inner, middle.count, wanted.count, wanted.descending);
    return wanted.is_stable ? found : as_selected(order, found, from, middle, wanted);
}

// Rows of `input`, which stand in C order around the sorted dimension, to rows of values and places.
template <class T>
bool sort_rows(const void* input, const Middle& middle, Wanted wanted, void* values, int64_t* places) {
    std::atomic<bool> done = true;
    parallel(middle.rows(), std::max<int64_t>(1, GRAIN / middle.count), [&](int64_t begin, int64_t end) {
        Order<T> order(middle.count);
        if (!order) done = false;
        for (int64_t row = begin; row < end && order; row++) {
            int64_t outer = row / middle.inner, inner = row % middle.inner;
            const T* from = static_cast<const T*>(input) + outer * middle.count * middle.inner + inner;
            auto* found = ordered_row(order, from, middle, wanted);
            int64_t to = outer * wanted.count * middle.inner + inner;
            for (int64_t i = 0; i < wanted.count; i++, to += middle.inner) {
                auto place = static_cast<int64_t>(found[i].place);
                static_cast<T*>(values)[to] = from[place * middle.inner];
                places[to] = place;
            }
        }
    });
    return done;
}

// Values and places of the first elements along a dimension; all of them if `count` is negative.
bool sorted(Call& call, PyArrayObject* input, int dim, Wanted wanted) {
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    Middle middle;
    DECLINE_IF(!middle_of(ndim, PyArray_DIMS(input), Dims{1} << dim, middle));
    if (wanted.count < 0) wanted.count = middle.count;
    DECLINE_IF(!is_orderable(PyArray_SIZE(input)));
    DECLINE_IF(wanted.count == 0 || wanted.count > middle.count);
    Geometry shape(input);
    shape.dims[dim] = wanted.count;
    PyArrayObject* values = call.make(ndim, shape.dims, PyArray_TYPE(input));
    PyArrayObject* places = call.make(ndim, shape.dims, NPY_INT64);
    auto* run = dtype == FLOAT32 ? sort_rows<float> : dtype == FLOAT64 ? sort_rows<double> : sort_rows<int64_t>;
    if (run(PyArray_DATA(input), middle, wanted, PyArray_DATA(values), elements<int64_t>(places))) return true;
    return declined("there is no memory to sort in");
}

NAMES(Sort, input, dim, descending);

// sort(input, dim=-1, descending=False, *, stable=False)
bool sort_forward(Call& call) {
    PyArrayObject* input = call.array(Sort::input);
    if (!sorted(call, input, call.dim(Sort::dim), {-1, call.flag(Sort::descending)})) return false;
    for (PyArrayObject* each : call.results) keep_unit_steps(each, input);
    return true;
}

NAMES(TopK, input, k, dim, largest, sorted);

// topk(input, k, dim=-1, largest=True, sorted=True)
bool topk_forward(Call& call) {
    DECLINE_IF(call.integer(TopK::k) < 1);
    Wanted wanted{call.integer(TopK::k), call.flag(TopK::largest), false, call.flag(TopK::sorted)};
    return sorted(call, call.array(TopK::input), call.dim(TopK::dim), wanted);
}

// The element of this number, counted from 0, of each row.
template <class T>
bool select_rows(const void* input, const Middle& middle, int64_t number, void* values, int64_t* places) {
    std::atomic<bool> done = true;
    parallel(middle.rows(), std::max<int64_t>(1, GRAIN / middle.count), [&](int64_t begin, int64_t end) {
        Order<T> order(middle.count);
        if (!order) done = false;
        for (int64_t row = begin; row < end && order; row++) {
            int64_t outer = row / middle.inner, inner = row % middle.inner;
            const T* from = static_cast<const T*>(input) + outer * middle.count * middle.inner + inner;
            auto* entries = order.all(from, middle.inner, middle.count, false);
            places[row] = Selection<typename Order<T>::Key>(entries, middle.count).place_of(number);
            static_cast<T*>(values)[row] = from[places[row] * middle.inner];
        }
    });
    return done;
}

NAMES(KthValue, input, k, dim, keepdim);

bool kthvalue(Call& call) {
    PyArrayObject* input = call.array(KthValue::input);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input), dim = call.dim(KthValue::dim);
    Middle middle;
    DECLINE_IF(!middle_of(ndim, PyArray_DIMS(input), Dims{1} << dim, middle));
    DECLINE_IF(!is_orderable(PyArray_SIZE(input)));
    DECLINE_IF(call.integer(KthValue::k) < 1 || call.integer(KthValue::k) > PyArray_DIM(input, dim));
    npy_intp shape[NPY_MAXDIMS];
    int kept = reduced_shape(ndim, PyArray_DIMS(input), Dims{1} << dim, call.flag(KthValue::keepdim), shape);
    PyArrayObject* values = call.make(kept, shape, PyArray_TYPE(input));
    PyArrayObject* places = call.make(kept, shape, NPY_INT64);
    auto* run = dtype == FLOAT32 ? select_rows<float> : dtype == FLOAT64 ? select_rows<double> : select_rows<int64_t>;
    if (run(PyArray_DATA(input), middle, call.integer(KthValue::k) - 1, PyArray_DATA(values),
            elements<int64_t>(places)))
        return true;
    return declined("there is no memory to sort in");
}

NAMES(Mode, input, dim, keepdim);

// Where NaN, which comes last in order, is left out of the middle, and where one takes its place.
enum class Nans : bool { WIN, SKIPPED };
constexpr Nans win = Nans::WIN, skipped = Nans::SKIPPED;

template <class T>
int64_t count_nans(const T* from, const Middle& middle) {
    int64_t count = 0;
    for (int64_t i = 0; i < middle.count; i++) count += from[i * middle.inner] != from[i * middle.inner];
    return count;
}

// The lower middle element of each row, the first in the input of several; the first NaN if these are not skipped.
template <class T>
bool find_medians(const void* input, const Middle& middle, Nans nans, void* values, int64_t* places) {
    std::atomic<bool> done = true;
    parallel(middle.rows(), std::max<int64_t>(1, GRAIN / middle.count), [&](int64_t begin, int64_t end) {
        Order<T> order(middle.count);
        if (!order) done = false;
        for (int64_t row = begin; row < end && order; row++) {
            int64_t outer = row / middle.inner, inner = row % middle.inner;
            const T* from = static_cast<const T*>(input) + outer * middle.count * middle.inner + inner;
            int64_t numbers = middle.count - count_nans(from, middle);
            int64_t rank = (middle.count - 1) / 2;
            if (numbers < middle.count) rank = nans == Nans::WIN ? numbers : std::max<int64_t>(numbers - 1, 0) / 2;
            auto* found = order.first_or_all(from, middle.inner, middle.count, rank + 1, false);
            places[row] = static_cast<int64_t>(found[rank].place);
            static_cast<T*>(values)[row] = from[places[row] * middle.inner];
        }
    });
    return done;
}

// Whether rows are sorted more quickly than Python's steps select in all of them.
bool is_quick(const Middle& middle) {
    constexpr int64_t SHORT = 32, FEW = 1 << 11;
    return middle.count <= SHORT || middle.count * middle.rows() <= FEW;
}

// _median_along and _nanmedian_along
bool median(Call& call) {
    PyArrayObject* input = call.array(Mode::input);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    Dims dims = Dims{1} << call.dim(Mode::dim);
    Middle middle;
    DECLINE_IF(!middle_of(ndim, PyArray_DIMS(input), dims, middle) || !is_orderable(PyArray_SIZE(input)));
    DECLINE_IF(!is_quick(middle));
    npy_intp shape[NPY_MAXDIMS];
    int kept = reduced_shape(ndim, PyArray_DIMS(input), dims, call.flag(Mode::keepdim), shape);
    PyArrayObject* values = call.make(kept, shape, PyArray_TYPE(input));
    PyArrayObject* places = call.make(kept, shape, NPY_INT64);
    auto* run = dtype == FLOAT32   ? find_medians<float>
                : dtype == FLOAT64 ? find_medians<double>
                                   : find_medians<int64_t>;
    const Nans nans = *static_cast<const Nans*>(call.op->kernel->data);
    if (run(PyArray_DATA(input), middle, nans, PyArray_DATA(values), elements<int64_t>(places))) return true;
    return declined("there is no memory to sort in");
}

NAMES(Whole, input);

// _median_all and _nanmedian_all
bool median_of_all(Call& call) {
    PyArrayObject* input = call.array(Whole::input);
    int dtype = dtype_of(input);
    Middle middle;
    middle.count = PyArray_SIZE(input);
    DECLINE_IF(!is_quick(middle));
    int64_t place;
    auto* run = dtype == FLOAT32   ? find_medians<float>
                : dtype == FLOAT64 ? find_medians<double>
                                   : find_medians<int64_t>;
    const Nans nans = *static_cast<const Nans*>(call.op->kernel->data);
    PyArrayObject* value = call.make(0, nullptr, PyArray_TYPE(input));
    if (run(PyArray_DATA(input), middle, nans, PyArray_DATA(value), &place)) return true;
    return declined("there is no memory to sort in");
}

// The most frequent element of each row, the smallest one of several: the last of its equals, as quicksort leaves them.
template <class T>
bool find_modes(const void* input, const Middle& middle, void* values, int64_t* places) {
    std::atomic<bool> done = true;
    parallel(middle.rows(), std::max<int64_t>(1, GRAIN / middle.count), [&](int64_t begin, int64_t end) {
        Order<T> order(middle.count);
        if (!order) done = false;
        for (int64_t row = begin; row < end && order; row++) {
            int64_t outer = row / middle.inner, inner = row % middle.inner;
            const T* from = static_cast<const T*>(input) + outer * middle.count * middle.inner + inner;
            auto* entries = order.all(from, middle.inner, middle.count, false);
            Selection<typename Order<T>::Key>(entries, middle.count).sort(middle.count);
            auto value = [&](int64_t i) { return from[static_cast<int64_t>(entries[i].place) * middle.inner]; };
            int64_t best = 0, longest = 0, start = 0;
            for (int64_t i = 1; i < middle.count; i++) {
                // NaN differs from itself: each one stands alone
                if (value(i) != value(i - 1)) start = i;
                if (i - start > longest) {
                    longest = i - start;
                    best = i;
                }
            }
            places[row] = static_cast<int64_t>(entries[best].place);
            static_cast<T*>(values)[row] = value(best);
        }
    });
    return done;
}

bool mode(Call& call) {
    PyArrayObject* input = call.array(Mode::input);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    Dims dims = Dims{1} << call.dim(Mode::dim);
    Middle middle;
    DECLINE_IF(!middle_of(ndim, PyArray_DIMS(input), dims, middle) || !is_orderable(PyArray_SIZE(input)));
    npy_intp shape[NPY_MAXDIMS];
    int kept = reduced_shape(ndim, PyArray_DIMS(input), dims, call.flag(Mode::keepdim), shape);
    PyArrayObject* values = call.make(kept, shape, PyArray_TYPE(input));
    PyArrayObject* places = call.make(kept, shape, NPY_INT64);
    auto* run = dtype == FLOAT32 ? find_modes<float> : dtype == FLOAT64 ? find_modes<double> : find_modes<int64_t>;
    if (run(PyArray_DATA(input), middle, PyArray_DATA(values), elements<int64_t>(places))) return true;
    return declined("there is no memory to sort in");
}

NAMES(Saved, indices, input_shape, dim);

bool backward(Gradient& gradient) {
    return gather_into(gradient, gradient.grad(), gradient.option(Saved::dim), gradient.array(Saved::indices),
                       gradient.option(Saved::input_shape));
}

NAMES(ArgSort, input, dim, descending, axis);

// argsort(input, dim=-1, descending=False, *, stable=False, axis=None)
PyObject* argsort_route(Call& call) {
    static Inner sort("sort");
    Ref both = Ref::steal(sort(call[ArgSort::input], call[ArgSort::dim], call[ArgSort::descending]));
    return both && PyTuple_Check(both.get()) ? Py_NewRef(PyTuple_GET_ITEM(both.get(), 1)) : nullptr;
}

constexpr TensorWant rows = tensor(Sort::input).floats().integers().rank_from(1);
constexpr TensorWant places = tensor(Saved::indices).integers().rank_from(1).filled();

KERNEL("sort")
    .forward(sort_forward, Sort::names)
    .takes(rows.dense(), dim(Sort::dim, Sort::input), flag(Sort::descending))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().widened(), places);
KERNEL("topk")
    .forward(topk_forward, TopK::names)
    .takes(rows.widened().packed(), integer(TopK::k), dim(TopK::dim, TopK::input), flag(TopK::largest),
           flag(TopK::sorted))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().widened(), places);
KERNEL("kthvalue")
    .forward(kthvalue, KthValue::names)
    .takes(rows.widened().filled().packed(), integer(KthValue::k), dim(KthValue::dim, KthValue::input),
           flag(KthValue::keepdim));
KERNEL("mode")
    .forward(mode, Mode::names)
    .takes(rows.widened().filled().packed(), dim(Mode::dim, Mode::input), flag(Mode::keepdim));
KERNEL("_median_along")
    .forward(median, Mode::names)
    .takes(rows.widened().filled().packed(), dim(Mode::dim, Mode::input), flag(Mode::keepdim))
    .with(&win);
KERNEL("_nanmedian_along").as("_median_along").with(&skipped);
KERNEL("_median_all")
    .forward(median_of_all, Whole::names)
    .takes(tensor(Whole::input).floats().integers().widened().filled().packed())
    .with(&win);
KERNEL("_nanmedian_all").as("_median_all").with(&skipped);
KERNEL("argsort").route(argsort_route, ArgSort::names).takes(tensor(ArgSort::input), none(ArgSort::axis));

}  // namespace

}  // namespace rushlight
