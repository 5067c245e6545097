// Regions: calls of compiled functions.
#include "seam/region.h"

#include "object/attributes.h"
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

PyObject* force_eager(PyObject*, PyObject* flag) {
    Region::is_off = flag == Py_True;
    Py_RETURN_NONE;
}

}  // namespace

PyMethodDef region_methods[] = {
    {"run_compiled", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_aside<run_compiled>)),
     METH_FASTCALL, "One call of a compiled function."},
    {"force_eager", guarded<force_eager>, METH_O, "Whether compiled functions run as they stand."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
