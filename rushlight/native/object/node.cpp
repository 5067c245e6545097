// The graph's base type: memory of nodes, and the attributes that Python sees of them.
#include "object/node.h"

#include <cstddef>
#include <new>

#include "memory/arrays.h"
#include "memory/recycling.h"
#include "seam/fallbacks.h"
#include "seam/plan.h"

namespace rushlight {

// the GIL guards it
static uint64_t sequence = 1;

uint64_t next_number() { return sequence++; }

PyObject* next_sequence(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(next_number()); }

bool Output::make_room(int count) {
    dims = static_cast<npy_intp*>(PyMem_Malloc(count * sizeof(npy_intp)));
    if (dims == nullptr) PyErr_NoMemory();
    return dims != nullptr;
}

namespace {

void drop_edges(Node* node) {
    int count = node->edge_count;
    PyObject** edges = node->edges;
    int* numbers = node->numbers;
    node->edge_count = 0;
    node->edges = nullptr;
    node->numbers = nullptr;
    node->has_numbers = false;
    PyObject* few[Node::FEW];
    bool inline_edges = edges == node->few_edges;
    if (inline_edges) {
        for (int i = 0; i < count; i++) few[i] = node->few_edges[i];
        for (int i = 0; i < count; i++) node->few_edges[i] = nullptr;
        edges = few;
    }
    for (int i = 0; i < count; i++) Py_XDECREF(edges[i]);
    if (!inline_edges) PyMem_Free(edges);
    if (numbers != node->few_numbers) PyMem_Free(numbers);
}

void drop_outputs(Node* node) {
    for (int i = 0; i < node->output_count; i++) node->outputs[i].clear();
    if (node->output_count > 1) PyMem_Free(node->outputs);
    node->outputs = nullptr;
    node->output_count = 0;
}

}  // namespace

bool reserve_edges(Node* node, int count) {
    if (node->edges != nullptr) drop_edges(node);
    if (count <= Node::FEW) {
        node->edges = node->few_edges;
        node->numbers = node->few_numbers;
    } else {
        node->edges = static_cast<PyObject**>(PyMem_Malloc(count * sizeof(PyObject*)));
        node->numbers = static_cast<int*>(PyMem_Malloc(count * sizeof(int)));
        if (node->edges == nullptr || node->numbers == nullptr) {
            PyMem_Free(node->edges);
            PyMem_Free(node->numbers);
            node->edges = nullptr;
            node->numbers = nullptr;
            PyErr_NoMemory();
            return false;
        }
    }
    for (int i = 0; i < count; i++) node->edges[i] = nullptr;
    for (int i = 0; i < count; i++) node->numbers[i] = 0;
    node->edge_count = count;
    return true;
}

bool reserve_outputs(Node* node, int count) {
    if (node->outputs != nullptr) drop_outputs(node);
    node->outputs = &node->one_output;
    if (count > 1) {
        node->outputs = static_cast<Output*>(PyMem_Malloc(count * sizeof(Output)));
        if (node->outputs == nullptr) {
            PyErr_NoMemory();
            return false;
        }
        for (int i = 0; i < count; i++) new (&node->outputs[i]) Output();
    }
    node->output_count = count;
    return true;
}

bool reserve_saved(Node* node, int count) {
    if (node->saved != nullptr) drop_saved(node);
    node->saved = node->few_saved;
    if (count > Node::FEW) {
        node->saved = static_cast<Saved*>(PyMem_Malloc(count * sizeof(Saved)));
        if (node->saved == nullptr) {
            PyErr_NoMemory();
            return false;
        }
    }
    for (int i = 0; i < count; i++) node->saved[i] = Saved();
    node->saved_count = count;
    return true;
}

void drop_saved(Node* node) {
    Saved* saved = node->saved;
    int count = node->saved_count;
    node->saved = nullptr;
    node->saved_count = 0;
    Saved few[Node::FEW];
    bool inline_saved = saved == node->few_saved;
    if (inline_saved) {
        for (int i = 0; i < count; i++) few[i] = saved[i];
        saved = few;
    }
    for (int i = 0; i < count; i++) {
        Py_XDECREF(saved[i].extra);
        drop_object(saved[i].value);
    }
    if (!inline_saved) PyMem_Free(saved);
}

PyObject* edge_of_view(Tensor* tensor) {
    if (tensor->node != nullptr && tensor->storage != nullptr && tensor->storage->version == tensor->view_version) {
        return Py_NewRef(tensor->node);
    }
    // a view whose memory was written to takes its history from that write
    return PyObject_CallOneArg(fallbacks.edge_of, as_object(tensor));
}

namespace {

int node_traverse(PyObject* self, visitproc visit, void* arg) {
    Node* node = as_node(self);
    for (int i = 0; i < node->edge_count; i++) Py_VISIT(node->edges[i]);
    for (int i = 0; i < node->saved_count; i++) Py_VISIT(node->saved[i].value);
    Py_VISIT(node->dict);
    Py_VISIT(node->python_plan);
    Py_VISIT(node->saved_list);
    Py_VISIT(node->versions_list);
    Py_VISIT(node->freed);
    Py_VISIT(node->tensor_hooks);
    Py_VISIT(node->pre_hooks);
    Py_VISIT(node->post_hooks);
    Py_VISIT(node->metadata);
    return 0;
}

int node_clear(PyObject* self) {
    Node* node = as_node(self);
    drop_edges(node);
    drop_saved(node);
    Py_CLEAR(node->dict);
    Py_CLEAR(node->python_plan);
    Py_CLEAR(node->saved_list);
    Py_CLEAR(node->versions_list);
    Py_CLEAR(node->freed);
    Py_CLEAR(node->tensor_hooks);
    Py_CLEAR(node->pre_hooks);
    Py_CLEAR(node->post_hooks);
    Py_CLEAR(node->metadata);
    return 0;
}

Recycled<sizeof(Node), 256> recycled;

// A node that has died: nobody can see its parts go, so they need not be taken off it first.
void bury(PyObject* self) {
    Node* node = as_node(self);
    if (node->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    for (int i = 0; i < node->edge_count; i++) Py_XDECREF(node->edges[i]);
    if (node->edge_count > Node::FEW) {
        PyMem_Free(node->edges);
        PyMem_Free(node->numbers);
    }
    for (int i = 0; i < node->saved_count; i++) {
        Py_XDECREF(node->saved[i].extra);
        drop_object(node->saved[i].value);
    }
    if (node->saved_count > Node::FEW) PyMem_Free(node->saved);
    drop_outputs(node);
    clear_place(node->place);
    clear_place(node->freed_place);
    if (!any_of(node->dict, node->python_plan, node->saved_list, node->versions_list, node->freed, node->tensor_hooks,
                node->pre_hooks, node->post_hooks, node->metadata)) {
        return;
    }
    PyObject* rare[] = {node->dict,         node->python_plan, node->saved_list, node->versions_list, node->freed,
                        node->tensor_hooks, node->pre_hooks,   node->post_hooks, node->metadata};
    for (PyObject* each : rare) Py_XDECREF(each);
}

void node_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    bury(self);
    Py_TYPE(self)->tp_free(self);
}

PyObject* node_new(PyTypeObject* type, PyObject*, PyObject*) {
    auto* node = as_node(type->tp_alloc(type, 0));
    if (node != nullptr) node->number = 0;
    return as_object(node);
}

}  // namespace

// What subtype_dealloc would do, in a third of the time.
void free_op_node(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(self) < 0) return;
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, free_op_node) bury(self);
    if (type->tp_dealloc == free_op_node) {
        recycled.give(self);
    } else {
        type->tp_free(self);
    }
    Py_DECREF(type);
    Py_TRASHCAN_END
}

Node* new_node(PyTypeObject* type) {
    if (type->tp_dealloc != free_op_node) {
        if (type->tp_basicsize != sizeof(Node)) {
            PyObject* made = type->tp_alloc(type, 0);
            if (made != nullptr) PyObject_GC_UnTrack(made);
            return as_node(made);
        }
        adopt(type, free_op_node);
    }
    return as_node(recycled.take(type));
}

void release_nodes() { recycled.release(); }

PyTypeObject NodeType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.NodeFields";
    type.tp_basicsize = sizeof(Node);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    type.tp_dictoffset = offsetof(Node, dict);
    type.tp_weaklistoffset = offsetof(Node, weak_references);
    type.tp_new = node_new;
    type.tp_dealloc = node_dealloc;
    type.tp_traverse = node_traverse;
    type.tp_clear = node_clear;
    type.tp_members = node_members;
    type.tp_getset = node_fields;
    type.tp_doc = "The fields of a node.";
    return type;
}();

}  // namespace rushlight
