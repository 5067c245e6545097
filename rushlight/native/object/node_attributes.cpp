// Attributes of nodes: what Python sees of them, and may change.
#include "object/node.h"

#include <structmember.h>

#include <cstddef>

#include "seam/pending.h"
#include "seam/plan.h"

namespace rushlight {

namespace {

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
        if (each != Py_None && !is_node(each) && !is_any_tensor(each)) {
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
        PyObject* pair = shape == nullptr
                             ? nullptr
                             : Py_BuildValue("(NO)", shape, each.dtype != nullptr ? as_object(each.dtype) : Py_None);
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

PyObject* get_freed(PyObject* self, void*) {
    Node* node = as_node(self);
    if (node->freed_number == 0) return Py_NewRef(node->freed != nullptr ? node->freed : Py_None);
    PyObject* place = place_tuple(node->freed_place);
    return place == nullptr ? nullptr : Py_BuildValue("(NK)", place, node->freed_number);
}

int set_freed(PyObject* self, PyObject* value, void*) {
    Node* node = as_node(self);
    clear_place(node->freed_place);
    node->freed_number = 0;
    Py_XINCREF(value);
    Py_XSETREF(node->freed, value);
    return 0;
}

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
    Tensor* made = wrap_any(reinterpret_cast<PyArrayObject*>(Py_NewRef(saved.value)));
    if (made == nullptr) return nullptr;
    made->storage = reinterpret_cast<Storage*>(Py_NewRef(saved.extra));
    return as_object(made);
}

PyObject* shown_version(const Saved& saved) {
    if (saved.version >= 0) return PyLong_FromSsize_t(saved.version);
    return Py_NewRef(saved.version == Saved::LIST ? saved.extra : Py_None);
}

// Lists of what was saved, and of the versions.
bool list_saved(const Node* node, Ref& values, Ref& versions) {
    values = Ref::steal(PyList_New(node->saved_count));
    versions = Ref::steal(PyList_New(node->saved_count));
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
    return true;
}

// Hand what was saved over to Python, which may change the lists.
bool materialize(Node* node) {
    if (node->saved == nullptr || node->saved_list != nullptr) return true;
    Ref values, versions;
    if (!list_saved(node, values, versions)) return false;
    node->saved_list = values.release();
    node->versions_list = versions.release();
    drop_saved(node);
    return true;
}

PyObject* get_saved(PyObject* self, void*) {
    settle("a look at saved values");
    Node* node = as_node(self);
    if (!materialize(node)) return nullptr;
    return Py_NewRef(node->saved_list != nullptr ? node->saved_list : Py_None);
}

// (values, versions) to look at: the node itself goes on with its own, so that a backward is the same as without.
PyObject* get_looked_at(PyObject* self, void*) {
    settle("a look at saved values");
    Node* node = as_node(self);
    if (node->saved == nullptr) {
        if (node->saved_list == nullptr || node->versions_list == nullptr) Py_RETURN_NONE;
        return PyTuple_Pack(2, node->saved_list, node->versions_list);
    }
    Ref values, versions;
    if (!list_saved(node, values, versions)) return nullptr;
    return PyTuple_Pack(2, values.get(), versions.get());
}

int set_saved(PyObject* self, PyObject* value, void*) {
    Node* node = as_node(self);
    drop_saved(node);
    PyObject* kept = value == nullptr || value == Py_None ? nullptr : Py_NewRef(value);
    Py_XSETREF(node->saved_list, kept);
    return 0;
}

PyObject* get_versions(PyObject* self, void*) {
    settle("a look at saved values");
    Node* node = as_node(self);
    if (!materialize(node)) return nullptr;
    return Py_NewRef(node->versions_list != nullptr ? node->versions_list : Py_None);
}

}  // namespace

PyGetSetDef node_fields[] = {
    {"edges", get_edges, set_edges, nullptr, nullptr},
    {"numbers", get_numbers, set_numbers, nullptr, nullptr},
    {"outputs", get_outputs, set_outputs, nullptr, nullptr},
    {"place", get_place, set_place, nullptr, nullptr},
    {"saved", get_saved, set_saved, nullptr, nullptr},
    {"looked_at", get_looked_at, nullptr, nullptr, nullptr},
    {"freed", get_freed, set_freed, nullptr, nullptr},
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
    {"tensor_hooks", T_OBJECT, offsetof(Node, tensor_hooks), 0, nullptr},
    {"pre_hooks", T_OBJECT, offsetof(Node, pre_hooks), 0, nullptr},
    {"post_hooks", T_OBJECT, offsetof(Node, post_hooks), 0, nullptr},
    {"_metadata", T_OBJECT, offsetof(Node, metadata), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace rushlight
