// A chain: pointwise steps over one shape, taken block by block, so that what a step leaves is in the cache for the
// next.
#pragma once

#include "kernels/row.h"
#include "loops/folding.h"
#include "loops/operands.h"

namespace rushlight {

// What a step reads: one value, the result of an earlier step, or memory.
struct ChainInput {
    static constexpr int AXES = 6;
    int dtype = 0, own = 0;  // what the loop reads, and what is there
    bool single = false;     // one value everywhere, in the loop's dtype
    alignas(8) char value[8];
    int step = -1;  // an earlier one, else memory:
    const char* data = nullptr;
    bool spread = false;  // not in the chain's own order: by these axes, the slowest first, with their steps in bytes
    int axes = 0;
    int64_t extents[AXES];
    npy_intp steps[AXES];

    // How an array reads as one of a shape that it is broadcast to; false where that takes more axes.
    bool read(PyArrayObject* array, int ndim, const npy_intp* dims);
    // Elements from `at` on, one after the other.
    void gather(int64_t at, int64_t count, char* to) const;
};

struct ChainStep {
    Loop loop = nullptr;         // none for a copy, nor for a reduction
    const Fold* fold = nullptr;  // a reduction of what an earlier step leaves, which is its only input
    double divisor = 1;
    char* totals = nullptr;  // of the parts of its rows, where there are several
    int dtype = 0;           // of the result
    int count = 0;
    ChainInput inputs[MAX_OPERANDS];
    char* result = nullptr;  // nullptr where only later steps read it
    bool needed = false;

    bool is_copy() const { return loop == nullptr && fold == nullptr; }
};

class Chain {
public:
    static constexpr int STEPS = 24;
    static constexpr int64_t BLOCK = 1024;         // elements
    static constexpr int64_t SCRATCH = 96 * 1024;  // bytes, for any one step and for all of a chain

    // The most scratch that a step may take.
    static int64_t scratch_of(const ChainStep& step);
    // Only what is `needed` runs; memory for scratch is on the stack, so nothing can fail. `rows` is how all of its
    // reductions take the elements.
    static void run(ChainStep* steps, int count, int64_t size, const FoldedRows& rows) noexcept;
};

}  // namespace rushlight
