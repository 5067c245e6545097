// The graph's base type: a node with its edges, outputs, saved values and the user's line. See autograd/graph.py.
#pragma once

#include <cstdint>

#include "location.h"
#include "python.h"
#include "tensor.h"

namespace rushlight {

struct OpPlan;

// What the engine knows of one output of a node.
struct Output {
    static constexpr int INLINE_DIMS = 5;
    PyArray_Descr* dtype = nullptr;  // owned
    int ndim = 0;
    npy_intp* dims = nullptr;  // `few`, or allocated
    npy_intp few[INLINE_DIMS] = {};

    bool set(PyArray_Descr* kind, int count, const npy_intp* sizes);
    void clear();
};

// One value that the formulas will need.
struct Saved {
    PyObject* value = nullptr;    // an argument; for a result its array, and never the tensor: that would be a circle
    PyObject* extra = nullptr;    // the storage of a result; the versions of a list of tensors
    Py_ssize_t version = NONE;    // of a tensor

    static constexpr Py_ssize_t NONE = -1;
    static constexpr Py_ssize_t LIST = -2;
};

struct Node {
    static constexpr int FEW = 3;
    PyObject_HEAD
    PyObject* dict;
    PyObject* weak_references;
    uint64_t number;
    Place place;
    // (owned) the nodes and leaves that gradients go to, nullptr where none is wanted; `numbers`: which output of them
    PyObject** edges;
    int* numbers;  // nullptr: always the first
    Output* outputs;
    int edge_count, output_count, saved_count;
    bool has_numbers;
    // made by a native call: what it saved, and how its gradients are found
    const OpPlan* plan;
    Saved* saved;
    // made by Python, or looked at by Python
    PyObject* python_plan;
    PyObject* saved_list;
    PyObject* versions_list;
    PyObject *freed, *tensor_hooks, *pre_hooks, *post_hooks, *metadata;
    PyObject* few_edges[FEW];
    int few_numbers[FEW];
    Output one_output;
    Saved few_saved[FEW];
};

extern PyTypeObject NodeType;  // the base: rushlight.native.NodeFields

inline bool is_node(PyObject* object) { return PyObject_TypeCheck(object, &NodeType); }
inline Node* as_node(PyObject* object) { return reinterpret_cast<Node*>(object); }

// A new node of a class made for an op: its fields zero, not yet tracked; nullptr with an exception.
Node* new_node(PyTypeObject* type);

// newer nodes have larger numbers, so an edge always leads to a smaller one
uint64_t next_number();

extern PyGetSetDef node_fields[];
extern struct PyMemberDef node_members[];

bool reserve_edges(Node* node, int count);
bool reserve_outputs(Node* node, int count);
bool reserve_saved(Node* node, int count);
void drop_saved(Node* node);

// What the tensor's gradient flows to: a new reference, nullptr with an exception if Python objected.
PyObject* edge_of(Tensor* tensor);

PyObject* next_sequence(PyObject*, PyObject*);

}  // namespace rushlight
