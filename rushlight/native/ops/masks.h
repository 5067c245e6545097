// Masks: elements chosen by a tensor of bools.
#pragma once

#include "seam/python.h"

namespace rushlight {

// Write one value wherever a mask of the whole's shape holds; false, with nothing written, where Python must look.
bool put_masked(PyArrayObject* whole, PyArrayObject* mask, PyArrayObject* value);

}  // namespace rushlight
