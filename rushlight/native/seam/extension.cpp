// The extension module rushlight.native._core: types and functions that the Python layer uses when it is there.
#include "engine/below.h"
#include "engine/engine.h"
#include "kernels/table.h"
#include "object/attributes.h"
#include "object/location.h"
#include "object/node.h"
#include "object/operators.h"
#include "object/tensor.h"
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/parts.h"
#include "seam/state.h"

namespace rushlight {

namespace {

PyObject* set_parameter_class(PyObject*, PyObject* type) {
    if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &TensorType)) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of Fields");
    }
    Py_INCREF(type);
    Py_XSETREF(parameter_class, reinterpret_cast<PyTypeObject*>(type));
    Py_RETURN_NONE;
}

PyObject* has_kernel(PyObject*, PyObject* name) {
    const char* text = PyUnicode_AsUTF8(name);
    return text == nullptr ? nullptr : PyBool_FromLong(find_kernel(text) != nullptr);
}

PyObject* get_level(PyObject*, PyObject*) { return PyUnicode_FromString(table().level); }

PyObject* get_levels(PyObject*, PyObject*) {
    const char* names[MAX_LEVELS];
    int count = levels_here(names);
    Ref found = Ref::steal(PyTuple_New(count));
    for (int i = 0; found && i < count; i++) {
        PyObject* name = PyUnicode_FromString(names[i]);
        if (name == nullptr) return nullptr;
        PyTuple_SET_ITEM(found.get(), i, name);
    }
    return found.release();
}

PyMethodDef methods[] = {
    {"set_tensor_class", guarded<set_tensor_class>, METH_O, "Say which class results have."},
    {"set_parameter_class", guarded<set_parameter_class>, METH_O, "Say which class parameters have."},
    {"set_package", guarded<set_package>, METH_O, "Say where the package is, whose lines are not the user's."},
    {"set_operator", guarded<set_operator>, METH_VARARGS, "Say which function an operator goes to."},
    {"connect", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<connect>)),
     METH_VARARGS | METH_KEYWORDS, "Give the Python functions for the rare cases."},
    {"adopt", guarded<adopt_attribute>, METH_VARARGS, "Take the Python form of what the base type has."},
    {"user_line", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<user_line>)), METH_FASTCALL,
     "The innermost line outside rushlight on the stack."},
    {"next_number", guarded<next_sequence>, METH_NOARGS, "The number of the next node."},
    {"run_backward", guarded<run_backward>, METH_VARARGS, "One backward pass."},
    {"level_backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<level_backward>)),
     METH_FASTCALL, "The backward pass of a function transform."},
    {"current_depth", guarded<current_depth>, METH_NOARGS, "How many backwards run inside each other in this thread."},
    {"current_root", guarded<current_root>, METH_NOARGS, "The newest node of the backward that runs in this thread."},
    {"has_kernel", guarded<has_kernel>, METH_O, "Whether an op of this name has a kernel."},
    {"kernel_report", guarded<report_kernels>, METH_NOARGS,
     "For each kernel: its name, whether an op has it, and its tallies."},
    {"level", guarded<get_level>, METH_NOARGS, "The instructions that kernels use: baseline, avx2 or avx512."},
    {"levels", guarded<get_levels>, METH_NOARGS, "All that were compiled and run here, the best one first."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_core",
    "The fast path through ops/machine/call.py and autograd/engine.py.",
    -1,
    methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

struct NamedType {
    const char* name;
    PyTypeObject* type;
};

bool add_types(PyObject* module) {
    prepare_attributes();
    const NamedType types[] = {
        {"Fields", &TensorType},     {"Storage", &StorageType}, {"NodeFields", &NodeType},
        {"Function", &FunctionType}, {"State", &StateType},
    };
    for (const NamedType& each : types) {
        if (PyType_Ready(each.type) < 0) return false;
        if (PyModule_AddObjectRef(module, each.name, as_object(each.type)) < 0) return false;
    }
    return true;
}

}  // namespace

}  // namespace rushlight

PyMODINIT_FUNC PyInit__core() {
    if (!rushlight::import_numpy()) return nullptr;
    if (rushlight::table().level[0] == '\0') {
        return PyErr_Format(PyExc_ImportError, "this build has no loops for the CPU of this machine");
    }
    if (!rushlight::check_declarations() || !rushlight::Interned::intern_all()) return nullptr;
    rushlight::Ref module = rushlight::Ref::steal(PyModule_Create(&rushlight::definition));
    if (!module || !rushlight::add_types(module.get()) || !rushlight::add_parts(module.get())) return nullptr;
    return module.release();
}
