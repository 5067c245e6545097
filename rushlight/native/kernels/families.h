// The families of kernels, one file each, named as in ops/.
#pragma once

#include "table.h"

namespace LEVEL {

using rushlight::Table;

void arithmetic(Table& table);
void optim(Table& table);
void random(Table& table);

}  // namespace LEVEL
