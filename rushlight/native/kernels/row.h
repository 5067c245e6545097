// A row of the table of pointwise ops: an op's name and parameters, the loops that compute it, and its gradients.
#pragma once

#include <cstdint>

namespace rushlight {

enum Dtype { FLOAT32, FLOAT64, INT64, BOOL, DTYPES };
// Half precision is for memory alone: loops read and write it as float32.
enum HalfDtype { FLOAT16 = DTYPES, BFLOAT16, KEPT_DTYPES };

// `count` contiguous elements of each input; numbers were spread before. The output may be one of the inputs, at the
// same place.
using Loop = void (*)(const void* const* inputs, void* output, int64_t count);

// How the dtype of a row's inputs follows from its arguments. See ops/machine/rules.py.
enum class Rule : char {
    PROMOTE,
    FLOAT,     // like PROMOTE, and integers become the default float dtype
    NO_BOOLS,  // like PROMOTE, but bools are Python's to refuse
    MATCH,     // all tensors have one dtype already
};

// What an argument must be for a row to be the right one among those of its op.
struct Condition {
    enum Kind : char { NONE, NUMBER, TENSOR, VALUE, TEXT };
    const char* name = nullptr;
    Kind kind = NONE;
    double value = 0;
    const char* text = nullptr;
};

struct Pointwise {
    static constexpr int INPUTS = 4, CONDITIONS = 3;
    const char* name = nullptr;       // as in ops/; an op may have several rows, the first that fits a call is taken
    const char* inputs[INPUTS] = {};  // the parameters that the loop reads, by name; nullptr ends them
    unsigned masks = 0;               // bits of the inputs that are bool, whatever dtype the others have
    Rule rule = Rule::PROMOTE;
    bool gives_bool = false;  // the result is bool, else of the inputs' dtype
    bool packed = false;      // the result is C-contiguous, else ordered in memory as the inputs are
    bool rows_only = false;   // inputs that are not C-contiguous are Python's: the op has an order of its own
    Condition when[CONDITIONS];
    bool (*accepts)(const double* numbers) = nullptr;  // whether Python has no objection to the inputs that are numbers
    Loop loops[DTYPES] = {};                           // by the dtype of the inputs; nullptr where Python does it
    Loop half_bits = nullptr;  // of half precision as it is stored, for ops that only move signs
    // the gradient of an input: a loop over `grad` and the values that `reads` names
    struct Slope {
        const char* input = nullptr;
        const char* reads[INPUTS] = {};  // "input", "other", "result" ...
        unsigned masks = 0;
        Loop loops[2] = {};  // float32, float64; nullptr: the gradient is `grad` itself
    } slopes[INPUTS];
};

// Two ops in one loop: `second` of what `first` gives, which stands at `place` among its inputs. It reads the inputs of
// `first`, then the others of `second`. Each name stands for the first row of an op.
struct Joined {
    const char *first = nullptr, *second = nullptr;
    int place = 0;
    Loop loops[2] = {};  // float32, float64
};

// Elements of one dtype as another one's.
using Convert = void (*)(const void* from, void* to, int64_t count);
// Each of `height` elements, `step` bytes apart, `width` times.
using Repeat = void (*)(const void* from, int64_t step, void* to, int64_t height, int64_t width);

}  // namespace rushlight
