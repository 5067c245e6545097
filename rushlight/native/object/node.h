// The graph's base type: a node with its edges, outputs, saved values and the user's line. See autograd/graph.py.
#pragma once

#include <cstdint>

#include "object/location.h"
#include "object/tensor.h"
#include "seam/python.h"

namespace rushlight {

struct OpPlan;

// What the engine knows of one output of a node.
struct Output {
    static constexpr int INLINE_DIMS = 5;
    PyArray_Descr* dtype = nullptr;  // owned
    int ndim = 0;
    npy_intp* dims = nullptr;  // `few`, or allocated
    npy_intp few[INLINE_DIMS] = {};

    // False with an exception.
    bool set(PyArray_Descr* kind, int count, const npy_intp* sizes) {
        if (dims != nullptr) clear();
        dims = few;
        if (count > INLINE_DIMS && !make_room(count)) return false;
        for (int i = 0; i < count; i++) dims[i] = sizes[i];
        ndim = count;
        Py_XINCREF(kind);
        dtype = kind;
        return true;
    }
    void clear() {
        if (ndim > INLINE_DIMS) PyMem_Free(dims);
        dims = nullptr;
        ndim = 0;
        Py_CLEAR(dtype);
    }

private:
    bool make_room(int count);
};

// One value that the formulas will need.
struct Saved {
    PyObject* value = nullptr;  // an argument; for a result its array, and never the tensor: that would be a circle
    PyObject* extra = nullptr;  // the storage of a result; the versions of a list of tensors
    Py_ssize_t version = NONE;  // of a tensor

    static constexpr Py_ssize_t NONE = -1;
    static constexpr Py_ssize_t LIST = -2;
};

struct Node {
    static constexpr int FEW = 3;  // this many edges and saved values have a place in the node itself
    PyObject_HEAD PyObject* dict;
    PyObject* weak_references;
    uint64_t number;
    Place place;
    // (owned) the nodes and leaves that gradients go to, nullptr where none is wanted; `numbers`: which output of them
    PyObject** edges;
    int* numbers;  // nullptr: always the first
    Output* outputs;
    int edge_count, output_count, saved_count;
    bool has_numbers;
    bool is_lazy;      // of a compiled function: its gradients may be put off
    bool is_declined;  // its op was left to Python inside of a transform: so are its gradients
    // made by a native call: what it saved, and how its gradients are found
    const OpPlan* plan;
    Saved* saved;
    // made by Python, or looked at by Python
    PyObject* python_plan;
    PyObject* saved_list;
    PyObject* versions_list;
    PyObject *freed, *tensor_hooks, *pre_hooks, *post_hooks, *metadata;
    // the native backward that freed the saved values: its line, and the newest node then, 0 for none
    Place freed_place;
    uint64_t freed_number;
    PyObject* few_edges[FEW];
    int few_numbers[FEW];
    Output one_output;
    Saved few_saved[FEW];
};

extern PyTypeObject NodeType;  // the base: rushlight.native.NodeFields

// What frees the nodes of ops; no other objects have it.
void free_op_node(PyObject* self);
// Whether a node or leaf of the graph is a node. The common classes are known at a look: to ask for any subclass takes
// 20 to 60 instructions, and an edge is asked several times.
inline bool is_node(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (type->tp_dealloc == free_op_node) return true;
    return type != tensor_class && type != parameter_class && PyType_IsSubtype(type, &NodeType);
}
inline Node* as_node(PyObject* object) { return reinterpret_cast<Node*>(object); }

// A new node of a class made for an op: its fields zero, not yet tracked; nullptr with an exception.
Node* new_node(PyTypeObject* type);
// Gives back the memory of those that have died.
void release_nodes();

// newer nodes have larger numbers, so an edge always leads to a smaller one
uint64_t next_number();

extern PyGetSetDef node_fields[];
extern struct PyMemberDef node_members[];

// Room for so many edges, outputs and saved values, in place of those that are there; false with an exception.
bool reserve_edges(Node* node, int count);
bool reserve_outputs(Node* node, int count);
bool reserve_saved(Node* node, int count);
void drop_saved(Node* node);
// The same for a new node, whose fields are zero: few have their places already.
inline bool reserve_new(Node* node, int edges, int outputs, int saved) {
    if (edges > Node::FEW || outputs != 1 || saved > Node::FEW) {
        return reserve_edges(node, edges) && reserve_outputs(node, outputs) && reserve_saved(node, saved);
    }
    node->edges = node->few_edges;
    node->numbers = node->few_numbers;
    node->edge_count = edges;
    node->outputs = &node->one_output;
    node->output_count = 1;
    node->saved = node->few_saved;
    node->saved_count = saved;
    for (int i = 0; i < saved; i++) node->saved[i].version = Saved::NONE;
    return true;
}

// What the tensor's gradient flows to: a new reference, nullptr with an exception if Python objected.
PyObject* edge_of_view(Tensor* tensor);
inline PyObject* edge_of(Tensor* tensor) {
    if (tensor->base != nullptr) return edge_of_view(tensor);
    return Py_NewRef(tensor->node != nullptr ? tensor->node : as_object(tensor));
}

PyObject* next_sequence(PyObject*, PyObject*);

}  // namespace rushlight
