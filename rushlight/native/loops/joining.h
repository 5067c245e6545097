// Joining: steps of a chain that are done in fewer loops, to the same bits.
#pragma once

#include "loops/chain.h"

namespace rushlight {

// Reads through copies, and does neighbours in one step where a loop for both is there; what is left over is no longer
// `needed`.
void join_steps(ChainStep* steps, int count);

}  // namespace rushlight
