// The caller: the steps of ops/machine/call.py, in the same order, for calls that have a kernel and nothing unusual
// about them.
#include "seam/call.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "object/node.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/lifting.h"
#include "seam/names.h"
#include "seam/overrides.h"
#include "seam/pending.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_inference("inference");
const Interned word_no_grad("no_grad");
const Interned word_multiple("multiple");
const Interned word_results("results");

namespace {

// Elements up to which one thread is enough.
constexpr npy_intp MOST_DIRECT = 1 << 15;

bool is_number(PyObject* value) { return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value); }

// A tensor among the arguments: note whether it requires grad, or where its history was cut.
void note(Call& call, Tensor* tensor, int position) {
    call.has_inference |= tensor->inference;
    if (requires_grad(tensor)) {
        call.needs |= 1u << position;
    } else if (tensor->cut) {
        call.cut = tensor;
    }
}

}  // namespace

bool look(Call& call) {
    const OpInfo& op = *call.op;
    unsigned left = op.tensors;
    while (left != 0) {
        int position = __builtin_ctz(left);
        left &= left - 1;
        PyObject* value = call.arguments[position];
        const Parameter& parameter = op.parameters[position];
        if (is_tensor(value)) {
            DECLINE_IF(parameter.is_list || plain_array(as_tensor(value)) == nullptr);
            note(call, as_tensor(value), position);
        } else if (parameter.is_list) {
            DECLINE_IF(!PyList_CheckExact(value) && !PyTuple_CheckExact(value));
            for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++) {
                PyObject* each = PySequence_Fast_GET_ITEM(value, i);
                DECLINE_IF(!is_tensor(each) || as_tensor(each)->array == nullptr);
                note(call, as_tensor(each), position);
            }
        } else if (value == Py_None) {
            DECLINE_IF(!parameter.optional);
        } else {
            DECLINE_IF(!is_number(value) || parameter.strict);
        }
    }
    return true;
}

namespace {

// The mode that keeps a call from being recorded; borrowed.
PyObject* cut_reason() { return state.inference ? word_inference : word_no_grad; }

// Note on a result what cut its history, for a later message; takes the reason.
void set_cut(Tensor* tensor, PyObject* reason) {
    Py_XSETREF(tensor->cut.reason, reason);
    clear_place(tensor->cut.place);
    tensor->cut.place = user_place();
}

void mark_cut(const OpInfo& op, Tensor* tensor) {
    if (!state.grad) {
        mark_unrecorded(tensor);
        return;
    }
    PyObject* reason = PyObject_GetAttrString(op.op, "name");
    if (reason == nullptr) PyErr_Clear();
    set_cut(tensor, reason);
}

}  // namespace

void mark_unrecorded(Tensor* tensor) { set_cut(tensor, Py_NewRef(cut_reason())); }

bool finish(OpInfo* op, const Call& call, Tensor* const* results, int count) {
    if (call.needs != 0) {
        bool floats = count > 1 || is_differentiable(shown_array(results[0]));
        if (state.grad && (call.needs & op->differentiable) != 0 && floats) {
            if (!record(op, call, results, count)) return false;
        } else if (!state.backward) {
            for (int i = 0; i < count; i++) mark_cut(*op, results[i]);
        }
    } else if (call.cut != nullptr) {
        for (int i = 0; i < count; i++) copy_cut(results[i], call.cut->cut);
    }
    if (state.inference) {
        for (int i = 0; i < count; i++) results[i]->inference = results[i]->base == nullptr;
    }
    return true;
}

namespace {

Tensor* tensor_around(const OpInfo& op, const Call& call, PyArrayObject* taken) {
    return op.is_view ? make_view(as_tensor(call.arguments[0]), taken) : wrap(taken);
}

// Tensors around several results, as a named tuple where torch has one.
PyObject* wrap_many(OpInfo* op, Call& call) {
    int count = call.results.size();
    Ref tensors = Ref::steal(PyTuple_New(count));
    if (!tensors) return nullptr;
    for (int i = 0; i < count; i++) {
        Tensor* each = tensor_around(*op, call, std::exchange(call.results[i], nullptr));
        if (each == nullptr) return nullptr;
        PyTuple_SET_ITEM(tensors.get(), i, as_object(each));
        if (op->is_view && state.grad) Py_XSETREF(each->made, Py_NewRef(word_multiple));
    }
    auto* results = reinterpret_cast<Tensor* const*>(&PyTuple_GET_ITEM(tensors.get(), 0));
    if (count > 0 && !finish(op, call, results, count)) return nullptr;
    if (!op->has_results) return tensors.release();
    // as the named tuple's own __new__ does in a Python frame
    Ref kind = Ref::steal(PyObject_GetAttr(op->op, word_results)), items = Ref::steal(PyTuple_Pack(1, tensors.get()));
    if (!kind || !items) return nullptr;
    return PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(kind.get()), items.get(), nullptr);
}

// Check what the kernel wants, and run it; false, without an exception, where it leaves the call to Python.
bool run_forward(const OpInfo& op, Call& call) {
    declined(nullptr);
    try {
        if (meet_wants(call) && op.kernel->forward(call)) {
            for (PyArrayObject*& each : call.results) each = rounded_again(call, std::exchange(each, nullptr));
            return true;
        }
    } catch (const Unmade&) {
        declined("a result could not be made");
    }
    PyErr_Clear();
    return false;
}

PyObject* run(OpInfo* op, Call& call) {
    if (!run_forward(*op, call)) return nullptr;
    if (call.several || call.results.size() != 1) return wrap_many(op, call);
    Tensor* tensor = tensor_around(*op, call, std::exchange(call.results[0], nullptr));
    Ref result = Ref::steal(as_object(tensor));
    if (!result) return nullptr;
    if (call.is_pending) hold_pending(tensor);
    if ((call.needs | state.inference) == 0 && call.cut == nullptr) return result.release();
    return finish(op, call, &tensor, 1) ? result.release() : nullptr;
}

// Whether elements may lie in one place, as those of `unfold` do. See `shares_places` in ops/machine/walking.py.
bool shares_places(PyArrayObject* array) {
    int ndim = PyArray_NDIM(array), order[NPY_MAXDIMS];
    std::iota(order, order + ndim, 0);
    std::sort(order, order + ndim, [&](int a, int b) { return PyArray_STRIDE(array, a) < PyArray_STRIDE(array, b); });
    npy_intp end = PyArray_ITEMSIZE(array);
    for (int i = 0; i < ndim; i++) {
        npy_intp size = PyArray_DIM(array, order[i]), step = PyArray_STRIDE(array, order[i]);
        if (size <= 1) continue;
        if (step < end) return true;
        end += step * (size - 1);
    }
    return false;
}

bool is_writable(PyArrayObject* array) {
    if (!PyArray_ISWRITEABLE(array)) return false;
    if (PyArray_IS_C_CONTIGUOUS(array)) {
        for (int dim = 0; dim < PyArray_NDIM(array); dim++) {
            if (PyArray_STRIDE(array, dim) == 0) return false;
        }
        return true;
    }
    return !shares_places(array);
}

// After a write that was not recorded: what was written had a history, which was cut here or before.
void pass_cut(const Call& call, Tensor* target) {
    Cut here;
    here.reason = cut_reason();
    here.place = target->storage->writer;
    const Cut& cut = call.cut != nullptr ? call.cut->cut : here;
    if (call.cut != target) copy_cut(target, cut);
    if (target->base != nullptr) copy_cut(as_tensor(target->base), cut);
}

// Whether a tensor lies in the target's storage in a way that Python has to judge: torch refuses some, see
// ops/machine/overlap.py. What is the target itself, or lies beside it, is fine.
bool meets(Tensor* target, PyObject* value) {
    if (!is_tensor(value)) return false;
    Tensor* other = as_tensor(value);
    if (other == target || other->storage == nullptr || other->storage->array != target->storage->array) return false;
    return other->array == nullptr || may_overlap(target->array, other->array);
}

bool has_overlap(const Call& call, Tensor* target) {
    if (target->storage == nullptr) return false;
    for (unsigned left = call.op->tensors & ~1u; left != 0; left &= left - 1) {
        int position = __builtin_ctz(left);
        PyObject* value = call.arguments[position];
        if (!call.op->parameters[position].is_list) {
            if (meets(target, value)) return true;
            continue;
        }
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); i++) {
            if (meets(target, PySequence_Fast_GET_ITEM(value, i))) return true;
        }
    }
    return false;
}

// Whether a write is recorded here: to a tensor of its own memory, which is no leaf, and whose old numbers no gradient
// needs. The rest is Python's.
bool may_record_write(OpInfo* op, const Call& call, Tensor* target) {
    DECLINE_IF(!op->records_writes || !is_differentiable(target->array));
    DECLINE_IF(target->base != nullptr || (target->requires_grad && target->node == nullptr));
    DECLINE_IF(target->retains || target->hooks != nullptr || target->post_hooks != nullptr);
    DECLINE_IF(state.saved_hooks != nullptr || state.anomaly || call.has_inference);
    for (unsigned left = op->tensors & ~1u; left != 0; left &= left - 1) {
        int position = __builtin_ctz(left);
        PyObject* value = call.arguments[position];
        DECLINE_IF(value == as_object(target));
        Py_ssize_t count = op->lists >> position & 1 ? PySequence_Fast_GET_SIZE(value) : 0;
        for (Py_ssize_t i = 0; i < count; i++) DECLINE_IF(PySequence_Fast_GET_ITEM(value, i) == as_object(target));
    }
    const OpPlan* plan = plan_for(op, call.needs & op->differentiable);
    if (plan == nullptr) return false;
    DECLINE_IF(plan->has_lists);
    for (int i = 0; i < plan->source_count; i++) {
        Source kind = plan->sources[i].kind;
        bool is_kept = kind == Source::ARGUMENT || kind == Source::MEMORY || kind == Source::FOLDED;
        DECLINE_IF(kind == Source::GEOMETRY || (is_kept && plan->sources[i].position == 0));
    }
    return true;
}

// The numbers of a result where they belong; false with an exception.
bool copy_result(PyArrayObject* to, PyArrayObject* from) {
    if (!is_movable(to) || element_count(to) == 0 || may_overlap(to, from)) return PyArray_CopyInto(to, from) >= 0;
    // 40 us for 100,000 transposed floats, of which NumPy makes 180
    copy_into(to, from);
    return true;
}

// Run an op and write its result into the first argument.
PyObject* run_inplace(OpInfo* op, Call& call) {
    DECLINE_IF(!is_tensor(call.arguments[0]));
    Tensor* target = as_tensor(call.arguments[0]);
    bool recording = state.grad && (call.needs & op->differentiable) != 0;
    if (recording && !may_record_write(op, call, target)) {
        PyErr_Clear();
        return nullptr;
    }
    DECLINE_IF(target->inference || op->is_view || !is_writable(target->array));
    DECLINE_IF(has_overlap(call, target));
    // before the write, after which nothing may fail
    if (storage_of(target) == nullptr) return nullptr;
    Ref noted = recording ? note_write(op, call, target) : Ref();
    if (recording && !noted) return nullptr;
    call.out = target->array;
    if (!run_forward(*op, call)) return nullptr;
    PyArrayObject* made = call.results[0];
    if (made != target->array) {
        if (!PyArray_SAMESHAPE(made, target->array) || PyArray_TYPE(made) != PyArray_TYPE(target->array) ||
            !copy_result(target->array, made)) {
            PyErr_Clear();
            return nullptr;
        }
    }
    if (!written(target)) return nullptr;
    if (recording) {
        record_write(noted.get(), target);
    } else if ((call.needs & op->differentiable) != 0 || call.cut != nullptr) {
        pass_cut(call, target);
    }
    return Py_NewRef(call.arguments[0]);
}

bool find_name(const OpInfo& op, PyObject* name, int& position) {
    int count = static_cast<int>(op.parameters.size());
    for (int i = 0; i < count; i++) {
        if (op.parameters[i].name == name) {
            position = i;
            return true;
        }
    }
    for (int i = 0; i < count; i++) {
        if (PyUnicode_Compare(op.parameters[i].name, name) == 0) {
            position = i;
            return true;
        }
    }
    return false;
}

// Sizes given one by one, as one sequence, or by name; see `sizes` in generate.py.
bool take_sizes(Call& call, PyObject* const* args, Py_ssize_t count) {
    if (count == 1 && !PyLong_Check(args[0])) {
        call.arguments[call.op->size_position] = args[0];
        return PyTuple_Check(args[0]) || PyList_CheckExact(args[0]);
    }
    call.sizes = PyTuple_New(count);
    if (call.sizes == nullptr) {
        PyErr_Clear();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(call.sizes, i, Py_NewRef(args[i]));
    call.arguments[call.op->size_position] = call.sizes;
    return true;
}

}  // namespace

// The bits of the inputs that a product is linear in, each by itself.
static bool read_factors(PyObject* op, unsigned& bits) {
    Ref factors = Ref::steal(PyObject_GetAttrString(op, "factors"));
    if (!factors || !PyTuple_Check(factors.get())) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(factors.get()); i++) {
        long position = PyLong_AsLong(PyTuple_GET_ITEM(factors.get(), i));
        if (position < 0 || position >= MAX_ARGUMENTS) return false;
        bits |= 1u << position;
    }
    return true;
}

// What a level may do natively: the bits of Op.lifting, and the options that a batch dimension moves, of Op.shifts.
static bool read_lifting(OpInfo* op) {
    Ref lifting = Ref::steal(PyObject_GetAttrString(op->op, "lifting"));
    Ref shifts = lifting ? Ref::steal(PyObject_GetAttrString(op->op, "shifts")) : Ref();
    unsigned long ways = shifts ? PyLong_AsUnsignedLong(lifting.get()) : 0;
    if (PyErr_Occurred() || !PyArg_ParseTuple(shifts.get(), "III", &op->dims, &op->shapes, &op->indices)) return false;
    op->is_single = ways & 1;
    op->is_linear = ways & 2;
    op->has_slope = ways & 4;
    op->word = static_cast<BatchWord>(ways >> 3);
    return true;
}

static bool read_partners(OpInfo* op) {
    Ref found = Ref::steal(PyObject_GetAttrString(op->op, "partners"));
    if (!found || !PyTuple_Check(found.get())) return false;
    op->partners.clear();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(found.get()); i++) {
        op->partners.push_back(static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(found.get(), i))));
    }
    return !PyErr_Occurred();
}

// What is known only after all formulas were given; false if it cannot be read.
// Op.write_class: True for that of other calls, False where a write is Python's to record.
static bool read_write_class(OpInfo* op) {
    Ref found = Ref::steal(PyObject_GetAttrString(op->op, "write_class"));
    if (!found) return false;
    op->records_writes = found.get() != Py_False;
    if (PyType_Check(found.get())) op->write_class = found.release();
    return true;
}

bool settle(OpInfo* op) {
    if (op->settled) return true;
    Ref bits = Ref::steal(PyObject_GetAttrString(op->op, "differentiable"));
    unsigned long value = bits ? PyLong_AsUnsignedLong(bits.get()) : 0;
    unsigned factors = 0;
    if (PyErr_Occurred() || !read_lifting(op) || !read_factors(op->op, factors) || !read_partners(op) ||
        !read_write_class(op)) {
        PyErr_Clear();
        return false;
    }
    op->differentiable = static_cast<unsigned>(value);
    op->factors = factors;
    if (op->kernel != nullptr && op->kernel->find_direct != nullptr && op->entry != Entry::INPLACE) {
        op->kernel->find_direct(*op);
    }
    op->settled = true;
    return true;
}

// Arguments into their places; false for what Python has to look at.
bool parse(Call& call, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const OpInfo& op = *call.op;
    Py_ssize_t given = count;
    if (op.size_position >= 0 && count > op.size_position) {
        if (!take_sizes(call, args + op.size_position, count - op.size_position)) return false;
        given = op.size_position;
    } else if (count > op.positional) {
        return false;
    }
    for (Py_ssize_t i = 0; i < given; i++) call.arguments[i] = args[i];
    Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; i++) {
        int position;
        if (!find_name(op, PyTuple_GET_ITEM(names, i), position)) {
            // `out=None` is what a caller may say without meaning it
            bool is_out = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), "out") == 0;
            if (is_out && args[count + i] == Py_None && op.entry == Entry::CALL) continue;
            return false;
        }
        if (call.arguments[position] != nullptr) return false;
        call.arguments[position] = args[count + i];
    }
    int total = static_cast<int>(op.parameters.size());
    for (int i = 0; i < total; i++) {
        const Parameter& parameter = op.parameters[i];
        if (call.arguments[i] == nullptr && (call.arguments[i] = parameter.fallback) == nullptr) return false;
        if (parameter.is_flag && !PyBool_Check(call.arguments[i])) return false;
    }
    return true;
}

// Arguments that lie in memory alike, float32 or float64 and few: where their elements stand. The last of them, or
// nullptr where there is more to look at.
static PyArrayObject* find_alike(Call& call, PyObject* const* args, const void** inputs) {
    PyArrayObject* lead = nullptr;
    for (int i = 0; i < call.op->direct_count; i++) {
        if (!is_tensor(args[i])) return nullptr;
        PyArrayObject* array = as_tensor(args[i])->array;
        if (array == nullptr || !PyArray_ISCARRAY_RO(array)) return nullptr;
        if (lead != nullptr && (PyArray_DESCR(array) != PyArray_DESCR(lead) || !have_same_shape(array, lead))) {
            return nullptr;
        }
        note(call, as_tensor(args[i]), i);
        call.arguments[i] = args[i];
        inputs[i] = PyArray_DATA(array);
        lead = array;
    }
    int type = PyArray_TYPE(lead);
    return type == NPY_FLOAT32 || type == NPY_FLOAT64 ? lead : nullptr;
}

// Such tensors, and nothing else: nothing to parse, to promote or to broadcast.
static PyObject* call_direct(OpInfo* op, PyObject* const* args) {
    Call call;
    call.op = op;
    const void* inputs[2];
    PyArrayObject* lead = find_alike(call, args, inputs);
    npy_intp size = lead == nullptr ? 0 : element_count(lead);
    if (size == 0 || size > MOST_DIRECT) return nullptr;
    if (call.needs != 0 && state.grad && (state.saved_hooks != nullptr || state.anomaly || call.has_inference)) {
        return nullptr;
    }
    PyArrayObject* out = new_array_like(lead, size);
    Tensor* tensor = out == nullptr ? nullptr : wrap(out);
    Ref made = Ref::steal(as_object(tensor));
    if (!made) return nullptr;
    op->direct[PyArray_TYPE(lead) == NPY_FLOAT64](inputs, PyArray_DATA(out), size);
    if ((call.needs | state.inference) == 0 && call.cut == nullptr) return made.release();
    for (size_t i = op->direct_count; i < op->parameters.size(); i++) call.arguments[i] = op->parameters[i].fallback;
    return finish(op, call, &tensor, 1) ? made.release() : nullptr;
}

// A composed function: its route to other ops.
static PyObject* run_route(OpInfo* op, Call& call, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (op->kernel->route == nullptr || !parse(call, args, count, names)) return declined("arguments of another kind");
    // what a hook raises must not make Python run it again
    DECLINE_IF(state.saved_hooks != nullptr);
    if (!op->kernel->is_lazy) settle(op->kernel->name);
    declined(nullptr);
    PyObject* found = meet_wants(call) ? op->kernel->route(call) : nullptr;
    if (found != nullptr) return found;
    PyErr_Clear();
    // an op that declines has counted its own reason
    if (decline_reason == nullptr) return declined("the op behind it declined");
    return nullptr;
}

// A call whose arguments stand in their places.
static PyObject* run_placed(OpInfo* op, Call& call) {
    bool inplace = op->entry == Entry::INPLACE;
    if (op->entry == Entry::EITHER) {
        PyObject* asked = call.arguments[op->inplace_position];
        DECLINE_IF(asked != Py_True && asked != Py_False);
        inplace = asked == Py_True;
    }
    if (inplace || !op->kernel->is_lazy) settle(op->kernel->name);
    if (!look(call)) return nullptr;
    if (inplace) return run_inplace(op, call);
    // hooks on saved values, anomaly mode, and tensors made in inference mode, are Python's
    bool recording = call.needs != 0 && state.grad;
    DECLINE_IF(recording && (state.saved_hooks != nullptr || state.anomaly || call.has_inference));
    return run(op, call);
}

static PyObject* run_op(OpInfo* op, Call& call, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (op->kernel->forward == nullptr || (!op->settled && !settle(op))) return declined("only its gradient is native");
    if (!parse(call, args, count, names)) return declined("arguments of another kind");
    return run_placed(op, call);
}

// Note in a kernel's tally whether it did its work.
static PyObject* counted(Kernel& kernel, PyObject* made) {
    if (made != nullptr) {
        kernel.forwards.accepted++;
    } else if (!PyErr_Occurred()) {
        kernel.forwards.decline();
    }
    return made;
}

PyObject* call_native(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    OpInfo* op = function->info;
    PyObject* made = nullptr;
    if (op->kernel == nullptr) return nullptr;
    try {
        if (state.levels != nullptr) {
            settle("a function transform");
            made = call_lifted(function, args, count, names);
            if (made != nullptr || PyErr_Occurred()) return made;
            // Python looks whose tensor is written to
            if (op->entry == Entry::INPLACE || op->entry == Entry::EITHER) return nullptr;
        }
        // large calls are never direct: only tests put smaller ones off
        bool may_defer = state.compiled && least_deferred < MOST_DIRECT;
        if (count > 0 && count == op->direct_count && names == nullptr && op->settled && !may_defer) {
            made = call_direct(op, args);
            if (made != nullptr) {
                op->kernel->forwards.accepted++;
                return made;
            }
            if (PyErr_Occurred()) return nullptr;
        }
        Call call;
        call.op = op;
        bool is_route = op->entry == Entry::COMPOSED;
        made = (is_route ? run_route : run_op)(op, call, args, count, names);
    } catch (...) {
        set_caught();
    }
    return counted(*op->kernel, made);
}

PyObject* run_arranged(Function* function, Call& call) {
    OpInfo* op = function->info;
    if (op->kernel == nullptr || op->kernel->forward == nullptr) return nullptr;
    PyObject* made = nullptr;
    try {
        made = run_placed(op, call);
    } catch (...) {
        set_caught();
    }
    return counted(*op->kernel, made);
}

bool run_gradient(Gradient& gradient) {
    Kernel& kernel = *gradient.plan->op->kernel;
    declined(nullptr);
    try {
        if (meet_wants(gradient) && kernel.backward(gradient)) {
            if (gradient.half_type() >= 0) {
                for (PyArrayObject*& each : gradient.found) {
                    each = rounded_again(gradient, std::exchange(each, nullptr));
                }
            }
            kernel.backwards.accepted++;
            return true;
        }
    } catch (const Unmade&) {
        declined("a gradient could not be made");
    }
    kernel.backwards.decline();
    PyErr_Clear();
    return false;
}

PyObject* call_function(Function* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    bool watched = is_watched(*function);
    PyObject* found = watched ? divert(as_object(function), args, count, names) : nullptr;
    if (found != nullptr || (watched && PyErr_Occurred())) return found;
    found = call_native(function, args, count, names);
    if (found != nullptr || PyErr_Occurred()) return found;
    // native code knows nothing of arguments that treat functions themselves: it has declined
    found = watched ? nullptr : divert(as_object(function), args, count, names);
    if (found != nullptr || PyErr_Occurred()) return found;
    // a composed function only calls others
    if (function->info->entry != Entry::COMPOSED) settle("a call that only Python does");
    found = call_body(function, args, count, names);
    if (found != nullptr || PyErr_Occurred()) return found;
    return PyObject_Vectorcall(function->python, args, count, names);
}

}  // namespace rushlight
