// Steps: what comes before the array work in step_for of optim/*.py.
#include "steps.h"

#include <cmath>

#include "optim.h"

namespace rushlight {

namespace {

enum Name {
    LR, BETAS, EPS, WEIGHT_DECAY, MOMENTUM, DAMPENING, NESTEROV, MAXIMIZE, AMSGRAD, DECOUPLED, CAPTURABLE, ALPHA,
    CENTERED, LR_DECAY, STEP, MOMENTUM_BUFFER, EXP_AVG, EXP_AVG_SQ, MAX_EXP_AVG_SQ, SQUARE_AVG, GRAD_AVG, SUM, NAMES,
};

constexpr const char* TEXTS[NAMES] = {
    "lr", "betas", "eps", "weight_decay", "momentum", "dampening", "nesterov", "maximize", "amsgrad",
    "decoupled_weight_decay", "capturable", "alpha", "centered", "lr_decay", "step", "momentum_buffer", "exp_avg",
    "exp_avg_sq", "max_exp_avg_sq", "square_avg", "grad_avg", "sum",
};

PyObject* names[NAMES];

// Reads a group's options; `usual` becomes false at the first that is not plain.
struct Reader {
    PyObject* group;
    bool usual = true;

    PyObject* value(Name name) {
        PyObject* found = PyDict_GetItemWithError(group, names[name]);
        if (found == nullptr) {
            PyErr_Clear();
            usual = false;
        }
        return found;
    }

    double number(Name name) {
        double found = 0;
        PyObject* given = value(name);
        usual = usual && read_number(given, found);
        return found;
    }

    bool flag(Name name) {
        PyObject* given = value(name);
        usual = usual && PyBool_Check(given);
        return given == Py_True;
    }

    void betas(double& beta1, double& beta2) {
        PyObject* pair = value(BETAS);
        usual = usual && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 &&
                read_number(PyTuple_GET_ITEM(pair, 0), beta1) && read_number(PyTuple_GET_ITEM(pair, 1), beta2) &&
                // elsewhere the correction may divide by zero, or be complex
                0 <= beta1 && beta1 < 1 && 0 <= beta2 && beta2 < 1;
    }
};

void read_sgd(Reader& options, Settings& settings) {
    settings.momentum = options.number(MOMENTUM);
    settings.dampening = options.number(DAMPENING);
    settings.nesterov = options.flag(NESTEROV);
    if (settings.momentum != 0) settings.state[0] = names[MOMENTUM_BUFFER];
}

void read_adam(Reader& options, Settings& settings) {
    options.betas(settings.beta1, settings.beta2);
    settings.eps = options.number(EPS);
    settings.decoupled = options.flag(DECOUPLED);
    settings.count = names[STEP];
    settings.state[0] = names[EXP_AVG];
    settings.state[1] = names[EXP_AVG_SQ];
    if (options.flag(AMSGRAD)) settings.state[2] = names[MAX_EXP_AVG_SQ];
    if (options.flag(CAPTURABLE)) options.usual = false;
}

void read_rmsprop(Reader& options, Settings& settings) {
    settings.beta2 = options.number(ALPHA);
    settings.eps = options.number(EPS);
    settings.momentum = options.number(MOMENTUM);
    settings.count = names[STEP];
    settings.state[0] = names[SQUARE_AVG];
    if (settings.momentum > 0) settings.state[1] = names[MOMENTUM_BUFFER];
    if (options.flag(CENTERED)) settings.state[2] = names[GRAD_AVG];
    if (options.flag(CAPTURABLE)) options.usual = false;
}

void read_adagrad(Reader& options, Settings& settings) {
    settings.eps = options.number(EPS);
    settings.lr_decay = options.number(LR_DECAY);
    settings.count = names[STEP];
    settings.state[0] = names[SUM];
    // below zero the rate may divide by it
    if (!(settings.lr_decay >= 0)) options.usual = false;
}

}  // namespace

bool prepare_names() {
    for (int i = 0; i < NAMES; i++) {
        names[i] = PyUnicode_InternFromString(TEXTS[i]);
        if (names[i] == nullptr) return false;
    }
    return true;
}

bool read_settings(Method method, PyObject* group, Settings& settings) {
    constexpr void (*READ[METHODS])(Reader&, Settings&) = {read_sgd, read_adam, read_rmsprop, read_adagrad};
    Reader options{group};
    settings.method = method;
    settings.lr = options.number(LR);
    settings.decay = options.number(WEIGHT_DECAY);
    settings.maximize = options.flag(MAXIMIZE);
    READ[method](options, settings);
    settings.remembers = settings.state[0] != nullptr;
    return options.usual;
}

StepNumbers numbers_of(const Settings& settings, double count) {
    StepNumbers numbers;
    numbers.sign = settings.maximize ? -1 : 1;
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
    } else if (settings.method == ADAGRAD) {
        numbers.rate = settings.lr / (1 + (count - 1) * settings.lr_decay);
    }
    return numbers;
}

}  // namespace rushlight
