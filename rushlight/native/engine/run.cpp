// One backward pass, as the class Run in autograd/engine.py, on arrays instead of tensors.
#include "engine/run.h"

#include <algorithm>

#include "engine/below.h"
#include "engine/engine.h"
#include "loops/copy.h"
#include "memory/recycling.h"
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/names.h"

namespace rushlight {

const Interned word_apply("apply");
const Interned word_apply_wanted("apply_wanted");
const Interned word_release("release");
const Interned word_pass_nothing("pass_nothing");

RUSHLIGHT_SHARED_THREAD_LOCAL uint64_t running_root = 0;
RUSHLIGHT_SHARED_THREAD_LOCAL int running_depth = 0;

// Where and when this backward was called, for messages about what it freed; borrowed.
PyObject* Run::own_place() {
    if (place == nullptr) {
        Ref tuple = Ref::steal(place_tuple(line)), when = Ref::steal(PyLong_FromUnsignedLongLong(number));
        if (tuple && when) place = PyTuple_Pack(2, tuple.get(), when.get());
    }
    return place;
}

static bool is_hooked(const Tensor* leaf) {
    if (!any_of(leaf->hooks, leaf->accumulate, leaf->post_hooks)) return false;
    return present(leaf->hooks) || present(leaf->accumulate) || present(leaf->post_hooks);
}

// Whether the gradient that a leaf has may refuse to be added to: then the nodes behind must not have run.
static bool may_refuse(const Tensor* leaf) {
    if (leaf->grad == nullptr || !is_any_tensor(leaf->grad)) return false;
    const Tensor* held = as_tensor(leaf->grad);
    if (held->inference || held->array == nullptr || leaf->array == nullptr) return true;
    if (PyArray_IS_C_CONTIGUOUS(held->array)) return !PyArray_SAMESHAPE(held->array, leaf->array);
    for (int i = 0; i < PyArray_NDIM(held->array); i++) {
        if (PyArray_STRIDE(held->array, i) == 0 && PyArray_DIM(held->array, i) > 1) return true;
    }
    return false;
}

// Where the gradients of a target are gathered, or -1 if none has arrived yet.
int Run::find_arrival(PyObject* target) {
    if (places) {
        auto found = places->find(target);
        return found == places->end() ? -1 : found->second;
    }
    for (int i = 0; i < arrivals.size(); i++) {
        if (arrivals[i].target == target) return i;
    }
    return -1;
}

// A place for the gradients of a target; -1 with an exception.
int Run::add_arrival(PyObject* target, int outputs) {
    int index = arrivals.size();
    if (vacant.empty()) {
        arrivals.push_back(Arrival());
    } else {
        index = vacant.back();
        vacant.pop_back();
    }
    // in its place before it owns anything: what fails from here on leaves nothing behind
    Arrival& arrival = arrivals[index];
    if (outputs > 1) {
        arrival.more = static_cast<PyArrayObject**>(PyMem_Calloc(outputs - 1, sizeof(PyArrayObject*)));
        if (arrival.more == nullptr) {
            PyErr_NoMemory();
            return -1;
        }
        arrival.count = outputs;
    }
    arrival.target = Py_NewRef(target);
    if (places) {
        places->emplace(target, index);
    } else if (arrivals.size() > FEW) {
        // a chain has one node waiting at a time: no table is needed for few
        places.emplace();
        for (int i = 0; i < arrivals.size(); i++) {
            if (arrivals[i].target != nullptr) places->emplace(arrivals[i].target, i);
        }
    }
    if (ahead) return index;
    if (is_node(target)) {
        uint64_t rank = rank_of(as_node(target));
        if (rank == LEAF) order_matters = true, leaves_before = leaves.size();
        queue(rank, index);
    } else {
        leaves.push_back(index);
        if (is_hooked(as_tensor(target)) || may_refuse(as_tensor(target))) order_matters = true;
    }
    return index;
}

// Add a gradient, whose reference is taken, to what its target has received so far.
bool Run::deliver(PyObject* target, int number, PyArrayObject* grad) {
    Ref taken = Ref::steal(as_object(grad));
    int outputs = is_node(target) ? std::max(as_node(target)->output_count, 1) : 1;
    if (number >= outputs) {
        PyErr_SetString(PyExc_RuntimeError, "a gradient arrived for an output that its node does not have");
        return false;
    }
    int index = find_arrival(target);
    if (index < 0) index = add_arrival(target, outputs);
    if (index < 0) return false;
    PyArrayObject*& slot = arrivals[index].at(number);
    if (slot == nullptr) {
        taken.release();
        slot = grad;
        return true;
    }
    PyArrayObject* before_it = slot;
    slot = nullptr;
    PyArrayObject* sum = add_gradients(before_it, grad);
    taken.release();
    drop(grad);
    arrivals[index].at(number) = sum;
    return sum != nullptr;
}

PyObject* tensor_or_none(PyArrayObject* array) {
    if (array == nullptr) Py_RETURN_NONE;
    settle("a gradient that is looked at");
    Py_INCREF(array);
    return as_object(wrap(array));
}

static PyObject* tensor_list(Arrival& arrival) {
    PyObject* list = PyList_New(arrival.count);
    for (int i = 0; list != nullptr && i < arrival.count; i++) {
        PyObject* each = tensor_or_none(arrival.at(i));
        if (each == nullptr) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, i, each);
    }
    return list;
}

// Hooks of the node's outputs may have replaced gradients in the list.
static bool take_list(Arrival& arrival, PyObject* list) {
    for (int i = 0; i < arrival.count && i < PyList_GET_SIZE(list); i++) {
        PyObject* each = PyList_GET_ITEM(list, i);
        PyArrayObject* array = is_any_tensor(each) ? elements_of(as_tensor(each)) : nullptr;
        if (array == nullptr && PyErr_Occurred()) return false;
        Py_XSETREF(arrival.at(i), array);
    }
    return true;
}

bool is_unchanged(const Node* node) {
    if (node->saved == nullptr) return false;
    for (int i = 0; i < node->saved_count; i++) {
        const Saved& saved = node->saved[i];
        if (saved.version == Saved::NONE) continue;
        if (saved.version == Saved::LIST) {
            for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(saved.value); k++) {
                PyObject* each = PySequence_Fast_GET_ITEM(saved.value, k);
                PyObject* version = PyTuple_GET_ITEM(saved.extra, k);
                if (version == Py_None) continue;
                Py_ssize_t then = PyLong_AsSsize_t(version);
                if (version_of(as_tensor(each)) != then) return false;
            }
        } else if (saved.extra != nullptr) {
            if (reinterpret_cast<Storage*>(saved.extra)->version != saved.version) return false;
        } else if (version_of(as_tensor(saved.value)) != saved.version) {
            return false;
        }
    }
    return true;
}

bool Run::apply_native(Node* node, Arrival& arrival, bool& done) {
    const OpPlan* plan = node->plan;
    done = false;
    if (plan == nullptr || plan->op->kernel == nullptr || plan->op->kernel->backward == nullptr ||
        plan->input_count == 0 || node->is_declined || !is_unchanged(node)) {
        return true;
    }
    PyArrayObject* few[8];
    std::vector<PyArrayObject*> many(arrival.count > 8 ? arrival.count : 0);
    PyArrayObject** grads = many.empty() ? few : many.data();
    for (int i = 0; i < arrival.count; i++) grads[i] = arrival.at(i);
    Gradient gradient;
    gradient.plan = plan;
    gradient.node = node;
    gradient.grads = grads;
    gradient.grad_count = arrival.count;
    gradient.may_overwrite = grads[0] != nullptr && is_unshared(grads[0]);
    gradient.is_shown = for_inputs;
    gradient.level = level;
    gradient.is_lazy = node->is_lazy && level == nullptr && plan->op->kernel->is_lazy && grads[0] != nullptr;
    if (!gradient.is_lazy) settle(plan->op->kernel->name);
    if (!run_gradient(gradient)) return true;
    done = true;
    bool fine = keep_graph || release(node);
    // ours no longer: what is passed on may then be nobody else's
    arrival.clear_gradients();
    PyArrayObject** found = plan->has_lists ? gradient.parts.data() : gradient.found;
    int count = plan->has_lists ? static_cast<int>(gradient.parts.size()) : plan->input_count;
    return fine && send(node, found, count);
}

// Pass on what a node has found, taking the references one by one: to each edge, also where there is nothing.
bool Run::send(Node* node, PyArrayObject** found, int count) {
    if (ahead) return send_in_order(node, found, count);
    int known = leaves.size();
    for (int i = 0; i < node->edge_count; i++) {
        if (!pass_on(node, i, i < count ? std::exchange(found[i], nullptr) : nullptr)) return false;
    }
    return !order_matters || arrange_leaves(node, known);
}

namespace {

// What a node in Python has found, until it is passed on.
struct Found : std::vector<PyArrayObject*> {
    explicit Found(int count) : vector(count, nullptr) {}
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;
    ~Found() {
        for (PyArrayObject* each : *this) Py_XDECREF(each);
    }
};

// A list of its own of what a node has returned. PySequence_List would lose it where memory ends, in Python 3.11.
PyObject* own_list(PyObject* found) {
    Ref items = Ref::steal(PySequence_Fast(found, "a node returns a sequence of gradients"));
    PyObject* list = items ? PyList_New(PySequence_Fast_GET_SIZE(items.get())) : nullptr;
    for (Py_ssize_t i = 0; list != nullptr && i < PyList_GET_SIZE(list); i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(PySequence_Fast_GET_ITEM(items.get(), i)));
    }
    return list;
}

}  // namespace

// What was asked for is given on memory of its own, or it would be shown as a view; false with an exception.
bool Run::copy_for_inputs(Node* node, int position, PyArrayObject*& array) {
    int number = node->has_numbers ? node->numbers[position] : 0;
    if (find_input(node->edges[position], number) == nullptr) return true;
    PyObject* copy = PyArray_NewCopy(array, NPY_KEEPORDER);
    if (copy == nullptr) return false;
    Py_SETREF(array, reinterpret_cast<PyArrayObject*>(copy));
    return true;
}

// `function` is apply_carefully for a node with hooks; nullptr for the node's own `apply` or `apply_wanted`.
bool Run::apply_python(Node* node, Arrival& arrival, PyObject* function) {
    settle("a node that only Python does");
    Ref grads = Ref::steal(tensor_list(arrival));
    if (!grads) return false;
    std::vector<const PyArrayObject*> given;
    for (int i = 0; for_inputs && i < arrival.count; i++) given.push_back(arrival.at(i));
    arrival.clear_gradients();
    Ref wanted = Ref::steal(wanted_edges(node));
    if (!wanted) return false;
    PyObject* args[] = {as_object(node), grads.get(), wanted.get()};
    PyObject* produced = nullptr;
    if (level != nullptr) {
        produced = apply_below(level, node, grads.get(), wanted.get());
    } else if (function != nullptr) {
        produced = PyObject_Vectorcall(function, args, 3, nullptr);
    } else if (for_inputs) {
        produced = PyObject_VectorcallMethod(word_apply_wanted, args, 3, nullptr);
    } else {
        produced = PyObject_VectorcallMethod(word_apply, args, 2, nullptr);
    }
    Ref found = Ref::steal(produced);
    if (!found) return false;
    grads = Ref();
    if (!keep_graph && !release(node)) return false;
    Ref items = Ref::steal(own_list(found.get()));
    found = Ref();
    if (!items) return false;
    Found arrays(node->edge_count);
    for (int i = 0; i < node->edge_count && i < PyList_GET_SIZE(items.get()); i++) {
        PyObject* each = PyList_GET_ITEM(items.get(), i);
        if (!is_any_tensor(each)) continue;
        arrays[i] = elements_of(as_tensor(each));
        if (arrays[i] == nullptr) return false;
        bool is_part = !present(as_tensor(each)->base) && PyArray_BASE(arrays[i]) != nullptr &&
                       std::find(given.begin(), given.end(), arrays[i]) == given.end();
        if (for_inputs && is_part && !copy_for_inputs(node, i, arrays[i])) return false;
        // the tensor goes: its array may then be nobody else's
        Py_INCREF(Py_None);
        PyList_SetItem(items.get(), i, Py_None);
    }
    items = Ref();
    return send(node, arrays.data(), node->edge_count);
}

// Whether what it has saved are numbers alone.
static bool keeps_numbers(const Node* node) {
    for (int i = 0; node->saved != nullptr && i < node->saved_count; i++) {
        if (node->saved[i].version != Saved::NONE) return false;
    }
    if (node->saved != nullptr) return true;
    // in a list since Python has looked at them; the versions of numbers are None
    PyObject* versions = node->versions_list;
    for (Py_ssize_t i = 0; versions != nullptr && PyList_Check(versions) && i < PyList_GET_SIZE(versions); i++) {
        if (PyList_GET_ITEM(versions, i) != Py_None) return false;
    }
    return versions != nullptr && PyList_Check(versions);
}

// Forget saved values after a backward that does not retain the graph.
bool Run::release(Node* node) {
    if (node->plan != nullptr) {
        if (node->plan->keeps_tensors && !(node->plan->may_keep_numbers && keeps_numbers(node))) {
            Py_CLEAR(node->saved_list);
            drop_saved(node);
            Py_XINCREF(line.code);
            clear_place(node->freed_place);
            node->freed_place = line;
            node->freed_number = number;
        }
        return true;
    }
    if (own_place() == nullptr) return false;
    PyObject* args[] = {as_object(node), place};
    Ref done = Ref::steal(PyObject_VectorcallMethod(word_release, args, 2, nullptr));
    return static_cast<bool>(done);
}

static bool has_shape(PyArrayObject* array, int ndim, const npy_intp* dims) {
    return PyArray_NDIM(array) == ndim && have_same_dims(ndim, PyArray_DIMS(array), dims);
}

// Whether a gradient is wanted there, or on its way to one that is.
bool Run::is_wanted(PyObject* target) {
    if (target == nullptr) return false;
    auto asked = [&](const InputGradient& each) { return each.edge == target; };
    if (!for_inputs || std::any_of(inputs.begin(), inputs.end(), asked)) return true;
    return is_needed(target);
}

// The array, which is taken, seen through another: what torch gives as a view is known by its base.
static PyArrayObject* as_view(PyArrayObject* array) {
    auto* view = reinterpret_cast<PyArrayObject*>(PyArray_View(array, nullptr, &PyArray_Type));
    Py_DECREF(array);
    return view;
}

// What the gradient of an edge's target looks like.
struct Run::Form {
    int ndim = 0;
    const npy_intp* dims = nullptr;
    PyArray_Descr* dtype = nullptr;

    // false with an exception
    bool read(PyObject* target, int number) {
        if (!is_node(target)) {
            PyArrayObject* array = shown_array(as_tensor(target));
            *this = {PyArray_NDIM(array), PyArray_DIMS(array), PyArray_DESCR(array)};
            return true;
        }
        if (number >= as_node(target)->output_count) {
            PyErr_SetString(PyExc_RuntimeError, "an edge leads to an output that its node does not have");
            return false;
        }
        Output& output = as_node(target)->outputs[number];
        *this = {output.ndim, output.dims, output.dtype};
        return true;
    }
    bool has(PyArrayObject* grad) const { return has_shape(grad, ndim, dims) && PyArray_DESCR(grad) == dtype; }
};

// Undo broadcasting and promotion: the gradient, whose reference is taken, in the target's form; nullptr with an
// exception.
PyArrayObject* Run::fitted(Node* node, int position, int number, const Form& form, PyArrayObject* grad) {
    // held by a Ref: what is made on the way may throw
    Ref held = Ref::steal(reinterpret_cast<PyObject*>(grad));
    if (PyArray_DESCR(grad) == form.dtype) {
        PyArrayObject* summed = sum_to_shape(grad, form.ndim, form.dims);
        bool shown = summed != nullptr && for_inputs && PyArray_NDIM(grad) > form.ndim;
        if (shown && find_input(node->edges[position], number) != nullptr) summed = as_view(summed);
        if (summed != nullptr || PyErr_Occurred()) return summed;
    }
    settle("a gradient of another form");
    Ref tensor = Ref::steal(as_object(wrap(held.release_array())));
    Ref shape = Ref::steal(PyArray_IntTupleFromIntp(form.ndim, form.dims));
    if (!tensor || !shape) return nullptr;
    Ref done = Ref::steal(
        PyObject_CallFunction(fallbacks.fit, "OOOOi", tensor.get(), shape.get(), form.dtype, node, position));
    return done ? elements_of(as_tensor(done.get())) : nullptr;
}

// Send a gradient, whose reference is taken, along an edge; broadcasting and promotion are undone here.
bool Run::pass_on(Node* node, int position, PyArrayObject* grad) {
    PyObject* target = node->edges[position];
    int number = node->has_numbers ? node->numbers[position] : 0;
    if (target == nullptr || (for_inputs && !is_wanted(target))) {
        Py_XDECREF(grad);
        return true;
    }
    if (grad == nullptr) return touch(target) && (!ahead || close_edge(target));
    Form form;
    if (!form.read(target, number)) {
        Py_DECREF(grad);
        return false;
    }
    if (!form.has(grad) && (grad = fitted(node, position, number, form, grad)) == nullptr) return false;
    return deliver(target, number, grad) && (!ahead || close_edge(target));
}

bool Run::visit(Arrival& arrival) {
    Node* node = as_node(arrival.target);
    bool runs = !for_inputs || is_needed(as_object(node));
    // as torch has it: what is asked for is taken before the hooks if the node runs, else after them
    if (for_inputs && runs && !keep_for_inputs(node, arrival)) return false;
    if (present(node->tensor_hooks)) {
        Ref list = Ref::steal(tensor_list(arrival));
        if (!list) return false;
        Ref done = Ref::steal(PyObject_CallFunctionObjArgs(fallbacks.run_node_hooks, node, list.get(), nullptr));
        if (!done || !take_list(arrival, list.get())) return false;
    }
    return runs ? apply(node, arrival) : keep_for_inputs(node, arrival);
}

bool Run::apply(Node* node, Arrival& arrival) {
    if (state.anomaly || (careful && (present(node->pre_hooks) || present(node->post_hooks)))) {
        return apply_python(node, arrival, fallbacks.apply_carefully);
    }
    bool any = arrival.one != nullptr;
    for (int i = 1; i < arrival.count; i++) any = any || arrival.at(i) != nullptr;
    if (!any && (node->plan != nullptr || present(node->python_plan))) {
        // an op has nothing to pass on; a user's Function may make zeros of it
        Ref nothing = Ref::steal(PyObject_CallMethodNoArgs(as_object(node), word_pass_nothing));
        return nothing && (keep_graph || release(node)) && send(node, nullptr, 0);
    }
    bool done;
    if (!apply_native(node, arrival, done)) return false;
    return done || apply_python(node, arrival, nullptr);
}

// What the hooks of a leaf made of its gradient becomes the leaf's; then those run that wait for that.
static bool store_hooked(Tensor* leaf, Ref tensor) {
    PyArrayObject* array = nullptr;
    if (leaf->requires_grad && is_any_tensor(tensor.get())) {
        array = elements_of(as_tensor(tensor.get()));
        if (array == nullptr) return false;
    }
    // the tensor goes: its array may then be nobody else's
    tensor = Ref();
    settle("the gradient of a leaf");
    if (array != nullptr && !store_gradient(leaf, array)) return false;
    if (!present(leaf->post_hooks)) return true;
    return static_cast<bool>(Ref::steal(PyObject_CallOneArg(fallbacks.run_last_hooks, as_object(leaf))));
}

// `grad` is taken; nullptr where none arrived.
bool Run::finish_leaf(Tensor* leaf, PyArrayObject* grad) {
    settle("the gradient of a leaf");
    bool kept = for_inputs && !accumulating, hooked = is_hooked(leaf);
    bool asked = !for_inputs || find_input(as_object(leaf), 0) != nullptr;
    // a root that nobody asks for: torch shows it what it begins with
    bool shown = !asked && present(leaf->hooks) && grad != nullptr;
    if (!shown && (!asked || (!kept && !leaf->requires_grad && !hooked))) {
        Py_XDECREF(grad);
        return true;
    }
    if (!kept && !hooked) return grad == nullptr || store_gradient(leaf, grad);
    Ref tensor = Ref::steal(grad == nullptr ? Py_NewRef(Py_None) : as_object(wrap(grad)));
    if (!tensor) return false;
    if (!kept && !shown && present(leaf->accumulate)) {
        Ref done = Ref::steal(PyObject_CallFunctionObjArgs(fallbacks.store, leaf, tensor.get(), Py_False, nullptr));
        return static_cast<bool>(done);
    }
    if (present(leaf->hooks)) {
        tensor = Ref::steal(PyObject_CallFunctionObjArgs(fallbacks.run_leaf_hooks, leaf, tensor.get(), nullptr));
        if (!tensor) return false;
    }
    if (shown) return true;
    if (!kept) return store_hooked(leaf, std::move(tensor));
    if (is_any_tensor(tensor.get())) Py_XSETREF(find_input(as_object(leaf), 0)->grad, tensor.release());
    return true;
}

// Whether the user's own code runs at a node.
static bool is_observed(const Node* node) {
    if (node->plan != nullptr && !any_of(node->tensor_hooks, node->pre_hooks, node->post_hooks)) return false;
    return present(node->tensor_hooks) || present(node->pre_hooks) || present(node->post_hooks) ||
           (node->plan == nullptr && !present(node->python_plan));
}

// Run what comes next: a node or, where order matters, a leaf.
bool Run::visit_next() {
    if (waiting.size() > 1) std::pop_heap(waiting.begin(), waiting.end());
    int index = waiting.back().arrival;
    waiting.pop_back();
    // taken out: visiting may make the list grow
    Turn arrival(arrivals[index]);
    if (places) places->erase(arrival.target);
    vacant.push_back(index);
    bool fine;
    if (is_node(arrival.target)) {
        fine = careful || for_inputs ? visit(arrival) : apply(as_node(arrival.target), arrival);
    } else {
        fine = finish_leaf(as_tensor(arrival.target), std::exchange(arrival.one, nullptr));
    }
    if (!fine) store_complete(arrival.target);
    return fine;
}

bool Run::go() {
    outer_root = running_root;
    running_root = waiting.empty() ? 0 : waiting[0].number;
    while (true) {
        if (!ahead) {
            careful = !waiting.empty() && is_observed(as_node(arrivals[waiting[0].arrival].target));
            // as long as no leaf has a gradient there is nothing to see
            if (order_matters || (careful && !leaves.empty())) put_in_order();
        }
        if (waiting.empty()) break;
        if (!visit_next()) return false;
    }
    for (int index : leaves) {
        Turn arrival(arrivals[index]);
        PyArrayObject* grad = std::exchange(arrival.one, nullptr);
        auto* leaf = as_tensor(arrival.target);
        // leaves with hooks are met in torch's order only
        bool simple = !for_inputs && leaf->requires_grad && grad != nullptr;
        // what is written to is not what waits, unless there is a gradient to add to
        settle_but(leaf->grad == nullptr ? passing : nullptr, "the gradient of a leaf");
        if (!(simple ? store_gradient(leaf, grad) : finish_leaf(leaf, grad))) return false;
    }
    return true;
}

InputGradient* Run::find_input(PyObject* edge, int number) {
    for (InputGradient& each : inputs) {
        if (each.edge == edge && each.number == number) return &each;
    }
    return nullptr;
}

// Which nodes have a path to one of the wanted edges; those alone need to run.
bool Run::find_needed(PyObject* roots) {
    std::vector<Node*> stack, nodes;
    needed.emplace();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject* each = PyList_GET_ITEM(roots, i);
        if (is_node(each) && needed->emplace(each, false).second) stack.push_back(as_node(each));
    }
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        nodes.push_back(node);
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge != nullptr && is_node(edge) && needed->emplace(edge, false).second) stack.push_back(as_node(edge));
        }
    }
    if (accumulating) {
        for (InputGradient& each : inputs) (*needed)[each.edge] = true;
    }
    std::sort(nodes.begin(), nodes.end(), [](Node* a, Node* b) { return a->number < b->number; });
    for (Node* node : nodes) {
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge == nullptr) continue;
            auto known = needed->find(edge);
            bool wanted = known != needed->end() && known->second;
            for (InputGradient& each : inputs) wanted = wanted || each.edge == edge;
            if (wanted) (*needed)[as_object(node)] = true;
        }
    }
    return true;
}

bool Run::is_needed(PyObject* target) {
    auto known = needed->find(target);
    return known != needed->end() && known->second;
}

// Keep the gradients that were asked for.
bool Run::keep_for_inputs(Node* node, Arrival& arrival) {
    for (int i = 0; i < arrival.count && !accumulating; i++) {
        InputGradient* found = arrival.at(i) == nullptr ? nullptr : find_input(as_object(node), i);
        if (found == nullptr) continue;
        PyObject* grad = tensor_or_none(arrival.at(i));
        if (grad == nullptr) return false;
        Py_XSETREF(found->grad, grad);
    }
    return true;
}

}  // namespace rushlight
