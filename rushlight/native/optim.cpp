// Optimizers: the step of all groups in one call. See optim/stepping.py.
#include "optim.h"

#include <vector>

#include "kernels/table.h"
#include "steps.h"
#include "threads.h"

namespace rushlight {

namespace {

// the functions step_for of optim/*.py that the loops are twins of
PyObject* known[METHODS];
PyObject *name_step_for, *name_groups, *name_state, *name_defaults, *name_differentiable, *name_params;

// One parameter's turn. It owns the arrays that it works on: looking up the next one may run a program's code.
struct Move {
    Ref param, grad, count, state[StepArrays::STATES];
    Ref storage;
    StepArrays data;
    int64_t size = 0;
    int type = 0;
    int group = 0;
};

struct Step {
    Ref groups, state;
    std::vector<Settings> settings;
    std::vector<Move> moves;
};

PyObject* find(PyObject* dict, PyObject* key) {
    PyObject* found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr) PyErr_Clear();
    return found;
}

bool same_shape(PyArrayObject* one, PyArrayObject* other) {
    return PyArray_NDIM(one) == PyArray_NDIM(other) &&
           PyArray_CompareLists(PyArray_DIMS(one), PyArray_DIMS(other), PyArray_NDIM(one));
}

// Whether arrays are laid out as the parameter, each in memory of its own.
struct Fitting {
    PyArrayObject* param;
    int type, layout;
    char* starts[2 + StepArrays::STATES] = {};
    int started = 0;

    bool fits(PyArrayObject* array) {
        if (loop_type(array) != type || !same_shape(array, param)) return false;
        layout &= layout_of(array);
        char* start = PyArray_BYTES(array);
        npy_intp bytes = PyArray_NBYTES(array);
        for (int i = 0; i < started; i++) {
            if (start < starts[i] + bytes && starts[i] < start + bytes) return false;
        }
        starts[started++] = start;
        return layout != 0;
    }
};

Ref array_of(PyObject* object) {
    return Ref::borrow(object != nullptr && is_tensor(object) ? as_object(as_tensor(object)->array) : nullptr);
}

// The count of steps is one float, from 0 on.
bool is_count(PyArrayObject* array) {
    int type = loop_type(array);
    if (type < 0 || PyArray_NDIM(array) != 0 || !PyArray_ISWRITEABLE(array)) return false;
    void* data = PyArray_DATA(array);
    return type == 0 ? *static_cast<float*>(data) >= 0 : *static_cast<double*>(data) >= 0;
}

// What is remembered of a parameter; false if that is not all there, as before its first step.
bool find_state(const Step& step, const Settings& settings, PyObject* param, Move& move) {
    Ref state = Ref::borrow(find(step.state.get(), param));
    if (!state || !PyDict_CheckExact(state.get())) return false;
    for (int i = 0; i < StepArrays::STATES; i++) {
        if (settings.state[i] == nullptr) continue;
        move.state[i] = array_of(find(state.get(), settings.state[i]));
        if (!move.state[i]) return false;
    }
    if (settings.count == nullptr) return true;
    move.count = array_of(find(state.get(), settings.count));
    return move.count && is_count(move.count.array());
}

// False: something about the parameter is unusual.
bool add_move(Step& step, Tensor* param) {
    const Settings& settings = step.settings.back();
    step.moves.emplace_back();
    Move& move = step.moves.back();
    move.group = static_cast<int>(step.settings.size()) - 1;
    if (settings.remembers && !find_state(step, settings, as_object(param), move)) return false;
    move.param = array_of(as_object(param));
    move.grad = array_of(param->grad);
    if (!move.param || !move.grad || !PyArray_ISWRITEABLE(move.param.array())) return false;
    move.type = loop_type(move.param.array());
    move.size = PyArray_SIZE(move.param.array());
    Fitting fitting{move.param.array(), move.type, layout_of(move.param.array())};
    if (move.type < 0 || !fitting.fits(move.param.array()) || !fitting.fits(move.grad.array())) return false;
    move.data.param = PyArray_DATA(move.param.array());
    move.data.grad = PyArray_DATA(move.grad.array());
    for (int i = 0; i < StepArrays::STATES; i++) {
        PyArrayObject* array = move.state[i].array();
        if (array == nullptr) continue;
        if (!PyArray_ISWRITEABLE(array) || !fitting.fits(array)) return false;
        move.data.state[i] = PyArray_DATA(array);
    }
    move.storage = Ref::borrow(as_object(storage_of(param)));
    return static_cast<bool>(move.storage);
}

bool add_group(Step& step, Method method, PyObject* group) {
    if (!PyDict_CheckExact(group)) return false;
    step.settings.emplace_back();
    if (!read_settings(method, group, step.settings.back())) return false;
    Ref params = Ref::borrow(find(group, name_params));
    if (!params || !PyList_Check(params.get())) return false;
    step.moves.reserve(step.moves.size() + PyList_GET_SIZE(params.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params.get()); i++) {
        Ref param = Ref::borrow(PyList_GET_ITEM(params.get(), i));
        if (!is_tensor(param.get())) return false;
        Tensor* tensor = as_tensor(param.get());
        if (tensor->grad != nullptr && !add_move(step, tensor)) return false;
    }
    return true;
}

double count_step(PyArrayObject* count) {
    if (loop_type(count) == 0) return *static_cast<float*>(PyArray_DATA(count)) += 1;
    return *static_cast<double*>(PyArray_DATA(count)) += 1;
}

void run(Step& step) {
    UserLine line;
    StepNumbers numbers;
    int group = -1;
    double count = 0;
    for (Move& move : step.moves) {
        double before = count;
        if (move.count) count = count_step(move.count.array());
        // the same for most parameters of a group, and two powers cost 0.1 us
        if (move.group != group || count != before) numbers = numbers_of(step.settings[move.group], count);
        group = move.group;
        auto loop = table().optim.step[step.settings[group].method][move.type];
        parallel(move.size, OPTIM_GRAIN, [&](int64_t begin, int64_t end) { loop(numbers, move.data, begin, end); });
    }
    for (Move& move : step.moves) count_write(reinterpret_cast<Storage*>(move.storage.get()), line.place);
}

// Which method's twin moves the optimizer's parameters; METHODS if none does.
Method method_of(PyObject* optimizer, PyObject* fields) {
    if (find(fields, name_step_for) != nullptr) return METHODS;
    Ref found = Ref::steal(PyObject_GetAttr(as_object(Py_TYPE(optimizer)), name_step_for));
    if (!found) PyErr_Clear();
    int method = 0;
    while (method < METHODS && (!found || found.get() != known[method])) method++;
    return static_cast<Method>(method);
}

bool is_differentiable(PyObject* fields) {
    PyObject* defaults = find(fields, name_defaults);
    if (defaults == nullptr || !PyDict_Check(defaults)) return true;
    PyObject* option = find(defaults, name_differentiable);
    return option != nullptr && option != Py_False;
}

// Takes a step of every group, or does nothing at all.
bool take_step(PyObject* optimizer) {
    Ref fields = Ref::steal(PyObject_GenericGetDict(optimizer, nullptr));
    if (!fields) return false;
    Method method = method_of(optimizer, fields.get());
    if (method == METHODS || is_differentiable(fields.get())) return false;
    Step step;
    step.groups = Ref::borrow(find(fields.get(), name_groups));
    step.state = Ref::borrow(find(fields.get(), name_state));
    if (!step.groups || !PyList_Check(step.groups.get()) || !step.state || !PyDict_Check(step.state.get())) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(step.groups.get()); i++) {
        Ref group = Ref::borrow(PyList_GET_ITEM(step.groups.get(), i));
        if (!add_group(step, method, group.get())) return false;
    }
    run(step);
    return true;
}

// step(optimizer): True, or False if it declines and Python must do all of it.
PyObject* step(PyObject*, PyObject* optimizer) {
    bool done = take_step(optimizer);
    if (!done) PyErr_Clear();
    return PyBool_FromLong(done);
}

// connect_steps(sgd, adam, rmsprop, adagrad): the functions that the loops stand in for.
PyObject* connect_steps(PyObject*, PyObject* args) {
    PyObject* given[METHODS];
    if (!PyArg_ParseTuple(args, "OOOO", &given[SGD], &given[ADAM], &given[RMSPROP], &given[ADAGRAD])) return nullptr;
    for (int i = 0; i < METHODS; i++) {
        Py_INCREF(given[i]);
        Py_XSETREF(known[i], given[i]);
    }
    Py_RETURN_NONE;
}

// zero_grad(groups): forget the gradients; False if the groups are unusual, which Python then finds out.
PyObject* zero_grad(PyObject*, PyObject* groups) {
    if (!PyList_Check(groups)) Py_RETURN_FALSE;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups); i++) {
        PyObject* group = PyList_GET_ITEM(groups, i);
        Ref params = Ref::borrow(PyDict_Check(group) ? find(group, name_params) : nullptr);
        if (!params || !PyList_Check(params.get())) Py_RETURN_FALSE;
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(params.get()); k++) {
            PyObject* param = PyList_GET_ITEM(params.get(), k);
            if (!is_tensor(param)) Py_RETURN_FALSE;
            // the last holder of a gradient may run a program's code
            Py_CLEAR(as_tensor(param)->grad);
        }
    }
    Py_RETURN_TRUE;
}

PyMethodDef optim_methods[] = {
    {"step", step, METH_O, "Move the parameters of an optimizer; False where Python must do it."},
    {"connect_steps", connect_steps, METH_VARARGS, "Say which functions the native steps stand in for."},
    {"zero_grad", zero_grad, METH_O, "Forget the gradients of all groups; False where Python must do it."},
    {"clip_grad_norm", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(clip_grad_norm)), METH_FASTCALL,
     "Scale gradients to a largest norm; the norm, or None where Python must do it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

int loop_type(PyArrayObject* array) {
    if (!PyArray_CheckExact(array) || !PyArray_ISALIGNED(array) || !PyArray_ISNOTSWAPPED(array)) return -1;
    int number = PyArray_TYPE(array);
    return number == NPY_FLOAT ? 0 : number == NPY_DOUBLE ? 1 : -1;
}

void count_write(Storage* storage, const Place& place) {
    Place before = storage->writer;
    storage->version++;
    Py_XINCREF(place.code);
    storage->writer = place;
    clear_place(before);
}

bool read_number(PyObject* value, double& number) {
    if (value == nullptr) return false;
    if (PyFloat_Check(value)) {
        number = PyFloat_AS_DOUBLE(value);
        return true;
    }
    if (!PyLong_Check(value)) return false;
    number = PyLong_AsDouble(value);
    if (number != -1 || !PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
}

bool add_optim(PyObject* module) {
    const struct { PyObject** place; const char* text; } wanted[] = {
        {&name_step_for, "step_for"}, {&name_groups, "param_groups"},
        {&name_state, "state"},       {&name_defaults, "defaults"},
        {&name_params, "params"},     {&name_differentiable, "differentiable"},
    };
    for (const auto& each : wanted) {
        *each.place = PyUnicode_InternFromString(each.text);
        if (*each.place == nullptr) return false;
    }
    return prepare_names() && PyModule_AddFunctions(module, optim_methods) >= 0;
}

}  // namespace rushlight
