// Sorting: sort, argsort and topk along a dimension, and their gradients. See ops/sorting.py.
#include <atomic>

#include "arrays.h"
#include "call.h"
#include "folding.h"
#include "gathering.h"
#include "order.h"
#include "parts.h"
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
    if (ndim == 0 || dtype < 0 || dtype == BOOL || !PyArray_IS_C_CONTIGUOUS(input) || !read_dim(named, ndim, dim) ||
        (descending != Py_True && descending != Py_False)) {
        return nullptr;
    }
    Middle middle;
    if (!middle_of(ndim, PyArray_DIMS(input), Dims{1} << dim, middle)) return nullptr;
    Wanted wanted{count < 0 ? middle.count : count, descending == Py_True};
    if (!is_orderable(PyArray_SIZE(input)) || wanted.count == 0 || wanted.count > middle.count) return nullptr;
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(input), ndim, dims);
    dims[dim] = wanted.count;
    Ref values = Ref::steal(as_object(new_array(ndim, dims, PyArray_TYPE(input))));
    Ref places = Ref::steal(as_object(new_array(ndim, dims, NPY_INT64)));
    if (!values || !places) return nullptr;
    auto* run = dtype == FLOAT32 ? sort_rows<float> : dtype == FLOAT64 ? sort_rows<double> : sort_rows<int64_t>;
    if (!run(PyArray_DATA(input), middle, wanted, PyArray_DATA(values.array()),
             static_cast<int64_t*>(PyArray_DATA(places.array())))) {
        return nullptr;
    }
    return PyTuple_Pack(2, values.get(), places.get());
}

// sort(input, dim=-1, descending=False, *, stable=False)
PyObject* sort_forward(Call& call) {
    PyObject* found = sorted(call.array(0), call[1], -1, call[2]);
    for (int i = 0; found != nullptr && i < 2; i++) {
        keep_unit_steps(reinterpret_cast<PyArrayObject*>(PyTuple_GET_ITEM(found, i)), call.array(0));
    }
    return found;
}

// topk(input, k, dim=-1, largest=True, sorted=True)
PyObject* topk_forward(Call& call) {
    npy_intp count;
    if (!read_index(call[1], count) || count < 1) return nullptr;
    return sorted(call.array(0), call[2], count, call[3]);
}

// reads indices, input_shape, dim
bool backward(Gradient& gradient) {
    gradient.found[0] = gathered_into(gradient.grad(), gradient.option(2), gradient.array(0), gradient.option(1));
    return gradient.found[0] != nullptr;
}

// argsort(input, dim=-1, descending=False, *, stable=False, axis=None)
PyObject* argsort_route(Call& call) {
    static Function* sort = find_function("sort");
    if (sort == nullptr || call[4] != Py_None || !call.is_tensor(0)) return nullptr;
    PyObject* args[] = {call[0], call[1], call[2]};
    Ref both = Ref::steal(call_native(sort, args, 3, nullptr));
    return both && PyTuple_Check(both.get()) ? Py_NewRef(PyTuple_GET_ITEM(both.get(), 1)) : nullptr;
}

}  // namespace

void register_sorting() {
    add_kernel({"sort", sort_forward, backward, {"indices", "input_shape", "dim"}});
    add_kernel({"topk", topk_forward, backward, {"indices", "input_shape", "dim"}});
    add_route("argsort", argsort_route);
}

}  // namespace rushlight
