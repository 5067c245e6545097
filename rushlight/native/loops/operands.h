// Operands: arrays and numbers brought to one shape, for pointwise loops.
#pragma once

#include "kernels/table.h"
#include "seam/promotion.h"
#include "seam/python.h"

namespace rushlight {

constexpr int MAX_OPERANDS = Pointwise::INPUTS + 1;
constexpr int64_t STRETCH = 1024;      // elements that are gathered, converted or repeated at once
constexpr int64_t PARALLEL = 1 << 15;  // elements for which a second thread pays

struct Operand {
    PyArrayObject* array;      // borrowed; nullptr for a number
    int dtype, own;            // what the loop reads, and what the array holds
    bool single;               // one value everywhere
    alignas(8) char value[8];  // that value, in the loop's dtype

    int size() const { return SIZES[dtype]; }
    int own_size() const { return SIZES[own]; }
    // What makes the loop's elements of the array's.
    Convert conversion() const { return own < DTYPES ? table().convert[own][dtype] : table().widen[own - DTYPES]; }
};

// Arrays and numbers, broadcast against each other.
class Operands {
public:
    bool has_number = false;  // one that is a tensor without dimensions to torch

    // As the next operand, read by the loop in this dtype; false where Python has to look.
    bool add(PyArrayObject* array, int dtype);
    // The same for half precision, which the loop reads as float32.
    bool add_half(PyArrayObject* array);
    // The same for a loop that reads it as it is stored; false for one value that stands for many.
    bool add_half_bits(PyArrayObject* array);
    bool add_number(PyObject* value, int dtype);
    // False for shapes that do not fit each other, and for numbers alone.
    bool broadcast();
    // A new array for the result: C-contiguous if `packed`, else in the memory order that torch gives it. By NumPy's
    // number of the type for half precision.
    PyArrayObject* new_result(int dtype, bool packed = false) const { return make_result(type_num_of(dtype), packed); }
    PyArrayObject* make_result(int type_num, bool packed = false) const;
    // Whether no operand gives the result another order than C's.
    bool in_rows() const { return plain || ndim < 2 || size == 0 || is_c_ordered(); }
    // Whether the result has this array's shape.
    bool has_shape(PyArrayObject* out) const;
    // Whether the result may be written to this array while the operands are read.
    bool may_write(PyArrayObject* out) const;
    // The result may be of half precision: the loop's float32 is rounded to it. Where the loop gives something else
    // than the result holds, as comparisons do, `made_dtype` says what.
    void run(Loop loop, PyArrayObject* result, int result_dtype, int made_dtype = -1) const;

    int count = 0;
    int ndim = 0;
    const npy_intp* dims = nullptr;
    npy_intp size = 1;
    Operand items[MAX_OPERANDS];

private:
    bool broadcast_shapes();
    bool is_c_ordered() const;
    bool is_uniform() const;
    bool casts_repeated() const;
    bool has_odd_steps() const;
    int comes_later(int inner, int outer) const;
    npy_intp step_along(int i, int dim) const;  // of an operand, in bytes; 0 where it is broadcast
    void run_plain(Loop loop, char* result, int result_size) const;
    void run_repeating(Loop loop, char* result, int result_size) const;

    bool plain = false;  // single values, and C-contiguous arrays of the result's shape in the loop's dtype
    npy_intp joined[NPY_MAXDIMS];
};

}  // namespace rushlight
