// Diagonals: triangles of matrices.
#pragma once

#include "seam/python.h"

namespace rushlight {

extern PyMethodDef triangle_methods[];  // clear_triangle, of the extension

}  // namespace rushlight
