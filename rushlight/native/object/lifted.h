// Lifted tensors: those that take part in a function transform, and the level they belong to. See core/memory/lifted.py
// and ops/machine/transforms/level.py.
#pragma once

#include "object/tensor.h"

namespace rushlight {

// How native code takes a step of a level: it leaves all of it to Python, records, runs the op on a batch, or on
// tangents too.
enum LevelKind : int { BY_PYTHON, TRACKING, MAPPING, FORWARD };

// One function transform that is running: the fields that transforms/level.py names.
struct Level {
    PyObject_HEAD PyObject* outside;  // a tuple: the levels that were there before it
    PyObject* dict;
    PyObject* weak_references;
    int kind, number;
    bool alive, recording, running;
    bool deep;  // a tensor below it is lifted or requires grad
};

extern PyTypeObject LevelType;
extern PyTypeObject* lifted_class;  // core.memory.lifted.Lifted, given by Python at import

// What a lifted array holds, borrowed: the level and the tensor below; nullptr for a part of one, which holds neither.
Level* level_of(PyArrayObject* lifted);
PyObject* inner_of(PyArrayObject* lifted);
// What the level keeps beside it, borrowed: a tangent, or None.
PyObject* aside_of(PyArrayObject* lifted);

// The array of a tensor that takes part in a transform; nullptr for any other tensor. Borrowed.
inline PyArrayObject* lifted_array(const Tensor* tensor) {
    PyArrayObject* array = tensor->deferred;
    return array != nullptr && Py_TYPE(array) == lifted_class ? array : nullptr;
}

// The array of a tensor around one of the level below, which has `skipped` dimensions more in front; nullptr with an
// exception.
PyArrayObject* lifted_around(PyObject* level, PyObject* inner, PyObject* aside, int skipped);
// The tensor itself.
Tensor* lift(Level* level, PyObject* inner, int skipped, PyObject* aside = Py_None);

// Note what a tensor of a level that records nothing is a view of, for writes to it.
void note_whole(Tensor* made, PyObject* source);

bool add_lifted(PyObject* module);

}  // namespace rushlight
