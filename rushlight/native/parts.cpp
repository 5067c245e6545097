// The parts of the extension, in the order they are added.
#include "parts.h"

#include "allocator.h"
#include "layers.h"
#include "optim.h"
#include "random.h"
#include "threads.h"

namespace rushlight {

bool add_parts(PyObject* module) {
    register_pointwise();
    return PyModule_AddFunctions(module, memory_methods) >= 0 && PyModule_AddFunctions(module, thread_methods) >= 0 &&
           add_optim(module) && add_layers(module) && add_random(module);
}

}  // namespace rushlight
