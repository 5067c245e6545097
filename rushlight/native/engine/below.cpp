// The backward of a level, which records nothing there: formulas run on what stands below. Plain tensors that nobody
// records are the engine's own; others go from node to node as tensors, for the levels below to see.
#include "engine/below.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/run.h"
#include "seam/fallbacks.h"
#include "seam/lifting.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_formulas("formulas");
const Interned word_unpack("unpack");
const Interned word_pass_nothing("pass_nothing");
const Interned word_by_formulas("by_formulas");
const Interned word_has_lists("has_lists");
const Interned word_apply("apply");
const Interned word_apply_wanted("apply_wanted");

namespace {

// What stands below a value that may be a list, a new reference.
PyObject* value_below(const Level* level, PyObject* value) {
    if (is_any_tensor(value)) {
        PyArrayObject* array = lifted_array(as_tensor(value));
        return Py_NewRef(array != nullptr && level_of(array) == level ? inner_of(array) : value);
    }
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return Py_NewRef(value);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    bool some = false;
    for (Py_ssize_t i = 0; i < count && !some; i++) some = is_any_tensor(PySequence_Fast_GET_ITEM(value, i));
    if (!some) return Py_NewRef(value);
    Ref found = Ref::steal(PyList_New(count));
    for (Py_ssize_t i = 0; found && i < count; i++) {
        PyObject* each = value_below(level, PySequence_Fast_GET_ITEM(value, i));
        if (each == nullptr) return nullptr;
        PyList_SET_ITEM(found.get(), i, each);
    }
    return found.release();
}

// What the formulas of a node read: the first gradient, all of them, then what was saved.
PyObject* values_of(const Level* level, Node* node, PyObject* grads) {
    bool own = node->plan != nullptr && node->saved != nullptr && is_unchanged(node);
    Ref unpacked = own ? Ref() : Ref::steal(PyObject_CallMethodNoArgs(as_object(node), word_unpack));
    if (!own && (!unpacked || !PyList_Check(unpacked.get()))) return nullptr;
    Py_ssize_t count = own ? node->saved_count : PyList_GET_SIZE(unpacked.get());
    Ref values = Ref::steal(PyList_New(2 + count));
    if (!values) return nullptr;
    PyList_SET_ITEM(values.get(), 0, Py_NewRef(PyList_GET_ITEM(grads, 0)));
    PyList_SET_ITEM(values.get(), 1, Py_NewRef(grads));
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject* each =
            own ? saved_below(level, node->saved[i]) : value_below(level, PyList_GET_ITEM(unpacked.get(), i));
        if (each == nullptr) return nullptr;
        PyList_SET_ITEM(values.get(), 2 + i, each);
    }
    return values.release();
}

// The level itself is there once more, until this goes out of scope, and records nothing.
class Inside {
public:
    explicit Inside(const Level* level) : levels_(state.levels), grad_(state.grad), backward_(state.backward) {
        Ref own = Ref::steal(PyTuple_Pack(1, level)), none = Ref::steal(PyTuple_New(0));
        bool some = level->outside != nullptr && PyTuple_Check(level->outside);
        state.levels = own && none ? PySequence_Concat(some ? level->outside : none.get(), own.get()) : nullptr;
        state.grad = state.backward = false;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
        Py_XDECREF(std::exchange(state.levels, levels_));
        state.grad = grad_;
        state.backward = backward_;
    }

private:
    PyObject* levels_;
    bool grad_, backward_;
};

// The same for an op on lists, whose formula asks which of its tensors require grad: they do so in the level.
PyObject* apply_inside(const Level* level, Node* node, PyObject* grads, PyObject* wanted) {
    Inside inside(level);
    Ref lifted = state.levels != nullptr ? Ref::steal(PyList_New(PyList_GET_SIZE(grads))) : Ref();
    for (Py_ssize_t i = 0; lifted && i < PyList_GET_SIZE(grads); i++) {
        PyObject* grad = PyList_GET_ITEM(grads, i);
        PyObject* each = grad == Py_None ? Py_NewRef(grad) : as_object(lift(const_cast<Level*>(level), grad, 0));
        if (each == nullptr) return nullptr;
        PyList_SET_ITEM(lifted.get(), i, each);
    }
    if (!lifted) return nullptr;
    PyObject* args[] = {as_object(node), lifted.get(), wanted};
    PyObject* name = wanted == Py_None ? word_apply : word_apply_wanted;
    Ref found = Ref::steal(PyObject_VectorcallMethod(name, args, wanted == Py_None ? 2 : 3, nullptr));
    Ref items = found ? Ref::steal(PySequence_Fast(found.get(), "a node returns a sequence of gradients")) : Ref();
    if (!items) return nullptr;
    Ref below = Ref::steal(PyList_New(PySequence_Fast_GET_SIZE(items.get())));
    for (Py_ssize_t i = 0; below && i < PyList_GET_SIZE(below.get()); i++) {
        PyObject* each = value_below(level, PySequence_Fast_GET_ITEM(items.get(), i));
        if (each == nullptr) return nullptr;
        PyList_SET_ITEM(below.get(), i, each);
    }
    return below.release();
}

bool has_lists(Node* node) {
    if (node->plan != nullptr) return node->plan->has_lists;
    Ref answer = Ref::steal(PyObject_GetAttr(node->python_plan, word_has_lists));
    PyErr_Clear();
    return answer.get() == Py_True;
}

PyObject* formulas_of(Node* node) {
    PyObject* plan = node->plan != nullptr ? node->plan->python : node->python_plan;
    return PyObject_GetAttr(plan, word_formulas);
}

bool has_hooks(const Node* node) {
    return present(node->tensor_hooks) || present(node->pre_hooks) || present(node->post_hooks);
}

// Whether the formulas of its op are all there is to it.
bool is_by_formulas(Node* node) {
    if (node->plan == nullptr && !present(node->python_plan)) return false;
    Ref answer = Ref::steal(PyObject_GetAttr(as_object(node), word_by_formulas));
    PyErr_Clear();
    return answer.get() == Py_True;
}

bool has_hooks(const Tensor* leaf) {
    return present(leaf->hooks) || present(leaf->accumulate) || present(leaf->post_hooks);
}

// The nodes behind some edges; false where one of them, or a leaf, is Python's: it has hooks, or is no op's.
bool gather(PyObject* roots, std::vector<Node*>& nodes, std::unordered_map<PyObject*, int>& known) {
    std::vector<PyObject*> stack;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        stack.push_back(PyTuple_GET_ITEM(PyList_GET_ITEM(roots, i), 0));
    }
    while (!stack.empty()) {
        PyObject* target = stack.back();
        stack.pop_back();
        if (!is_node(target)) {
            if (has_hooks(as_tensor(target))) return false;
            continue;
        }
        if (!known.emplace(target, 0).second) continue;
        Node* node = as_node(target);
        if (has_hooks(node) || !is_by_formulas(node)) return false;
        nodes.push_back(node);
        for (int i = 0; i < node->edge_count; i++) {
            if (node->edges[i] != nullptr) stack.push_back(node->edges[i]);
        }
    }
    // newest first: an edge always leads to an older one
    std::sort(nodes.begin(), nodes.end(), [](Node* a, Node* b) { return a->number > b->number; });
    return true;
}

// One backward whose gradients are tensors.
class TensorRun {
public:
    TensorRun(const Level* level, std::vector<Node*>& nodes, PyObject* inputs)
        : level_(level), nodes_(nodes), inputs_(inputs) {
        running_depth++;
        running_root = nodes.empty() ? 0 : nodes[0]->number;
    }
    TensorRun(const TensorRun&) = delete;
    TensorRun& operator=(const TensorRun&) = delete;
    ~TensorRun() {
        running_depth--;
        running_root = outer_root_;
    }

    // Which edges gradients have to reach: the inputs, and what is on the way to them.
    void find_leading() {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(inputs_); i++) {
            arrived_[PyTuple_GET_ITEM(PyList_GET_ITEM(inputs_, i), 0)].asked = true;
        }
        for (auto each = nodes_.rbegin(); each != nodes_.rend(); ++each) {
            bool leads = false;
            for (int i = 0; i < (*each)->edge_count; i++) leads |= arrived_.count((*each)->edges[i]) != 0;
            if (leads) arrived_[as_object(*each)].runs = true;
        }
    }
    bool deliver(PyObject* target, int number, Ref grad) {
        static Inner add("add");
        auto place = arrived_.find(target);
        if (place == arrived_.end()) return true;
        std::vector<Ref>& grads = place->second.grads;
        if (static_cast<size_t>(number) >= grads.size()) grads.resize(number + 1);
        grads[number] = grads[number] ? Ref::steal(add.either(grads[number].get(), grad.get())) : std::move(grad);
        return static_cast<bool>(grads[number]);
    }
    bool go() {
        for (Node* node : nodes_) {
            auto place = arrived_.find(as_object(node));
            if (place != arrived_.end() && place->second.runs && !visit(node, place->second)) return false;
        }
        return true;
    }
    PyObject* found() {
        Py_ssize_t count = PyList_GET_SIZE(inputs_);
        PyObject* list = PyList_New(count);
        for (Py_ssize_t i = 0; list != nullptr && i < count; i++) {
            PyObject* pair = PyList_GET_ITEM(inputs_, i);
            auto number = static_cast<size_t>(PyLong_AsLong(PyTuple_GET_ITEM(pair, 1)));
            Slots& slots = arrived_[PyTuple_GET_ITEM(pair, 0)];
            bool there = number < slots.grads.size() && slots.grads[number];
            PyList_SET_ITEM(list, i, Py_NewRef(there ? slots.grads[number].get() : Py_None));
        }
        return list;
    }

private:
    struct Slots {
        std::vector<Ref> grads;
        bool runs = false, asked = false;
    };

    bool visit(Node* node, Slots& slots) {
        Ref grads = Ref::steal(PyList_New(std::max(node->output_count, 1)));
        if (!grads) return false;
        bool any = false;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(grads.get()); i++) {
            bool there = static_cast<size_t>(i) < slots.grads.size() && slots.grads[i];
            PyList_SET_ITEM(grads.get(), i, Py_NewRef(there ? slots.grads[i].get() : Py_None));
            any |= there;
        }
        if (!slots.asked) slots.grads.clear();
        if (!any) {
            // values that were freed or changed are an error all the same
            return static_cast<bool>(Ref::steal(PyObject_CallMethodNoArgs(as_object(node), word_pass_nothing)));
        }
        Ref wanted = Ref::steal(PyList_New(node->edge_count));
        if (!wanted) return false;
        for (int i = 0; i < node->edge_count; i++) {
            bool leads = node->edges[i] != nullptr && arrived_.count(node->edges[i]) != 0;
            PyList_SET_ITEM(wanted.get(), i, Py_NewRef(leads ? Py_True : Py_False));
        }
        Ref found = Ref::steal(apply_below(level_, node, grads.get(), wanted.get()));
        return found && pass_on(node, found.get());
    }
    bool pass_on(Node* node, PyObject* found) {
        for (int i = 0; i < node->edge_count && i < PyList_GET_SIZE(found); i++) {
            PyObject *target = node->edges[i], *grad = PyList_GET_ITEM(found, i);
            if (target == nullptr || !is_any_tensor(grad) || arrived_.count(target) == 0) continue;
            int number = node->has_numbers ? node->numbers[i] : 0;
            Ref fitting = Ref::steal(fitted(node, i, target, number, grad));
            if (!fitting || !deliver(target, number, std::move(fitting))) return false;
        }
        return true;
    }
    // The gradient in its target's shape and dtype, a new reference.
    static PyObject* fitted(Node* node, int position, PyObject* target, int number, PyObject* grad) {
        int ndim;
        const npy_intp* dims;
        PyArray_Descr* dtype;
        if (is_node(target)) {
            if (number >= as_node(target)->output_count) {
                return PyErr_Format(PyExc_RuntimeError, "an edge leads to an output that its node does not have");
            }
            Output& output = as_node(target)->outputs[number];
            ndim = output.ndim, dims = output.dims, dtype = output.dtype;
        } else {
            PyArrayObject* array = shown_array(as_tensor(target));
            ndim = PyArray_NDIM(array), dims = PyArray_DIMS(array), dtype = PyArray_DESCR(array);
        }
        PyArrayObject* own = shown_array(as_tensor(grad));
        bool same = own != nullptr && PyArray_NDIM(own) == ndim && PyArray_DESCR(own) == dtype &&
                    std::equal(dims, dims + ndim, PyArray_DIMS(own));
        if (same) return Py_NewRef(grad);
        Ref shape = Ref::steal(PyArray_IntTupleFromIntp(ndim, dims));
        if (!shape) return nullptr;
        return PyObject_CallFunction(fallbacks.fit, "OOOOi", grad, shape.get(), dtype, node, position);
    }

    const Level* level_;
    std::vector<Node*>& nodes_;
    PyObject* inputs_;
    std::unordered_map<PyObject*, Slots> arrived_;
    uint64_t outer_root_ = running_root;
};

// Whether all gradients to start from are plain and nobody records them.
bool are_plain(PyObject* roots) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        Tensor* grad = as_tensor(PyTuple_GET_ITEM(PyList_GET_ITEM(roots, i), 2));
        if (grad->array == nullptr || requires_grad(grad)) return false;
    }
    return true;
}

bool is_row(PyObject* row, Py_ssize_t count) {
    return PyTuple_CheckExact(row) && PyTuple_GET_SIZE(row) == count && PyLong_Check(PyTuple_GET_ITEM(row, 1)) &&
           (count < 3 || is_any_tensor(PyTuple_GET_ITEM(row, 2)));
}

bool are_rows(PyObject* list, Py_ssize_t count) {
    if (!PyList_Check(list)) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject* row = PyList_GET_ITEM(list, i);
        if (!is_row(row, count)) return false;
        PyObject* edge = PyTuple_GET_ITEM(row, 0);
        if (!is_any_tensor(edge) && !is_node(edge)) return false;
    }
    return true;
}

}  // namespace

PyObject* saved_below(const Level* level, const Saved& saved) {
    if (saved.value == nullptr) Py_RETURN_NONE;
    if (saved.extra == nullptr || saved.version == Saved::LIST) return value_below(level, saved.value);
    // an array, with its storage
    auto* array = reinterpret_cast<PyArrayObject*>(saved.value);
    if (Py_TYPE(saved.value) == lifted_class && level_of(array) == level) return Py_NewRef(inner_of(array));
    Py_INCREF(array);
    Tensor* made = wrap_any(array);
    if (made != nullptr) made->storage = reinterpret_cast<Storage*>(Py_NewRef(saved.extra));
    return as_object(made);
}

PyObject* apply_below(const Level* level, Node* node, PyObject* grads, PyObject* wanted) {
    if (has_lists(node)) return apply_inside(level, node, grads, wanted);
    Ref formulas = Ref::steal(formulas_of(node));
    Ref values = formulas ? Ref::steal(values_of(level, node, grads)) : Ref();
    Ref found = values ? Ref::steal(PyList_New(0)) : Ref();
    for (Py_ssize_t i = 0; found && i < PyList_GET_SIZE(formulas.get()); i++) {
        PyObject* row = PyList_GET_ITEM(formulas.get(), i);
        bool skipped = wanted != Py_None && PyList_GET_ITEM(wanted, i) == Py_False;
        Ref made = skipped ? Ref::borrow(Py_None) : Ref::steal(apply_formula(row, values.get()));
        if (!made || PyList_Append(found.get(), made.get()) < 0) return nullptr;
    }
    return found.release();
}

PyObject* level_backward(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 3 || !PyObject_TypeCheck(args[0], &LevelType) || !are_rows(args[1], 3) || !are_rows(args[2], 2)) {
        return PyErr_Format(PyExc_TypeError, "level_backward(level, roots, inputs)");
    }
    auto* level = reinterpret_cast<Level*>(args[0]);
    PyObject *roots = args[1], *inputs = args[2];
    std::vector<Node*> nodes;
    std::unordered_map<PyObject*, int> known;
    if (running_depth >= DEEP || state.anomaly || fallbacks.watcher != nullptr || !gather(roots, nodes, known)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    Ref kept = Ref::borrow(as_object(level));
    if (!level->deep && are_plain(roots)) {
        // no other level has a part in it
        Outside outside(nullptr);
        Ref found = Ref::steal(run_below(level, roots, inputs));
        return found ? PyList_AsTuple(found.get()) : nullptr;
    }
    Outside outside(level);
    Recording recording(level);
    TensorRun run(level, nodes, inputs);
    run.find_leading();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject* row = PyList_GET_ITEM(roots, i);
        auto number = static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(row, 1)));
        if (!run.deliver(PyTuple_GET_ITEM(row, 0), number, Ref::borrow(PyTuple_GET_ITEM(row, 2)))) return nullptr;
    }
    return run.go() ? run.found() : nullptr;
}

}  // namespace rushlight
