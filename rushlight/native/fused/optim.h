// Optimizers: a whole step in one call, and what is done to all gradients at once. See optim/ and
// nn/utils/clip_grad.py.
#pragma once

#include "object/tensor.h"
#include "seam/python.h"

namespace rushlight {

// How many elements one thread takes at a time, at the least: about 15 us of Adam.
constexpr int64_t OPTIM_GRAIN = 1 << 15;

// 0 for float32, 1 for float64, -1 for what the loops do not take: another kind of array, dtype or byte order.
int loop_type(PyArrayObject* array);

// NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, both, or 0: how the elements lie in one dense block.
inline int layout_of(PyArrayObject* array) {
    return PyArray_FLAGS(array) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
}

// The user's line, while a function works.
struct UserLine {
    Place place = user_place();
    UserLine() = default;
    UserLine(const UserLine&) = delete;
    UserLine& operator=(const UserLine&) = delete;
    ~UserLine() { clear_place(place); }
};

// Count a write that was made at `place`; may run any code, as the last holder of an earlier writer's.
void count_write(Storage* storage, const Place& place);

// A number that is a float or an int; false for anything else, without an exception.
bool read_number(PyObject* value, double& number);

// Of dense arrays of one size and dtype, whose elements lie in the same order.
double dot(PyArrayObject* one, PyArrayObject* other, int type);
void scale(PyArrayObject* array, int type, double factor);

bool add_optim(PyObject* module);

}  // namespace rushlight
