// State: what this thread has switched on or off, as an object with attributes.
#include "seam/state.h"

#include "seam/region.h"

namespace rushlight {

RUSHLIGHT_SHARED_THREAD_LOCAL State state;

namespace {

template <bool State::* field>
PyObject* get_flag(PyObject*, void*) {
    return PyBool_FromLong(state.*field);
}

template <bool State::* field>
int set_flag(PyObject*, PyObject* value, void*) {
    int truth = value == nullptr ? -1 : PyObject_IsTrue(value);
    if (truth < 0) {
        if (value == nullptr) PyErr_SetString(PyExc_AttributeError, "a mode cannot be deleted");
        return -1;
    }
    state.*field = truth != 0;
    return 0;
}

int set_compiled(PyObject*, PyObject* value, void*) {
    Region::leave(value == Py_True);
    return 0;
}

template <PyObject* State::* field>
PyObject* get_tuple(PyObject*, void*) {
    return state.*field != nullptr ? Py_NewRef(state.*field) : PyTuple_New(0);
}

template <PyObject* State::* field>
int set_tuple(PyObject*, PyObject* value, void*) {
    if (value == nullptr || !PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "saved_hooks and levels are tuples");
        return -1;
    }
    PyObject* kept = PyTuple_GET_SIZE(value) ? Py_NewRef(value) : nullptr;
    Py_XSETREF(state.*field, kept);
    return 0;
}

PyObject* get_birth(PyObject*, void*) { return PyLong_FromUnsignedLong(state.birth); }

int set_birth(PyObject*, PyObject* value, void*) {
    unsigned long given = value == nullptr ? 0 : PyLong_AsUnsignedLong(value);
    if (PyErr_Occurred()) return -1;
    state.birth = static_cast<unsigned>(given);
    return 0;
}

PyGetSetDef state_fields[] = {
    {"grad", get_flag<&State::grad>, set_flag<&State::grad>, nullptr, nullptr},
    {"backward", get_flag<&State::backward>, set_flag<&State::backward>, nullptr, nullptr},
    {"inference", get_flag<&State::inference>, set_flag<&State::inference>, nullptr, nullptr},
    {"anomaly", get_flag<&State::anomaly>, set_flag<&State::anomaly>, nullptr, nullptr},
    {"check_anomaly", get_flag<&State::check_anomaly>, set_flag<&State::check_anomaly>, nullptr, nullptr},
    {"forward", get_flag<&State::forward>, set_flag<&State::forward>, nullptr, nullptr},
    {"no_overrides", get_flag<&State::no_overrides>, set_flag<&State::no_overrides>, nullptr, nullptr},
    {"no_modes", get_flag<&State::no_modes>, set_flag<&State::no_modes>, nullptr, nullptr},
    {"compiled", get_flag<&State::compiled>, set_compiled, nullptr, nullptr},
    {"whole", get_flag<&State::whole>, set_flag<&State::whole>, nullptr, nullptr},
    {"saved_hooks", get_tuple<&State::saved_hooks>, set_tuple<&State::saved_hooks>, nullptr, nullptr},
    {"birth", get_birth, set_birth, nullptr, nullptr},
    {"levels", get_tuple<&State::levels>, set_tuple<&State::levels>, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyTypeObject StateType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.State";
    type.tp_basicsize = sizeof(PyObject);
    type.tp_flags = Py_TPFLAGS_DEFAULT;
    type.tp_getset = state_fields;
    type.tp_new = PyType_GenericNew;
    type.tp_doc = "What this thread has switched on or off.";
    return type;
}();

}  // namespace rushlight
