// Trees: the walk over a module and those below it. See nn/modules/module.py.
#include "fused/tree.h"

#include <unordered_set>

#include "object/tensor.h"
#include "seam/guard.h"
#include "seam/names.h"

namespace rushlight {

namespace {

// the walks of Tree in Python; a class that overrides one of them is left to Python
constexpr int WALKS = 3;
PyObject *walk_names[WALKS], *walks[WALKS];
PyObject *name_parameters, *name_modules;

struct Walk {
    struct Entered {
        ~Entered() { Py_LeaveRecursiveCall(); }
    };

    std::unordered_set<PyObject*> seen;
    PyObject* found;  // a list

    // whether an object is met for the first time
    bool is_new(PyObject* object) { return seen.insert(object).second; }

    // whether Python would tell it from others by its identity too
    static bool has_identity(PyObject* object) { return Py_TYPE(object)->tp_hash == PyBaseObject_Type.tp_hash; }

    bool add_parameters(PyObject* fields) {
        PyObject* parameters = find(fields, name_parameters);
        if (parameters == nullptr || !PyDict_CheckExact(parameters)) return false;
        Py_ssize_t position = 0;
        PyObject* each;
        while (PyDict_Next(parameters, &position, nullptr, &each)) {
            if (each == Py_None) continue;
            if (!is_tensor(each) || !has_identity(each)) return false;
            if (is_new(each) && PyList_Append(found, each) < 0) return false;
        }
        return true;
    }

    // False where something is unusual.
    bool add(PyObject* module, int walk_count, bool recurse) {
        if (!has_identity(module)) return false;
        for (int i = 0; i < walk_count; i++) {
            if (walks[i] == nullptr || _PyType_Lookup(Py_TYPE(module), walk_names[i]) != walks[i]) return false;
        }
        if (!is_new(module)) return true;
        Ref fields = Ref::steal(PyObject_GenericGetDict(module, nullptr));
        if (!fields || !add_parameters(fields.get())) return false;
        if (!recurse) return true;
        Ref modules = Ref::borrow(find(fields.get(), name_modules));
        if (!modules || !PyDict_CheckExact(modules.get())) return false;
        if (Py_EnterRecursiveCall(" in a tree of modules")) return false;
        Entered entered;
        Py_ssize_t position = 0;
        PyObject* each;
        bool usual = true;
        while (usual && PyDict_Next(modules.get(), &position, nullptr, &each)) {
            Ref held = Ref::borrow(each);
            usual = each == Py_None || add(each, 1, true);
        }
        return usual;
    }
};

// parameters_of(module, recurse): the list of parameters, or None if it declines.
PyObject* parameters_of(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 2) return PyErr_Format(PyExc_TypeError, "parameters_of() takes a module and whether to recurse");
    if (!PyBool_Check(args[1])) Py_RETURN_NONE;
    Ref list = Ref::steal(PyList_New(0));
    if (!list) return nullptr;
    Walk walk{{}, list.get()};
    if (walk.add(args[0], WALKS, args[1] == Py_True)) return list.release();
    PyErr_Clear();
    Py_RETURN_NONE;
}

// connect_tree(Tree): the class with the walks that parameters_of stands in for.
PyObject* connect_tree(PyObject*, PyObject* tree) {
    for (int i = 0; i < WALKS; i++) {
        PyObject* walk = PyObject_GetAttr(tree, walk_names[i]);
        if (walk == nullptr) return nullptr;
        Py_XSETREF(walks[i], walk);
    }
    Py_RETURN_NONE;
}

PyMethodDef tree_methods[] = {
    {"parameters_of", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<parameters_of>)),
     METH_FASTCALL, "The parameters of a module and of those below it; None where Python must find them."},
    {"connect_tree", guarded<connect_tree>, METH_O, "Say which class has the walks that parameters_of stands in for."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_tree(PyObject* module) {
    // every module below the first one is asked for named_modules only
    bool named = intern({{&name_parameters, "_parameters"},
                         {&name_modules, "_modules"},
                         {&walk_names[0], "named_modules"},
                         {&walk_names[1], "_named_members"},
                         {&walk_names[2], "named_parameters"}});
    return named && PyModule_AddFunctions(module, tree_methods) >= 0;
}

}  // namespace rushlight
