// Steps: the options of a group as numbers, and the numbers of one parameter's step. See step_for in optim/*.py.
#pragma once

#include "kernels/optim.h"
#include "seam/python.h"

namespace rushlight {

// The options of one group that a step reads.
struct Settings {
    Method method = SGD;
    double lr = 0, decay = 0, eps = 0, momentum = 0, dampening = 0, beta1 = 0, beta2 = 0;
    bool maximize = false, nesterov = false, decoupled = false;
    // the names of what is remembered, in the order of StepArrays; nullptr where the options ask for none
    PyObject* state[StepArrays::STATES] = {};
    PyObject* count = nullptr;  // the name of the count of steps
    bool remembers = false;     // whether there is anything
    bool is_fixed = true;       // as long as the group's dict says the same
};

// False if an option is unusual: missing, a tensor, out of range. Never an exception.
bool read_settings(Method method, PyObject* group, Settings& settings);

// `count` is the number of this step, from 1 on.
StepNumbers numbers_of(const Settings& settings, double count);

}  // namespace rushlight
