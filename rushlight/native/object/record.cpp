// Recording: a node for a call, with its edges and what the formulas will need. See OpNode in autograd/graph.py.
#include "object/node.h"
#include "seam/call.h"
#include "seam/names.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_indices("indices");

namespace {

// Whether a gradient that is wanted needs a tensor of the list; see `versions_of` in autograd/saved.py.
bool is_needed(const OpInfo& op, PyObject* list, Py_ssize_t place) {
    constexpr int ALWAYS = -1, NEVER = -2;
    if (place >= static_cast<Py_ssize_t>(op.partners.size())) return true;
    int who = op.partners[place];
    return who == ALWAYS || (who != NEVER && requires_grad(as_tensor(PySequence_Fast_GET_ITEM(list, who))));
}

bool save_list(Saved& saved, const OpInfo& op, PyObject* list) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    Ref versions = Ref::steal(PyTuple_New(count));
    if (!versions) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        Tensor* each = as_tensor(PySequence_Fast_GET_ITEM(list, i));
        PyObject* version = is_needed(op, list, i) ? PyLong_FromSsize_t(version_of(each)) : Py_NewRef(Py_None);
        if (version == nullptr) return false;
        PyTuple_SET_ITEM(versions.get(), i, version);
    }
    saved.value = Py_NewRef(list);
    saved.extra = versions.release();
    saved.version = Saved::LIST;
    return true;
}

PyObject* shape_tuple(PyObject* value) {
    if (is_any_tensor(value)) {
        PyArrayObject* array = shown_array(as_tensor(value));
        return PyArray_IntTupleFromIntp(PyArray_NDIM(array), PyArray_DIMS(array));
    }
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return PyTuple_New(0);
    PyObject* shapes = PyList_New(PySequence_Fast_GET_SIZE(value));
    for (Py_ssize_t i = 0; shapes != nullptr && i < PyList_GET_SIZE(shapes); i++) {
        PyObject* shape = shape_tuple(PySequence_Fast_GET_ITEM(value, i));
        if (shape == nullptr) {
            Py_CLEAR(shapes);
            break;
        }
        PyList_SET_ITEM(shapes, i, shape);
    }
    return shapes;
}

// What the formulas will need, as `save` in graph.py has it. The node has room for it.
bool save(Node* node, const OpPlan& plan, const Call& call, Tensor* const* results) {
    for (int i = 0; i < plan.source_count; i++) {
        Saved& saved = node->saved[i];
        int position = plan.sources[i].position;
        Source kind = plan.sources[i].kind;
        if (kind == Source::FOLDED) {
            bool is_matrix = PyArray_NDIM(shown_array(as_tensor(call.arguments[position]))) == 2;
            kind = is_matrix ? Source::ARGUMENT : Source::MEMORY;
        }
        if (kind == Source::RESULT || kind == Source::MEMORY) {
            Tensor* kept = kind == Source::RESULT ? results[position] : as_tensor(call.arguments[position]);
            Storage* storage = storage_of(kept);
            if (storage == nullptr) return false;
            saved.value = Py_NewRef(as_object(shown_array(kept)));
            saved.extra = Py_NewRef(as_object(storage));
            saved.version = storage->version;
            continue;
        }
        PyObject* value = call.arguments[position];
        if (kind == Source::SHAPE) {
            saved.value = shape_tuple(value);
            if (saved.value == nullptr) return false;
        } else if (call.op->lists >> position & 1) {
            if (!save_list(saved, *call.op, value)) return false;
        } else {
            saved.value = Py_NewRef(value);
            if (is_any_tensor(value)) saved.version = version_of(as_tensor(value));
        }
    }
    return true;
}

bool add_edge(Node* node, int place, Tensor* tensor) {
    node->edges[place] = edge_of(tensor);
    if (node->edges[place] == nullptr) return false;
    if (node->edges[place] == Py_None) Py_CLEAR(node->edges[place]);
    node->numbers[place] = static_cast<int>(tensor->output);
    if (tensor->output != 0) node->has_numbers = true;
    return true;
}

// How many edges the node of a call has: as many as there are inputs, those in lists one by one.
int count_edges(const OpPlan& plan, const Call& call) {
    if (!plan.has_lists) return plan.input_count;
    int count = 0;
    for (int i = 0; i < plan.input_count; i++) {
        bool many = call.op->lists >> plan.inputs[i] & 1;
        count += many ? static_cast<int>(PySequence_Fast_GET_SIZE(call.arguments[plan.inputs[i]])) : 1;
    }
    return count;
}

bool connect_inputs(Node* node, const OpPlan& plan, const Call& call) {
    int place = 0;
    for (int i = 0; i < plan.input_count; i++) {
        PyObject* value = call.arguments[plan.inputs[i]];
        if (!(call.op->lists >> plan.inputs[i] & 1)) {
            if (!add_edge(node, place++, as_tensor(value))) return false;
            continue;
        }
        for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(value); k++, place++) {
            Tensor* each = as_tensor(PySequence_Fast_GET_ITEM(value, k));
            if (requires_grad(each) && !add_edge(node, place, each)) return false;
        }
    }
    return true;
}

// What requires grad but leads nowhere: a view made under no_grad does as its base does. Where torch has several inputs
// it saves nothing for the gradients of those.
unsigned lost_inputs(const Node* node, const OpPlan& plan) {
    unsigned lost = 0;
    if (plan.has_lists || (plan.op->differentiable & (plan.op->differentiable - 1)) == 0) return lost;
    for (int i = 0; i < plan.input_count; i++) {
        if (node->edges[i] == nullptr) lost |= 1u << plan.inputs[i];
    }
    return lost;
}

// The plan of a new node, with room for what it needs, and its edges; nullptr with an exception.
const OpPlan* connect(Node* node, OpInfo* op, const Call& call, int results) {
    const OpPlan* plan = plan_for(op, call.needs & op->differentiable);
    if (plan == nullptr || !reserve_new(node, count_edges(*plan, call), results, plan->source_count) ||
        !connect_inputs(node, *plan, call)) {
        return nullptr;
    }
    unsigned lost = lost_inputs(node, *plan);
    if (lost == 0) return plan;
    plan = plan_for(op, plan->needs & ~lost);
    if (plan == nullptr || !reserve_edges(node, plan->input_count) || !reserve_saved(node, plan->source_count)) {
        return nullptr;
    }
    return connect_inputs(node, *plan, call) ? plan : nullptr;
}

// A node of this class for a call, with its edges and all that it saves, which is nobody's history yet; empty with an
// exception.
Ref noted(PyTypeObject* kind, OpInfo* op, const Call& call, Tensor* const* results, int count) {
    Ref made = kind == nullptr ? Ref() : Ref::steal(as_object(new_node(kind)));
    if (!made) return Ref();
    Node* node = as_node(made.get());
    node->place = call.place == nullptr ? user_place() : *call.place;
    if (call.place != nullptr) Py_XINCREF(node->place.code);
    node->is_lazy = state.compiled || call.is_pending;
    node->is_declined = false;
    const OpPlan* plan = connect(node, op, call, count);
    if (plan == nullptr) return Ref();
    node->plan = plan;
    // after its edges: a view may have got its node only now
    node->number = next_number();
    for (int i = 0; i < count; i++) {
        PyArrayObject* array = shown_array(results[i]);
        if (!node->outputs[i].set(PyArray_DESCR(array), PyArray_NDIM(array), PyArray_DIMS(array))) return Ref();
    }
    if (!save(node, *plan, call, results)) return Ref();
    PyObject_GC_Track(made.get());
    return made;
}

void set_history(Tensor* result, PyObject* node, int number) {
    Py_XSETREF(result->node, Py_NewRef(node));
    result->output = number;
    result->requires_grad = true;
}

}  // namespace

bool record(OpInfo* op, const Call& call, Tensor* const* results, int count) {
    Ref made = noted(node_class_for(op, call), op, call, results, count);
    if (!made) return false;
    Node* node = as_node(made.get());
    for (int i = 0; i < count; i++) {
        Tensor* result = results[i];
        if (is_differentiable(shown_array(result))) {
            set_history(result, made.get(), i);
        } else {
            Py_XSETREF(result->cut.reason, Py_NewRef(word_indices));
            clear_place(result->cut.place);
            result->cut.place = node->place;
            Py_XINCREF(node->place.code);
        }
    }
    return true;
}

Ref note_write(OpInfo* op, const Call& call, Tensor* target) {
    PyTypeObject* kind =
        op->write_class != nullptr ? reinterpret_cast<PyTypeObject*>(op->write_class) : node_class_for(op, call);
    return noted(kind, op, call, &target, 1);
}

void record_write(PyObject* noted, Tensor* target) {
    Node* node = as_node(noted);
    for (int i = 0; i < node->plan->source_count; i++) {
        // what was written, which the node has saved before it was
        if (node->plan->sources[i].kind == Source::RESULT) node->saved[i].version = target->storage->version;
    }
    set_history(target, noted, 0);
}

}  // namespace rushlight
