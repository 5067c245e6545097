// NumPy's table of functions, which all files share: this one has it, and is compiled without the common header.
#define RUSHLIGHT_IMPORTS_NUMPY
#include "seam/python.h"

namespace rushlight {

bool import_numpy() { return _import_array() >= 0; }

}  // namespace rushlight
