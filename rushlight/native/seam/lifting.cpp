// Lifting: the steps of ops/machine/transforms/, for ops on single tensors: the level takes its layer off, the op runs
// once more below, and its result gets the layer again. What a level says in a word is Python's.
#include "seam/lifting.h"

#include "object/lifted.h"
#include "object/node.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_call("call");
const Interned word_around("around");
const Interned word_grad_fn("grad_fn");
const Interned word_formulas("formulas");

namespace {

bool is_list(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

// The innermost level among some objects; `dead` where one has ended, which is Python's to judge.
Level* highest(PyObject* const* values, Py_ssize_t count, bool& dead, bool nested = false) {
    Level* found = nullptr;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject* value = values[i];
        Level* own = nullptr;
        if (is_any_tensor(value)) {
            PyArrayObject* array = lifted_array(as_tensor(value));
            if (array == nullptr) continue;
            own = level_of(array);
            dead |= own == nullptr || !own->alive;
        } else if (!nested && is_list(value)) {
            own = highest(PySequence_Fast_ITEMS(value), PySequence_Fast_GET_SIZE(value), dead, true);
        }
        if (own != nullptr && (found == nullptr || own->number > found->number)) found = own;
    }
    return found;
}

PyObject* tuple_of(const Call& call) {
    int count = static_cast<int>(call.op->parameters.size());
    PyObject* made = PyTuple_New(count);
    for (int i = 0; made != nullptr && i < count; i++) PyTuple_SET_ITEM(made, i, Py_NewRef(call.arguments[i]));
    return made;
}

// The level's own method for an op and its arguments.
PyObject* by_python(Level* level, PyObject* op, PyObject* arguments) {
    return PyObject_CallMethodObjArgs(as_object(level), word_call, op, arguments, nullptr);
}

// Tensors around results that are several, views, or recorded.
PyObject* around(Level* level, const Call& call, PyObject* found) {
    Ref arguments = Ref::steal(tuple_of(call)), needs = Ref::steal(PyLong_FromUnsignedLong(call.needs));
    if (!arguments || !needs) return nullptr;
    return PyObject_CallMethodObjArgs(as_object(level), word_around, call.op->op, arguments.get(), needs.get(), found,
                                      nullptr);
}

PyObject* step(Function* function, Call& call);

// The op once more, on what is below: by the next level, natively, or by Python's caller.
PyObject* again(Function* function, Call& call) {
    PyObject* found = state.levels != nullptr ? step(function, call) : nullptr;
    if (found == nullptr && !PyErr_Occurred()) found = run_arranged(function, call);
    if (found != nullptr || PyErr_Occurred() || !present(fallbacks.call)) return found;
    Ref arguments = Ref::steal(tuple_of(call));
    return arguments ? PyObject_CallFunctionObjArgs(fallbacks.call, call.op->op, arguments.get(), nullptr) : nullptr;
}

// Whether a tensor belongs to a level.
PyArrayObject* own_array(const Level* level, PyObject* value) {
    PyArrayObject* array = is_any_tensor(value) ? lifted_array(as_tensor(value)) : nullptr;
    return array != nullptr && level_of(array) == level ? array : nullptr;
}

bool has_lists(const Call& call) {
    for (unsigned left = call.op->lists; left != 0; left &= left - 1) {
        if (is_list(call.arguments[__builtin_ctz(left)])) return true;
    }
    return false;
}

// Whether native code records a call as Python would.
bool may_record(OpInfo* op, const Call& call) {
    if ((call.needs & op->differentiable) == 0 || !state.grad) return true;
    if (state.saved_hooks != nullptr || state.anomaly) return false;
    const OpPlan* plan = plan_for(op, call.needs & op->differentiable);
    for (int i = 0; plan != nullptr && i < plan->source_count; i++) {
        if (plan->sources[i].kind == Source::GEOMETRY) return false;
    }
    PyErr_Clear();
    return plan != nullptr && is_any_tensor(call.arguments[0]);
}

// Run the op below, and record it here if one of its tensors requires grad here: Tracking.call.
PyObject* track(Level* level, Function* function, Call& call) {
    Call below;
    below.op = call.op;
    for (size_t i = 0; i < call.op->parameters.size(); i++) below.arguments[i] = call.arguments[i];
    // what is below, and what joins this level here
    Ref held[MAX_ARGUMENTS], joined[MAX_ARGUMENTS];
    for (unsigned left = call.op->tensors; left != 0; left &= left - 1) {
        int position = __builtin_ctz(left);
        PyObject* value = call.arguments[position];
        if (!is_any_tensor(value)) continue;
        PyArrayObject* array = own_array(level, value);
        if (array != nullptr) {
            held[position] = Ref::borrow(inner_of(array));
            below.arguments[position] = held[position].get();
            if (requires_grad(as_tensor(value))) call.needs |= 1u << position;
        } else if (requires_grad(as_tensor(value))) {
            // its history is another level's
            joined[position] = Ref::steal(as_object(lift(level, value, 0)));
            if (!joined[position]) return nullptr;
            call.arguments[position] = joined[position].get();
        }
    }
    const Kernel* kernel = call.op->kernel;
    int64_t declined = kernel == nullptr ? 0 : kernel->forwards.declined;
    Ref found;
    {
        Recording recording(level);
        found = Ref::steal(again(function, below));
    }
    if (!found) return nullptr;
    // what a backward computes has no history, and need not say why
    if (!state.grad && level->running) call.needs = 0;
    if (!is_any_tensor(found.get()) || !may_record(function->info, call)) return around(level, call, found.get());
    PyArrayObject* array = lifted_around(as_object(level), found.get(), Py_None, 0);
    if (array == nullptr) return nullptr;
    Tensor* tensor = call.op->is_view ? make_view(as_tensor(call.arguments[0]), array) : wrap_any(array);
    Ref made = Ref::steal(as_object(tensor));
    if (!made || (call.needs == 0 && !state.inference)) return made.release();
    if (!finish(function->info, call, &tensor, 1)) return nullptr;
    // a kernel's gradient takes what its forward took
    bool is_declined = kernel != nullptr && kernel->forwards.declined != declined;
    if (is_declined && tensor->node != nullptr && is_node(tensor->node)) as_node(tensor->node)->is_declined = true;
    return made.release();
}

// How many dimensions the tensors of an elementwise op have at most, as the user sees them; -1 where their dtypes are
// to be looked at: one without dimensions counts less in the dtype of the result.
int aligned_dims(const Level* level, const Call& call) {
    int most = 0;
    bool alike = true, has_number = false, has_other = false;
    PyArray_Descr* dtype = nullptr;
    for (unsigned left = call.op->tensors; left != 0; left &= left - 1) {
        PyObject* value = call.arguments[__builtin_ctz(left)];
        if (!is_any_tensor(value)) continue;
        PyArrayObject *own = own_array(level, value), *array = own != nullptr ? own : shown_array(as_tensor(value));
        if (array == nullptr) return -1;
        alike &= dtype == nullptr || dtype == PyArray_DESCR(array);
        dtype = PyArray_DESCR(array);
        bool is_number = own != nullptr && PyArray_NDIM(own) == 0;
        has_number |= is_number;
        has_other |= !is_number;
        if (PyArray_NDIM(array) > most) most = PyArray_NDIM(array);
    }
    return alike || !has_number || !has_other ? most : -1;
}

// A dimension, or several, of samples with so many, counted with the batch in front: a new reference; nullptr where
// that is Python's, as for one that would be the batch itself.
PyObject* shifted(PyObject* dim, int ndim) {
    if (PyLong_CheckExact(dim)) {
        int overflow;
        long value = PyLong_AsLongAndOverflow(dim, &overflow);
        if (overflow != 0 || value < -ndim || value > NPY_MAXDIMS) return nullptr;
        return value < 0 ? Py_NewRef(dim) : PyLong_FromLong(value + 1);
    }
    if (!is_list(dim)) return nullptr;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(dim);
    Ref made = Ref::steal(PyTuple_New(count));
    for (Py_ssize_t i = 0; made && i < count; i++) {
        PyObject* each = PySequence_Fast_GET_ITEM(dim, i);
        PyObject* moved = PyLong_CheckExact(each) ? shifted(each, ndim) : nullptr;
        if (moved == nullptr) return nullptr;
        PyTuple_SET_ITEM(made.get(), i, moved);
    }
    return made.release();
}

// A shape, or an index, with one more in front: a new reference; nullptr where that is Python's.
PyObject* with_first(PyObject* first, PyObject* rest) {
    if (first == nullptr || !PyTuple_Check(rest)) return nullptr;
    Py_ssize_t count = PyTuple_GET_SIZE(rest);
    PyObject* made = PyTuple_New(1 + count);
    if (made == nullptr) return nullptr;
    PyTuple_SET_ITEM(made, 0, Py_NewRef(first));
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(made, 1 + i, Py_NewRef(PyTuple_GET_ITEM(rest, i)));
    return made;
}

// An index of one sample, for all of them: a slice in front.
PyObject* index_of_all(PyObject* index) {
    static PyObject* whole = PySlice_New(nullptr, nullptr, nullptr);
    if (PyTuple_CheckExact(index)) return with_first(whole, index);
    return whole == nullptr ? nullptr : PyTuple_Pack(3, whole, index, Py_Ellipsis);
}

// Whether the first tensor alone has a batch, and the others are matrices at most.
bool is_front(const Level* level, const Call& call) {
    PyArrayObject* first = own_array(level, call.arguments[__builtin_ctz(call.op->tensors)]);
    if (first == nullptr || PyArray_NDIM(first) == 0) return false;
    for (unsigned left = call.op->tensors & (call.op->tensors - 1); left != 0; left &= left - 1) {
        PyObject* value = call.arguments[__builtin_ctz(left)];
        if (value == Py_None) continue;
        PyArrayObject* array = is_any_tensor(value) ? shown_array(as_tensor(value)) : nullptr;
        if (array == nullptr || own_array(level, value) != nullptr || PyArray_NDIM(array) > 2) return false;
    }
    return true;
}

// A tensor with more dimensions behind the batch, of one element each: takes the reference, nullptr with an exception.
PyObject* raised(Ref tensor, int more) {
    static Inner unsqueeze("unsqueeze");
    Ref first = Ref::steal(PyLong_FromLong(1));
    for (; first && tensor && more > 0; more--) tensor = Ref::steal(unsqueeze.either(tensor.get(), first.get()));
    return first ? tensor.release() : nullptr;
}

// Whether native code can run the batch as the op's word says.
bool may_map(const Level* level, const Call& call) {
    if (call.op->word == BatchWord::OTHER) return false;
    if (call.op->word == BatchWord::ELEMENTWISE) return aligned_dims(level, call) >= 0;
    if (call.op->word == BatchWord::PLAIN) return true;
    if (call.op->word == BatchWord::FRONT) return is_front(level, call);
    for (unsigned left = call.op->tensors; left != 0; left &= left - 1) {
        PyObject* value = call.arguments[__builtin_ctz(left)];
        PyArrayObject* array = is_any_tensor(value) ? own_array(level, value) : nullptr;
        // a sample without dimensions has one to count all the same
        if (array == nullptr ? value != Py_None : PyArray_NDIM(array) == 0) return false;
    }
    if (call.op->word == BatchWord::SHIFTED) return true;
    PyObject* dim = call.op->dims == 0 ? Py_None : call.arguments[__builtin_ctz(call.op->dims)];
    return dim != Py_None && !(is_list(dim) && PySequence_Fast_GET_SIZE(dim) == 0);
}

// Put what a batch dimension moves among the options into their places; false where one is Python's to judge.
bool shift(const OpInfo* op, PyObject* size, int ndim, Call& below, Ref* held) {
    for (unsigned left = op->dims | op->shapes | op->indices; left != 0; left &= left - 1) {
        int place = __builtin_ctz(left);
        PyObject* value = below.arguments[place];
        if (value == Py_None) continue;
        held[place] = Ref::steal(op->dims >> place & 1     ? shifted(value, ndim)
                                 : op->shapes >> place & 1 ? with_first(size, value)
                                                           : index_of_all(value));
        if (!held[place]) return false;
        below.arguments[place] = held[place].get();
    }
    return true;
}

// Run the op once for the batch: Mapping.call, where the word says so little that it is known here. nullptr without an
// exception where there is more to it.
PyObject* map(Level* level, Function* function, Call& call) {
    const OpInfo* op = call.op;
    Call below;
    below.op = op;
    Ref held[MAX_ARGUMENTS], options[MAX_ARGUMENTS], size;
    int most = op->word == BatchWord::ELEMENTWISE ? aligned_dims(level, call) : 0;
    int ndim = 0;  // of a sample
    for (size_t i = 0; i < op->parameters.size(); i++) {
        PyArrayObject* array = op->tensors >> i & 1 ? own_array(level, call.arguments[i]) : nullptr;
        held[i] = Ref::borrow(array != nullptr ? inner_of(array) : call.arguments[i]);
        if (array != nullptr && PyArray_NDIM(array) < most) {
            held[i] = Ref::steal(raised(std::move(held[i]), most - PyArray_NDIM(array)));
            if (!held[i]) return nullptr;
        }
        below.arguments[i] = held[i].get();
        if (array == nullptr || size || op->word < BatchWord::SHIFTED) continue;
        ndim = PyArray_NDIM(array);
        size = Ref::steal(PyLong_FromSsize_t(PyArray_DIM(shown_array(as_tensor(held[i].get())), 0)));
    }
    if (op->word >= BatchWord::SHIFTED && !shift(op, size.get(), ndim, below, options)) return nullptr;
    Ref found = Ref::steal(again(function, below));
    if (!found) return nullptr;
    if (!is_any_tensor(found.get())) return around(level, call, found.get());
    Tensor* made = lift(level, found.get(), 1);
    if (made != nullptr && op->is_view) note_whole(made, call.arguments[0]);
    return as_object(made);
}

// A call below a level of forward mode: the tensors there, and the tangents of those that have one.
struct Moving {
    Ref primals[MAX_ARGUMENTS], tangents[MAX_ARGUMENTS];
    unsigned moved = 0, all = 0;  // bits: of tensors with a tangent, and of all tensors

    Moving(const Level* level, const Call& call) {
        for (size_t i = 0; i < call.op->parameters.size(); i++) {
            PyObject* value = call.arguments[i];
            bool may_move = call.op->tensors >> i & 1;
            PyArrayObject* array = may_move ? own_array(level, value) : nullptr;
            primals[i] = Ref::borrow(array != nullptr ? inner_of(array) : value);
            // also a number, which would move as if it were its own tangent
            if (may_move && value != Py_None) all |= 1u << i;
            if (array == nullptr || aside_of(array) == Py_None) continue;
            tangents[i] = Ref::borrow(aside_of(array));
            moved |= 1u << i;
        }
    }
    void fill(Call& below, const OpInfo* op) const {
        below.op = op;
        for (size_t i = 0; i < op->parameters.size(); i++) below.arguments[i] = primals[i].get();
    }
};

// The tangent of a linear op: the op itself on the tangents.
PyObject* slope_of_linear(Function* function, const OpInfo* op, const Moving& moving) {
    Call below;
    moving.fill(below, op);
    for (unsigned left = moving.moved; left != 0; left &= left - 1) {
        int position = __builtin_ctz(left);
        below.arguments[position] = moving.tangents[position].get();
    }
    return again(function, below);
}

// The tangent of a product: one factor moved, for each of them; what is added to it moves by itself.
PyObject* slope_of_product(Function* function, const OpInfo* op, const Moving& moving) {
    static Inner add("add");
    Ref total;
    for (unsigned left = moving.moved & op->factors; left != 0; left &= left - 1) {
        Call below;
        moving.fill(below, op);
        int factor = __builtin_ctz(left);
        below.arguments[factor] = moving.tangents[factor].get();
        for (unsigned rest = op->tensors & ~op->factors; rest != 0; rest &= rest - 1) {
            int added = __builtin_ctz(rest);
            bool moves = moving.tangents[added] && !total;
            below.arguments[added] = moves ? moving.tangents[added].get() : Py_None;
        }
        Ref part = Ref::steal(again(function, below));
        if (!part) return nullptr;
        total = total ? Ref::steal(add.either(total.get(), part.get())) : static_cast<Ref&&>(part);
        if (!total) return nullptr;
    }
    return total.release();
}

// Whether a tangent is as its tensor is, and that can have one.
bool fits(PyObject* tangent, PyObject* primal) {
    if (tangent == nullptr || !is_any_tensor(tangent) || !is_any_tensor(primal)) return false;
    PyArrayObject *one = shown_array(as_tensor(tangent)), *other = shown_array(as_tensor(primal));
    return one != nullptr && other != nullptr && PyArray_DESCR(one) == PyArray_DESCR(other) &&
           PyArray_SAMESHAPE(one, other) && is_differentiable(other);
}

// What the formulas of a plan read of a call: the tangent in place of the gradient, then values as a node would save
// them. nullptr, with or without an exception, where that is Python's.
PyObject* values_along(const OpPlan& plan, const Moving& moving, PyObject* tangent, PyObject* result) {
    Ref values = Ref::steal(PyList_New(2 + plan.source_count)), all = Ref::steal(PyList_New(1));
    if (!values || !all) return nullptr;
    PyList_SET_ITEM(all.get(), 0, Py_NewRef(tangent));
    PyList_SET_ITEM(values.get(), 0, Py_NewRef(tangent));
    PyList_SET_ITEM(values.get(), 1, all.release());
    for (int i = 0; i < plan.source_count; i++) {
        Source kind = plan.sources[i].kind;
        PyObject* value = kind == Source::RESULT ? result : moving.primals[plan.sources[i].position].get();
        if (kind == Source::GEOMETRY || (kind == Source::SHAPE && !is_any_tensor(value))) return nullptr;
        PyArrayObject* array = kind == Source::SHAPE ? shown_array(as_tensor(value)) : nullptr;
        PyObject* kept =
            array == nullptr ? Py_NewRef(value) : PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array));
        if (kept == nullptr) return nullptr;
        PyList_SET_ITEM(values.get(), 2 + i, kept);
    }
    return values.release();
}

bool is_real(PyObject* value) {
    PyArrayObject* array = is_any_tensor(value) ? shown_array(as_tensor(value)) : nullptr;
    return array == nullptr || !PyTypeNum_ISCOMPLEX(PyArray_TYPE(array));
}

// The tangent of a pointwise op: its gradient formulas with the tangents in place of `grad`, since each slope is a
// diagonal. nullptr, with or without an exception, where there is more to it.
PyObject* slope_of_pointwise(OpInfo* op, const Moving& moving, PyObject* result) {
    static Inner add("add"), clone("clone");
    const OpPlan* plan = plan_for(op, moving.moved);
    if (plan == nullptr || plan->has_lists || !is_real(result)) return nullptr;
    Ref formulas = Ref::steal(PyObject_GetAttr(plan->python, word_formulas)), total;
    for (int i = 0; formulas && i < plan->input_count; i++) {
        int place = plan->inputs[i];
        PyObject* tangent = moving.tangents[place].get();
        if (!is_real(moving.primals[place].get()) || !fits(tangent, result)) return nullptr;
        Ref values = Ref::steal(values_along(*plan, moving, tangent, result));
        Ref part = values ? Ref::steal(apply_formula(PyList_GET_ITEM(formulas.get(), i), values.get())) : Ref();
        if (!part || part.get() == Py_None) return nullptr;
        total = total ? Ref::steal(add.either(total.get(), part.get())) : static_cast<Ref&&>(part);
        if (!total) return nullptr;
    }
    for (int i = 0; total && i < plan->input_count; i++) {
        // `x + 1` moves as x does, and either may be written to
        if (total.get() == moving.tangents[plan->inputs[i]].get()) return clone.either(total.get());
    }
    return total.release();
}

// Run the op below, and its derivative on the tangents: Forward.call, for what is linear or pointwise. nullptr without
// an exception where there is more to it.
PyObject* move(Level* level, Function* function, Call& call) {
    const OpInfo* op = call.op;
    Moving moving(level, call);
    bool is_product = (moving.moved & op->factors) != 0;
    if (!state.forward || (moving.moved & ~op->differentiable) != 0) return nullptr;
    bool is_linear = op->is_linear && moving.moved == moving.all;
    if (!is_product && !is_linear && (!op->has_slope || moving.moved == 0)) return nullptr;
    Call below;
    moving.fill(below, op);
    Ref found = Ref::steal(again(function, below));
    if (!found) return nullptr;
    Ref tangent;
    if (is_any_tensor(found.get())) {
        tangent = Ref::steal(is_product  ? slope_of_product(function, op, moving)
                             : is_linear ? slope_of_linear(function, op, moving)
                                         : slope_of_pointwise(function->info, moving, found.get()));
    }
    if (PyErr_Occurred() || !fits(tangent.get(), found.get())) return nullptr;
    Ref dual = Ref::steal(as_object(lift(level, found.get(), 0, tangent.get())));
    if (dual && op->is_view) note_whole(as_tensor(dual.get()), call.arguments[0]);
    if (!dual || !requires_grad(as_tensor(found.get()))) return dual.release();
    // the history of its primal, from which a backward may start
    Tensor *made = as_tensor(dual.get()), *primal = as_tensor(found.get());
    Ref node = Ref::steal(PyObject_GetAttr(found.get(), word_grad_fn));
    if (!node) return nullptr;
    if (node.get() != Py_None) made->node = node.release();
    made->output = primal->output;
    made->requires_grad = true;
    return dual.release();
}

// The step of the innermost level; nullptr without an exception if there is none, or if one has ended.
PyObject* step(Function* function, Call& call) {
    bool dead = false;
    Level* level = highest(call.arguments, static_cast<Py_ssize_t>(call.op->parameters.size()), dead);
    if (level == nullptr || dead) return nullptr;
    Ref kept = Ref::borrow(as_object(level));
    Outside outside(level);
    bool single = call.op->is_single && !has_lists(call);
    if (level->kind == TRACKING && single) return track(level, function, call);
    if (level->kind == MAPPING && single && may_map(level, call)) {
        PyObject* found = map(level, function, call);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    if (level->kind == FORWARD && single && (call.op->is_linear || call.op->factors != 0 || call.op->has_slope)) {
        PyObject* found = move(level, function, call);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    Ref arguments = Ref::steal(tuple_of(call));
    return arguments ? by_python(level, call.op->op, arguments.get()) : nullptr;
}

// step_of_level(op, arguments): the step of the innermost level, by its own method; NotImplemented if there is none.
PyObject* step_by_python(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 2 || !PyTuple_Check(args[1])) return PyErr_Format(PyExc_TypeError, "step_of_level(op, arguments)");
    bool dead = false;
    Level* level = highest(&PyTuple_GET_ITEM(args[1], 0), PyTuple_GET_SIZE(args[1]), dead);
    if (level == nullptr || dead) Py_RETURN_NOTIMPLEMENTED;
    Ref kept = Ref::borrow(as_object(level));
    Outside outside(level);
    return by_python(level, args[0], args[1]);
}

// invoke(function, op, arguments): the op once more, all of its arguments in their places.
PyObject* invoke(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 3 || !PyTuple_Check(args[2])) return PyErr_Format(PyExc_TypeError, "invoke(function, op, arguments)");
    auto* function = reinterpret_cast<Function*>(args[0]);
    Py_ssize_t given = PyTuple_GET_SIZE(args[2]);
    bool known = Py_TYPE(args[0]) == &FunctionType && given <= MAX_ARGUMENTS &&
                 given == static_cast<Py_ssize_t>(function->info->parameters.size()) &&
                 function->info->entry != Entry::COMPOSED && settle(function->info);
    if (!known) {
        Ref found = Ref::steal(step_by_python(nullptr, args + 1, 2));
        if (found.get() != Py_NotImplemented) return found.release();
        return PyObject_CallFunctionObjArgs(fallbacks.call, args[1], args[2], nullptr);
    }
    Call call;
    call.op = function->info;
    for (Py_ssize_t i = 0; i < given; i++) call.arguments[i] = PyTuple_GET_ITEM(args[2], i);
    return again(function, call);
}

PyMethodDef methods[] = {
    {"invoke", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<invoke>)), METH_FASTCALL,
     "The op once more, natively where it can be."},
    {"step_of_level", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<step_by_python>)),
     METH_FASTCALL, "The step of the innermost level among the arguments."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* call_lifted(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    OpInfo* op = function->info;
    if (op->entry == Entry::COMPOSED || op->entry == Entry::INPLACE || op->parameters.size() > MAX_ARGUMENTS) {
        return nullptr;
    }
    bool dead = false;
    Py_ssize_t total = count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
    if (highest(args, total, dead) == nullptr || dead) return nullptr;
    Call call;
    call.op = op;
    if (!parse(call, args, count, names) || !settle(op)) return nullptr;
    if (op->entry == Entry::EITHER && call.arguments[op->inplace_position] != Py_False) return nullptr;
    return step(function, call);
}

bool add_lifting(PyObject* module) { return PyModule_AddFunctions(module, methods) >= 0; }

}  // namespace rushlight
