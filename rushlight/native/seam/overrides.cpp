// Overrides: who among the arguments of a call treats functions itself. The answers are Python's, see
// core/surface/overriding.py.
#include "seam/overrides.h"

#include "object/tensor.h"
#include "seam/disguise.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/shortcut.h"
#include "seam/state.h"

namespace rushlight {

int watching_modes = 0;
const Interned word_torch_function("__torch_function__");

bool overrides_functions(PyTypeObject* type) {
    // a backward's own arithmetic is nobody's call
    if (state.no_overrides || state.backward) return false;
    PyObject* found = _PyType_Lookup(type, word_torch_function);
    return found != nullptr && found != fallbacks.disabled;
}

namespace {

bool may_override(PyObject* value) {
    PyTypeObject* type = Py_TYPE(value);
    if (type == tensor_class || type == parameter_class) return false;
    return PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && overrides_functions(type);
}

// An argument, or an element of one; a list that begins with a number has nobody in it.
bool has_override(PyObject* value) {
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return may_override(value);
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject* each = PySequence_Fast_GET_ITEM(value, i);
        if (may_override(each)) return true;
        if (PyFloat_CheckExact(each) || PyLong_CheckExact(each)) return false;
    }
    return false;
}

bool has_override(PyObject* const* args, Py_ssize_t total) {
    if (state.no_overrides || state.backward) return false;
    for (Py_ssize_t i = 0; i < total; i++) {
        if (has_override(args[i])) return true;
    }
    return false;
}

Py_ssize_t total_of(Py_ssize_t count, PyObject* names) {
    return count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names));
}

// fallbacks.divert(function, args, kwargs): NotImplemented where nobody has a word after all.
PyObject* ask(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (!present(fallbacks.divert)) return nullptr;
    Ref given = Ref::steal(PyTuple_New(count)), named = Ref::steal(PyDict_New());
    if (!given || !named) return nullptr;
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(given.get(), i, Py_NewRef(args[i]));
    for (Py_ssize_t i = count; i < total_of(count, names); i++) {
        if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i - count), args[i]) < 0) return nullptr;
    }
    Ref found = Ref::steal(PyObject_CallFunctionObjArgs(fallbacks.divert, function, given.get(), named.get(), nullptr));
    return found.get() == Py_NotImplemented ? nullptr : found.release();
}

Disguise* as_disguise(PyObject* object) { return reinterpret_cast<Disguise*>(object); }

PyObject* overridable_call(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
    Py_ssize_t count = PyVectorcall_NARGS(flags);
    if (is_watched(*as_disguise(self)) || has_override(args, total_of(count, names))) {
        PyObject* found = ask(self, args, count, names);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    return PyObject_Vectorcall(as_disguise(self)->python, args, flags, names);
}

void overridable_dealloc(PyObject* self) {
    before_dealloc(self);
    clear_disguise(self);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject OverridableType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Overridable";
    type.tp_base = &DisguiseType;
    type.tp_basicsize = sizeof(Disguise);
    type.tp_flags = DISGUISED | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_traverse = traverse_disguise;
    type.tp_clear = clear_disguise;
    type.tp_dealloc = overridable_dealloc;
    return type;
}();

PyObject* make_overridable(PyObject*, PyObject* function) {
    Ref name = Ref::steal(PyObject_GetAttrString(function, "__name__"));
    if (!name) return nullptr;
    if (mark_overridable(function)) {
        as_disguise(function)->makes = makes_tensors(name.get());
        return Py_NewRef(function);
    }
    PyObject* made = OverridableType.tp_alloc(&OverridableType, 0);
    if (made == nullptr) return nullptr;
    as_disguise(made)->makes = makes_tensors(name.get());
    as_disguise(made)->vectorcall = guarded<overridable_call>;
    as_disguise(made)->python = Py_NewRef(function);
    return made;
}

PyObject* watch_modes(PyObject*, PyObject* change) {
    long by = PyLong_AsLong(change);
    if (by == -1 && PyErr_Occurred()) return nullptr;
    watching_modes += static_cast<int>(by);
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"overridable", guarded<make_overridable>, METH_O, "The function, where arguments and modes may have a word."},
    {"watch_modes", guarded<watch_modes>, METH_O, "Count a mode that was entered (1) or left (-1)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool makes_tensors(PyObject* name) {
    int found = fallbacks.making == nullptr ? 0 : PySet_Contains(fallbacks.making, name);
    if (found < 0) PyErr_Clear();
    return found > 0;
}

PyObject* divert(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (!is_watched(*as_disguise(function)) && !has_override(args, total_of(count, names))) return nullptr;
    return ask(function, args, count, names);
}

bool add_overrides(PyObject* module) {
    return PyType_Ready(&OverridableType) >= 0 && PyModule_AddFunctions(module, methods) >= 0;
}

}  // namespace rushlight
