// The engine: one backward pass, as the class Run in autograd/engine.py, on arrays instead of tensors.
#include "engine.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "hooks.h"
#include "plan.h"
#include "state.h"

namespace rushlight {

namespace {

thread_local uint64_t root = 0;

// The gradients that have arrived for one node or leaf; it owns all its references.
struct Arrival {
    PyObject* target = nullptr;
    std::vector<PyArrayObject*> more;  // a node with several outputs
    PyArrayObject* one = nullptr;

    PyArrayObject*& at(int number) { return number == 0 ? one : more[number - 1]; }
    int count() const { return 1 + static_cast<int>(more.size()); }
    void clear() {
        Py_CLEAR(target);
        Py_CLEAR(one);
        for (PyArrayObject* each : more) Py_XDECREF(each);
        more.clear();
    }
};

struct Captured {
    PyObject* edge;  // borrowed
    int number;
    PyObject* grad = nullptr;  // owned, a Tensor
};

class Run {
public:
    Run(bool keep, bool capturing) : keep_graph(keep), capturing(capturing), before(state) {
        state.grad = false;
        state.backward = true;
    }
    ~Run() {
        state.grad = before.grad;
        state.backward = before.backward;
        root = outer_root;
        for (Arrival& each : arrivals) each.clear();
        for (Captured& each : captured) Py_XDECREF(each.grad);
        Py_XDECREF(place);
    }

    bool start();
    bool deliver(PyObject* target, int number, PyArrayObject* grad);
    bool go();
    bool find_needed(PyObject* roots);

    std::vector<Captured> captured;

private:
    bool visit(Arrival& arrival);
    bool apply(Node* node, Arrival& arrival);
    bool apply_native(Node* node, Arrival& arrival, bool& done);
    bool apply_python(Node* node, Arrival& arrival, PyObject* function);
    bool pass_on(Node* node, int position, PyArrayObject* grad);
    bool release(Node* node);
    bool finish_leaf(Tensor* leaf, PyArrayObject* grad);
    bool capture_node(Node* node, Arrival& arrival, bool& runs);
    Captured* find_captured(PyObject* edge, int number);
    int arrival_for(PyObject* target, int outputs);

    bool keep_graph, capturing;
    State before;
    uint64_t outer_root = root;
    PyObject* place = nullptr;
    // nodes wait by age, newest first; leaves until the end
    std::vector<std::pair<uint64_t, int>> waiting;
    std::vector<Arrival> arrivals;
    std::vector<int> vacant;
    std::vector<int> leaves;
    std::unordered_map<PyObject*, int> places;
    std::unordered_map<PyObject*, bool> needed;
};

bool Run::start() {
    Place line = user_place();
    Ref tuple = Ref::steal(place_tuple(line));
    clear_place(line);
    if (!tuple) return false;
    place = Py_BuildValue("(OK)", tuple.get(), static_cast<unsigned long long>(next_number()));
    return place != nullptr;
}

int Run::arrival_for(PyObject* target, int outputs) {
    // a chain has one node waiting at a time: no table is needed for few
    for (size_t i = 0; i < arrivals.size() && arrivals.size() <= 8; i++) {
        if (arrivals[i].target == target) return static_cast<int>(i);
    }
    if (arrivals.size() > 8) {
        if (places.empty()) {
            for (size_t i = 0; i < arrivals.size(); i++) {
                if (arrivals[i].target != nullptr) places[arrivals[i].target] = static_cast<int>(i);
            }
        }
        auto found = places.find(target);
        if (found != places.end()) return found->second;
    }
    int index;
    if (!vacant.empty()) {
        index = vacant.back();
        vacant.pop_back();
    } else {
        index = static_cast<int>(arrivals.size());
        arrivals.emplace_back();
    }
    arrivals[index].target = Py_NewRef(target);
    arrivals[index].more.assign(outputs > 1 ? outputs - 1 : 0, nullptr);
    if (arrivals.size() > 8) {
        if (places.empty()) {
            for (size_t i = 0; i < arrivals.size(); i++) {
                if (arrivals[i].target != nullptr) places[arrivals[i].target] = static_cast<int>(i);
            }
        } else {
            places[target] = index;
        }
    }
    if (is_node(target)) {
        waiting.emplace_back(as_node(target)->number, index);
        std::push_heap(waiting.begin(), waiting.end());
    } else {
        leaves.push_back(index);
    }
    return index;
}

// Add a gradient, whose reference is taken, to what its target has received so far.
bool Run::deliver(PyObject* target, int number, PyArrayObject* grad) {
    int outputs = is_node(target) ? as_node(target)->output_count : 1;
    if (number >= std::max(outputs, 1)) {
        Py_DECREF(grad);
        PyErr_SetString(PyExc_RuntimeError, "a gradient arrived for an output that its node does not have");
        return false;
    }
    int index = arrival_for(target, outputs);
    PyArrayObject*& slot = arrivals[index].at(number);
    if (slot == nullptr) {
        slot = grad;
        return true;
    }
    PyArrayObject* before_it = slot;
    slot = nullptr;
    PyArrayObject* sum = add_gradients(before_it, grad);
    Py_DECREF(grad);
    arrivals[index].at(number) = sum;
    return sum != nullptr;
}

Captured* Run::find_captured(PyObject* edge, int number) {
    for (Captured& each : captured) {
        if (each.edge == edge && each.number == number) return &each;
    }
    return nullptr;
}

// Which nodes have a path to one of the wanted edges; those alone need to run.
bool Run::find_needed(PyObject* roots) {
    std::vector<Node*> stack, nodes;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject* each = PyList_GET_ITEM(roots, i);
        if (is_node(each) && needed.emplace(each, false).second) stack.push_back(as_node(each));
    }
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        nodes.push_back(node);
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge != nullptr && is_node(edge) && needed.emplace(edge, false).second) stack.push_back(as_node(edge));
        }
    }
    std::sort(nodes.begin(), nodes.end(), [](Node* a, Node* b) { return a->number < b->number; });
    for (Node* node : nodes) {
        for (int i = 0; i < node->edge_count; i++) {
            PyObject* edge = node->edges[i];
            if (edge == nullptr) continue;
            auto known = needed.find(edge);
            bool wanted = known != needed.end() && known->second;
            for (Captured& each : captured) wanted = wanted || each.edge == edge;
            if (wanted) needed[as_object(node)] = true;
        }
    }
    return true;
}

PyObject* tensor_or_none(PyArrayObject* array) {
    if (array == nullptr) Py_RETURN_NONE;
    Py_INCREF(array);
    return as_object(wrap(array));
}

PyObject* tensor_list(Arrival& arrival) {
    PyObject* list = PyList_New(arrival.count());
    for (int i = 0; list != nullptr && i < arrival.count(); i++) {
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
bool take_list(Arrival& arrival, PyObject* list) {
    for (int i = 0; i < arrival.count() && i < PyList_GET_SIZE(list); i++) {
        PyObject* each = PyList_GET_ITEM(list, i);
        PyArrayObject* array = is_tensor(each) ? as_tensor(each)->array : nullptr;
        Py_XINCREF(array);
        Py_XSETREF(arrival.at(i), array);
    }
    return true;
}

bool Run::capture_node(Node* node, Arrival& arrival, bool& runs) {
    for (int i = 0; i < arrival.count(); i++) {
        Captured* found = arrival.at(i) == nullptr ? nullptr : find_captured(as_object(node), i);
        if (found == nullptr) continue;
        PyObject* grad = tensor_or_none(arrival.at(i));
        if (grad == nullptr) return false;
        Py_XSETREF(found->grad, grad);
    }
    auto known = needed.find(as_object(node));
    runs = known != needed.end() && known->second;
    return true;
}

// The saved values are there and as they were saved.
bool is_unchanged(const Node* node) {
    if (node->saved == nullptr) return false;
    for (int i = 0; i < node->saved_count; i++) {
        const Saved& saved = node->saved[i];
        if (saved.version == Saved::NONE) continue;
        if (saved.version == Saved::LIST) {
            for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(saved.value); k++) {
                PyObject* each = PySequence_Fast_GET_ITEM(saved.value, k);
                Py_ssize_t then = PyLong_AsSsize_t(PyTuple_GET_ITEM(saved.extra, k));
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
    if (plan == nullptr || plan->op->kernel == nullptr ||
        plan->op->kernel->backward == nullptr || !is_unchanged(node)) {
        return true;
    }
    PyArrayObject* few[8];
    std::vector<PyArrayObject*> many(arrival.count() > 8 ? arrival.count() : 0);
    PyArrayObject** grads = many.empty() ? few : many.data();
    for (int i = 0; i < arrival.count(); i++) grads[i] = arrival.at(i);
    Gradient gradient;
    gradient.plan = plan;
    gradient.node = node;
    gradient.grads = grads;
    gradient.grad_count = arrival.count();
    gradient.may_overwrite = grads[0] != nullptr && is_unshared(grads[0]);
    if (!plan->op->kernel->backward(gradient)) {
        for (PyArrayObject* each : gradient.found) Py_XDECREF(each);
        for (PyArrayObject* each : gradient.parts) Py_XDECREF(each);
        PyErr_Clear();
        return true;
    }
    done = true;
    bool fine = keep_graph || release(node);
    // ours no longer: what is passed on may then be nobody else's
    for (int i = 0; i < arrival.count(); i++) Py_CLEAR(arrival.at(i));
    PyArrayObject** found = plan->has_lists ? gradient.parts.data() : gradient.found;
    int count = plan->has_lists ? static_cast<int>(gradient.parts.size()) : plan->input_count;
    for (int i = 0; i < count; i++) {
        if (found[i] == nullptr) continue;
        if (fine && i < node->edge_count) {
            fine = pass_on(node, i, found[i]);
        } else {
            Py_DECREF(found[i]);
        }
    }
    return fine;
}

// `function` is apply_carefully for a node with hooks; nullptr for the node's own `apply`.
bool Run::apply_python(Node* node, Arrival& arrival, PyObject* function) {
    Ref grads = Ref::steal(tensor_list(arrival));
    if (!grads) return false;
    for (int i = 0; i < arrival.count(); i++) Py_CLEAR(arrival.at(i));
    static PyObject* apply_name = PyUnicode_InternFromString("apply");
    PyObject* args[] = {as_object(node), grads.get()};
    Ref found = Ref::steal(function != nullptr ? PyObject_Vectorcall(function, args, 2, nullptr)
                                               : PyObject_VectorcallMethod(apply_name, args, 2, nullptr));
    if (!found) return false;
    grads = Ref();
    if (!keep_graph && !release(node)) return false;
    Ref items = Ref::steal(PySequence_List(found.get()));
    found = Ref();
    if (!items) return false;
    for (int i = 0; i < node->edge_count && i < PyList_GET_SIZE(items.get()); i++) {
        PyObject* each = PyList_GET_ITEM(items.get(), i);
        if (!is_tensor(each) || as_tensor(each)->array == nullptr) continue;
        PyArrayObject* array = as_tensor(each)->array;
        Py_INCREF(array);
        // the tensor goes: its array may then be nobody else's
        Py_INCREF(Py_None);
        PyList_SetItem(items.get(), i, Py_None);
        if (!pass_on(node, i, array)) return false;
    }
    return true;
}

// Forget saved values after a backward that does not retain the graph.
bool Run::release(Node* node) {
    if (node->plan != nullptr) {
        if (node->plan->keeps_tensors) {
            Py_CLEAR(node->saved_list);
            drop_saved(node);
            Py_XSETREF(node->freed, Py_NewRef(place));
        }
        return true;
    }
    static PyObject* name = PyUnicode_InternFromString("release");
    PyObject* args[] = {as_object(node), place};
    Ref done = Ref::steal(PyObject_VectorcallMethod(name, args, 2, nullptr));
    return static_cast<bool>(done);
}

bool has_shape(PyArrayObject* array, int ndim, const npy_intp* dims) {
    return PyArray_NDIM(array) == ndim && PyArray_CompareLists(PyArray_DIMS(array), dims, ndim);
}

// Send a gradient, whose reference is taken, along an edge; broadcasting and promotion are undone here.
bool Run::pass_on(Node* node, int position, PyArrayObject* grad) {
    PyObject* target = node->edges[position];
    int number = node->has_numbers ? node->numbers[position] : 0;
    bool wanted = target != nullptr;
    if (wanted && capturing && find_captured(target, number) == nullptr) {
        auto known = needed.find(target);
        wanted = known != needed.end() && known->second;
    }
    if (!wanted) {
        Py_DECREF(grad);
        return true;
    }
    int ndim;
    const npy_intp* dims;
    PyArray_Descr* dtype;
    if (is_node(target)) {
        if (number >= as_node(target)->output_count) {
            Py_DECREF(grad);
            PyErr_SetString(PyExc_RuntimeError, "an edge leads to an output that its node does not have");
            return false;
        }
        Output& output = as_node(target)->outputs[number];
        ndim = output.ndim;
        dims = output.dims;
        dtype = output.dtype;
    } else {
        PyArrayObject* array = as_tensor(target)->array;
        ndim = PyArray_NDIM(array);
        dims = PyArray_DIMS(array);
        dtype = PyArray_DESCR(array);
    }
    if (!has_shape(grad, ndim, dims) && PyArray_DESCR(grad) == dtype) {
        PyArrayObject* summed = sum_to_shape(grad, ndim, dims);
        if (summed != nullptr) Py_SETREF(grad, summed);
    }
    if (!has_shape(grad, ndim, dims) || PyArray_DESCR(grad) != dtype) {
        Ref tensor = Ref::steal(as_object(wrap(grad)));
        Ref shape = Ref::steal(PyArray_IntTupleFromIntp(ndim, dims));
        if (!tensor || !shape) return false;
        Ref fitted = Ref::steal(PyObject_CallFunction(hooks.fit, "OOOOi", tensor.get(), shape.get(), dtype, node,
                                                      position));
        if (!fitted) return false;
        grad = as_tensor(fitted.get())->array;
        Py_INCREF(grad);
    }
    return deliver(target, number, grad);
}

bool Run::visit(Arrival& arrival) {
    Node* node = as_node(arrival.target);
    if (present(node->tensor_hooks)) {
        Ref list = Ref::steal(tensor_list(arrival));
        if (!list) return false;
        Ref done = Ref::steal(PyObject_CallFunctionObjArgs(hooks.run_node_hooks, node, list.get(), nullptr));
        if (!done || !take_list(arrival, list.get())) return false;
    }
    bool runs = true;
    if (capturing && !capture_node(node, arrival, runs)) return false;
    return !runs || apply(node, arrival);
}

bool Run::apply(Node* node, Arrival& arrival) {
    if (state.anomaly || present(node->pre_hooks) || present(node->post_hooks)) {
        return apply_python(node, arrival, hooks.apply_carefully);
    }
    bool any = false;
    for (int i = 0; i < arrival.count(); i++) any = any || arrival.at(i) != nullptr;
    if (!any) return true;
    bool done;
    if (!apply_native(node, arrival, done)) return false;
    return done || apply_python(node, arrival, nullptr);
}

// The first gradient becomes the leaf's, copied unless it is nobody else's; `grad` is taken.
bool store(Tensor* leaf, PyArrayObject* grad) {
    if (leaf->grad == nullptr) {
        if (!is_unshared(grad) || !PyArray_IS_C_CONTIGUOUS(grad)) {
            auto* copy = reinterpret_cast<PyArrayObject*>(PyArray_NewCopy(grad, NPY_CORDER));
            Py_DECREF(grad);
            if (copy == nullptr) return false;
            grad = copy;
        }
        leaf->grad = as_object(wrap(grad));
        return leaf->grad != nullptr;
    }
    Tensor* held = as_tensor(leaf->grad);
    PyArrayObject* array = held->array;
    bool simple = !requires_grad(held) && array != nullptr && PyArray_DESCR(array) == PyArray_DESCR(grad) &&
                  PyArray_SAMESHAPE(array, grad) && PyArray_ISWRITEABLE(array);
    if (simple && add_into(array, grad)) {
        Py_DECREF(grad);
        Storage* storage = storage_of(held);
        if (storage == nullptr) return false;
        storage->version++;
        return true;
    }
    Ref tensor = Ref::steal(as_object(wrap(grad)));
    if (!tensor) return false;
    Ref done = Ref::steal(PyObject_CallFunctionObjArgs(hooks.accumulate, leaf, tensor.get(), Py_False, nullptr));
    return static_cast<bool>(done);
}

bool Run::finish_leaf(Tensor* leaf, PyArrayObject* grad) {
    Captured* found = capturing ? find_captured(as_object(leaf), 0) : nullptr;
    if ((capturing && found == nullptr) || (!capturing && !leaf->requires_grad)) {
        Py_DECREF(grad);
        return true;
    }
    bool hooked = present(leaf->hooks) || present(leaf->accumulate);
    if (!hooked && !capturing && !present(leaf->post_hooks)) return store(leaf, grad);
    Ref tensor = Ref::steal(as_object(wrap(grad)));
    if (!tensor) return false;
    if (hooked || capturing) {
        tensor = Ref::steal(PyObject_CallFunctionObjArgs(hooks.run_leaf_hooks, leaf, tensor.get(), nullptr));
        if (!tensor) return false;
    }
    if (capturing) {
        Py_XSETREF(found->grad, tensor.release());
        return true;
    }
    Ref done = Ref::steal(PyObject_CallFunctionObjArgs(hooks.accumulate, leaf, tensor.get(), Py_False, nullptr));
    return static_cast<bool>(done);
}

bool Run::go() {
    outer_root = root;
    root = waiting.empty() ? 0 : waiting.front().first;
    while (!waiting.empty()) {
        std::pop_heap(waiting.begin(), waiting.end());
        int index = waiting.back().second;
        waiting.pop_back();
        // moved out: visiting may make the vector grow
        Arrival arrival = std::move(arrivals[index]);
        arrivals[index] = Arrival();
        if (!places.empty()) places.erase(arrival.target);
        vacant.push_back(index);
        bool fine = visit(arrival);
        arrival.clear();
        if (!fine) return false;
    }
    for (size_t i = 0; i < leaves.size(); i++) {
        Arrival arrival = std::move(arrivals[leaves[i]]);
        arrivals[leaves[i]] = Arrival();
        PyArrayObject* grad = arrival.one;
        arrival.one = nullptr;
        bool fine = grad == nullptr || finish_leaf(as_tensor(arrival.target), grad);
        arrival.clear();
        if (!fine) return false;
    }
    return true;
}

}  // namespace

PyObject* current_root(PyObject*, PyObject*) {
    if (root == 0) Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(root);
}

PyObject* run_backward(PyObject*, PyObject* args) {
    PyObject *roots, *inputs = nullptr;
    int keep;
    if (!PyArg_ParseTuple(args, "O!p|O!", &PyList_Type, &roots, &keep, &PyList_Type, &inputs)) return nullptr;
    Run run(keep, inputs != nullptr);
    if (!run.start()) return nullptr;
    Ref edges = Ref::steal(PyList_New(0));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject *tensor, *grad;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(roots, i), "O!O!", &TensorType, &tensor, &TensorType, &grad)) {
            return nullptr;
        }
        Ref edge = Ref::steal(edge_of(as_tensor(tensor)));
        if (!edge || PyList_Append(edges.get(), edge.get()) < 0) return nullptr;
        PyArrayObject* array = as_tensor(grad)->array;
        if (edge.get() == Py_None || array == nullptr) continue;
        Py_INCREF(array);
        if (!run.deliver(edge.get(), static_cast<int>(as_tensor(tensor)->output), array)) return nullptr;
    }
    for (Py_ssize_t i = 0; inputs != nullptr && i < PyList_GET_SIZE(inputs); i++) {
        PyObject* edge;
        int number;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(inputs, i), "Oi", &edge, &number)) return nullptr;
        run.captured.push_back({edge, number});
    }
    if (inputs != nullptr && !run.find_needed(edges.get())) return nullptr;
    if (!run.go()) return nullptr;
    if (inputs == nullptr) Py_RETURN_NONE;
    PyObject* found = PyList_New(PyList_GET_SIZE(inputs));
    for (Py_ssize_t i = 0; found != nullptr && i < PyList_GET_SIZE(inputs); i++) {
        // an input asked for twice gets its gradient twice
        PyObject* grad = nullptr;
        for (Captured& each : run.captured) {
            if (each.edge == run.captured[i].edge && each.number == run.captured[i].number && each.grad != nullptr) {
                grad = each.grad;
            }
        }
        PyList_SET_ITEM(found, i, Py_NewRef(grad != nullptr ? grad : Py_None));
    }
    return found;
}

PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Tensor* tensor = as_tensor(self);
    bool keep = false;
    bool simple = count == 0 && tensor->array != nullptr && PyArray_SIZE(tensor->array) == 1 &&
                  PyTypeNum_ISFLOAT(PyArray_TYPE(tensor->array)) && requires_grad(tensor) && !state.anomaly;
    if (simple && names != nullptr) {
        simple = PyTuple_GET_SIZE(names) == 1 &&
                 PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "retain_graph") == 0 &&
                 (args[0] == Py_True || args[0] == Py_False || args[0] == Py_None);
        keep = simple && args[0] == Py_True;
    }
    if (!simple) {
        std::vector<PyObject*> all{self};
        all.insert(all.end(), args, args + count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names)));
        return PyObject_Vectorcall(hooks.backward, all.data(), count + 1, names);
    }
    PyArrayObject* one = ones_like(tensor->array);
    if (one == nullptr) return nullptr;
    Run run(keep, false);
    Ref edge = run.start() ? Ref::steal(edge_of(tensor)) : Ref();
    if (!edge) {
        Py_DECREF(one);
        return nullptr;
    }
    if (!run.deliver(edge.get(), static_cast<int>(tensor->output), one) || !run.go()) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace rushlight
