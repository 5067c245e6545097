// Layers: ModuleBase, which calls `forward` and finds parameters. See nn/modules/module_calls.py. For the rows "MLP
// forward, batch 1" and "policy forward".
//
// It adds no field to an object, so that a module may inherit from anything else too, and is copied and pickled as
// any object of Python.
#include "fused/layers.h"

#include <initializer_list>

#include "fused/forwards.h"
#include "seam/guard.h"
#include "seam/kernel.h"
#include "seam/names.h"
#include "seam/region.h"

namespace rushlight {

namespace {

PyTypeObject* module_base;
// what Python gives at import: how to call and to look up with care, how to name the layer in an error, and the hooks
// of all modules
PyObject *call_carefully, *find_carefully, *name_layer;
PyObject* every_hooks[HOOK_KINDS];

const Interned name_forward("forward"), name_parameters("_parameters"), name_modules("_modules"),
    name_buffers("_buffers");
const Interned name_getattr("__getattr__"), name_getattribute("__getattribute__");
const Interned hook_names[] = {
    Interned("_forward_hooks"),
    Interned("_forward_pre_hooks"),
    Interned("_backward_hooks"),
    Interned("_backward_pre_hooks"),
};
Kernel& calls = link("nn.modules.module.Module.__call__");
// ModuleBase.__getattr__, to see whether a class has one of its own
PyObject* own_getattr;

// ---- calls

bool asks_for_compiled = false;
const Interned name_compiled("_compiled_whole");

// Whether there are no hooks, and all is as Module.__init__ has made it.
bool is_plain_module(PyObject* fields) {
    for (PyObject* each : every_hooks) {
        if (each == nullptr || PyDict_GET_SIZE(each) != 0) return declined("a hook of all modules");
    }
    for (PyObject* name : hook_names) {
        PyObject* hooks = find(fields, name);
        if (hooks == nullptr || !PyDict_Check(hooks)) return declined("a module without __init__");
        if (PyDict_GET_SIZE(hooks) != 0) return declined("a hook of the module");
    }
    return true;
}

PyObject* call_forward(PyObject* self, PyObject* fields, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    constexpr Py_ssize_t FEW = 7;
    Ref forward = Ref::borrow(_PyType_Lookup(Py_TYPE(self), name_forward));
    bool is_method = forward && PyType_HasFeature(Py_TYPE(forward.get()), Py_TPFLAGS_METHOD_DESCRIPTOR) &&
                     find(fields, name_forward) == nullptr;
    if (!is_method || count > FEW) {
        Ref bound = Ref::steal(PyObject_GetAttr(self, name_forward));
        return bound ? PyObject_VectorcallDict(bound.get(), args, count, keywords) : nullptr;
    }
    bool takes_one = count == 1 && keywords == nullptr;
    PyObject* result = run_forward(forward.get(), self, fields, takes_one ? args[0] : nullptr);
    if (result != nullptr || PyErr_Occurred()) return result;
    PyObject* full[FEW + 1] = {self};
    for (Py_ssize_t i = 0; i < count; i++) full[i + 1] = args[i];
    return PyObject_VectorcallDict(forward.get(), full, count + 1, keywords);
}

// Calls as Python does: with the hooks, and with Python's words if the object is no whole module.
PyObject* call_in_python(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (call_carefully == nullptr) return PyErr_Format(PyExc_RuntimeError, "connect_module() was not called");
    Ref all = Ref::steal(PyTuple_New(count + 1));
    if (!all) return nullptr;
    PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(self));
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(args[i]));
    return PyObject_Call(call_carefully, all.get(), keywords);
}

// Says in the words of the error that is under way in which layer it arose. See errors/modules.py.
void explain_failure(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    if (name_layer == nullptr || !PyErr_ExceptionMatches(PyExc_Exception)) return;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) PyException_SetTraceback(value, trace);
    Ref given = Ref::steal(PyTuple_New(count));
    if (given) {
        for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
        Ref::steal(PyObject_CallFunctionObjArgs(name_layer, self, given.get(), value, nullptr));
    }
    // the error itself matters more than one on the way to name its layer
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
}

PyObject* call_inside(PyObject* self, PyObject* fields, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (!is_plain_module(fields)) {
        calls.forwards.decline();
        return call_in_python(self, args, count, keywords);
    }
    calls.forwards.accepted++;
    PyObject* result = call_forward(self, fields, args, count, keywords);
    if (result == nullptr) explain_failure(self, args, count);
    return result;
}

PyObject* call_module(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    if (Py_TYPE(self) == wrapper_class && count == 1 && keywords == nullptr) {
        PyObject* found = run_known_wrapper(self, args[0]);
        if (found != nullptr) calls.forwards.accepted++;
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    if (!fields) return nullptr;
    // None, or whether the graph of a module that was compiled in place must not break: see Module.compile()
    PyObject* compiled = asks_for_compiled ? find(fields.get(), name_compiled) : nullptr;
    bool whole = compiled == Py_True;
    if (compiled == nullptr || Region::is_idle(whole)) return call_inside(self, fields.get(), args, count, keywords);
    Region region(whole);
    return call_inside(self, fields.get(), args, count, keywords);
}

PyObject* module_call(PyObject* self, PyObject* args, PyObject* keywords) {
    return call_module(self, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), keywords);
}

// ---- attributes

// What is registered under a name: a parameter, a module or a buffer; nullptr if there is none, or it is unusual.
Ref find_registered(PyObject* self, PyObject* name) {
    Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    for (PyObject* kind : std::initializer_list<PyObject*>{name_parameters, name_modules, name_buffers}) {
        Ref registered = Ref::borrow(fields ? find(fields.get(), kind) : nullptr);
        if (!registered || !PyDict_Check(registered.get())) break;
        PyObject* found = find(registered.get(), name);
        if (found != nullptr) return Ref::borrow(found);
    }
    PyErr_Clear();
    return Ref();
}

// Module.__getattr__, for what is no plain attribute; Python words the error.
PyObject* module_getattr(PyObject* self, PyObject* name) {
    Ref found = find_registered(self, name);
    if (found) return found.release();
    if (find_carefully == nullptr) return PyErr_Format(PyExc_RuntimeError, "connect_module() was not called");
    return PyObject_CallFunctionObjArgs(find_carefully, self, name, nullptr);
}

// An attribute as Python finds it, then what is registered: without an AttributeError on the way, 0.3 us each.
PyObject* module_getattro(PyObject* self, PyObject* name) {
    if (_PyType_Lookup(Py_TYPE(self), name) == nullptr) {
        Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
        if (!fields) return nullptr;
        PyObject* found = find(fields.get(), name);
        return found != nullptr ? Py_NewRef(found) : module_getattr(self, name);
    }
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return module_getattr(self, name);
}

// quicken(type): a class of modules that defines neither __getattr__ nor __getattribute__ looks up names natively.
// Python gives every class that inherits a __getattr__ a slower way to it; assigning one to the class restores that.
PyObject* quicken(PyObject*, PyObject* object) {
    if (!PyType_Check(object) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), module_base)) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of ModuleBase");
    }
    auto* type = reinterpret_cast<PyTypeObject*>(object);
    PyObject* general = _PyType_Lookup(&PyBaseObject_Type, name_getattribute);
    if (_PyType_Lookup(type, name_getattr) == own_getattr && _PyType_Lookup(type, name_getattribute) == general) {
        type->tp_getattro = module_getattro;
    }
    Py_RETURN_NONE;
}

PyMethodDef base_methods[] = {
    {"__getattr__", guarded_aside<module_getattr>, METH_O, "A parameter, a module or a buffer of this name."},
    {nullptr, nullptr, 0, nullptr},
};

char base_doc[] = "The part of a module that calls it and finds what it registers.";

PyType_Slot base_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(module_call)},
    {Py_tp_methods, base_methods},
    {Py_tp_doc, base_doc},
    {0, nullptr},
};

PyType_Spec base_spec = {
    "rushlight.native.ModuleBase", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, base_slots,
};

// connect_module(call, getattr, name_layer, hooks): what ModuleBase leaves to Python, and the hooks of all modules.
PyObject* connect_module(PyObject*, PyObject* args) {
    PyObject *call, *getattr, *namer, *hooks[4];
    if (!PyArg_ParseTuple(args, "OOO(O!O!O!O!)", &call, &getattr, &namer, &PyDict_Type, &hooks[0], &PyDict_Type,
                          &hooks[1], &PyDict_Type, &hooks[2], &PyDict_Type, &hooks[3])) {
        return nullptr;
    }
    Py_XSETREF(call_carefully, Py_NewRef(call));
    Py_XSETREF(find_carefully, Py_NewRef(getattr));
    Py_XSETREF(name_layer, Py_NewRef(namer));
    for (int i = 0; i < 4; i++) Py_XSETREF(every_hooks[i], Py_NewRef(hooks[i]));
    calls.is_claimed = true;
    Py_RETURN_NONE;
}

PyObject* ask_for_compiled_calls(PyObject*, PyObject*) {
    asks_for_compiled = true;
    Py_RETURN_NONE;
}

PyMethodDef layer_methods[] = {
    {"ask_for_compiled_calls", guarded<ask_for_compiled_calls>, METH_NOARGS,
     "From now on a module's calls may be compiled."},
    {"connect_module", guarded<connect_module>, METH_VARARGS,
     "Give ModuleBase the Python functions for the rare cases."},
    {"quicken", guarded<quicken>, METH_O, "Let a new class of modules look up names natively."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool has_hooks_of_all() {
    for (PyObject* each : every_hooks) {
        if (each == nullptr || PyDict_GET_SIZE(each) != 0) return true;
    }
    return false;
}

void own_hooks(PyObject* fields, PyObject* (&hooks)[HOOK_KINDS]) {
    for (int i = 0; i < HOOK_KINDS; i++) hooks[i] = find(fields, hook_names[i]);
}

PyObject* plain_fields(PyObject* module) {
    if (Py_TYPE(module)->tp_call != module_call || !finds_natively(module)) return nullptr;
    Ref fields = Ref::steal(PyObject_GenericGetDict(module, nullptr));
    PyErr_Clear();
    if (!fields || !is_plain_module(fields.get())) return nullptr;
    return fields.release();
}

PyObject* find_attribute(PyObject* module, PyObject* fields, PyObject* name) {
    if (_PyType_Lookup(Py_TYPE(module), name) != nullptr) return nullptr;
    PyObject* found = find(fields, name);
    if (found != nullptr) return found;
    PyObject* parameters = find(fields, name_parameters);
    return parameters != nullptr && PyDict_Check(parameters) ? find(parameters, name) : nullptr;
}

bool finds_natively(PyObject* object) { return Py_TYPE(object)->tp_getattro == module_getattro; }

PyObject* call_layer(PyObject* module, PyObject* input) {
    if (Py_TYPE(module)->tp_call != module_call) return PyObject_CallOneArg(module, input);
    if (Py_EnterRecursiveCall(" while calling a module")) return nullptr;
    PyObject* result = call_module(module, &input, 1, nullptr);
    Py_LeaveRecursiveCall();
    return result;
}

bool add_layers(PyObject* module) {
    PyObject* made = PyType_FromSpec(&base_spec);
    if (made == nullptr) return false;
    module_base = reinterpret_cast<PyTypeObject*>(made);
    own_getattr = _PyType_Lookup(module_base, name_getattr);
    return PyModule_AddObjectRef(module, "ModuleBase", made) >= 0 && PyModule_AddFunctions(module, layer_methods) >= 0;
}

}  // namespace rushlight
