// Numbers: those among the arguments of a call, and arrays of one number.
#include "seam/numbers.h"

#include "memory/arrays.h"

namespace rushlight {

bool plain_integer(PyObject* value, int64_t& number) {
    if (value == nullptr || !PyLong_CheckExact(value)) return false;
    int overflow;
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0;
}

bool plain_number(PyObject* value, double& number) {
    if (value != nullptr && PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
        return true;
    }
    constexpr int64_t exact = int64_t{1} << 53;
    int64_t integer;
    if (!plain_integer(value, integer) || integer < -exact || integer > exact) return false;
    number = static_cast<double>(integer);
    return true;
}

PyArrayObject* single_array(double number, int dtype) {
    PyArrayObject* result = new_array(0, nullptr, type_num_of(dtype));
    if (result == nullptr) return nullptr;
    if (dtype == FLOAT32) {
        *static_cast<float*>(PyArray_DATA(result)) = static_cast<float>(number);
    } else {
        *static_cast<double*>(PyArray_DATA(result)) = number;
    }
    return result;
}

double first_number(PyArrayObject* array, int dtype) {
    return dtype == FLOAT32 ? *static_cast<float*>(PyArray_DATA(array)) : *static_cast<double*>(PyArray_DATA(array));
}

}  // namespace rushlight
