// Lifted tensors: the base type of levels, and arrays that show what a tensor of the level below looks like.
#include "object/lifted.h"

#include <structmember.h>

#include <cstddef>

#include "seam/guard.h"
#include "seam/names.h"

namespace rushlight {

PyTypeObject* lifted_class = nullptr;

namespace {

// Where the slots of a lifted array stand in it.
Py_ssize_t level_slot, inner_slot, aside_slot, whole_slot;

PyObject*& slot(PyObject* array, Py_ssize_t offset) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(array) + offset);
}

bool find_slot(PyObject* type, const char* name, Py_ssize_t& offset) {
    Ref found = Ref::steal(PyObject_GetAttrString(type, name));
    if (!found) return false;
    if (Py_TYPE(found.get()) != &PyMemberDescr_Type) {
        PyErr_Format(PyExc_TypeError, "a lifted array has no slot '%s'", name);
        return false;
    }
    offset = reinterpret_cast<PyMemberDescrObject*>(found.get())->d_member->offset;
    return true;
}

PyObject* set_lifted_class(PyObject*, PyObject* type) {
    if (!PyType_Check(type) || !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &PyArray_Type)) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of ndarray");
    }
    if (!find_slot(type, "level", level_slot) || !find_slot(type, "inner", inner_slot) ||
        !find_slot(type, "aside", aside_slot) || !find_slot(type, "whole", whole_slot)) {
        return nullptr;
    }
    Py_INCREF(type);
    Py_XSETREF(lifted_class, reinterpret_cast<PyTypeObject*>(type));
    Py_RETURN_NONE;
}

// An array with the elements of another one, of its first sample where dimensions are skipped.
PyObject* shown_as(PyArrayObject* array, int skipped) {
    int ndim = PyArray_NDIM(array) - skipped;
    bool empty = skipped > 0 && PyArray_DIM(array, 0) == 0;
    Py_INCREF(PyArray_DESCR(array));
    Ref made = Ref::steal(PyArray_NewFromDescr(lifted_class, PyArray_DESCR(array), ndim, PyArray_DIMS(array) + skipped,
                                               empty ? nullptr : PyArray_STRIDES(array) + skipped,
                                               empty ? nullptr : PyArray_DATA(array),
                                               empty ? 0 : PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, nullptr));
    if (!made || empty) return made.release();
    return PyArray_SetBaseObject(made.array(), Py_NewRef(as_object(array))) < 0 ? nullptr : made.release();
}

PyObject* lift_array(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 2 && count != 3) return PyErr_Format(PyExc_TypeError, "lift(level, inner, aside=None)");
    return as_object(lifted_around(args[0], args[1], count == 3 ? args[2] : Py_None, 0));
}

PyObject* lift_first(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 2) return PyErr_Format(PyExc_TypeError, "lift_first(level, inner)");
    return as_object(lifted_around(args[0], args[1], Py_None, 1));
}

PyObject* lift_tensor(PyObject*, PyObject* const* args, Py_ssize_t count) {
    bool fine = count == 3 && PyObject_TypeCheck(args[0], &LevelType) && PyBool_Check(args[2]);
    if (!fine) return PyErr_Format(PyExc_TypeError, "lift_tensor(level, inner, first)");
    return as_object(lift(reinterpret_cast<Level*>(args[0]), args[1], args[2] == Py_True ? 1 : 0));
}

Level* as_level(PyObject* object) { return reinterpret_cast<Level*>(object); }

int level_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(as_level(self)->outside);
    Py_VISIT(as_level(self)->dict);
    return 0;
}

int level_clear(PyObject* self) {
    Py_CLEAR(as_level(self)->outside);
    Py_CLEAR(as_level(self)->dict);
    return 0;
}

void level_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    if (as_level(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    level_clear(self);
    Py_TYPE(self)->tp_free(self);
}

PyMemberDef level_members[] = {
    {"outside", T_OBJECT, offsetof(Level, outside), 0, nullptr},
    {"kind", T_INT, offsetof(Level, kind), 0, nullptr},
    {"number", T_INT, offsetof(Level, number), 0, nullptr},
    {"alive", T_BOOL, offsetof(Level, alive), 0, nullptr},
    {"recording", T_BOOL, offsetof(Level, recording), 0, nullptr},
    {"running", T_BOOL, offsetof(Level, running), 0, nullptr},
    {"deep", T_BOOL, offsetof(Level, deep), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef level_fields[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"set_lifted_class", guarded<set_lifted_class>, METH_O, "Say which class lifted arrays have."},
    {"lift", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<lift_array>)), METH_FASTCALL,
     "The array of a tensor around `inner`, which has the same elements."},
    {"lift_first", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<lift_first>)), METH_FASTCALL,
     "The array of a tensor around `inner`, which has one more dimension in front."},
    {"lift_tensor", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<lift_tensor>)), METH_FASTCALL,
     "The tensor itself."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject LevelType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Level";
    type.tp_basicsize = sizeof(Level);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    type.tp_dictoffset = offsetof(Level, dict);
    type.tp_weaklistoffset = offsetof(Level, weak_references);
    type.tp_new = [](PyTypeObject* kind, PyObject*, PyObject*) { return kind->tp_alloc(kind, 0); };
    type.tp_dealloc = level_dealloc;
    type.tp_traverse = level_traverse;
    type.tp_clear = level_clear;
    type.tp_members = level_members;
    type.tp_getset = level_fields;
    type.tp_doc = "The fields of a level.";
    return type;
}();

Level* level_of(PyArrayObject* lifted) {
    PyObject* level = slot(as_object(lifted), level_slot);
    return level != nullptr && PyObject_TypeCheck(level, &LevelType) ? as_level(level) : nullptr;
}

PyObject* inner_of(PyArrayObject* lifted) { return slot(as_object(lifted), inner_slot); }

PyObject* aside_of(PyArrayObject* lifted) { return slot(as_object(lifted), aside_slot); }

void note_whole(Tensor* made, PyObject* source) {
    PyArrayObject *own = lifted_array(made), *other = lifted_array(as_tensor(source));
    if (own == nullptr || other == nullptr) return;
    PyObject* whole = slot(as_object(other), whole_slot);
    if (whole == nullptr || whole == Py_None) whole = source;
    Py_XSETREF(slot(as_object(own), whole_slot), Py_NewRef(whole));
}

PyArrayObject* lifted_around(PyObject* level, PyObject* inner, PyObject* aside, int skipped) {
    PyArrayObject* array = is_any_tensor(inner) ? shown_array(as_tensor(inner)) : nullptr;
    if (array == nullptr || PyArray_NDIM(array) < skipped) {
        PyErr_SetString(PyExc_TypeError, "a level lifts tensors, and samples have a dimension in front");
        return nullptr;
    }
    PyObject* made = shown_as(array, skipped);
    if (made == nullptr) return nullptr;
    if (lifted_array(as_tensor(inner)) != nullptr || requires_grad(as_tensor(inner))) {
        if (PyObject_TypeCheck(level, &LevelType)) as_level(level)->deep = true;
    }
    slot(made, level_slot) = Py_NewRef(level);
    slot(made, inner_slot) = Py_NewRef(inner);
    slot(made, aside_slot) = Py_NewRef(aside);
    slot(made, whole_slot) = Py_NewRef(Py_None);
    return reinterpret_cast<PyArrayObject*>(made);
}

Tensor* lift(Level* level, PyObject* inner, int skipped, PyObject* aside) {
    PyArrayObject* array = lifted_around(as_object(level), inner, aside, skipped);
    return array == nullptr ? nullptr : wrap_any(array);
}

bool add_lifted(PyObject* module) {
    return PyType_Ready(&LevelType) >= 0 && PyModule_AddObjectRef(module, "Level", as_object(&LevelType)) >= 0 &&
           PyModule_AddFunctions(module, methods) >= 0;
}

}  // namespace rushlight
