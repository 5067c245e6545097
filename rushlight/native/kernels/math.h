// The elementary functions of the kernels: branch-free, so that a plain loop over them becomes vector code.
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"
