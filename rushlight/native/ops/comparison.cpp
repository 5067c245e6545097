// Comparison of whole tensors: equal and allclose, whose answer is a bool. See ops/pointwise/comparison.py.
#include <algorithm>
#include <cmath>

#include "loops/copy.h"
#include "seam/call.h"
#include "seam/numbers.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

constexpr int64_t BLOCK = 1024;  // elements between two looks at whether the answer is known

// Whether `differs(one, other)` holds for no pair of elements.
template <class T, class Differs>
bool none(const void* one, const void* other, int64_t count, Differs differs) {
    auto *x = static_cast<const T*>(one), *y = static_cast<const T*>(other);
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t end = std::min(count, start + BLOCK);
        int found = 0;
#pragma omp simd reduction(| : found)
        for (int64_t i = start; i < end; i++) found |= differs(x[i], y[i]);
        if (found) return false;
    }
    return true;
}

template <class T>
bool same(const void* one, const void* other, int64_t count) {
    return none<T>(one, other, count, [](T x, T y) { return x != y; });
}

// As `isclose`, in float64; the distance is not finite if it differs from itself times zero.
template <class T>
bool near(const void* one, const void* other, int64_t count, double rtol, double atol) {
    return none<T>(one, other, count, [=](T x, T y) {
        double distance = std::fabs(static_cast<double>(x) - static_cast<double>(y));
        double allowed = atol + std::fabs(rtol * static_cast<double>(y));
        return !((x == y) | ((distance * 0 == 0) & (distance <= allowed)));
    });
}

NAMES(Equal, input, other);

// Of half precision, by its bits: numbers that are equal are the same bits, or two zeros; NaN is nothing's equal.
template <unsigned infinity>
bool same_half(const void* one, const void* other, int64_t count) {
    return none<uint16_t>(one, other, count, [](unsigned x, unsigned y) {
        bool zeros = ((x | y) & 0x7fffu) == 0, is_nan = (x & 0x7fffu) > infinity;
        return !(zeros | ((x == y) & !is_nan));
    });
}

bool same_elements(int dtype, const void* x, const void* y, int64_t count) {
    switch (dtype) {
        case FLOAT32: return same<float>(x, y, count);
        case FLOAT64: return same<double>(x, y, count);
        case INT64: return same<int64_t>(x, y, count);
        case FLOAT16: return same_half<0x7c00>(x, y, count);
        case BFLOAT16: return same_half<0x7f80>(x, y, count);
        default: return none<uint8_t>(x, y, count, [](int a, int b) { return (a != 0) != (b != 0); });
    }
}

// Whether the first elements differ, which mostly tells of tensors that do: no copy is made then.
bool differ_at_once(PyArrayObject* one, PyArrayObject* other) {
    return PyArray_SIZE(one) > 0 && !same_elements(kept_dtype_of(one), PyArray_DATA(one), PyArray_DATA(other), 1);
}

PyObject* equal_route(Call& call) {
    PyArrayObject *one = call.array(Equal::input), *other = call.array(Equal::other);
    if (!PyArray_SAMESHAPE(one, other) || differ_at_once(one, other)) return Py_NewRef(Py_False);
    Ref x = in_c_order(one), y = in_c_order(other);
    bool same = same_elements(kept_dtype_of(one), PyArray_DATA(x.array()), PyArray_DATA(y.array()), PyArray_SIZE(one));
    return PyBool_FromLong(same);
}

NAMES(AllClose, input, other, rtol, atol, equal_nan);

// Of floats in one shape.
PyObject* allclose_route(Call& call) {
    PyArrayObject *one = call.array(AllClose::input), *other = call.array(AllClose::other);
    double rtol = call.number(AllClose::rtol), atol = call.number(AllClose::atol);
    DECLINE_IF(call.flag(AllClose::equal_nan) || !(rtol >= 0) || !(atol >= 0));
    auto* run = dtype_of(one) == FLOAT32 ? near<float> : near<double>;
    return PyBool_FromLong(run(PyArray_DATA(one), PyArray_DATA(other), PyArray_SIZE(one), rtol, atol));
}

KERNEL("equal")
    .route(equal_route, Equal::names)
    .takes(tensor(Equal::input).known().halves(), tensor(Equal::other).known().halves().like(Equal::input));
KERNEL("allclose")
    .route(allclose_route, AllClose::names)
    .takes(tensor(AllClose::input).floats().dense(), tensor(AllClose::other).floats().shaped(AllClose::input).dense(),
           number(AllClose::rtol), number(AllClose::atol), flag(AllClose::equal_nan));

}  // namespace

}  // namespace rushlight
