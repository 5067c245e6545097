// Recycling: memory of tensors and nodes that have died, kept for the next ones.
#pragma once

#include <cstdint>
#include <cstring>

#include "seam/python.h"

namespace rushlight {

// Blocks of one size for objects with a garbage collector's head. The GIL guards it.
template <size_t size, int most>
class Recycled {
public:
    // A new object of the type, all its fields zero, not yet tracked; nullptr with an exception.
    PyObject* take(PyTypeObject* type) {
        if (count > 0) {
            PyObject* object = blocks[--count];
            zero(object);
            return PyObject_Init(object, type);
        }
        auto* object = reinterpret_cast<PyObject*>(_PyObject_GC_New(type));
        if (object != nullptr) zero(object);
        return object;
    }
    // The memory of an object of exactly this size that has died.
    void give(PyObject* object) {
        if (count < most) {
            blocks[count++] = object;
        } else {
            PyObject_GC_Del(object);
        }
    }
    void release() {
        while (count > 0) PyObject_GC_Del(blocks[--count]);
    }

private:
    static void zero(PyObject* object) {
        std::memset(reinterpret_cast<char*>(object) + sizeof(PyObject), 0, size - sizeof(PyObject));
    }
    PyObject* blocks[most];
    int count = 0;
};

// Whether any of them is there: one branch for many that seldom are.
template <class... Kinds>
bool any_of(const Kinds*... pointers) {
    return (reinterpret_cast<uintptr_t>(pointers) | ...) != 0;
}

// Make instances of a heap class die by `dealloc`, without the general way through its bases.
inline void adopt(PyTypeObject* type, destructor dealloc) { type->tp_dealloc = dealloc; }

}  // namespace rushlight
