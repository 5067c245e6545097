// The table of Python functions that native code calls for the rare cases.
#include "hooks.h"

namespace rushlight {

Hooks hooks = {};

namespace {

struct Named {
    const char* name;
    PyObject* Hooks::*place;
};

constexpr Named NAMES[] = {
    {"edge_of", &Hooks::edge_of},
    {"run_node_hooks", &Hooks::run_node_hooks},
    {"apply_carefully", &Hooks::apply_carefully},
    {"fit", &Hooks::fit},
    {"run_leaf_hooks", &Hooks::run_leaf_hooks},
    {"accumulate", &Hooks::accumulate},
    {"watcher", &Hooks::watcher},
    {"run_last_hooks", &Hooks::run_last_hooks},
    {"store", &Hooks::store},
    {"backward", &Hooks::backward},
    {"size", &Hooks::size},
    {"dtypes", &Hooks::dtypes},
    {"operate", &Hooks::operate},
    {"read_item", &Hooks::read_item},
    {"write_item", &Hooks::write_item},
};

}  // namespace

PyObject* connect(PyObject*, PyObject*, PyObject* keywords) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (keywords != nullptr && PyDict_Next(keywords, &position, &key, &value)) {
        bool found = false;
        for (const Named& each : NAMES) {
            if (PyUnicode_CompareWithASCIIString(key, each.name) == 0) {
                Py_INCREF(value);
                Py_XSETREF(hooks.*each.place, value);
                found = true;
            }
        }
        if (!found) return PyErr_Format(PyExc_TypeError, "connect() knows nothing of %R", key);
    }
    Py_RETURN_NONE;
}

}  // namespace rushlight
