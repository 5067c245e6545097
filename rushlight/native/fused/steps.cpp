// Steps: what comes before the array work in step_for of optim/*.py.
#include "fused/steps.h"

#include <cmath>

#include "fused/optim.h"
#include "seam/names.h"

namespace rushlight {

namespace {

// options and state, as the groups and the state of torch name them
struct Words {
    PyObject *lr, *betas, *eps, *weight_decay, *maximize, *momentum, *dampening, *nesterov, *amsgrad;
    PyObject *decoupled_weight_decay, *capturable, *alpha, *rho, *centered, *lr_decay;
    PyObject *step, *momentum_buffer, *exp_avg, *exp_avg_sq, *max_exp_avg_sq, *square_avg, *grad_avg, *sum;
    PyObject *acc_delta, *exp_inf;
} words;

// Reads a group's options; `usual` becomes false at the first that is not plain.
struct Reader {
    PyObject* group;
    bool usual = true;

    PyObject* value(PyObject* name) {
        PyObject* found = find(group, name);
        usual = usual && found != nullptr;
        return found;
    }

    double number(PyObject* name) {
        double found = 0;
        PyObject* given = value(name);
        usual = usual && read_number(given, found);
        return found;
    }

    bool flag(PyObject* name) {
        PyObject* given = value(name);
        usual = usual && PyBool_Check(given);
        return given == Py_True;
    }

    void betas(double& beta1, double& beta2) {
        PyObject* pair = value(words.betas);
        usual = usual && (PyTuple_Check(pair) || PyList_Check(pair)) && PySequence_Fast_GET_SIZE(pair) == 2 &&
                read_number(PySequence_Fast_GET_ITEM(pair, 0), beta1) &&
                read_number(PySequence_Fast_GET_ITEM(pair, 1), beta2) &&
                // elsewhere the correction may divide by zero, or be complex
                0 <= beta1 && beta1 < 1 && 0 <= beta2 && beta2 < 1;
    }
};

void read_sgd(Reader& options, Settings& settings) {
    settings.momentum = options.number(words.momentum);
    settings.dampening = options.number(words.dampening);
    settings.nesterov = options.flag(words.nesterov);
    if (settings.momentum != 0) settings.state[0] = words.momentum_buffer;
}

void read_adam(Reader& options, Settings& settings) {
    options.betas(settings.beta1, settings.beta2);
    settings.eps = options.number(words.eps);
    settings.decoupled = options.flag(words.decoupled_weight_decay);
    settings.count = words.step;
    settings.state[0] = words.exp_avg;
    settings.state[1] = words.exp_avg_sq;
    if (options.flag(words.amsgrad)) settings.state[2] = words.max_exp_avg_sq;
    if (options.flag(words.capturable)) options.usual = false;
}

void read_rmsprop(Reader& options, Settings& settings) {
    settings.beta2 = options.number(words.alpha);
    settings.eps = options.number(words.eps);
    settings.momentum = options.number(words.momentum);
    settings.count = words.step;
    settings.state[0] = words.square_avg;
    if (settings.momentum > 0) settings.state[1] = words.momentum_buffer;
    if (options.flag(words.centered)) settings.state[2] = words.grad_avg;
    if (options.flag(words.capturable)) options.usual = false;
}

void read_adagrad(Reader& options, Settings& settings) {
    settings.eps = options.number(words.eps);
    settings.lr_decay = options.number(words.lr_decay);
    settings.count = words.step;
    settings.state[0] = words.sum;
    // below zero the rate may divide by it
    if (!(settings.lr_decay >= 0)) options.usual = false;
}

void read_adadelta(Reader& options, Settings& settings) {
    settings.beta2 = options.number(words.rho);
    settings.eps = options.number(words.eps);
    settings.count = words.step;
    settings.state[0] = words.square_avg;
    settings.state[1] = words.acc_delta;
    if (options.flag(words.capturable)) options.usual = false;
}

void read_adamax(Reader& options, Settings& settings) {
    options.betas(settings.beta1, settings.beta2);
    settings.eps = options.number(words.eps);
    settings.count = words.step;
    settings.state[0] = words.exp_avg;
    settings.state[1] = words.exp_inf;
    if (options.flag(words.capturable)) options.usual = false;
}

}  // namespace

bool prepare_names() {
    return intern({{&words.lr, "lr"},
                   {&words.betas, "betas"},
                   {&words.eps, "eps"},
                   {&words.weight_decay, "weight_decay"},
                   {&words.momentum, "momentum"},
                   {&words.dampening, "dampening"},
                   {&words.nesterov, "nesterov"},
                   {&words.maximize, "maximize"},
                   {&words.amsgrad, "amsgrad"},
                   {&words.decoupled_weight_decay, "decoupled_weight_decay"},
                   {&words.capturable, "capturable"},
                   {&words.alpha, "alpha"},
                   {&words.rho, "rho"},
                   {&words.centered, "centered"},
                   {&words.lr_decay, "lr_decay"},
                   {&words.step, "step"},
                   {&words.momentum_buffer, "momentum_buffer"},
                   {&words.exp_avg, "exp_avg"},
                   {&words.exp_avg_sq, "exp_avg_sq"},
                   {&words.max_exp_avg_sq, "max_exp_avg_sq"},
                   {&words.square_avg, "square_avg"},
                   {&words.grad_avg, "grad_avg"},
                   {&words.sum, "sum"},
                   {&words.acc_delta, "acc_delta"},
                   {&words.exp_inf, "exp_inf"}});
}

bool read_settings(Method method, PyObject* group, Settings& settings) {
    constexpr void (*READ[METHODS])(Reader&, Settings&) = {read_sgd,     read_adam,     read_rmsprop,
                                                           read_adagrad, read_adadelta, read_adamax};
    Reader options{group};
    settings.method = method;
    settings.lr = options.number(words.lr);
    settings.decay = options.number(words.weight_decay);
    settings.maximize = options.flag(words.maximize);
    READ[method](options, settings);
    settings.remembers = settings.state[0] != nullptr;
    // Python refuses a rate that is NaN
    return options.usual && settings.lr == settings.lr;
}

StepNumbers numbers_of(const Settings& settings, double count) {
    StepNumbers numbers;
    numbers.scale = settings.maximize ? -1 : 1;
    numbers.decay = settings.decay;
    numbers.rate = settings.lr;
    numbers.eps = settings.eps;
    numbers.keep_mean = settings.momentum;
    numbers.new_mean = 1 - settings.dampening;
    numbers.nesterov = settings.nesterov;
    numbers.keep_square = settings.beta2;
    numbers.new_square = 1 - settings.beta2;
    if (settings.method == ADAM) {
        if (settings.decoupled) {
            numbers.decay = 0;
            if (settings.decay != 0) numbers.shrink = 1 - settings.lr * settings.decay;
        }
        // as in Python, where ** is pow
        double correction = std::pow(1 - std::pow(settings.beta2, count), 0.5);
        numbers.new_mean = 1 - settings.beta1;
        numbers.eps = settings.eps * correction;
        numbers.rate = settings.lr * correction / (1 - std::pow(settings.beta1, count));
    } else if (settings.method == ADAMAX) {
        numbers.new_mean = 1 - settings.beta1;
        numbers.rate = settings.lr / (1 - std::pow(settings.beta1, count));
    } else if (settings.method == ADAGRAD) {
        numbers.rate = settings.lr / (1 + (count - 1) * settings.lr_decay);
    }
    return numbers;
}

}  // namespace rushlight
