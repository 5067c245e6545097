// Disguise: names, defaults, code and documentation are those of the Python function.
#include "seam/disguise.h"

#include <cstddef>

namespace rushlight {

namespace {

Disguise* as_disguise(PyObject* object) { return reinterpret_cast<Disguise*>(object); }

// As a method: bound to the object it was found on.
PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
    return object == nullptr || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

// Every type has a __doc__ of its own, which would hide the function's.
bool belongs_to_the_type(PyObject* name) {
    return PyUnicode_CompareWithASCIIString(name, "__doc__") == 0 ||
           PyUnicode_CompareWithASCIIString(name, "__module__") == 0;
}

PyObject* attribute(PyObject* self, PyObject* name) {
    if (belongs_to_the_type(name)) {
        PyObject* dict = as_disguise(self)->dict;
        PyObject* own = dict == nullptr ? nullptr : PyDict_GetItemWithError(dict, name);
        if (own != nullptr || PyErr_Occurred()) return Py_XNewRef(own);
        return PyObject_GetAttr(as_disguise(self)->python, name);
    }
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    return PyObject_GetAttr(as_disguise(self)->python, name);
}

PyObject* show(PyObject* self) { return PyObject_Repr(as_disguise(self)->python); }

// Pickled by name, as functions are.
PyObject* reduce(PyObject* self, PyObject*) {
    return PyObject_GetAttrString(as_disguise(self)->python, "__qualname__");
}

PyObject* get_wrapped(PyObject* self, void*) { return Py_NewRef(as_disguise(self)->python); }

PyMethodDef disguise_methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef disguise_fields[] = {
    {"__wrapped__", get_wrapped, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

int traverse_disguise(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(as_disguise(self)->python);
    Py_VISIT(as_disguise(self)->dict);
    return 0;
}

int clear_disguise(PyObject* self) {
    Py_CLEAR(as_disguise(self)->python);
    Py_CLEAR(as_disguise(self)->dict);
    return 0;
}

void before_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    if (as_disguise(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
}

PyTypeObject DisguiseType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Disguise";
    type.tp_basicsize = sizeof(Disguise);
    type.tp_flags = DISGUISED | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_vectorcall_offset = offsetof(Disguise, vectorcall);
    type.tp_call = PyVectorcall_Call;
    type.tp_dictoffset = offsetof(Disguise, dict);
    type.tp_weaklistoffset = offsetof(Disguise, weak_references);
    type.tp_traverse = traverse_disguise;
    type.tp_clear = clear_disguise;
    type.tp_descr_get = bind;
    type.tp_getattro = attribute;
    type.tp_repr = show;
    type.tp_methods = disguise_methods;
    type.tp_getset = disguise_fields;
    return type;
}();

}  // namespace rushlight
