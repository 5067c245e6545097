// The backward of a function transform: see Tracking.gradients in ops/machine/transforms/tracking.py.
#pragma once

#include "object/lifted.h"
#include "object/node.h"

namespace rushlight {

// What a saved value is below a level, a new reference: tensors of the level, also in lists, without their layer; a
// result that was saved as an array, in a tensor. nullptr with an exception.
PyObject* saved_below(const Level* level, const Saved& saved);
// Gradients for the edges of an op's node, computed below a level from a list of gradients there; `wanted` is None or a
// list that says for which edges. A list, nullptr with an exception.
PyObject* apply_below(const Level* level, Node* node, PyObject* grads, PyObject* wanted);

// level_backward(level, [(edge, number, gradient), ...], [(edge, number), ...]): the gradients for inputs of a level,
// from gradients below it, as tensors there: a list, or a tuple if they are the engine's own, which may be parts of
// each other; NotImplemented where that is Python's.
PyObject* level_backward(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace rushlight
