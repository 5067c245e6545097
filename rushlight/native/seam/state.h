// State: what this thread has switched on or off. See autograd/modes.py.
#pragma once

#include "memory/system.h"
#include "seam/python.h"

namespace rushlight {

struct State {
    bool grad = true;
    // inside a backward that records nothing: results need not say why they have no history
    bool backward = false;
    bool inference = false;
    bool anomaly = false;
    bool check_anomaly = true;
    bool forward = true;  // results of moving tensors move along
    // arguments with a `__torch_function__`, and modes, have no word
    bool no_overrides = false;
    bool no_modes = false;
    bool compiled = false;  // inside a compiled function: pointwise calls may be put off
    bool whole = false;     // whose graph must not break
    // tuples, or nullptr for the empty one
    PyObject* saved_hooks = nullptr;
    PyObject* levels = nullptr;  // the function transforms that run, outermost first
    // when the innermost of those that differentiate began, as a number that grows; 0 for none
    unsigned birth = 0;
};

extern RUSHLIGHT_SHARED_THREAD_LOCAL State state;
extern PyTypeObject StateType;

}  // namespace rushlight
