// Names: interned strings, and values that dicts hold under them.
#pragma once

#include "seam/python.h"

namespace rushlight {

// A name that is interned when the extension is imported: whoever needs it later does not have to ask for memory.
class Interned {
public:
    explicit Interned(const char* text) : text_(text), next_(first_) { first_ = this; }
    Interned(const Interned&) = delete;
    Interned& operator=(const Interned&) = delete;
    operator PyObject*() const { return object_; }
    // All of them; false with an exception.
    static bool intern_all() {
        for (const Interned* each = first_; each != nullptr; each = each->next_) {
            if (each->object_ == nullptr) each->object_ = PyUnicode_InternFromString(each->text_);
            if (each->object_ == nullptr) return false;
        }
        return true;
    }

private:
    const char* text_;
    mutable PyObject* object_ = nullptr;
    const Interned* next_;
    static inline const Interned* first_ = nullptr;
};

// The value of a dict, or nullptr, never with an exception. Borrowed: looking up may run a key's code.
inline PyObject* find(PyObject* dict, PyObject* key) {
    PyObject* found = PyDict_GetItemWithError(dict, key);
    if (found == nullptr) PyErr_Clear();
    return found;
}

}  // namespace rushlight
