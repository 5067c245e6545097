// The way of a pointwise loop through operands that do not lie in a row, or are of another dtype than it reads.
#pragma once

#include "loops/operands.h"

namespace rushlight {

// The result may be of half precision: the loop's float32 is rounded to it.
void walk(const Operands& operands, Loop loop, PyArrayObject* result, int result_dtype);

}  // namespace rushlight
