// Conversion between arrays of any layout: elements of one dtype as another one's, broadcast where shapes differ.
#pragma once

#include "seam/python.h"

namespace rushlight {

// Whether there are loops between the dtypes of two arrays; half precision is among them.
bool may_convert(PyArrayObject* to, PyArrayObject* from);

// The elements of `from`, of which the shape may be broadcast, written over those of `to`; the two must not overlap.
void convert_into(PyArrayObject* to, PyArrayObject* from);

}  // namespace rushlight
