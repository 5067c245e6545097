// Lifting: a call with a lifted tensor goes to the highest level among its arguments. See
// ops/machine/transforms/lifting.py.
#pragma once

#include "object/lifted.h"
#include "seam/call.h"
#include "seam/state.h"

namespace rushlight {

// Only the levels outside of one, none for nullptr, until this goes out of scope: what is made on the way belongs to
// them.
class Outside {
public:
    explicit Outside(const Level* level) : before_(state.levels) {
        bool some = level != nullptr && level->outside != nullptr && PyTuple_Check(level->outside) &&
                    PyTuple_GET_SIZE(level->outside) > 0;
        state.levels = some ? Py_NewRef(level->outside) : nullptr;
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;
    ~Outside() {
        PyObject* own = state.levels;
        state.levels = before_;
        Py_XDECREF(own);
    }

private:
    PyObject* before_;
};

// What is recorded below a level: nothing if a switch is off, here or where the level began.
class Recording {
public:
    explicit Recording(const Level* level) : grad_(state.grad), backward_(state.backward) {
        // inside of a backward recording is off for this level alone
        state.grad = level->recording && (state.grad || level->running);
        state.backward = false;
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() {
        state.grad = grad_;
        state.backward = backward_;
    }

private:
    bool grad_, backward_;
};

// An op where function transforms run; nullptr without an exception if no argument takes part in one, or if the call
// is Python's.
PyObject* call_lifted(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names);

bool add_lifting(PyObject* module);

}  // namespace rushlight
