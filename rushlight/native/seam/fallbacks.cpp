// The table of Python functions that native code calls for the rare cases.
#include "seam/fallbacks.h"

namespace rushlight {

Fallbacks fallbacks = {};

namespace {

struct Named {
    const char* name;
    PyObject* Fallbacks::* place;
};

constexpr Named NAMES[] = {
    {"edge_of", &Fallbacks::edge_of},
    {"run_node_hooks", &Fallbacks::run_node_hooks},
    {"apply_carefully", &Fallbacks::apply_carefully},
    {"fit", &Fallbacks::fit},
    {"run_leaf_hooks", &Fallbacks::run_leaf_hooks},
    {"accumulate", &Fallbacks::accumulate},
    {"watcher", &Fallbacks::watcher},
    {"run_last_hooks", &Fallbacks::run_last_hooks},
    {"store", &Fallbacks::store},
    {"backward", &Fallbacks::backward},
    {"size", &Fallbacks::size},
    {"dtypes", &Fallbacks::dtypes},
    {"operate", &Fallbacks::operate},
    {"read_item", &Fallbacks::read_item},
    {"write_item", &Fallbacks::write_item},
    {"divert", &Fallbacks::divert},
    {"making", &Fallbacks::making},
    {"call", &Fallbacks::call},
    {"concluded", &Fallbacks::concluded},
    {"quiet", &Fallbacks::quiet},
    {"disabled", &Fallbacks::disabled},
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
                Py_XSETREF(fallbacks.*each.place, value);
                found = true;
            }
        }
        if (!found) return PyErr_Format(PyExc_TypeError, "connect() knows nothing of %R", key);
    }
    Py_RETURN_NONE;
}

}  // namespace rushlight
