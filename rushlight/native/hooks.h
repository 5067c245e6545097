// What native code calls in Python for the rare cases, given once at import.
#pragma once

#include "python.h"

namespace rushlight {

struct Hooks {
    PyObject* edge_of;          // graph.edge_of
    PyObject* run_node_hooks;   // engine.run_tensor_hooks(node, grads)
    PyObject* apply_carefully;  // engine.apply_carefully(node, grads)
    PyObject* fit;              // engine.fit(grad, shape, dtype, node, position)
    PyObject* run_leaf_hooks;   // engine.run_leaf_hooks(leaf, grad)
    PyObject* accumulate;       // engine.accumulate(leaf, grad, create_graph)
    PyObject* watcher;          // engine.watch: there once every backward must go through engine.backward
    PyObject* backward;         // entry.backward: what native declines
    PyObject* size;             // core.size.Size
    PyObject* dtypes;           // {NumPy dtype: dtype}
    PyObject* operate;          // bind.operate(name, one, other): an operator with an unusual operand
    PyObject* read_item;        // indexing.__getitem__
    PyObject* write_item;       // assignment.__setitem__
};

extern Hooks hooks;

// connect(edge_of=..., ...): called by Python; unknown names raise.
PyObject* connect(PyObject*, PyObject* args, PyObject* keywords);

inline bool present(PyObject* object) { return object != nullptr && object != Py_None; }

}  // namespace rushlight
