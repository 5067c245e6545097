// Copying: methods of Tensor that bring its elements into other memory or another dtype, or write over them.
#pragma once

#include "seam/python.h"

namespace rushlight {

// The methods, for attributes.cpp; each ends with an entry without a name.
extern PyMethodDef copying_methods[];
extern PyMethodDef conversion_methods[];  // convert_half, of the extension

}  // namespace rushlight
