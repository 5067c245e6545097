// The engine: backward through the graph, newest node first, without recursion. See autograd/engine.py.
#pragma once

#include "object/lifted.h"
#include "object/node.h"

namespace rushlight {

// run_backward([(edge, number, gradient), ...], keep_graph[, inputs, accumulating]): adds to the `.grad` of leaves;
// with inputs, a list of (edge, number) pairs, for those alone, and returns their gradients instead unless
// accumulating.
PyObject* run_backward(PyObject*, PyObject* args);
// The same for inputs of a level, below which all is plain and nobody records: roots and inputs as they are there.
PyObject* run_below(const Level* level, PyObject* roots, PyObject* inputs);
// The newest node of the backward that runs in this thread, or None.
PyObject* current_root(PyObject*, PyObject*);
// How many backwards run inside each other in this thread.
PyObject* current_depth(PyObject*, PyObject*);
// Tensor.backward()
PyObject* tensor_backward(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);

// Whether the saved values are there and as they were saved.
bool is_unchanged(const Node* node);

// The sum of two arrays of one shape and dtype, in place of the first if that is nobody else's (it is taken).
PyArrayObject* add_gradients(PyArrayObject* taken, PyArrayObject* other);
// Add to an array in place; false, with nothing done, where that is not simple.
bool add_into(PyArrayObject* to, PyArrayObject* from);
PyArrayObject* ones_like(PyArrayObject* array);
// A gradient summed to the shape of an input that was broadcast: a new reference, nullptr if native declines.
PyArrayObject* sum_to_shape(PyArrayObject* array, int ndim, const npy_intp* dims);

// A gradient, which is taken, becomes the leaf's or part of it; false with an exception.
bool store_gradient(Tensor* leaf, PyArrayObject* grad);

// Whether nobody but the caller holds the array and its memory.
inline bool is_unshared(PyArrayObject* array) {
    return Py_REFCNT(array) == 1 && PyArray_BASE(array) == nullptr && PyArray_CHKFLAGS(array, NPY_ARRAY_OWNDATA) &&
           PyArray_CheckExact(array) && PyArray_ISWRITEABLE(array);
}

}  // namespace rushlight
