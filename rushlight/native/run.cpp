// One backward pass, as the class Run in autograd/engine.py, on arrays instead of tensors.
#include "run.h"

#include <algorithm>

#include "copies.h"
#include "engine.h"
#include "hooks.h"
#include "plan.h"

namespace rushlight {

RUSHLIGHT_SHARED_THREAD_LOCAL uint64_t running_root = 0;

// Where and when this backward was called, for messages about what it freed; borrowed.
PyObject* Run::own_place() {
    if (place == nullptr) {
        Ref tuple = Ref::steal(place_tuple(line)), when = Ref::steal(PyLong_FromUnsignedLongLong(number));
        if (tuple && when) place = PyTuple_Pack(2, tuple.get(), when.get());
    }
    return place;
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
    Arrival arrival;
    if (outputs > 1) {
        arrival.more = static_cast<PyArrayObject**>(PyMem_Calloc(outputs - 1, sizeof(PyArrayObject*)));
        if (arrival.more == nullptr) {
            PyErr_NoMemory();
            return -1;
        }
        arrival.count = outputs;
    }
    arrival.target = Py_NewRef(target);
    int index = arrivals.size();
    if (vacant.empty()) {
        arrivals.push_back(arrival);
    } else {
        index = vacant.back();
        vacant.pop_back();
        arrivals[index] = arrival;
    }
    if (places) {
        places->emplace(target, index);
    } else if (arrivals.size() > FEW) {
        // a chain has one node waiting at a time: no table is needed for few
        places.emplace();
        for (int i = 0; i < arrivals.size(); i++) {
            if (arrivals[i].target != nullptr) places->emplace(arrivals[i].target, i);
        }
    }
    if (is_node(target)) {
        waiting.push_back({as_node(target)->number, index});
        std::push_heap(waiting.begin(), waiting.end());
    } else {
        leaves.push_back(index);
    }
    return index;
}

// Add a gradient, whose reference is taken, to what its target has received so far.
bool Run::deliver(PyObject* target, int number, PyArrayObject* grad) {
    int outputs = is_node(target) ? std::max(as_node(target)->output_count, 1) : 1;
    if (number >= outputs) {
        Py_DECREF(grad);
        PyErr_SetString(PyExc_RuntimeError, "a gradient arrived for an output that its node does not have");
        return false;
    }
    int index = find_arrival(target);
    if (index < 0) index = add_arrival(target, outputs);
    if (index < 0) {
        Py_DECREF(grad);
        return false;
    }
    PyArrayObject*& slot = arrivals[index].at(number);
    if (slot == nullptr) {
        slot = grad;
        return true;
    }
    PyArrayObject* before_it = slot;
    slot = nullptr;
    PyArrayObject* sum = add_gradients(before_it, grad);
    drop(grad);
    arrivals[index].at(number) = sum;
    return sum != nullptr;
}

PyObject* tensor_or_none(PyArrayObject* array) {
    if (array == nullptr) Py_RETURN_NONE;
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
        PyArrayObject* array = is_tensor(each) ? elements_of(as_tensor(each)) : nullptr;
        if (array == nullptr && PyErr_Occurred()) return false;
        Py_XSETREF(arrival.at(i), array);
    }
    return true;
}

// The saved values are there and as they were saved.
static bool is_unchanged(const Node* node) {
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
    std::vector<PyArrayObject*> many(arrival.count > 8 ? arrival.count : 0);
    PyArrayObject** grads = many.empty() ? few : many.data();
    for (int i = 0; i < arrival.count; i++) grads[i] = arrival.at(i);
    Gradient gradient;
    gradient.plan = plan;
    gradient.node = node;
    gradient.grads = grads;
    gradient.grad_count = arrival.count;
    gradient.may_overwrite = grads[0] != nullptr && is_unshared(grads[0]);
    gradient.is_shown = capturing;
    if (!plan->op->kernel->backward(gradient)) {
        for (PyArrayObject* each : gradient.found) Py_XDECREF(each);
        for (PyArrayObject* each : gradient.parts) Py_XDECREF(each);
        PyErr_Clear();
        return true;
    }
    done = true;
    bool fine = keep_graph || release(node);
    // ours no longer: what is passed on may then be nobody else's
    arrival.clear_gradients();
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
    arrival.clear_gradients();
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
        if (!is_tensor(each)) continue;
        PyArrayObject* array = elements_of(as_tensor(each));
        if (array == nullptr) return false;
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
            Py_XINCREF(line.code);
            clear_place(node->freed_place);
            node->freed_place = line;
            node->freed_number = number;
        }
        return true;
    }
    static PyObject* name = PyUnicode_InternFromString("release");
    if (own_place() == nullptr) return false;
    PyObject* args[] = {as_object(node), place};
    Ref done = Ref::steal(PyObject_VectorcallMethod(name, args, 2, nullptr));
    return static_cast<bool>(done);
}

static bool has_shape(PyArrayObject* array, int ndim, const npy_intp* dims) {
    return PyArray_NDIM(array) == ndim && have_same_dims(ndim, PyArray_DIMS(array), dims);
}

// Send a gradient, whose reference is taken, along an edge; broadcasting and promotion are undone here.
bool Run::pass_on(Node* node, int position, PyArrayObject* grad) {
    PyObject* target = node->edges[position];
    int number = node->has_numbers ? node->numbers[position] : 0;
    bool wanted = target != nullptr;
    if (wanted && capturing && find_captured(target, number) == nullptr) {
        auto known = needed->find(target);
        wanted = known != needed->end() && known->second;
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
        PyArrayObject* array = shown_array(as_tensor(target));
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
        grad = elements_of(as_tensor(fitted.get()));
        if (grad == nullptr) return false;
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
    for (int i = 0; i < arrival.count; i++) any = any || arrival.at(i) != nullptr;
    if (!any) return true;
    bool done;
    if (!apply_native(node, arrival, done)) return false;
    return done || apply_python(node, arrival, nullptr);
}

// The first gradient becomes the leaf's, copied unless it is nobody else's; `grad` is taken.
static bool store(Tensor* leaf, PyArrayObject* grad) {
    // a leaf in another order gives it to its gradient, which Python copies
    bool ordered = leaf->array != nullptr && PyArray_IS_C_CONTIGUOUS(leaf->array);
    if (leaf->grad == nullptr && ordered) {
        if (!is_unshared(grad) || !PyArray_IS_C_CONTIGUOUS(grad)) {
            PyArrayObject* copy = packed_copy(grad);
            drop(grad);
            if (copy == nullptr) return false;
            grad = copy;
        }
        leaf->grad = as_object(wrap(grad));
        return leaf->grad != nullptr;
    }
    Tensor* held = as_tensor(leaf->grad);
    PyArrayObject* array = held == nullptr ? nullptr : held->array;
    bool simple = array != nullptr && !requires_grad(held) && PyArray_DESCR(array) == PyArray_DESCR(grad) &&
                  have_same_shape(array, grad) && PyArray_ISWRITEABLE(array);
    if (simple && add_into(array, grad)) {
        drop(grad);
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
    outer_root = running_root;
    running_root = waiting.empty() ? 0 : waiting[0].number;
    while (!waiting.empty()) {
        std::pop_heap(waiting.begin(), waiting.end());
        int index = waiting.back().arrival;
        waiting.pop_back();
        // taken out: visiting may make the list grow
        Arrival arrival = std::exchange(arrivals[index], Arrival());
        if (places) places->erase(arrival.target);
        vacant.push_back(index);
        bool fine = visit(arrival);
        arrival.clear();
        if (!fine) return false;
    }
    for (int index : leaves) {
        Arrival arrival = std::exchange(arrivals[index], Arrival());
        PyArrayObject* grad = std::exchange(arrival.one, nullptr);
        bool fine = grad == nullptr || finish_leaf(as_tensor(arrival.target), grad);
        arrival.clear();
        if (!fine) return false;
    }
    return true;
}

}  // namespace rushlight
