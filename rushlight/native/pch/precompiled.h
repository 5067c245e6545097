// What nearly every file of the native layer includes, compiled once: a third of the time of a build.
#include <algorithm>
#include <cstring>
#include <vector>

#include "memory/arrays.h"
#include "object/tensor.h"
#include "seam/call.h"
#include "seam/plan.h"
#include "seam/python.h"
