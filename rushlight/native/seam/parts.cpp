// The parts of the extension, in the order they are added.
#include "seam/parts.h"

#include <initializer_list>

#include "fused/forwards.h"
#include "fused/grad_modes.h"
#include "fused/layers.h"
#include "fused/optim.h"
#include "memory/allocator.h"
#include "memory/checksum.h"
#include "memory/failure.h"
#include "memory/threads.h"
#include "object/lifted.h"
#include "object/lost.h"
#include "ops/copying.h"
#include "ops/diagonals.h"
#include "ops/folding_at.h"
#include "random/random.h"
#include "seam/lifting.h"
#include "seam/overrides.h"
#include "seam/pending.h"
#include "seam/promotion.h"
#include "seam/region.h"

namespace rushlight {

bool add_parts(PyObject* module) {
    for (PyMethodDef* methods : {memory_methods, thread_methods, promotion_methods, lost_methods, failure_methods,
                                 conversion_methods, folding_methods, triangle_methods, pending_methods}) {
        if (PyModule_AddFunctions(module, methods) < 0) return false;
    }
    return register_pointwise() && add_optim(module) && add_layers(module) && add_forwards(module) &&
           add_grad_modes(module) && add_random(module) && add_overrides(module) && add_lifted(module) &&
           add_lifting(module) && add_checksum(module) && add_regions(module);
}

}  // namespace rushlight
