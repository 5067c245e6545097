// Type promotion: which dtype an op computes in when its operands differ. See core/numbers/promotion.py.
#pragma once

#include "kernels/row.h"
#include "seam/python.h"

namespace rushlight {

inline int dtype_of_type(int type_num) {
    switch (type_num) {
        case NPY_FLOAT32: return FLOAT32;
        case NPY_FLOAT64: return FLOAT64;
        case NPY_INT64: return INT64;
        case NPY_BOOL: return BOOL;
        default: return -1;
    }
}

// The table's dtype of an array that loops can read as it stands, or -1.
inline int dtype_of(PyArrayObject* array) {
    return PyArray_ISNOTSWAPPED(array) && PyArray_ISALIGNED(array) ? dtype_of_type(PyArray_TYPE(array)) : -1;
}

// Like `dtype_of_type`, with half precision, which only some drivers take.
inline int kept_dtype_of_type(int type_num, int size) {
    if (type_num == NPY_HALF) return FLOAT16;
    if (PyTypeNum_ISUSERDEF(type_num)) return size == 2 ? static_cast<int>(BFLOAT16) : -1;
    return dtype_of_type(type_num);
}

inline int kept_dtype_of(PyArrayObject* array) {
    bool readable = PyArray_ISNOTSWAPPED(array) && PyArray_ISALIGNED(array);
    return readable ? kept_dtype_of_type(PyArray_TYPE(array), static_cast<int>(PyArray_ITEMSIZE(array))) : -1;
}

inline int type_num_of(int dtype) {
    constexpr int types[DTYPES] = {NPY_FLOAT32, NPY_FLOAT64, NPY_INT64, NPY_BOOL};
    return types[dtype];
}

constexpr int SIZES[KEPT_DTYPES] = {4, 8, 8, 1, 2, 2};

// What floats get when none is asked for, or -1 if that is none of the table's.
int default_dtype();
extern PyMethodDef promotion_methods[];  // set_default_dtype

// The common dtype of arrays and Python numbers, added one by one.
class Promotion {
public:
    // False for what native code leaves to Python.
    bool add(PyArrayObject* array);
    bool add_number(PyObject* value);
    int result() const;
    // The dtype of all arrays, or -1 if they have several.
    int match() const { return mixed ? -1 : first; }
    bool has_bools() const { return bools; }

private:
    void add(int rank, int dtype);

    int first = -1;
    bool mixed = false, bools = false;
    int found[3] = {-1, -1, -1};  // of arrays with dims, of those without, of numbers
};

}  // namespace rushlight
