// Layers: ModuleBase, which calls `forward` and finds parameters. See nn/modules/module_calls.py.
//
// It adds no field to an object, so that a module may inherit from anything else too, and is copied and pickled as
// any object of Python.
#include "layers.h"

#include <initializer_list>

namespace rushlight {

namespace {

PyObject* module_base;
// what Python gives at import: how to call and to look up with care, the hooks of all modules, Sequential.forward
PyObject *call_carefully, *find_carefully, *sequential_forward;
PyObject* every_hooks[4];

PyObject *name_forward, *name_parameters, *name_modules, *name_buffers, *name_getattr;
PyObject* hook_names[4];
// ModuleBase.__getattr__, to see whether a class has one of its own
PyObject* own_getattr;

PyObject* find(PyObject* dict, PyObject* key) {
    PyObject* found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr) PyErr_Clear();
    return found;
}

// ---- calls

// Whether there are hooks, or something is not as Module.__init__ has made it.
bool needs_care(PyObject* fields) {
    for (PyObject* each : every_hooks) {
        if (each == nullptr || PyDict_GET_SIZE(each) != 0) return true;
    }
    for (PyObject* name : hook_names) {
        PyObject* hooks = find(fields, name);
        if (hooks == nullptr || !PyDict_Check(hooks) || PyDict_GET_SIZE(hooks) != 0) return true;
    }
    return false;
}

PyObject* call_module(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords);

// Sequential.forward: each module gets the result of the one before.
PyObject* run_in_turn(PyObject* modules, PyObject* input);

PyObject* call_forward(PyObject* self, PyObject* fields, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) {
    constexpr Py_ssize_t FEW = 7;
    Ref forward = Ref::borrow(_PyType_Lookup(Py_TYPE(self), name_forward));
    bool is_method = forward && PyType_HasFeature(Py_TYPE(forward.get()), Py_TPFLAGS_METHOD_DESCRIPTOR) &&
                     find(fields, name_forward) == nullptr;
    if (!is_method || count > FEW) {
        Ref bound = Ref::steal(PyObject_GetAttr(self, name_forward));
        return bound ? PyObject_VectorcallDict(bound.get(), args, count, keywords) : nullptr;
    }
    if (forward.get() == sequential_forward && count == 1 && keywords == nullptr) {
        PyObject* modules = find(fields, name_modules);
        if (modules != nullptr && PyDict_CheckExact(modules)) return run_in_turn(modules, args[0]);
    }
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

PyObject* call_module(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    if (!fields) return nullptr;
    auto* way = needs_care(fields.get()) ? call_in_python : nullptr;
    return way != nullptr ? way(self, args, count, keywords)
                          : call_forward(self, fields.get(), args, count, keywords);
}

PyObject* module_call(PyObject* self, PyObject* args, PyObject* keywords) {
    return call_module(self, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), keywords);
}

PyObject* run_in_turn(PyObject* modules, PyObject* given) {
    Ref held = Ref::borrow(modules), input = Ref::borrow(given);
    Py_ssize_t position = 0, size = PyDict_GET_SIZE(modules);
    PyObject* borrowed;
    while (PyDict_Next(modules, &position, nullptr, &borrowed)) {
        Ref module = Ref::borrow(borrowed);
        PyObject* argument = input.get();
        if (Py_TYPE(module.get())->tp_call == module_call) {
            if (Py_EnterRecursiveCall(" while calling a module")) return nullptr;
            input = Ref::steal(call_module(module.get(), &argument, 1, nullptr));
            Py_LeaveRecursiveCall();
        } else {
            input = Ref::steal(PyObject_CallOneArg(module.get(), argument));
        }
        if (!input) return nullptr;
        if (PyDict_GET_SIZE(modules) != size) {
            return PyErr_Format(PyExc_RuntimeError, "dictionary changed size during iteration");
        }
    }
    return input.release();
}

// ---- attributes

// What is registered under a name: a parameter, a module or a buffer; borrowed, nullptr if there is none.
PyObject* find_registered(PyObject* fields, PyObject* name) {
    for (PyObject* kind : {name_parameters, name_modules, name_buffers}) {
        PyObject* registered = find(fields, kind);
        if (registered == nullptr || !PyDict_Check(registered)) return nullptr;
        PyObject* found = find(registered, name);
        if (found != nullptr) return found;
    }
    return nullptr;
}

// Module.__getattribute__: a registered name is found at once, without an AttributeError on the way.
PyObject* module_getattribute(PyObject* self, PyObject* name) {
    PyTypeObject* type = Py_TYPE(self);
    if (PyUnicode_CheckExact(name) && _PyType_Lookup(type, name) == nullptr) {
        Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
        if (!fields) return nullptr;
        PyObject* found = find(fields.get(), name);
        // a class with a __getattr__ of its own decides itself what is registered
        if (found == nullptr && _PyType_Lookup(type, name_getattr) == own_getattr) {
            found = find_registered(fields.get(), name);
        }
        if (found != nullptr) return Py_NewRef(found);
    }
    return PyObject_GenericGetAttr(self, name);
}

// Module.__getattr__, for classes that call it from their own; and it words the error.
PyObject* module_getattr(PyObject* self, PyObject* name) {
    Ref fields = Ref::steal(PyObject_GenericGetDict(self, nullptr));
    if (!fields) return nullptr;
    PyObject* found = PyUnicode_CheckExact(name) ? find_registered(fields.get(), name) : nullptr;
    if (found != nullptr) return Py_NewRef(found);
    if (find_carefully == nullptr) return PyErr_Format(PyExc_RuntimeError, "connect_module() was not called");
    return PyObject_CallFunctionObjArgs(find_carefully, self, name, nullptr);
}

PyMethodDef base_methods[] = {
    {"__getattribute__", module_getattribute, METH_O, "An attribute, or what is registered under the name."},
    {"__getattr__", module_getattr, METH_O, "A parameter, a module or a buffer of this name."},
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

// connect_module(call, getattr, hooks): what ModuleBase leaves to Python, and the hooks of all modules.
PyObject* connect_module(PyObject*, PyObject* args) {
    PyObject *call, *getattr, *hooks[4];
    if (!PyArg_ParseTuple(args, "OO(O!O!O!O!)", &call, &getattr, &PyDict_Type, &hooks[0], &PyDict_Type, &hooks[1],
                          &PyDict_Type, &hooks[2], &PyDict_Type, &hooks[3])) {
        return nullptr;
    }
    Py_XSETREF(call_carefully, Py_NewRef(call));
    Py_XSETREF(find_carefully, Py_NewRef(getattr));
    for (int i = 0; i < 4; i++) Py_XSETREF(every_hooks[i], Py_NewRef(hooks[i]));
    Py_RETURN_NONE;
}

// connect_sequential(forward): Sequential.forward, which run_in_turn stands in for.
PyObject* connect_sequential(PyObject*, PyObject* forward) {
    Py_XSETREF(sequential_forward, Py_NewRef(forward));
    Py_RETURN_NONE;
}

PyMethodDef layer_methods[] = {
    {"connect_module", connect_module, METH_VARARGS, "Give ModuleBase the Python functions for the rare cases."},
    {"connect_sequential", connect_sequential, METH_O, "Say which forward runs modules one after the other."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_layers(PyObject* module) {
    const struct { PyObject** place; const char* text; } wanted[] = {
        {&name_forward, "forward"},        {&name_parameters, "_parameters"},
        {&name_modules, "_modules"},       {&name_buffers, "_buffers"},
        {&name_getattr, "__getattr__"},    {&hook_names[0], "_forward_hooks"},
        {&hook_names[1], "_forward_pre_hooks"}, {&hook_names[2], "_backward_hooks"},
        {&hook_names[3], "_backward_pre_hooks"},
    };
    for (const auto& each : wanted) {
        *each.place = PyUnicode_InternFromString(each.text);
        if (*each.place == nullptr) return false;
    }
    module_base = PyType_FromSpec(&base_spec);
    if (module_base == nullptr) return false;
    own_getattr = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(module_base), name_getattr);
    return PyModule_AddObjectRef(module, "ModuleBase", module_base) >= 0 &&
           PyModule_AddFunctions(module, layer_methods) >= 0;
}

}  // namespace rushlight
