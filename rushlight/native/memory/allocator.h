// The allocator: the pool as NumPy's data-memory handler (NEP 49), and `rushlight.memory`'s functions.
#pragma once

#include "memory/pool.h"
#include "seam/python.h"

namespace rushlight {

// The "mem_handler" capsule whose functions use the pool; nullptr before the first array.
extern PyObject* pool_capsule;
// The same, made at first use; borrowed. nullptr with an exception set when out of memory.
PyObject* pool_handler();

extern PyMethodDef memory_methods[];

}  // namespace rushlight
