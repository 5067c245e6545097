// Every family of kernels enters the table of its level here.
#include "families.h"

namespace LEVEL {

void fill(rushlight::Table& table) {
    arithmetic(table);
    optim(table);
    random(table);
}

}  // namespace LEVEL
