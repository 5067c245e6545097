// The parts of the extension, in the order they are added.
#include "parts.h"

#include <initializer_list>

#include "allocator.h"
#include "forwards.h"
#include "layers.h"
#include "lost.h"
#include "optim.h"
#include "promotion.h"
#include "random.h"
#include "threads.h"
#include "tree.h"

namespace rushlight {

bool add_parts(PyObject* module) {
    for (PyMethodDef* methods : {memory_methods, thread_methods, promotion_methods, lost_methods}) {
        if (PyModule_AddFunctions(module, methods) < 0) return false;
    }
    return register_pointwise() && add_optim(module) && add_layers(module) && add_forwards(module) &&
           add_tree(module) && add_random(module);
}

}  // namespace rushlight
