// The graph's base type: memory of nodes, and the attributes that Python sees of them.
#include "graph.h"

#include <structmember.h>

#include <cstddef>
#include <new>

#include "hooks.h"
#include "plan.h"
#include "recycling.h"

namespace rushlight {

// the GIL guards it
static uint64_t sequence = 1;

uint64_t next_number() { return sequence++; }

PyObject* next_sequence(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(next_number()); }

bool Output::set(PyArray_Descr* kind, int count, const npy_intp* sizes) {
    clear();
    dims = few;
    if (count > INLINE_DIMS) dims = static_cast<npy_intp*>(PyMem_Malloc(count * sizeof(npy_intp)));
    if (dims == nullptr) {
        PyErr_NoMemory();
        return false;
    }
    for (int i = 0; i < count; i++) dims[i] = sizes[i];
    ndim = count;
    Py_XINCREF(kind);
    dtype = kind;
    return true;
}

void Output::clear() {
    if (dims != few) PyMem_Free(dims);
    dims = nullptr;
    ndim = 0;
    Py_CLEAR(dtype);
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
    if (node->outputs != &node->one_output) PyMem_Free(node->outputs);
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
        Py_XDECREF(saved[i].value);
        Py_XDECREF(saved[i].extra);
    }
    if (!inline_saved) PyMem_Free(saved);
}

PyObject* edge_of(Tensor* tensor) {
    if (tensor->base == nullptr) {
        return Py_NewRef(tensor->node != nullptr ? tensor->node : as_object(tensor));
    }
    if (tensor->node != nullptr && tensor->storage != nullptr && tensor->storage->version == tensor->view_version) {
        return Py_NewRef(tensor->node);
    }
    // a view whose memory was written to takes its history from that write
    return PyObject_CallOneArg(hooks.edge_of, as_object(tensor));
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

Recycled<sizeof(Node), 256>& recycled() {
    static auto* blocks = new Recycled<sizeof(Node), 256>;
    return *blocks;
}

void clear_all(PyObject* self) {
    Node* node = as_node(self);
    if (node->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    node_clear(self);
    drop_outputs(node);
    clear_place(node->place);
}

void node_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    clear_all(self);
    Py_TYPE(self)->tp_free(self);
}

// For the classes of ops: what subtype_dealloc would do, in a third of the time.
void class_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(self) < 0) return;
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, class_dealloc)
    clear_all(self);
    if (type->tp_dealloc == class_dealloc) {
        recycled().give(self);
    } else {
        type->tp_free(self);
    }
    Py_DECREF(type);
    Py_TRASHCAN_END
}

PyObject* get_edges(PyObject* self, void*) {
    Node* node = as_node(self);
    PyObject* found = PyTuple_New(node->edge_count);
    if (found == nullptr) return nullptr;
    for (int i = 0; i < node->edge_count; i++) {
        PyTuple_SET_ITEM(found, i, Py_NewRef(node->edges[i] != nullptr ? node->edges[i] : Py_None));
    }
    return found;
}

int set_edges(PyObject* self, PyObject* value, void*) {
    Ref items = Ref::steal(value == nullptr ? PyTuple_New(0) : PySequence_Tuple(value));
    if (!items) return -1;
    Py_ssize_t count = PyTuple_GET_SIZE(items.get());
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject* each = PyTuple_GET_ITEM(items.get(), i);
        if (each != Py_None && !is_node(each) && !is_tensor(each)) {
            PyErr_SetString(PyExc_TypeError, "an edge is a node, a tensor or None");
            return -1;
        }
    }
    Node* node = as_node(self);
    if (!reserve_edges(node, static_cast<int>(count))) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject* each = PyTuple_GET_ITEM(items.get(), i);
        if (each != Py_None) node->edges[i] = Py_NewRef(each);
    }
    return 0;
}

PyObject* get_numbers(PyObject* self, void*) {
    Node* node = as_node(self);
    if (!node->has_numbers) Py_RETURN_NONE;
    PyObject* found = PyTuple_New(node->edge_count);
    for (int i = 0; found != nullptr && i < node->edge_count; i++) {
        PyTuple_SET_ITEM(found, i, PyLong_FromLong(node->numbers[i]));
    }
    return found;
}

// Set after the edges, of which there must be as many.
int set_numbers(PyObject* self, PyObject* value, void*) {
    Node* node = as_node(self);
    if (value == nullptr || value == Py_None) {
        node->has_numbers = false;
        return 0;
    }
    Ref items = Ref::steal(PySequence_Tuple(value));
    if (!items) return -1;
    if (PyTuple_GET_SIZE(items.get()) != node->edge_count) {
        PyErr_SetString(PyExc_ValueError, "a node has one number for each edge");
        return -1;
    }
    for (int i = 0; i < node->edge_count; i++) {
        long number = PyLong_AsLong(PyTuple_GET_ITEM(items.get(), i));
        if (number < 0) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "an output has a number from 0 on");
            return -1;
        }
        node->numbers[i] = static_cast<int>(number);
    }
    node->has_numbers = true;
    return 0;
}

PyObject* get_outputs(PyObject* self, void*) {
    Node* node = as_node(self);
    PyObject* found = PyTuple_New(node->output_count);
    for (int i = 0; found != nullptr && i < node->output_count; i++) {
        Output& each = node->outputs[i];
        PyObject* shape = PyArray_IntTupleFromIntp(each.ndim, each.dims);
        PyObject* pair = shape == nullptr ? nullptr : Py_BuildValue("(NO)", shape, each.dtype != nullptr ? as_object(each.dtype) : Py_None);
        if (pair == nullptr) {
            Py_CLEAR(found);
            break;
        }
        PyTuple_SET_ITEM(found, i, pair);
    }
    return found;
}

int set_outputs(PyObject* self, PyObject* value, void*) {
    Ref items = Ref::steal(value == nullptr ? PyTuple_New(0) : PySequence_Tuple(value));
    if (!items) return -1;
    Node* node = as_node(self);
    int count = static_cast<int>(PyTuple_GET_SIZE(items.get()));
    if (!reserve_outputs(node, count)) return -1;
    for (int i = 0; i < count; i++) {
        PyObject *shape, *dtype;
        PyObject* pair = PyTuple_GET_ITEM(items.get(), i);
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "O!O", &PyTuple_Type, &shape, &dtype)) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an output is a pair (shape, dtype)");
            return -1;
        }
        npy_intp dims[NPY_MAXDIMS];
        Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
        if ((dtype != Py_None && !PyArray_DescrCheck(dtype)) || ndim > NPY_MAXDIMS) {
            PyErr_SetString(PyExc_TypeError, "an output is a pair (shape, dtype)");
            return -1;
        }
        for (Py_ssize_t dim = 0; dim < ndim; dim++) {
            dims[dim] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, dim));
            if (dims[dim] == -1 && PyErr_Occurred()) return -1;
        }
        // a result that is no tensor has no dtype
        auto* kind = dtype == Py_None ? nullptr : reinterpret_cast<PyArray_Descr*>(dtype);
        if (!node->outputs[i].set(kind, static_cast<int>(ndim), dims)) return -1;
    }
    return 0;
}

PyObject* get_place(PyObject* self, void*) { return place_tuple(as_node(self)->place); }

int set_place(PyObject* self, PyObject* value, void*) { return place_from(value, as_node(self)->place) ? 0 : -1; }

PyObject* get_plan(PyObject* self, void*) {
    Node* node = as_node(self);
    if (node->python_plan != nullptr) return Py_NewRef(node->python_plan);
    if (node->plan != nullptr) return Py_NewRef(node->plan->python);
    PyErr_SetString(PyExc_AttributeError, "plan");
    return nullptr;
}

// A saved value as Python sees it: a result becomes a tensor without history on the same memory.
PyObject* shown(const Saved& saved) {
    if (saved.value == nullptr) Py_RETURN_NONE;
    if (saved.extra == nullptr || saved.version == Saved::LIST) return Py_NewRef(saved.value);
    Tensor* made = wrap(reinterpret_cast<PyArrayObject*>(Py_NewRef(saved.value)));
    if (made == nullptr) return nullptr;
    made->storage = reinterpret_cast<Storage*>(Py_NewRef(saved.extra));
    return as_object(made);
}

PyObject* shown_version(const Saved& saved) {
    if (saved.version >= 0) return PyLong_FromSsize_t(saved.version);
    return Py_NewRef(saved.version == Saved::LIST ? saved.extra : Py_None);
}

// Hand what was saved over to Python, which may change the lists.
bool materialize(Node* node) {
    if (node->saved == nullptr || node->saved_list != nullptr) return true;
    Ref values = Ref::steal(PyList_New(node->saved_count));
    Ref versions = Ref::steal(PyList_New(node->saved_count));
    if (!values || !versions) return false;
    for (int i = 0; i < node->saved_count; i++) {
        PyObject* value = shown(node->saved[i]);
        PyObject* version = shown_version(node->saved[i]);
        if (value == nullptr || version == nullptr) {
            Py_XDECREF(value);
            Py_XDECREF(version);
            return false;
        }
        PyList_SET_ITEM(values.get(), i, value);
        PyList_SET_ITEM(versions.get(), i, version);
    }
    node->saved_list = values.release();
    node->versions_list = versions.release();
    drop_saved(node);
    return true;
}

PyObject* get_saved(PyObject* self, void*) {
    Node* node = as_node(self);
    if (!materialize(node)) return nullptr;
    return Py_NewRef(node->saved_list != nullptr ? node->saved_list : Py_None);
}

int set_saved(PyObject* self, PyObject* value, void*) {
    Node* node = as_node(self);
    drop_saved(node);
    PyObject* kept = value == nullptr || value == Py_None ? nullptr : Py_NewRef(value);
    Py_XSETREF(node->saved_list, kept);
    return 0;
}

PyObject* get_versions(PyObject* self, void*) {
    Node* node = as_node(self);
    if (!materialize(node)) return nullptr;
    return Py_NewRef(node->versions_list != nullptr ? node->versions_list : Py_None);
}

PyObject* node_new(PyTypeObject* type, PyObject*, PyObject*) {
    auto* node = as_node(type->tp_alloc(type, 0));
    if (node != nullptr) node->number = 0;
    return as_object(node);
}

PyGetSetDef node_fields[] = {
    {"edges", get_edges, set_edges, nullptr, nullptr},
    {"numbers", get_numbers, set_numbers, nullptr, nullptr},
    {"outputs", get_outputs, set_outputs, nullptr, nullptr},
    {"place", get_place, set_place, nullptr, nullptr},
    {"saved", get_saved, set_saved, nullptr, nullptr},
    {"plan", get_plan,
     [](PyObject* self, PyObject* value, void*) {
         Py_XINCREF(value);
         Py_XSETREF(as_node(self)->python_plan, value);
         return 0;
     },
     nullptr, nullptr},
    {"versions", get_versions,
     [](PyObject* self, PyObject* value, void*) {
         Py_XINCREF(value);
         Py_XSETREF(as_node(self)->versions_list, value);
         return 0;
     },
     nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef node_members[] = {
    {"number", T_ULONGLONG, offsetof(Node, number), 0, nullptr},
    {"freed", T_OBJECT, offsetof(Node, freed), 0, nullptr},
    {"tensor_hooks", T_OBJECT, offsetof(Node, tensor_hooks), 0, nullptr},
    {"pre_hooks", T_OBJECT, offsetof(Node, pre_hooks), 0, nullptr},
    {"post_hooks", T_OBJECT, offsetof(Node, post_hooks), 0, nullptr},
    {"_metadata", T_OBJECT, offsetof(Node, metadata), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

Node* new_node(PyTypeObject* type) {
    if (type->tp_dealloc != class_dealloc) {
        if (type->tp_basicsize != sizeof(Node)) return as_node(type->tp_alloc(type, 0));
        adopt(type, class_dealloc);
    }
    return as_node(recycled().take(type));
}

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
