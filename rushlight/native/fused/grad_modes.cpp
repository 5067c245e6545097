// Modes of recording: no_grad is made, entered and left natively. For the row "policy forward".
#include "fused/grad_modes.h"

#include "seam/guard.h"
#include "seam/names.h"
#include "seam/state.h"

namespace rushlight {

namespace {

const Interned name_before("before");
// Mode.__new__ in Python, for what is decorated at once
newfunc new_carefully;
PyTypeObject* quickened = nullptr;

PyObject* new_mode(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    bool is_bare = PyTuple_GET_SIZE(args) == 0 && (keywords == nullptr || PyDict_GET_SIZE(keywords) == 0);
    return is_bare ? type->tp_alloc(type, 0) : new_carefully(type, args, keywords);
}

PyObject* enter_no_grad(PyObject* self, PyObject*) {
    if (PyObject_SetAttr(self, name_before, state.grad ? Py_True : Py_False) < 0) return nullptr;
    state.grad = false;
    Py_RETURN_NONE;
}

PyObject* exit_no_grad(PyObject* self, PyObject* const*, Py_ssize_t) {
    Ref before = Ref::steal(PyObject_GetAttr(self, name_before));
    int truth = before ? PyObject_IsTrue(before.get()) : -1;
    if (truth < 0) return nullptr;
    state.grad = truth != 0;
    Py_RETURN_NONE;
}

PyMethodDef no_grad_methods[] = {
    {"__enter__", guarded_aside<enter_no_grad>, METH_NOARGS, "Record nothing from now on."},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_aside<exit_no_grad>)),
     METH_FASTCALL, "Record as before."},
    {nullptr, nullptr, 0, nullptr},
};

// new_no_grad(type): of a class that users derived from no_grad, for which object.__new__ is not safe any more.
PyObject* new_no_grad(PyObject*, PyObject* object) {
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    if (quickened == nullptr || !PyType_Check(object) || !PyType_IsSubtype(type, quickened)) {
        return PyErr_Format(PyExc_TypeError, "expected a class that is derived from no_grad");
    }
    return type->tp_alloc(type, 0);
}

// quicken_no_grad(type): its methods become native, which do what the Python ones do. Assigning others restores those.
PyObject* quicken_no_grad(PyObject*, PyObject* object) {
    if (!PyType_Check(object)) return PyErr_Format(PyExc_TypeError, "expected a class");
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    for (PyMethodDef* each = no_grad_methods; each->ml_name != nullptr; each++) {
        Ref method = Ref::steal(PyDescr_NewMethod(type, each));
        if (!method || PyObject_SetAttrString(object, each->ml_name, method.get()) < 0) return nullptr;
    }
    new_carefully = type->tp_new;
    type->tp_new = new_mode;
    Py_INCREF(object);
    quickened = type;
    Py_RETURN_NONE;
}

PyMethodDef mode_methods[] = {
    {"new_no_grad", guarded<new_no_grad>, METH_O, "A mode of a class that is derived from no_grad."},
    {"quicken_no_grad", guarded<quicken_no_grad>, METH_O, "Let no_grad be entered and left natively."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_grad_modes(PyObject* module) { return PyModule_AddFunctions(module, mode_methods) >= 0; }

}  // namespace rushlight
