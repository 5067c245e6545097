// Versions: whether dicts and classes are as they were when something was read of them.
//
// CPython gives each state of a dict a number of its own, and no number twice. What is remembered of it keeps nothing
// alive: a pointer is followed only after those before it have shown that it is still there.
#pragma once

#include "seam/python.h"

namespace rushlight {

// Later versions of Python do not show the versions of dicts: there all is read at each call.
#if PY_VERSION_HEX < 0x030C0000
constexpr bool REMEMBERS = true;
inline uint64_t version_of(PyObject* dict) { return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag; }
inline PyObject* fields_of(PyObject* object) {
    PyObject** place = _PyObject_GetDictPtr(object);
    return place == nullptr ? nullptr : *place;
}
#else
constexpr bool REMEMBERS = false;
inline uint64_t version_of(PyObject*) { return 0; }
inline PyObject* fields_of(PyObject*) { return nullptr; }
#endif

// A class as it was, until one of its names, or of its bases', is bound anew; 0 for one that cannot tell.
inline unsigned version_of(PyTypeObject* type) {
    return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) ? type->tp_version_tag : 0;
}

// A dict as it was read.
struct KnownDict {
    PyObject* dict = nullptr;
    uint64_t version = 0;

    KnownDict() = default;
    explicit KnownDict(PyObject* dict) : dict(dict), version(version_of(dict)) {}
    bool is_as_it_was() const { return version_of(dict) == version; }
};

}  // namespace rushlight
