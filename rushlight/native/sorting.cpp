// Sorting: sort, argsort and topk along a dimension, and their gradients. See ops/sorting.py.
#include <atomic>

#include "arrays.h"
#include "call.h"
#include "folding.h"
#include "gathering.h"
#include "order.h"
#include "promotion.h"
#include "threads.h"
#include "views.h"

namespace rushlight {

namespace {

constexpr int64_t GRAIN = int64_t{1} << 15;  // elements for which a second thread pays

// What is wanted of each row: its first elements in this order, or all.
struct Wanted {
    int64_t count;
    bool descending;
};

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
            auto* found = order.first_or_all(from, middle.inner, middle.count, wanted.count, wanted.descending);
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
PyObject* sorted(PyArrayObject* input, PyObject* named, int64_t count, PyObject* descending) {
    int dim, ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    DECLINE_IF(ndim == 0 || dtype < 0 || dtype == BOOL);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(input));
    DECLINE_IF(!read_dim(named, ndim, dim));
    DECLINE_IF(descending != Py_True && descending != Py_False);
    Middle middle;
    DECLINE_IF(!middle_of(ndim, PyArray_DIMS(input), Dims{1} << dim, middle));
    Wanted wanted{count < 0 ? middle.count : count, descending == Py_True};
    DECLINE_IF(!is_orderable(PyArray_SIZE(input)));
    DECLINE_IF(wanted.count == 0 || wanted.count > middle.count);
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(input), ndim, dims);
    dims[dim] = wanted.count;
    Ref values = Ref::steal(as_object(new_array(ndim, dims, PyArray_TYPE(input))));
    Ref places = Ref::steal(as_object(new_array(ndim, dims, NPY_INT64)));
    if (!values || !places) return nullptr;
    auto* run = dtype == FLOAT32 ? sort_rows<float> : dtype == FLOAT64 ? sort_rows<double> : sort_rows<int64_t>;
    if (!run(PyArray_DATA(input), middle, wanted, PyArray_DATA(values.array()),
             static_cast<int64_t*>(PyArray_DATA(places.array())))) {
        return declined("there is no memory to sort in");
    }
    return PyTuple_Pack(2, values.get(), places.get());
}

NAMES(Sort, input, dim, descending);

// sort(input, dim=-1, descending=False, *, stable=False)
PyObject* sort_forward(Call& call) {
    PyArrayObject* input = call.array(Sort::input);
    PyObject* found = sorted(input, call[Sort::dim], -1, call[Sort::descending]);
    for (int i = 0; found != nullptr && i < 2; i++) {
        keep_unit_steps(reinterpret_cast<PyArrayObject*>(PyTuple_GET_ITEM(found, i)), input);
    }
    return found;
}

NAMES(TopK, input, k, dim, largest);

// topk(input, k, dim=-1, largest=True, sorted=True)
PyObject* topk_forward(Call& call) {
    npy_intp count;
    DECLINE_IF(!read_index(call[TopK::k], count) || count < 1);
    return sorted(call.array(TopK::input), call[TopK::dim], count, call[TopK::largest]);
}

NAMES(Saved, indices, input_shape, dim);

bool backward(Gradient& gradient) {
    gradient.found[0] = gathered_into(gradient.grad(), gradient.option(Saved::dim), gradient.array(Saved::indices),
                                      gradient.option(Saved::input_shape));
    return gradient.found[0] != nullptr;
}

NAMES(ArgSort, input, dim, descending, axis);

// argsort(input, dim=-1, descending=False, *, stable=False, axis=None)
PyObject* argsort_route(Call& call) {
    static Function* sort = find_function("sort");
    DECLINE_IF(sort == nullptr || !call.is_tensor(ArgSort::input));
    DECLINE_IF(call[ArgSort::axis] != Py_None);
    PyObject* args[] = {call[ArgSort::input], call[ArgSort::dim], call[ArgSort::descending]};
    Ref both = Ref::steal(call_native(sort, args, 3, nullptr));
    return both && PyTuple_Check(both.get()) ? Py_NewRef(PyTuple_GET_ITEM(both.get(), 1)) : nullptr;
}

KERNEL("sort").forward(sort_forward, Sort::names).gradient(backward, Saved::names);
KERNEL("topk").forward(topk_forward, TopK::names).gradient(backward, Saved::names);
KERNEL("argsort").route(argsort_route, ArgSort::names);

}  // namespace

}  // namespace rushlight
