// Operands: arrays and numbers brought to one shape, walked in memory order, for pointwise loops.
#pragma once

#include "kernels/table.h"
#include "python.h"

namespace rushlight {

// The table's dtype of an array that loops can read as it stands, or -1.
int dtype_of(PyArrayObject* array);
int type_num_of(int dtype);

struct Operand {
    PyArrayObject* array = nullptr;  // borrowed; nullptr for a number
    double number = 0;
    int64_t integer = 0;
};

// A number as an operand of this dtype; false where Python's promotion has to decide.
bool number_operand(PyObject* value, int dtype, Operand& operand);

constexpr int MAX_OPERANDS = 4;

// Arrays and numbers of one dtype, broadcast against each other.
class Operands {
public:
    // False where Python has to look: shapes that do not broadcast, layouts whose result NumPy orders in its own way.
    bool add(PyObject* value, int dtype);
    bool broadcast();
    // A new array for the result, laid out as NumPy would.
    PyArrayObject* new_result(int type_num) const;
    // Whether the result may be written to this array.
    bool fits(PyArrayObject* out) const;
    void run(Loop loop, PyArrayObject* out, const double* options, int dtype, int result_dtype) const;

    Operand items[MAX_OPERANDS];
    int count = 0;
    int ndim = 0;
    npy_intp dims[NPY_MAXDIMS];
    npy_intp size = 1;

private:
    bool is_plain() const;
    void run_plain(Loop loop, char* out, const double* options, int dtype, int result_dtype) const;

    const PyArrayObject* leader = nullptr;  // the array whose memory order the result takes; nullptr: C order
    bool plain = false;                     // all arrays C-contiguous and of the result's shape
};

}  // namespace rushlight
