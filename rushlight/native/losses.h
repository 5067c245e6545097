// What the losses share: how their values are brought together.
#pragma once

#include "call.h"
#include "numbers.h"

namespace rushlight {

enum class Reduced { MEAN, SUM, NONE, OTHER };

// How a loss is reduced, by its name.
Reduced read_reduction(PyObject* value);

}  // namespace rushlight
