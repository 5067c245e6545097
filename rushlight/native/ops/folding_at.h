// Values brought together at the positions that an index gives.
#pragma once

#include "seam/python.h"

namespace rushlight {

extern PyMethodDef folding_methods[];  // fold_at, of the extension

}  // namespace rushlight
