// The engine's entries: what Python calls for a backward pass.
#include "engine/engine.h"

#include <vector>

#include "engine/run.h"
#include "seam/fallbacks.h"
#include "seam/overrides.h"

namespace rushlight {

PyObject* current_root(PyObject*, PyObject*) {
    if (running_root == 0) Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(running_root);
}

PyObject* current_depth(PyObject*, PyObject*) { return PyLong_FromLong(running_depth); }

// Hand over the gradients of the roots, (edge, number, gradient) each, whose edges are listed; false with an exception.
static bool deliver_roots(Run& run, PyObject* roots, PyObject* edges) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject *edge, *grad, *root = PyList_GET_ITEM(roots, i);
        int number;
        if (!PyTuple_Check(root)) {
            PyErr_SetString(PyExc_TypeError, "a root is (edge, number, gradient)");
            return false;
        }
        if (!PyArg_ParseTuple(root, "OiO!", &edge, &number, &TensorType, &grad)) return false;
        if (PyList_Append(edges, edge) < 0) return false;
        PyArrayObject* array = elements_of(as_tensor(grad));
        if (array == nullptr || !run.deliver(edge, number, array)) return false;
    }
    return true;
}

// Note the inputs whose gradients are asked for, (edge, number) each; false with an exception.
static bool read_inputs(Run& run, PyObject* inputs) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(inputs); i++) {
        PyObject *edge, *pair = PyList_GET_ITEM(inputs, i);
        int number;
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "an input is a pair (edge, number)");
            return false;
        }
        if (!PyArg_ParseTuple(pair, "Oi", &edge, &number)) return false;
        run.inputs.push_back({edge, number});
    }
    return true;
}

// The gradients that were asked for, None where none arrived.
static PyObject* list_found(Run& run) {
    auto count = static_cast<Py_ssize_t>(run.inputs.size());
    PyObject* found = PyList_New(count);
    for (Py_ssize_t i = 0; found != nullptr && i < count; i++) {
        // an input asked for twice gets its gradient twice
        PyObject* grad = Py_None;
        for (InputGradient& each : run.inputs) {
            bool same = each.edge == run.inputs[i].edge && each.number == run.inputs[i].number;
            if (same && each.grad != nullptr) grad = each.grad;
        }
        PyList_SET_ITEM(found, i, Py_NewRef(grad));
    }
    return found;
}

PyObject* run_backward(PyObject*, PyObject* args) {
    PyObject *roots, *inputs = nullptr;
    int keep, accumulating = 0;
    if (!PyArg_ParseTuple(args, "O!p|O!p", &PyList_Type, &roots, &keep, &PyList_Type, &inputs, &accumulating)) {
        return nullptr;
    }
    Run run(keep, inputs != nullptr, accumulating);
    Ref edges = Ref::steal(PyList_New(0));
    if (!edges || !deliver_roots(run, roots, edges.get())) return nullptr;
    if (inputs != nullptr && (!read_inputs(run, inputs) || !run.find_needed(edges.get()))) return nullptr;
    if (!run.go()) return nullptr;
    if (inputs == nullptr || accumulating) Py_RETURN_NONE;
    return list_found(run);
}

PyObject* run_below(const Level* level, PyObject* roots, PyObject* inputs) {
    Run run(true, true, false, level);
    Ref edges = Ref::steal(PyList_New(0));
    if (!edges || !deliver_roots(run, roots, edges.get()) || !read_inputs(run, inputs)) return nullptr;
    return run.find_needed(edges.get()) && run.go() ? list_found(run) : nullptr;
}

// Whether a value can be the gradient of a tensor as it stands.
static bool is_gradient_of(PyObject* value, Tensor* tensor) {
    if (!is_any_tensor(value) || as_tensor(value)->array == nullptr || requires_grad(as_tensor(value))) return false;
    PyArrayObject *array = as_tensor(value)->array, *own = plain_array(tensor);
    return PyArray_DESCR(array) == PyArray_DESCR(own) && PyArray_SAMESHAPE(array, own);
}

// Whether a tensor's backward has nothing unusual about it: one number, or a gradient of its kind, and no other option
// than `retain_graph`, which is read into `keep`.
static bool is_simple(Tensor* tensor, PyObject* const* args, Py_ssize_t count, PyObject* names, bool& keep) {
    PyArrayObject* array = plain_array(tensor);
    if (count > 1 || running_depth >= DEEP || array == nullptr || !requires_grad(tensor)) return false;
    if (state.anomaly || fallbacks.watcher != nullptr || !PyTypeNum_ISFLOAT(PyArray_TYPE(array))) return false;
    if (count == 1 ? !is_gradient_of(args[0], tensor) : PyArray_SIZE(array) != 1) return false;
    if (names == nullptr) return true;
    PyObject* asked = args[count];
    keep = asked == Py_True;
    return PyTuple_GET_SIZE(names) == 1 &&
           PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "retain_graph") == 0 &&
           (keep || asked == Py_False || asked == Py_None);
}

PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Tensor* tensor = as_tensor(self);
    // a mode sees this call too, by the Python form
    bool keep = false, simple = watching_modes == 0 && is_simple(tensor, args, count, names, keep);
    Ref edge = simple ? Ref::steal(edge_of(tensor)) : Ref();
    if (simple && !edge) return nullptr;
    if (!simple || edge.get() == Py_None) {
        settle("a backward of another kind");
        std::vector<PyObject*> all{self};
        all.insert(all.end(), args, args + count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names)));
        return PyObject_Vectorcall(fallbacks.backward, all.data(), count + 1, names);
    }
    Ref first = count == 1 ? Ref::borrow(as_object(as_tensor(args[0])->array))
                           : Ref::steal(as_object(ones_like(plain_array(tensor))));
    Run run(keep, false);
    if (!first) return nullptr;
    if (!keep) run.passing = tensor;
    if (!run.deliver(edge.get(), static_cast<int>(tensor->output), first.release_array()) || !run.go()) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace rushlight
