// Steps: what comes before the array work in step_for of optim/*.py. For the rows "MLP step" (Adam), "ResNet-18-shaped
// step" (SGD with momentum) and "RMSprop's step" of the benchmarks; other methods move in Python.
#include "fused/steps.h"

#include <cmath>

#include "fused/optim.h"
#include "seam/names.h"

namespace rushlight {

namespace {

// options and state, as the groups and the state of torch name them
const Interned lr("lr"), betas("betas"), eps("eps"), weight_decay("weight_decay"), maximize("maximize");
const Interned momentum("momentum"), dampening("dampening"), nesterov("nesterov"), amsgrad("amsgrad");
const Interned decoupled_weight_decay("decoupled_weight_decay"), capturable("capturable"), alpha("alpha");
const Interned centered("centered"), step("step"), momentum_buffer("momentum_buffer"), exp_avg("exp_avg");
const Interned exp_avg_sq("exp_avg_sq"), max_exp_avg_sq("max_exp_avg_sq"), square_avg("square_avg");
const Interned grad_avg("grad_avg");

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

    void both_betas(double& beta1, double& beta2) {
        PyObject* pair = value(betas);
        usual = usual && (PyTuple_Check(pair) || PyList_Check(pair)) && PySequence_Fast_GET_SIZE(pair) == 2 &&
                read_number(PySequence_Fast_GET_ITEM(pair, 0), beta1) &&
                read_number(PySequence_Fast_GET_ITEM(pair, 1), beta2) &&
                // elsewhere the correction may divide by zero, or be complex
                0 <= beta1 && beta1 < 1 && 0 <= beta2 && beta2 < 1;
    }
};

void read_sgd(Reader& options, Settings& settings) {
    settings.momentum = options.number(momentum);
    settings.dampening = options.number(dampening);
    settings.nesterov = options.flag(nesterov);
    if (settings.momentum != 0) settings.state[0] = momentum_buffer;
}

void read_adam(Reader& options, Settings& settings) {
    options.both_betas(settings.beta1, settings.beta2);
    settings.eps = options.number(eps);
    settings.decoupled = options.flag(decoupled_weight_decay);
    settings.is_fixed = options.usual && PyTuple_Check(options.value(betas));
    settings.count = step;
    settings.state[0] = exp_avg;
    settings.state[1] = exp_avg_sq;
    if (options.flag(amsgrad)) settings.state[2] = max_exp_avg_sq;
    if (options.flag(capturable)) options.usual = false;
}

void read_rmsprop(Reader& options, Settings& settings) {
    settings.beta2 = options.number(alpha);
    settings.eps = options.number(eps);
    settings.momentum = options.number(momentum);
    settings.count = step;
    settings.state[0] = square_avg;
    if (settings.momentum > 0) settings.state[1] = momentum_buffer;
    if (options.flag(centered)) settings.state[2] = grad_avg;
    if (options.flag(capturable)) options.usual = false;
}

}  // namespace

bool read_settings(Method method, PyObject* group, Settings& settings) {
    constexpr void (*READ[METHODS])(Reader&, Settings&) = {read_sgd, read_adam, read_rmsprop};
    Reader options{group};
    settings.method = method;
    settings.lr = options.number(lr);
    settings.decay = options.number(weight_decay);
    settings.maximize = options.flag(maximize);
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
    }
    return numbers;
}

}  // namespace rushlight
