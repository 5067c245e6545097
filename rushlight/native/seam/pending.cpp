// Pending steps: the one list of them, who holds their results, and their end.
#include "seam/pending.h"

#include <algorithm>
#include <utility>

#include "loops/chain.h"
#include "loops/copy.h"
#include "memory/allocator.h"
#include "memory/arrays.h"
#include "object/node.h"
#include "object/tensor.h"
#include "seam/guard.h"
#include "seam/state.h"

namespace rushlight {

int pending_count = 0;
npy_intp least_deferred = 1 << 15;

namespace {

// An operand that is so much smaller than the result is copied rather than trusted.
constexpr npy_intp FEW = 16;

struct Held {
    PyArrayObject* out = nullptr;  // owned; nullptr once nobody but later steps can read it
    Tensor* tensor = nullptr;      // around it, borrowed
    PyArrayObject* inputs[MAX_OPERANDS] = {};
    bool by_call = false;  // and by no backward, which trusts memory that it will have read when it ends
};

ChainStep steps[Chain::STEPS];
Held held[Chain::STEPS];
// of all steps
struct {
    int ndim;
    npy_intp dims[NPY_MAXDIMS];
    npy_intp size;
} shape;
FoldedRows folded_rows;  // how the reductions among them take the elements
int64_t scratch;         // bytes that the steps may take
bool is_passing;         // the last results were left to wait by settle_but
PyObject* event_log = nullptr;

int step_of(PyArrayObject* array) {
    for (int i = pending_count - 1; i >= 0; i--) {
        if (held[i].out == array) return i;
    }
    return -1;
}

// A result that only this list holds will never be seen: its memory serves the next one.
void drop_unseen() {
    for (int i = 0; i < pending_count; i++) {
        if (held[i].out != nullptr && Py_REFCNT(held[i].out) == 1) drop(std::exchange(held[i].out, nullptr));
    }
}

bool has_shape(const Operands& operands) {
    return operands.ndim == shape.ndim && have_same_dims(shape.ndim, operands.dims, shape.dims);
}

void note(const char* kind, const char* name, int count, int kept) {
    if (event_log == nullptr) return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Place place = user_place();
    Ref where = Ref::steal(place_tuple(place));
    Ref entry = where ? Ref::steal(Py_BuildValue("(ssOii)", kind, name, where.get(), count, kept)) : Ref();
    if (entry) PyList_Append(event_log, entry.get());
    clear_place(place);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

// An operand as a step reads it; `owned` is what has to stay. False where a chain cannot.
bool read_operand(const Operand& operand, const Operands& operands, bool is_shared, ChainInput& input, Ref& owned,
                  bool& at_once) {
    input.dtype = operand.dtype;
    input.own = operand.own;
    input.single = operand.single;
    input.step = -1;
    input.spread = false;
    if (operand.single) {
        std::copy(operand.value, operand.value + 8, input.value);
        input.own = operand.dtype;
        return true;
    }
    input.step = operands.has_shape(operand.array) ? step_of(operand.array) : -1;
    if (input.step >= 0) return true;
    if (is_shared && element_count(operand.array) * FEW <= operands.size) {
        owned = Ref::steal(as_object(packed_copy(operand.array)));
        if (!owned) PyErr_Clear();
    } else {
        owned = Ref::borrow(as_object(operand.array));
        at_once = at_once || is_shared;
    }
    return owned && input.read(owned.array(), operands.ndim, operands.dims);
}

// Makes room for a step of this shape: what does not go with it is run.
void make_room(const Operands& operands, int64_t more) {
    drop_unseen();
    if (pending_count == 0) return;
    if (!has_shape(operands)) {
        settle("a call of another shape");
    } else if (pending_count == Chain::STEPS || scratch + more > Chain::SCRATCH) {
        settle("a chain has no more room");
    }
}

bool reads_pending_of_another_shape(const Operands& operands) {
    for (int i = 0; i < operands.count; i++) {
        PyArrayObject* array = operands.items[i].array;
        if (array != nullptr && !operands.has_shape(array) && is_pending(array)) return true;
    }
    return false;
}

// The most that a step of these operands can take, before it is known what they are.
int64_t scratch_bound(const Operands& operands, int dtype) {
    int64_t bytes = SIZES[dtype];
    for (int i = 0; i < operands.count; i++) bytes += SIZES[operands.items[i].dtype] + SIZES[operands.items[i].own];
    return bytes * Chain::BLOCK;
}

// Which steps have results that somebody can see, and which of the others those need; how many are seen, without that
// of one step, if any.
int find_needed(int without) {
    int kept = 0;
    bool used[Chain::STEPS] = {};
    for (int i = pending_count - 1; i >= 0; i--) {
        PyArrayObject* out = held[i].out;
        bool seen = out != nullptr && Py_REFCNT(out) > 1 && i != without;
        steps[i].result = seen ? PyArray_BYTES(out) : nullptr;
        steps[i].needed = seen || used[i];
        kept += seen;
        for (int k = 0; steps[i].needed && k < steps[i].count; k++) {
            if (steps[i].inputs[k].step >= 0) used[steps[i].inputs[k].step] = true;
        }
    }
    return kept;
}

// The step whose result is that of a tensor that only a call holds, if that step and all before it were put off by
// calls; else -1.
int passing_step(const Tensor* tensor) {
    if (tensor == nullptr || Py_REFCNT(tensor) != 1) return -1;
    for (int i = 0; i < pending_count && held[i].by_call; i++) {
        if (held[i].tensor != tensor) continue;
        // here, in the tensor and in its storage: no graph that is still there has saved it
        bool has_storage = tensor->storage != nullptr && tensor->storage->array == as_object(held[i].out);
        bool is_alone = Py_REFCNT(held[i].out) == 2 + has_storage && (!has_storage || Py_REFCNT(tensor->storage) == 1);
        return is_alone && steps[i].fold == nullptr ? i : -1;
    }
    return -1;
}

// Run what is pending, and go on with the steps up to `last`, of whose results that alone is still to be written.
void run_steps(const char* reason, int last) noexcept {
    int kept = find_needed(last), count = std::exchange(pending_count, 0);
    if (kept > 0) Chain::run(steps, count, shape.size, folded_rows);
    bool is_over = kept == 0 && is_passing;
    scratch = 0;
    folded_rows = FoldedRows();
    is_passing = last >= 0;
    // the list is in order before anything dies: that may run a program's code, which may call ops
    Held over[Chain::STEPS];
    for (int i = 0; i < count; i++) {
        if (i == last) continue;
        over[i] = std::exchange(held[i], Held());
        Tensor* tensor = over[i].tensor;
        if (tensor != nullptr) tensor->array = std::exchange(tensor->deferred, nullptr);
        if (i > last) continue;
        // steps that were joined read what those before them hold
        std::swap(held[i].inputs, over[i].inputs);
        held[i].by_call = true;
    }
    for (int i = 0; i <= last; i++) scratch += Chain::scratch_of(steps[i]);
    pending_count = last + 1;
    for (int i = 0; i < count; i++) {
        if (over[i].out != nullptr) drop(over[i].out);
        for (PyArrayObject* input : over[i].inputs) {
            if (input != nullptr) drop(input);
        }
    }
    if (!is_over) note("run", reason, count, kept);
}

}  // namespace

bool is_pending(PyArrayObject* array) { return step_of(array) >= 0; }

void run_pending(const char* reason) noexcept { run_steps(reason, -1); }

void settle_but(const Tensor* passing, const char* reason) noexcept {
    if (pending_count != 0) run_steps(reason, passing_step(passing));
}

Deferral defer(const Operands& operands, Loop loop, PyArrayObject* out, int dtype, const char* name, unsigned shared) {
    bool may = operands.size >= least_deferred && PyArray_IS_C_CONTIGUOUS(out) && dtype < DTYPES;
    // half precision goes its own way
    for (int i = 0; i < operands.count; i++) may = may && operands.items[i].own < DTYPES;
    if (!may) return Deferral::DECLINED;
    if (pending_count > 0 && reads_pending_of_another_shape(operands)) settle("a result that is broadcast");
    make_room(operands, scratch_bound(operands, dtype));
    bool at_once = false;
    ChainStep& step = steps[pending_count];
    Ref owned[MAX_OPERANDS];
    for (int i = 0; i < operands.count; i++) {
        if (!read_operand(operands.items[i], operands, shared >> i & 1, step.inputs[i], owned[i], at_once)) {
            return Deferral::DECLINED;
        }
    }
    if (at_once && pending_count == 0) return Deferral::DECLINED;
    step.loop = loop;
    step.fold = nullptr;
    step.dtype = dtype;
    step.count = operands.count;
    if (pending_count == 0) {
        shape.ndim = operands.ndim;
        std::copy(operands.dims, operands.dims + shape.ndim, shape.dims);
        shape.size = operands.size;
    }
    Held& mine = held[pending_count];
    for (int i = 0; i < operands.count; i++) mine.inputs[i] = owned[i].release_array();
    Py_INCREF(out);
    mine.out = out;
    mine.by_call = !state.backward;
    scratch += Chain::scratch_of(step);
    pending_count++;
    note("step", name, pending_count, 0);
    if (!at_once) return Deferral::PENDING;
    settle("memory that others may write to");
    return Deferral::DONE;
}

PyArrayObject* defer_fold(Reduction which, PyArrayObject* array, uint64_t dims, int ndim, const npy_intp* reduced,
                          double divisor, const char* name) {
    int source = step_of(array);
    if (source < 0) return nullptr;
    // a reduction of a reduction, of what is in no order of rows, or of one element each, is no step of this chain
    const ChainStep& made = steps[source];
    const Fold& fold = table().folding.folds[which][made.dtype];
    Middle middle;
    bool fits = made.fold == nullptr && fold.along != nullptr && fold.total_size == sizeof(int64_t) &&
                middle_of(PyArray_NDIM(array), PyArray_DIMS(array), dims, middle) && middle.inner == 1 &&
                middle.count > 1 && pending_count < Chain::STEPS;
    FoldedRows rows = fits ? FoldedRows(made.dtype, middle) : FoldedRows();
    if (!fits || (folded_rows.rows > 0 && !(folded_rows == rows))) {
        settle(fits ? "a reduction over other dimensions" : name);
        return nullptr;
    }
    npy_intp parts = rows.parts() > 1 ? rows.rows * rows.parts() : 0;
    Ref out = Ref::steal(as_object(new_array(ndim, reduced, type_num_of(fold.result))));
    Ref totals = out && parts > 0 ? Ref::steal(as_object(new_array(1, &parts, NPY_INT64))) : Ref();
    if (!out || (parts > 0 && !totals)) {
        PyErr_Clear();
        settle(name);
        return nullptr;
    }
    folded_rows = rows;
    ChainStep& step = steps[pending_count];
    step = ChainStep();
    step.fold = &fold;
    step.divisor = divisor;
    step.totals = totals ? PyArray_BYTES(totals.array()) : nullptr;
    step.dtype = fold.result;
    step.count = 1;
    step.inputs[0] = ChainInput();
    step.inputs[0].dtype = step.inputs[0].own = made.dtype;
    step.inputs[0].step = source;
    held[pending_count].out = Ref::borrow(out.get()).release_array();
    held[pending_count].inputs[0] = totals.release_array();
    held[pending_count].by_call = !state.backward;
    pending_count++;
    note("step", name, pending_count, 0);
    return out.release_array();
}

PyArrayObject* defer_copy(PyArrayObject* expanded, const char* name) {
    int dtype = dtype_of(expanded);
    Operands operands;
    if (!operands.add(expanded, dtype) || !operands.broadcast()) return nullptr;
    Ref out = Ref::steal(as_object(new_array(operands.ndim, operands.dims, type_num_of(dtype))));
    bool done = out && defer(operands, nullptr, out.array(), dtype, name, 0) != Deferral::DECLINED;
    PyErr_Clear();
    return done ? out.release_array() : nullptr;
}

void hold_pending(Tensor* tensor) {
    // to make the tensor may have run a program's code, and that the step
    int step = step_of(tensor->array);
    if (step < 0) return;
    held[step].tensor = tensor;
    tensor->deferred = std::exchange(tensor->array, nullptr);
}

void forget_pending(Tensor* tensor) {
    for (int i = 0; i < pending_count; i++) {
        if (held[i].tensor == tensor) held[i].tensor = nullptr;
    }
    if (!is_passing) return;
    // the tensor, which has its array to the end, may be the last for whom steps wait
    bool is_awaited = false;
    for (int i = 0; i < pending_count; i++) {
        PyArrayObject* out = held[i].out;
        is_awaited = is_awaited || (out != nullptr && Py_REFCNT(out) > (out == tensor->deferred ? 2 : 1));
    }
    if (is_awaited) return;
    Py_CLEAR(tensor->deferred);
    settle("a result that has died");
}

bool is_recorded_pending() {
    for (int i = 0; i < pending_count; i++) {
        if (held[i].tensor != nullptr && held[i].tensor->node != nullptr) return true;
    }
    return false;
}

namespace {

// Whether the memory lives and dies with an array that no weak reference leads to: of one whose address was given away
// such a reference is kept, see core/memory/addresses.py.
bool owns_memory(PyArrayObject* array) {
    auto* fields = reinterpret_cast<PyArrayObject_fields*>(array);
    return fields->base == nullptr && (fields->flags & NPY_ARRAY_OWNDATA) != 0 && fields->weakreflist == nullptr;
}

// Whether `from_numpy` was given an array that nobody has kept: all that is left of it is the tensor's view.
bool is_left_to_us(PyObject* base) {
    return Py_REFCNT(base) == 1 && PyArray_CheckExact(base) && owns_memory(reinterpret_cast<PyArrayObject*>(base));
}

}  // namespace

bool is_private(const Tensor* tensor) {
    PyArrayObject* array = tensor->array;
    auto* fields = reinterpret_cast<PyArrayObject_fields*>(array);
    if (fields->base != nullptr && !is_left_to_us(fields->base)) return false;
    if (fields->base == nullptr && !owns_memory(array)) return false;
    if (fields->weakreflist != nullptr) return false;
    Py_ssize_t known = 1;
    if (tensor->storage != nullptr) known += tensor->storage->array == as_object(array);
    if (Py_REFCNT(array) == known) return true;
    for (int i = 0; i < pending_count; i++) {
        for (PyArrayObject* input : held[i].inputs) known += input == array;
    }
    // its own node, which may have saved it as a result
    const Node* node = tensor->node != nullptr && is_node(tensor->node) ? as_node(tensor->node) : nullptr;
    for (int i = 0; node != nullptr && node->saved != nullptr && i < node->saved_count; i++) {
        known += node->saved[i].value == as_object(array);
    }
    return Py_REFCNT(array) == known;
}

namespace {

PyObject* set_pending_log(PyObject*, PyObject* list) {
    if (list != Py_None && !PyList_Check(list)) return PyErr_Format(PyExc_TypeError, "a log is a list or None");
    Py_XSETREF(event_log, list == Py_None ? nullptr : Py_NewRef(list));
    Py_RETURN_NONE;
}

PyObject* set_least_deferred(PyObject*, PyObject* count) {
    Py_ssize_t least = PyLong_AsSsize_t(count);
    if (least < 2) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "one element is never put off");
        return nullptr;
    }
    return PyLong_FromSsize_t(std::exchange(least_deferred, least));
}

}  // namespace

PyMethodDef pending_methods[] = {
    {"set_least_deferred", guarded<set_least_deferred>, METH_O, "Say how large a call must be to be put off."},
    {"set_pending_log", guarded<set_pending_log>, METH_O, "Note what is put off, and what ends a chain, in a list."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
