// Uniqueness: the different elements of a tensor, and how often each occurs. See ops/uniqueness.py.
#include "arrays.h"
#include "call.h"
#include "order.h"
#include "promotion.h"

namespace rushlight {

namespace {

// The values, which of them each element is, and how many there are of each; nullptr where Python must look.
template <class T>
PyObject* distinct(PyArrayObject* input) {
    npy_intp count = PyArray_SIZE(input);
    auto* from = static_cast<const T*>(PyArray_DATA(input));
    Order<T> order(count);
    DECLINE_IF(!order);
    auto* sorted = order.sort(from, 1, count, false);
    // NaN differs from itself: each one stands alone
    auto is_new = [=](npy_intp i) { return i == 0 || from[sorted[i].place] != from[sorted[i - 1].place]; };
    npy_intp different = 0;
    for (npy_intp i = 0; i < count; i++) different += is_new(i);
    Ref values = Ref::steal(as_object(new_array(1, &different, PyArray_TYPE(input))));
    Ref inverse = Ref::steal(as_object(new_array(PyArray_NDIM(input), PyArray_DIMS(input), NPY_INT64)));
    Ref counts = Ref::steal(as_object(zeros_array(1, &different, NPY_INT64)));
    if (!values || !inverse || !counts) return nullptr;
    auto* value = static_cast<T*>(PyArray_DATA(values.array()));
    auto* which = static_cast<int64_t*>(PyArray_DATA(inverse.array()));
    auto* many = static_cast<int64_t*>(PyArray_DATA(counts.array()));
    npy_intp at = -1;
    for (npy_intp i = 0; i < count; i++) {
        if (is_new(i)) value[++at] = from[sorted[i].place];
        which[sorted[i].place] = at;
        many[at]++;
    }
    return PyTuple_Pack(3, values.get(), inverse.get(), counts.get());
}

NAMES(Distinct, input, dim, consecutive);

// Of all elements.
PyObject* forward(Call& call) {
    PyArrayObject* input = call.array(Distinct::input);
    DECLINE_IF(call[Distinct::dim] != Py_None);
    DECLINE_IF(call[Distinct::consecutive] != Py_False);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(input));
    DECLINE_IF(!is_orderable(PyArray_SIZE(input)));
    switch (dtype_of(input)) {
        case FLOAT32: return distinct<float>(input);
        case FLOAT64: return distinct<double>(input);
        case INT64: return distinct<int64_t>(input);
        default: return declined("a dtype that has no loop");
    }
}

KERNEL("_distinct").forward(forward, Distinct::names);

}  // namespace

}  // namespace rushlight
