// Known optimizers: where a step found what it reads, so that the next one in a compiled function need not look again.
#pragma once

#include <vector>

#include "fused/steps.h"
#include "fused/versions.h"

namespace rushlight {

// Where the arrays of one parameter's step come from: tensors, all borrowed.
struct KnownParam {
    PyObject* param = nullptr;
    KnownDict state;  // what is remembered of the parameter; none before its first step
    PyObject* states[StepArrays::STATES] = {};
    PyObject* count = nullptr;
};

struct KnownGroup {
    KnownDict options;
    PyObject* params = nullptr;  // a list
    Settings settings;
    size_t end = 0;  // behind its last parameter
};

struct KnownOptimizer {
    PyObject* optimizer = nullptr;
    PyTypeObject* type = nullptr;
    unsigned type_version = 0;
    KnownDict fields, defaults, state;
    PyObject* hooks[2] = {};   // dicts
    PyObject* list = nullptr;  // of the groups
    Method method = METHODS;
    double norm = 0, bound = 0;
    std::vector<KnownGroup> groups;
    std::vector<KnownParam> params;  // of all groups

    // Whether each dict, and each list, still says what was read; then all that is borrowed is there.
    bool is_as_it_was(PyObject* asked) const;
};

// What is known of an optimizer, or of another one.
KnownOptimizer& known_optimizer(PyObject* optimizer);

}  // namespace rushlight
