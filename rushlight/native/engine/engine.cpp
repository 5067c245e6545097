// The engine's entries: what Python calls for a backward pass.
#include "engine/engine.h"

#include <vector>

#include "engine/run.h"
#include "seam/fallbacks.h"

namespace rushlight {

PyObject* current_root(PyObject*, PyObject*) {
    if (running_root == 0) Py_RETURN_NONE;
    return PyLong_FromUnsignedLongLong(running_root);
}

PyObject* current_depth(PyObject*, PyObject*) { return PyLong_FromLong(running_depth); }

PyObject* run_backward(PyObject*, PyObject* args) {
    PyObject *roots, *inputs = nullptr;
    int keep, accumulating = 0;
    if (!PyArg_ParseTuple(args, "O!p|O!p", &PyList_Type, &roots, &keep, &PyList_Type, &inputs, &accumulating)) {
        return nullptr;
    }
    Run run(keep, inputs != nullptr, accumulating);
    Ref edges = Ref::steal(PyList_New(0));
    if (!edges) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(roots); i++) {
        PyObject *edge, *grad;
        int number;
        PyObject* root = PyList_GET_ITEM(roots, i);
        if (!PyTuple_Check(root)) return PyErr_Format(PyExc_TypeError, "a root is (edge, number, gradient)");
        if (!PyArg_ParseTuple(root, "OiO!", &edge, &number, &TensorType, &grad)) return nullptr;
        if (PyList_Append(edges.get(), edge) < 0) return nullptr;
        PyArrayObject* array = elements_of(as_tensor(grad));
        if (array == nullptr) return nullptr;
        if (!run.deliver(edge, number, array)) return nullptr;
    }
    for (Py_ssize_t i = 0; inputs != nullptr && i < PyList_GET_SIZE(inputs); i++) {
        PyObject* edge;
        int number;
        PyObject* pair = PyList_GET_ITEM(inputs, i);
        if (!PyTuple_Check(pair)) return PyErr_Format(PyExc_TypeError, "an input is a pair (edge, number)");
        if (!PyArg_ParseTuple(pair, "Oi", &edge, &number)) return nullptr;
        run.inputs.push_back({edge, number});
    }
    if (inputs != nullptr && !run.find_needed(edges.get())) return nullptr;
    if (!run.go()) return nullptr;
    if (inputs == nullptr || accumulating) Py_RETURN_NONE;
    PyObject* found = PyList_New(PyList_GET_SIZE(inputs));
    for (Py_ssize_t i = 0; found != nullptr && i < PyList_GET_SIZE(inputs); i++) {
        // an input asked for twice gets its gradient twice
        PyObject* grad = nullptr;
        for (InputGradient& each : run.inputs) {
            if (each.edge == run.inputs[i].edge && each.number == run.inputs[i].number && each.grad != nullptr) {
                grad = each.grad;
            }
        }
        PyList_SET_ITEM(found, i, Py_NewRef(grad != nullptr ? grad : Py_None));
    }
    return found;
}

// Whether a value can be the gradient of a tensor as it stands.
static bool is_gradient_of(PyObject* value, Tensor* tensor) {
    if (!is_tensor(value) || as_tensor(value)->array == nullptr || requires_grad(as_tensor(value))) return false;
    PyArrayObject* array = as_tensor(value)->array;
    return PyArray_DESCR(array) == PyArray_DESCR(tensor->array) && PyArray_SAMESHAPE(array, tensor->array);
}

PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Tensor* tensor = as_tensor(self);
    bool keep = false;
    bool simple = count <= 1 && running_depth < DEEP && tensor->array != nullptr && requires_grad(tensor) &&
                  !state.anomaly && fallbacks.watcher == nullptr && PyTypeNum_ISFLOAT(PyArray_TYPE(tensor->array)) &&
                  (count == 1 ? is_gradient_of(args[0], tensor) : PyArray_SIZE(tensor->array) == 1);
    if (simple && names != nullptr) {
        PyObject* asked = args[count];
        simple = PyTuple_GET_SIZE(names) == 1 &&
                 PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "retain_graph") == 0 &&
                 (asked == Py_True || asked == Py_False || asked == Py_None);
        keep = simple && asked == Py_True;
    }
    Ref edge = simple ? Ref::steal(edge_of(tensor)) : Ref();
    if (simple && !edge) return nullptr;
    if (!simple || edge.get() == Py_None) {
        std::vector<PyObject*> all{self};
        all.insert(all.end(), args, args + count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names)));
        return PyObject_Vectorcall(fallbacks.backward, all.data(), count + 1, names);
    }
    Ref first = count == 1 ? Ref::borrow(as_object(as_tensor(args[0])->array))
                           : Ref::steal(as_object(ones_like(tensor->array)));
    Run run(keep, false);
    if (!first) return nullptr;
    auto* grad = reinterpret_cast<PyArrayObject*>(first.release());
    if (!run.deliver(edge.get(), static_cast<int>(tensor->output), grad) || !run.go()) return nullptr;
    Py_RETURN_NONE;
}

}  // namespace rushlight
