// Regions: calls of compiled functions.
#include "seam/region.h"

#include "object/attributes.h"
#include "object/tensor.h"
#include "seam/disguise.h"
#include "seam/guard.h"

namespace rushlight {

bool Region::is_off = false;

namespace {

PyObject* run_compiled(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 4 || !PyTuple_Check(args[2]) || !PyDict_Check(args[3])) {
        return PyErr_Format(PyExc_TypeError, "run_compiled() takes a function, a flag, a tuple and a dict");
    }
    bool whole = args[1] == Py_True;
    PyObject* named = PyDict_GET_SIZE(args[3]) == 0 ? nullptr : args[3];
    if (Region::is_idle(whole)) return PyObject_Call(args[0], args[2], named);
    Region region(whole);
    return PyObject_Call(args[0], args[2], named);
}

// What torch.compile makes of a function, `python`: a call has no frame of Python's more than the function itself.
struct Compiled : Disguise {
    bool whole;
};

PyObject* call_compiled(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    auto* self = reinterpret_cast<Compiled*>(object);
    if (Region::is_idle(self->whole)) return PyObject_Vectorcall(self->python, args, flags, names);
    Region region(self->whole);
    return PyObject_Vectorcall(self->python, args, flags, names);
}

void delete_compiled(PyObject* self) {
    before_dealloc(self);
    clear_disguise(self);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject CompiledType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Compiled";
    type.tp_base = &DisguiseType;
    type.tp_basicsize = sizeof(Compiled);
    type.tp_flags = DISGUISED | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_traverse = traverse_disguise;
    type.tp_clear = clear_disguise;
    type.tp_dealloc = delete_compiled;
    return type;
}();

// make_compiled(function, fullgraph)
PyObject* make_compiled(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (count != 2 || !PyCallable_Check(args[0])) {
        return PyErr_Format(PyExc_TypeError, "make_compiled() takes a function and a flag");
    }
    auto* made = reinterpret_cast<Compiled*>(CompiledType.tp_alloc(&CompiledType, 0));
    if (made == nullptr) return nullptr;
    made->vectorcall = guarded_aside<call_compiled>;
    made->python = Py_NewRef(args[0]);
    made->whole = args[1] == Py_True;
    return as_object(made);
}

PyObject* force_eager(PyObject*, PyObject* flag) {
    Region::is_off = flag == Py_True;
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"run_compiled", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_aside<run_compiled>)),
     METH_FASTCALL, "One call of a compiled function."},
    {"make_compiled", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<make_compiled>)),
     METH_FASTCALL, "The function, each of whose calls is a compiled one."},
    {"force_eager", guarded<force_eager>, METH_O, "Whether compiled functions run as they stand."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_regions(PyObject* module) {
    return PyType_Ready(&CompiledType) >= 0 && PyModule_AddFunctions(module, methods) >= 0;
}

}  // namespace rushlight
