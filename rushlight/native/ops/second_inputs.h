// Second inputs whose values pointwise ops look at first: divisors without zeros, degrees that are not too high.
#pragma once

#include <cstring>

#include "kernels/table.h"
#include "loops/operands.h"
#include "seam/state.h"

namespace rushlight {

// Whether a row of integers divides by its second input; floats are divided by zero.
inline bool divides_integers(const Pointwise& row, int dtype) {
    if (dtype != INT64) return false;
    for (const char* name : {"floor_divide", "remainder", "fmod", "div"}) {
        if (std::strcmp(row.name, name) == 0) return true;
    }
    return false;
}

// Whether a divisor is known to have no zeros, which are Python's to refuse.
inline bool has_no_zeros(const Operand& divisor) {
    // what a compiled function put off has no values yet
    if (divisor.array != nullptr && state.compiled) return false;
    if (divisor.single) {
        int64_t value;
        std::memcpy(&value, divisor.value, sizeof value);
        return value != 0;
    }
    PyArrayObject* array = divisor.array;
    if (divisor.own != INT64 || !PyArray_ISCARRAY_RO(array)) return false;
    const auto* values = static_cast<const int64_t*>(PyArray_DATA(array));
    npy_intp size = PyArray_SIZE(array), zeros = 0;
    for (npy_intp i = 0; i < size; i++) zeros += values[i] == 0;
    return zeros == 0;
}

template <class T>
bool are_below(const void* values, npy_intp size, double limit) {
    bool below = true;
    for (npy_intp i = 0; i < size; i++) below &= static_cast<double>(static_cast<const T*>(values)[i]) <= limit;
    return below;
}

// Whether no degree is so high that Python has something to say; NaN is.
inline bool has_low_degrees(const Operand& degrees) {
    constexpr double HIGHEST = 100'000;
    if (degrees.single && degrees.dtype == FLOAT32) return are_below<float>(degrees.value, 1, HIGHEST);
    if (degrees.single) return are_below<double>(degrees.value, 1, HIGHEST);
    PyArrayObject* array = degrees.array;
    if (state.compiled || !PyArray_ISCARRAY_RO(array)) return false;
    npy_intp size = PyArray_SIZE(array);
    switch (degrees.own) {
        case FLOAT32: return are_below<float>(PyArray_DATA(array), size, HIGHEST);
        case FLOAT64: return are_below<double>(PyArray_DATA(array), size, HIGHEST);
        case INT64: return are_below<int64_t>(PyArray_DATA(array), size, HIGHEST);
        default: return degrees.own == BOOL;
    }
}

// Whether a row runs a recurrence as often as its second input says.
inline bool is_polynomial(const Pointwise& row) { return std::strstr(row.name, "_polynomial_") != nullptr; }

}  // namespace rushlight
