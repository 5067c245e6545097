// What native code calls in Python for the rare cases, given once at import.
#pragma once

#include "seam/python.h"

namespace rushlight {

struct Fallbacks {
    PyObject* edge_of;          // graph.edge_of
    PyObject* run_node_hooks;   // hook_calls.run_tensor_hooks(node, grads)
    PyObject* apply_carefully;  // hook_calls.apply_carefully(node, grads, wanted or None)
    PyObject* fit;              // engine.fit(grad, shape, dtype, node, position)
    PyObject* run_leaf_hooks;   // hook_calls.run_leaf_hooks(leaf, grad or None)
    PyObject* accumulate;       // accumulation.accumulate(leaf, grad, create_graph)
    PyObject* run_last_hooks;   // hook_calls.run_last_hooks(leaf): those after accumulation
    PyObject* store;            // hook_calls.store(leaf, grad or None, create_graph): accumulate with hooks
    PyObject* watcher;          // engine.watch: there once every backward must go through engine.backward
    PyObject* backward;         // entry.backward: what native declines
    PyObject* size;             // core.size.Size
    PyObject* dtypes;           // {NumPy dtype: dtype}
    PyObject* operate;          // bind.operate(name, one, other): an operator with an unusual operand
    PyObject* read_item;        // indexing.__getitem__
    PyObject* write_item;       // assignment.__setitem__
    PyObject* divert;           // overriding.divert(function, args, kwargs)
    PyObject* making;           // names of the functions that ask for function transforms as they ask for modes
    PyObject* call;             // call.call(op, arguments)
    PyObject* concluded;        // call.concluded(op, arguments, arrays, expected, results, needs, cut)
    PyObject* quiet;            // a context in which NumPy's warnings are off, see core/settings/float_warnings.py
    PyObject* disabled;         // the __torch_function__ of classes that leave functions as they are
};

extern Fallbacks fallbacks;

// connect(edge_of=..., ...): called by Python; unknown names raise.
PyObject* connect(PyObject*, PyObject* args, PyObject* keywords);

inline bool present(PyObject* object) { return object != nullptr && object != Py_None; }

}  // namespace rushlight
