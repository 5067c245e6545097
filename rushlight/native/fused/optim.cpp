// Optimizers: the step of all groups in one call. See optim/stepping.py. For the rows "MLP step" and "Adam's step".
#include "fused/optim.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fused/known_optimizers.h"
#include "fused/steps.h"
#include "kernels/table.h"
#include "memory/threads.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/shortcut.h"
#include "seam/state.h"

namespace rushlight {

namespace {

// The methods by their functions step_for, which the loops are twins of.
struct Twin {
    Kernel& link;
    PyObject* step_for = nullptr;
} twins[METHODS] = {
    {link("optim.sgd.SGD.step_for")},
    {link("optim.adam.Adam.step_for")},
    {link("optim.rmsprop.RMSprop.step_for")},
};
// the hooks of all optimizers
PyObject* every_hooks[2];
const Interned name_step_for("step_for"), name_groups("param_groups"), name_state("state"), name_defaults("defaults");
const Interned name_differentiable("differentiable"), name_params("params"), name_clip_norm("_clip_norm");
const Interned name_pre_hooks("_optimizer_step_pre_hooks"), name_post_hooks("_optimizer_step_post_hooks");
const Interned name_clip_value("_clip_value"), name_looks("_looks");

// One parameter's turn. It owns the arrays that it works on: looking up the next one may run a program's code.
struct Move {
    Ref param, grad, count, state[StepArrays::STATES];
    Ref storage;
    StepArrays data;
    int64_t size = 1;
    int type = 0;
    int group = 0;
};

struct Step {
    Ref groups, state;
    std::vector<Settings> settings;
    std::vector<Move> moves;
    double norm = INFINITY, bound = INFINITY;  // the limits of the gradients
    KnownOptimizer* notes = nullptr;           // where to note what was read, for the next step
};

bool same_shape(PyArrayObject* one, PyArrayObject* other) {
    int ndim = PyArray_NDIM(one);
    bool same = ndim == PyArray_NDIM(other);
    for (int i = 0; same && i < ndim; i++) same = PyArray_DIM(one, i) == PyArray_DIM(other, i);
    return same;
}

// Whether arrays are laid out as the parameter, each in memory of its own.
struct Fitting {
    PyArrayObject* param;
    int type, layout;
    int64_t bytes;
    char* starts[2 + StepArrays::STATES];
    int started;

    Fitting(PyArrayObject* array, int type, int64_t size)
        : param(array),
          type(type),
          layout(layout_of(array)),
          bytes(size * PyArray_ITEMSIZE(array)),
          starts{PyArray_BYTES(array)},
          started(1) {}

    bool fits(PyArrayObject* array) {
        if (loop_type(array) != type || !same_shape(array, param)) return false;
        layout &= layout_of(array);
        char* start = PyArray_BYTES(array);
        for (int i = 0; i < started; i++) {
            if (start < starts[i] + bytes && starts[i] < start + bytes) return false;
        }
        starts[started++] = start;
        return layout != 0;
    }
};

Ref array_of(PyObject* object) {
    return Ref::borrow(object != nullptr && is_any_tensor(object) ? as_object(as_tensor(object)->array) : nullptr);
}

// The count of steps is one float, from 0 on.
bool is_count(PyArrayObject* array) {
    int type = loop_type(array);
    if (type < 0 || PyArray_NDIM(array) != 0 || !PyArray_ISWRITEABLE(array)) return false;
    void* data = PyArray_DATA(array);
    return type == 0 ? *static_cast<float*>(data) >= 0 : *static_cast<double*>(data) >= 0;
}

// What is remembered of a parameter; false if that is not all there, as before its first step.
bool find_state(const Step& step, const Settings& settings, PyObject* param, Move& move, KnownParam& known) {
    Ref state = Ref::borrow(find(step.state.get(), param));
    DECLINE_IF(!state || !PyDict_CheckExact(state.get()));
    known.state = KnownDict(state.get());
    for (int i = 0; i < StepArrays::STATES; i++) {
        if (settings.state[i] == nullptr) continue;
        known.states[i] = find(state.get(), settings.state[i]);
        move.state[i] = array_of(known.states[i]);
        DECLINE_IF(!move.state[i]);
    }
    if (settings.count == nullptr) return true;
    known.count = find(state.get(), settings.count);
    move.count = array_of(known.count);
    DECLINE_IF(!move.count || !is_count(move.count.array()));
    return true;
}

// The same, where it was found before.
bool take_state(const KnownParam& known, const Settings& settings, Move& move) {
    DECLINE_IF(settings.remembers && known.state.dict == nullptr);
    for (int i = 0; i < StepArrays::STATES; i++) {
        if (known.states[i] == nullptr) continue;
        move.state[i] = array_of(known.states[i]);
        DECLINE_IF(!move.state[i]);
    }
    if (known.count == nullptr) return true;
    move.count = array_of(known.count);
    DECLINE_IF(!move.count || !is_count(move.count.array()));
    return true;
}

// A new move, of a parameter of the last group.
Move& new_move(Step& step) {
    step.moves.emplace_back();
    Move& move = step.moves.back();
    move.group = static_cast<int>(step.settings.size()) - 1;
    return move;
}

// False: something about the parameter is unusual.
bool fit(Move& move, Tensor* param) {
    move.param = array_of(as_object(param));
    move.grad = array_of(param->grad);
    DECLINE_IF(!move.param || !move.grad || !PyArray_ISWRITEABLE(move.param.array()));
    move.type = loop_type(move.param.array());
    DECLINE_IF(move.type < 0);
    for (int i = 0; i < PyArray_NDIM(move.param.array()); i++) move.size *= PyArray_DIM(move.param.array(), i);
    Fitting fitting(move.param.array(), move.type, move.size);
    DECLINE_IF(!fitting.fits(move.grad.array()));
    move.data.param = PyArray_DATA(move.param.array());
    move.data.grad = PyArray_DATA(move.grad.array());
    for (int i = 0; i < StepArrays::STATES; i++) {
        PyArrayObject* array = move.state[i].array();
        if (array == nullptr) continue;
        DECLINE_IF(!PyArray_ISWRITEABLE(array) || !fitting.fits(array));
        move.data.state[i] = PyArray_DATA(array);
    }
    move.storage = Ref::borrow(as_object(storage_of(param)));
    DECLINE_IF(!move.storage);
    return true;
}

bool add_move(Step& step, Tensor* param, KnownParam& known) {
    const Settings& settings = step.settings.back();
    Move& move = new_move(step);
    if (settings.remembers && !find_state(step, settings, as_object(param), move, known)) return false;
    return fit(move, param);
}

bool add_group(Step& step, Method method, PyObject* group) {
    DECLINE_IF(!PyDict_CheckExact(group));
    KnownGroup options;
    options.options = KnownDict(group);
    step.settings.emplace_back();
    DECLINE_IF(!read_settings(method, group, step.settings.back()));
    Ref params = Ref::borrow(find(group, name_params));
    DECLINE_IF(!params || !PyList_Check(params.get()));
    step.moves.reserve(step.moves.size() + PyList_GET_SIZE(params.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params.get()); i++) {
        Ref param = Ref::borrow(PyList_GET_ITEM(params.get(), i));
        DECLINE_IF(!is_any_tensor(param.get()));
        KnownParam known;
        known.param = param.get();
        Tensor* tensor = as_tensor(param.get());
        if (tensor->grad != nullptr && !add_move(step, tensor, known)) return false;
        if (step.notes != nullptr) step.notes->params.push_back(known);
    }
    if (!step.settings.back().is_fixed) step.notes = nullptr;
    if (step.notes != nullptr) {
        options.params = params.get();
        options.settings = step.settings.back();
        options.end = step.notes->params.size();
        step.notes->groups.push_back(options);
    }
    return true;
}

// The same, where it was read before.
bool take_group(Step& step, const KnownOptimizer& known, const KnownGroup& group, size_t begin) {
    step.settings.push_back(group.settings);
    step.moves.reserve(known.params.size());
    for (size_t i = begin; i < group.end; i++) {
        Tensor* tensor = as_tensor(known.params[i].param);
        if (tensor->grad == nullptr) continue;
        Move& move = new_move(step);
        if (!take_state(known.params[i], group.settings, move) || !fit(move, tensor)) return false;
    }
    return true;
}

// A limit of the gradients, which stays as it is where there is none; false if it is unusual.
bool read_limit(PyObject* optimizer, PyObject* fields, PyObject* name, double& limit) {
    PyObject* given = find(fields, name);
    if (given == nullptr) given = _PyType_Lookup(Py_TYPE(optimizer), name);
    return given == Py_None || (read_number(given, limit) && limit >= 0);
}

// What all gradients are multiplied by, so that their norm is not above its limit. See optim/clipping.py.
double clip_factor(const Step& step) {
    if (step.norm == INFINITY) return 1;
    double total = 0;
    for (const Move& move : step.moves) {
        double squares = dot(move.grad.array(), move.grad.array(), move.type);
        // in Python they are added up in the dtype of the array, where they may be infinite
        total += move.type == 0 ? static_cast<float>(squares) : squares;
    }
    double factor = step.norm / (std::sqrt(total) + 1e-6);
    // NaN scales too
    return factor >= 1 ? 1 : factor;
}

double count_step(PyArrayObject* count) {
    if (loop_type(count) == 0) return *static_cast<float*>(PyArray_DATA(count)) += 1;
    return *static_cast<double*>(PyArray_DATA(count)) += 1;
}

void run(Step& step) {
    UserLine line;
    StepNumbers numbers;
    const double factor = clip_factor(step);
    int group = -1;
    double count = 0;
    for (Move& move : step.moves) {
        double before = count;
        if (move.count) count = count_step(move.count.array());
        // the same for most parameters of a group, and two powers cost 0.1 us
        if (move.group != group || count != before) {
            numbers = numbers_of(step.settings[move.group], count);
            numbers.scale *= factor;
            numbers.bound = step.bound;
        }
        group = move.group;
        auto loop = table().optim.step[step.settings[group].method][move.type];
        parallel(move.size, OPTIM_GRAIN, [&](int64_t begin, int64_t end) { loop(numbers, move.data, begin, end); });
    }
    for (Move& move : step.moves) {
        const Settings& settings = step.settings[move.group];
        Storage* storage = reinterpret_cast<Storage*>(move.storage.get());
        // see writes_with_either_decay in optim/parts.py
        if (settings.decoupled && settings.decay != 0) storage->version++;
        count_write(storage, line.place);
    }
}

// Which method's twin moves the optimizer's parameters; METHODS if none does.
Method method_of(PyObject* optimizer, PyObject* fields) {
    PyObject* step_for = _PyType_Lookup(Py_TYPE(optimizer), name_step_for);
    if (step_for == nullptr || find(fields, name_step_for) != nullptr) return METHODS;
    int method = 0;
    while (method < METHODS && step_for != twins[method].step_for) method++;
    return static_cast<Method>(method);
}

bool is_differentiable(PyObject* fields) {
    PyObject* defaults = find(fields, name_defaults);
    if (defaults == nullptr || !PyDict_Check(defaults)) return true;
    PyObject* option = find(defaults, name_differentiable);
    return option != nullptr && option != Py_False;
}

// Note what a step reads besides its groups; false where it cannot be noted, since a list says nothing of its changes.
bool note_fields(KnownOptimizer& notes, Method method, PyObject* optimizer, PyObject* fields) {
    notes.optimizer = optimizer;
    notes.method = method;
    notes.type = Py_TYPE(optimizer);
    // looking up has given the class its version
    notes.type_version = version_of(notes.type);
    PyObject *defaults = find(fields, name_defaults), *state = find(fields, name_state);
    notes.hooks[0] = find(fields, name_pre_hooks);
    notes.hooks[1] = find(fields, name_post_hooks);
    notes.list = find(fields, name_groups);
    for (PyObject* dict : {defaults, state, notes.hooks[0], notes.hooks[1]}) {
        if (dict == nullptr || !PyDict_Check(dict)) return false;
    }
    notes.fields = KnownDict(fields);
    notes.defaults = KnownDict(defaults);
    notes.state = KnownDict(state);
    return true;
}

// Takes a step of every group, or does nothing at all.
bool take_step_of(Method method, PyObject* optimizer, PyObject* fields) {
    DECLINE_IF(is_differentiable(fields));
    Step step;
    KnownOptimizer notes;
    if (REMEMBERS && state.compiled && note_fields(notes, method, optimizer, fields)) step.notes = &notes;
    step.groups = Ref::borrow(find(fields, name_groups));
    step.state = Ref::borrow(find(fields, name_state));
    step.settings.reserve(4);
    DECLINE_IF(!read_limit(optimizer, fields, name_clip_norm, step.norm));
    DECLINE_IF(!read_limit(optimizer, fields, name_clip_value, step.bound));
    DECLINE_IF(!step.groups || !PyList_Check(step.groups.get()) || !step.state || !PyDict_Check(step.state.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(step.groups.get()); i++) {
        Ref group = Ref::borrow(PyList_GET_ITEM(step.groups.get(), i));
        if (!add_group(step, method, group.get())) return false;
    }
    // Python warns of a step that finds no gradient
    DECLINE_IF(step.moves.empty());
    notes.norm = step.norm;
    notes.bound = step.bound;
    if (step.notes != nullptr) known_optimizer(optimizer) = std::move(notes);
    run(step);
    return true;
}

// The same as before, if nothing has changed but tensors.
bool take_known_step(PyObject* optimizer) {
    const KnownOptimizer& known = known_optimizer(optimizer);
    if (!known.is_as_it_was(optimizer)) return false;
    Step step;
    step.norm = known.norm;
    step.bound = known.bound;
    size_t begin = 0;
    for (const KnownGroup& group : known.groups) {
        if (!take_group(step, known, group, begin)) return false;
        begin = group.end;
    }
    if (step.moves.empty()) return false;
    twins[known.method].link.forwards.accepted++;
    run(step);
    return true;
}

// The same, counted where the method has a twin.
bool take_step(PyObject* optimizer, PyObject* fields) {
    Method method = method_of(optimizer, fields);
    DECLINE_IF(method == METHODS);
    Tally& tally = twins[method].link.forwards;
    if (take_step_of(method, optimizer, fields)) {
        tally.accepted++;
        return true;
    }
    tally.decline();
    return declined("the twin of step_for declined");
}

// step(optimizer): True, or False if it declines and Python must do all of it.
PyObject* step(PyObject*, PyObject* optimizer) {
    Ref fields = Ref::steal(PyObject_GenericGetDict(optimizer, nullptr));
    bool done = fields && take_step(optimizer, fields.get());
    if (!done) PyErr_Clear();
    return PyBool_FromLong(done);
}

bool is_empty(PyObject* dict) { return dict != nullptr && PyDict_Check(dict) && PyDict_GET_SIZE(dict) == 0; }

NAMES(StepOf, self);

// optimizer.step() where there are no hooks, and no closure.
PyObject* step_unhooked(const Arguments& arguments) {
    PyObject* optimizer = arguments[StepOf::self];
    DECLINE_IF(optimizer == nullptr || arguments.many_count > 0);
    DECLINE_IF(!is_empty(every_hooks[0]) || !is_empty(every_hooks[1]));
    if (state.compiled && take_known_step(optimizer)) Py_RETURN_NONE;
    Ref fields = Ref::steal(PyObject_GenericGetDict(optimizer, nullptr));
    if (!fields) return nullptr;
    for (PyObject* name : std::initializer_list<PyObject*>{name_pre_hooks, name_post_hooks}) {
        DECLINE_IF(!is_empty(find(fields.get(), name)));
    }
    // Python refuses or warns of what a step cannot do
    DECLINE_IF(find(fields.get(), name_looks) != Py_False);
    return take_step(optimizer, fields.get()) ? Py_NewRef(Py_None) : nullptr;
}

// connect_step(step_for): the function that the loops of a method stand in for.
PyObject* connect_step(PyObject*, PyObject* step_for) {
    std::string name;
    if (!qualified_name(step_for, name)) return nullptr;
    for (Twin& each : twins) {
        if (name == each.link.name) {
            Py_XSETREF(each.step_for, Py_NewRef(step_for));
            each.link.is_claimed = true;
            Py_RETURN_NONE;
        }
    }
    return PyErr_Format(PyExc_TypeError, "there is no native step of %s", name.c_str());
}

// connect_hooks(before, after): the hooks of all optimizers.
PyObject* connect_hooks(PyObject*, PyObject* args) {
    PyObject* hooks[2];
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &hooks[0], &PyDict_Type, &hooks[1])) return nullptr;
    for (int i = 0; i < 2; i++) Py_XSETREF(every_hooks[i], Py_NewRef(hooks[i]));
    Py_RETURN_NONE;
}

NAMES(ZeroGrad, self, set_to_none);

// optimizer.zero_grad(): forget the gradients.
PyObject* zero_grad(const Arguments& arguments) {
    PyObject *self = arguments[ZeroGrad::self], *to_none = arguments[ZeroGrad::set_to_none];
    DECLINE_IF(self == nullptr || (to_none != nullptr && to_none != Py_True));
    Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    Ref groups = Ref::borrow(fields ? find(fields.get(), name_groups) : nullptr);
    DECLINE_IF(!groups || !PyList_Check(groups.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups.get()); i++) {
        PyObject* group = PyList_GET_ITEM(groups.get(), i);
        Ref params = Ref::borrow(PyDict_CheckExact(group) ? find(group, name_params) : nullptr);
        DECLINE_IF(!params || !PyList_Check(params.get()));
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(params.get()); k++) {
            PyObject* param = PyList_GET_ITEM(params.get(), k);
            DECLINE_IF(!is_any_tensor(param));
            // the last holder of a gradient may run a program's code
            Py_CLEAR(as_tensor(param)->grad);
        }
    }
    Py_RETURN_NONE;
}

KERNEL("optim.optimizer.Optimizer.step").shortcut(step_unhooked, StepOf::names);
KERNEL("optim.optimizer.Optimizer.zero_grad").shortcut(zero_grad, ZeroGrad::names);

PyMethodDef optim_methods[] = {
    {"step", guarded<step>, METH_O, "Move the parameters of an optimizer; False where Python must do it."},
    {"connect_step", guarded<connect_step>, METH_O, "Say which function the native step of a method stands in for."},
    {"connect_hooks", guarded<connect_hooks>, METH_VARARGS, "Say where the hooks of all optimizers are."},
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
    Py_XINCREF(place.code);
    storage->writer = place;
    clear_place(before);
    count_write(storage);
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

bool add_optim(PyObject* module) { return PyModule_AddFunctions(module, optim_methods) >= 0; }

}  // namespace rushlight
