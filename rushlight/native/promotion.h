// Type promotion: which dtype an op computes in when its operands differ. See core/promotion.py.
#pragma once

#include "kernels/row.h"
#include "python.h"

namespace rushlight {

// The table's dtype of an array that loops can read as it stands, or -1.
int dtype_of(PyArrayObject* array);
int type_num_of(int dtype);

constexpr int SIZES[DTYPES] = {4, 8, 8, 1};

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
