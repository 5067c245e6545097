// The way of a pointwise loop through operands that do not lie in a row, or are of another dtype than it reads.
#pragma once

#include "loops/operands.h"

namespace rushlight {

// See Operands::run.
void walk(const Operands& operands, Loop loop, PyArrayObject* result, int result_dtype, int made_dtype = -1);

}  // namespace rushlight
