// Elements: a tensor's numbers as Python's and NumPy's.
#pragma once

#include "seam/python.h"

namespace rushlight {

// item, tolist and numpy, for attributes.cpp.
extern PyMethodDef element_methods[];
// float(x), int(x), bool(x) and the index of a list: into the slots of the base type.
void prepare_elements();

}  // namespace rushlight
