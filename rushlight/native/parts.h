// The parts of the extension: each adds its functions and types to the module, and its kernels to the table.
#pragma once

#include "python.h"

namespace rushlight {

// All of them; false with an exception.
bool add_parts(PyObject* module);

void register_pointwise();
void register_routes();
void register_views();
void register_indexing();
void register_joining();
void register_splitting();
void register_gathering();
void register_picking();
void register_assignment();
void register_masks();
void register_copying();
void register_creation();
void register_filled();
void register_products();
void register_added_products();
void register_linear();
void register_losses();
void register_classification_losses();
void register_cross_entropy();
void register_loss_functions();
void register_embedding();
void register_reductions();
void register_maxima();
void register_softmax();
void register_statistics();
void register_norms();
void register_normalization();
void register_convolution();
void register_cumulative();
void register_diagonals();
void register_rearranging();
void register_comparison();
void register_sorting();
void register_uniqueness();
void register_pooling();
void register_averages();
void register_taps();
void register_batch_norms();
void register_bags();
void register_recurrent();
void register_attention();

}  // namespace rushlight
