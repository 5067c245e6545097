// The parts of the extension, in the order they are added.
#include "parts.h"

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
    register_pointwise();
    register_routes();
    register_views();
    register_indexing();
    register_joining();
    register_splitting();
    register_gathering();
    register_picking();
    register_assignment();
    register_masks();
    register_copying();
    register_creation();
    register_filled();
    register_products();
    register_added_products();
    register_linear();
    register_losses();
    register_classification_losses();
    register_cross_entropy();
    register_loss_functions();
    register_embedding();
    register_reductions();
    register_maxima();
    register_softmax();
    register_statistics();
    register_norms();
    register_normalization();
    register_convolution();
    register_cumulative();
    register_diagonals();
    register_rearranging();
    register_comparison();
    register_sorting();
    register_uniqueness();
    register_pooling();
    register_averages();
    register_taps();
    register_batch_norms();
    register_bags();
    register_recurrent();
    register_attention();
    return PyModule_AddFunctions(module, memory_methods) >= 0 && PyModule_AddFunctions(module, thread_methods) >= 0 &&
           PyModule_AddFunctions(module, promotion_methods) >= 0 && PyModule_AddFunctions(module, lost_methods) >= 0 &&
           add_optim(module) && add_layers(module) && add_forwards(module) && add_tree(module) && add_random(module);
}

}  // namespace rushlight
