// Lost history: numbers that left a graph through item(), kept until errors/lost.py asks for them.
#pragma once

#include "object/tensor.h"
#include "seam/python.h"

namespace rushlight {

// Note the user's line on which a value with a history became a plain number.
void number_left(double value);
// Note that a NumPy array shows the memory of a tensor whose history was cut; false, with nothing done, where Python
// must do it.
bool array_left(PyArrayObject* array, const Cut& cut);
// Whether Python has not yet heard of some.
bool has_exits();

extern PyMethodDef lost_methods[];  // take_exits

}  // namespace rushlight
