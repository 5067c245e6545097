// Numbers: those among the arguments of a call, and arrays of one number.
#pragma once

#include "seam/promotion.h"
#include "seam/python.h"

namespace rushlight {

inline bool is_real(int dtype) { return dtype == FLOAT32 || dtype == FLOAT64; }

// Calls `work` with a number of a float dtype: `with_float(dtype, [&](auto zero) { using T = decltype(zero); ... })`.
template <class Work>
auto with_float(int dtype, Work work) {
    return dtype == FLOAT32 ? work(0.0F) : work(0.0);
}

// A Python number as a double; false for anything else, and for an integer that a double cannot hold.
bool plain_number(PyObject* value, double& number);
bool plain_integer(PyObject* value, int64_t& number);

// An array without dims of a float dtype; nullptr with an exception.
PyArrayObject* single_array(double number, int dtype);
// The first element of an array of such a dtype.
double first_number(PyArrayObject* array, int dtype);

}  // namespace rushlight
