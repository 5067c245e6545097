// The table of numeric loops: what the files of this folder fill for one level of CPU. No Python here.
#pragma once

#include <cstdint>

#include "optim.h"
#include "random.h"

// Code that other levels must never share: a linker keeps one copy of an ordinary inline function, of whichever level.
#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

namespace rushlight {

enum Dtype { FLOAT32, FLOAT64, INT64, BOOL, DTYPES };

// One pointwise loop: `count` contiguous elements of each input; scalars were spread before. Options are numbers
// such as alpha, in the order the row names them. The output may be one of the inputs, at the same place.
using Loop = void (*)(const void* const* inputs, void* output, int64_t count, const double* options);

// A pointwise op: one row of the table.
struct Pointwise {
    static constexpr int INPUTS = 3, OPTIONS = 4;
    const char* name = nullptr;        // as in ops/
    const char* inputs[INPUTS] = {};   // the parameters that are tensors (or numbers), by name; nullptr ends them
    const char* options[OPTIONS] = {}; // the parameters that are numbers, by name
    Loop loops[DTYPES] = {};           // by the dtype of the inputs; nullptr where Python does it
    bool gives_bool = false;           // the result is bool, else of the inputs' dtype
    // for each input, the loop of its gradient: it gets `grad`, then the values that `reads` names
    struct Slope {
        const char* reads[INPUTS] = {};  // "input", "other", "result" ...
        Loop loops[2] = {};              // float32, float64
        bool same = false;               // the gradient is `grad` itself
    } slopes[INPUTS];
};

struct Table {
    static constexpr int MOST = 256;
    const char* level = "";
    Pointwise pointwise[MOST];
    int pointwise_count = 0;
    OptimLoops optim;
    RandomLoops random;

    ALWAYS_INLINE void add(const Pointwise& row) {
        if (pointwise_count < MOST) pointwise[pointwise_count++] = row;
    }
};

// The loops for the best level that this CPU has (or that RUSHLIGHT_LEVEL names), chosen once.
const Table& table();

}  // namespace rushlight
