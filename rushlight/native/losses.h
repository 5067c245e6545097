// What the losses share: how their values are brought together.
#pragma once

#include <algorithm>

#include "call.h"
#include "numbers.h"

namespace rushlight {

enum class Reduced { MEAN, SUM, NONE, OTHER };

// How a loss is reduced, by its name.
Reduced read_reduction(PyObject* value);
// torch's older words for it are Python's affair.
inline bool is_none(const Call& call, int first, int count) {
    return std::all_of(call.arguments + first, call.arguments + first + count,
                       [](PyObject* each) { return each == Py_None; });
}

}  // namespace rushlight
