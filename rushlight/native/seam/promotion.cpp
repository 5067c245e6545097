// Type promotion among the dtypes that have loops.
#include "seam/promotion.h"
#include "seam/guard.h"

#include <algorithm>

namespace rushlight {

namespace {

enum { DIMENSIONED, ZERO_DIM, NUMBER };

int default_type = FLOAT32;

bool is_float(int dtype) { return dtype == FLOAT32 || dtype == FLOAT64; }

// Of two dtypes the one that both convert to.
int promote_types(int one, int other) {
    constexpr int heights[DTYPES] = {2, 3, 1, 0};
    return heights[one] >= heights[other] ? one : other;
}

// `higher` decides, unless `lower` is of a higher category.
int combine(int higher, int lower) {
    if (higher < 0 || lower < 0) return higher < 0 ? lower : higher;
    if (is_float(higher)) return higher;
    return higher == BOOL || is_float(lower) ? promote_types(higher, lower) : higher;
}

PyObject* set_default_dtype(PyObject*, PyObject* dtype) {
    if (!PyArray_DescrCheck(dtype)) return PyErr_Format(PyExc_TypeError, "expected a NumPy dtype");
    default_type = dtype_of_type(reinterpret_cast<PyArray_Descr*>(dtype)->type_num);
    Py_RETURN_NONE;
}

}  // namespace

int default_dtype() { return default_type; }

PyMethodDef promotion_methods[] = {
    {"set_default_dtype", guarded<set_default_dtype>, METH_O, "Say what floats get when none is asked for."},
    {nullptr, nullptr, 0, nullptr},
};

void Promotion::add(int rank, int dtype) {
    found[rank] = found[rank] < 0 ? dtype : promote_types(found[rank], dtype);
    bools = bools || dtype == BOOL;
}

bool Promotion::add(PyArrayObject* array) {
    int dtype = dtype_of(array);
    if (dtype < 0) return false;
    mixed = mixed || (first >= 0 && first != dtype);
    first = dtype;
    add(PyArray_NDIM(array) > 0 ? DIMENSIONED : ZERO_DIM, dtype);
    return true;
}

bool Promotion::add_number(PyObject* value) {
    int dtype = PyBool_Check(value) ? BOOL : PyLong_CheckExact(value) ? INT64 : -1;
    if (PyFloat_CheckExact(value)) dtype = default_type;
    if (dtype < 0) return false;
    add(NUMBER, dtype);
    return true;
}

int Promotion::result() const { return combine(found[DIMENSIONED], combine(found[ZERO_DIM], found[NUMBER])); }

}  // namespace rushlight
