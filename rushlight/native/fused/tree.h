// Trees: the parameters of a module and of all modules below it. See nn/modules/module.py.
#pragma once

#include "seam/python.h"

namespace rushlight {

bool add_tree(PyObject* module);

}  // namespace rushlight
