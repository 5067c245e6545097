// Known modules: a module as it was when it was read. See fused/versions.h.
#pragma once

#include "fused/layers.h"
#include "fused/versions.h"

namespace rushlight {

struct KnownModule {
    PyObject* module = nullptr;
    PyTypeObject* type = nullptr;
    unsigned type_version = 0;
    PyObject* fields = nullptr;
    uint64_t fields_version = 0;
    PyObject* hooks[HOOK_KINDS] = {};
    // its parameters, or the modules that it runs
    PyObject* inside = nullptr;
    uint64_t inside_version = 0;

    // What is there now, after all that is to be remembered was looked up: that gives a class its version.
    void note_versions() {
        type_version = version_of(type);
        fields_version = version_of(fields);
        inside_version = inside == nullptr ? 0 : version_of(inside);
    }
    bool is_as_it_was() const {
        if (Py_TYPE(module) != type || version_of(type) != type_version || type_version == 0) return false;
        if (fields_of(module) != fields || version_of(fields) != fields_version) return false;
        for (PyObject* each : hooks) {
            if (PyDict_GET_SIZE(each) != 0) return false;
        }
        return inside == nullptr || version_of(inside) == inside_version;
    }
};

}  // namespace rushlight
