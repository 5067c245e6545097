// What every file of kernels/ includes, compiled once for each level of CPU: a quarter of the time of a build.
#include <cstdint>
#include <cstring>

#include "kernels/math.h"
#include "kernels/table.h"
