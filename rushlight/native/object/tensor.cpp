// Tensor's base type and Storage: plain fields, with the names that Python uses.
#include "object/tensor.h"

#include <structmember.h>

#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/engine.h"
#include "memory/arrays.h"
#include "memory/recycling.h"
#include "object/operators.h"
#include "object/signed.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/pending.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_resolve("resolve");
const Interned word_inference("inference");
const Interned word_no_grad("no_grad");

PyTypeObject* tensor_class = nullptr;
PyTypeObject* parameter_class = nullptr;

namespace {

// ---- Storage

PyObject* storage_new(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject* array;
    if (!PyArg_ParseTuple(args, "O", &array)) return nullptr;
    auto* made = reinterpret_cast<Storage*>(type->tp_alloc(type, 0));
    if (made != nullptr) made->array = Py_NewRef(array);
    return as_object(made);
}

void storage_dealloc(PyObject* self) {
    auto* storage = reinterpret_cast<Storage*>(self);
    if (storage->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    Py_XDECREF(storage->array);
    Py_XDECREF(storage->shared);
    clear_place(storage->writer);
    Py_TYPE(self)->tp_free(self);
}

PyObject* get_writer(PyObject* self, void*) { return place_tuple(reinterpret_cast<Storage*>(self)->writer); }

int set_writer(PyObject* self, PyObject* value, void*) {
    return place_from(value, reinterpret_cast<Storage*>(self)->writer) ? 0 : -1;
}

PyObject* get_storage_array(PyObject* self, void*) {
    settle("a look at a storage");
    PyObject* array = reinterpret_cast<Storage*>(self)->array;
    return Py_NewRef(array != nullptr ? array : Py_None);
}

int set_storage_array(PyObject* self, PyObject* value, void*) {
    settle("a storage that gets other memory");
    Py_XINCREF(value);
    Py_XSETREF(reinterpret_cast<Storage*>(self)->array, value);
    return 0;
}

PyMemberDef storage_members[] = {
    {"shared", T_OBJECT, offsetof(Storage, shared), 0, nullptr},
    {"version", T_PYSSIZET, offsetof(Storage, version), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef storage_fields[] = {
    {"array", get_storage_array, set_storage_array, nullptr, nullptr},
    {"writer", get_writer, set_writer, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

// ---- Tensor

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
    Tensor* tensor = as_tensor(self);
    Py_VISIT(tensor->node);
    Py_VISIT(tensor->grad);
    Py_VISIT(tensor->base);
    Py_VISIT(tensor->hooks);
    Py_VISIT(tensor->post_hooks);
    Py_VISIT(tensor->accumulate);
    Py_VISIT(tensor->dict);
    return 0;
}

int tensor_clear(PyObject* self) {
    Tensor* tensor = as_tensor(self);
    Py_CLEAR(tensor->node);
    Py_CLEAR(tensor->grad);
    Py_CLEAR(tensor->base);
    Py_CLEAR(tensor->hooks);
    Py_CLEAR(tensor->post_hooks);
    Py_CLEAR(tensor->accumulate);
    Py_CLEAR(tensor->dict);
    return 0;
}

Recycled<sizeof(Tensor), 256> recycled;

void clear_all(PyObject* self) {
    Tensor* tensor = as_tensor(self);
    if (tensor->weak_references != nullptr) PyObject_ClearWeakRefs(self);
    tensor_clear(self);
    // before the array: a storage that dies here holds it too
    Py_CLEAR(tensor->storage);
    PyArrayObject* array = tensor->array;
    tensor->array = nullptr;
    if (array != nullptr) drop(array);
    if (tensor->deferred != nullptr && pending_count != 0) forget_pending(tensor);
    Py_CLEAR(tensor->deferred);
    Py_CLEAR(tensor->made);
    Py_CLEAR(tensor->cut.reason);
    clear_place(tensor->cut.place);
    clear_place(tensor->created);
}

// Whether it holds more than an array, its storage and a node, as few tensors do that die in a program's loops.
bool has_more(const Tensor* tensor) {
    return any_of(tensor->weak_references, tensor->grad, tensor->base, tensor->hooks, tensor->post_hooks,
                  tensor->accumulate, tensor->dict, tensor->deferred, tensor->made, tensor->cut.reason,
                  tensor->cut.place.code, tensor->created.code);
}

void tensor_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    clear_all(self);
    Py_TYPE(self)->tp_free(self);
}

// For the class Tensor and its subclasses: what subtype_dealloc would do, in a third of the time.
void class_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(self) < 0) return;
    PyObject_GC_UnTrack(self);
    // no trashcan: long chains go through nodes, which have one
    Tensor* tensor = as_tensor(self);
    if (has_more(tensor) || tensor->array == nullptr) {
        clear_all(self);
    } else {
        // nobody can see its parts go, so they need not be taken off it first
        Py_XDECREF(tensor->node);
        Py_XDECREF(tensor->storage);
        drop(tensor->array);
    }
    if (type == tensor_class) {
        recycled.give(self);
    } else {
        type->tp_free(self);
    }
    Py_DECREF(type);
}

PyObject* get_array(PyObject* self, void*) {
    settle("a look at elements, or a write");
    PyArrayObject* array = shown_array(as_tensor(self));
    if (array != nullptr) return Py_NewRef(as_object(array));
    PyErr_SetString(PyExc_AttributeError, "this tensor was never given an array");
    return nullptr;
}

int set_array(PyObject* self, PyObject* value, void*) {
    if (value == nullptr || !PyArray_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "_array must be a NumPy array");
        return -1;
    }
    settle("a tensor that gets other memory");
    Tensor* tensor = as_tensor(self);
    bool plain = PyArray_CheckExact(value);
    auto* array = reinterpret_cast<PyArrayObject*>(Py_NewRef(value));
    Py_XSETREF(tensor->array, plain ? array : nullptr);
    Py_XSETREF(tensor->deferred, plain ? nullptr : array);
    return 0;
}

// A field that holds an object of one type, or None.
template <class Kind, Kind* Tensor::* field, PyTypeObject* type>
int set_typed(PyObject* self, PyObject* value, void*) {
    if (std::is_same_v<Kind, Storage>) settle("a tensor that gets another storage");
    if (value == Py_None) value = nullptr;
    if (value != nullptr && type != nullptr && !PyObject_TypeCheck(value, type)) {
        PyErr_Format(PyExc_TypeError, "expected %s, not %s", type->tp_name, Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_XINCREF(value);
    Py_XSETREF(as_tensor(self)->*field, reinterpret_cast<Kind*>(value));
    return 0;
}

template <class Kind, Kind* Tensor::* field>
PyObject* get_typed(PyObject* self, void*) {
    if (std::is_same_v<Kind, Storage>) settle("a look at a storage");
    PyObject* value = as_object(as_tensor(self)->*field);
    return Py_NewRef(value != nullptr ? value : Py_None);
}

PyObject* get_cut(PyObject* self, void*) { return cut_tuple(as_tensor(self)->cut); }

int set_cut(PyObject* self, PyObject* value, void*) {
    Cut& cut = as_tensor(self)->cut;
    if (value == nullptr || value == Py_None) {
        Py_CLEAR(cut.reason);
        clear_place(cut.place);
        return 0;
    }
    PyObject *reason, *place;
    if (!PyTuple_Check(value) || !PyArg_ParseTuple(value, "OO", &reason, &place)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "_cut is a tuple (reason, place)");
        return -1;
    }
    if (!place_from(place, cut.place)) return -1;
    Py_INCREF(reason);
    Py_XSETREF(cut.reason, reason);
    return 0;
}

PyObject* get_created(PyObject* self, void*) { return place_tuple(as_tensor(self)->created); }

int set_created(PyObject* self, PyObject* value, void*) { return place_from(value, as_tensor(self)->created) ? 0 : -1; }

// as of a class that Python made: it may be deleted, and the next who asks gets an empty one
int set_dict(PyObject* self, PyObject* value, void*) {
    if (value != nullptr) return PyObject_GenericSetDict(self, value, nullptr);
    Py_CLEAR(as_tensor(self)->dict);
    return 0;
}

PyGetSetDef tensor_fields[] = {
    {"_array", get_array, set_array, nullptr, nullptr},
    {"_storage", get_typed<Storage, &Tensor::storage>, set_typed<Storage, &Tensor::storage, &StorageType>, nullptr,
     nullptr},
    {"_node", get_typed<PyObject, &Tensor::node>, set_typed<PyObject, &Tensor::node, nullptr>, nullptr, nullptr},
    {"_grad", get_typed<PyObject, &Tensor::grad>, set_typed<PyObject, &Tensor::grad, &TensorType>, nullptr, nullptr},
    {"_base", get_typed<PyObject, &Tensor::base>, set_typed<PyObject, &Tensor::base, &TensorType>, nullptr, nullptr},
    {"_made", get_typed<PyObject, &Tensor::made>, set_typed<PyObject, &Tensor::made, nullptr>, nullptr, nullptr},
    {"_hooks", get_typed<PyObject, &Tensor::hooks>, set_typed<PyObject, &Tensor::hooks, nullptr>, nullptr, nullptr},
    {"_post_hooks", get_typed<PyObject, &Tensor::post_hooks>, set_typed<PyObject, &Tensor::post_hooks, nullptr>,
     nullptr, nullptr},
    {"_accumulate", get_typed<PyObject, &Tensor::accumulate>, set_typed<PyObject, &Tensor::accumulate, nullptr>,
     nullptr, nullptr},
    {"_cut", get_cut, set_cut, nullptr, nullptr},
    {"_created", get_created, set_created, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, set_dict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef tensor_methods[] = {
    {"backward", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded_aside<tensor_backward>)),
     METH_FASTCALL | METH_KEYWORDS,
     SIGNED("backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)",
            "Add the gradients of this tensor to the `.grad` of the leaves it was computed from.")},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef tensor_members[] = {
    {"_output", T_PYSSIZET, offsetof(Tensor, output), 0, nullptr},
    {"_view_version", T_PYSSIZET, offsetof(Tensor, view_version), 0, nullptr},
    {"_requires_grad", T_BOOL, offsetof(Tensor, requires_grad), 0, nullptr},
    {"_retains", T_BOOL, offsetof(Tensor, retains), 0, nullptr},
    {"_inference", T_BOOL, offsetof(Tensor, inference), 0, nullptr},
    {"_born", T_UINT, offsetof(Tensor, born), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyTypeObject StorageType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.core.memory.storage.Storage";
    type.tp_basicsize = sizeof(Storage);
    type.tp_flags = Py_TPFLAGS_DEFAULT;
    type.tp_weaklistoffset = offsetof(Storage, weak_references);
    type.tp_new = storage_new;
    type.tp_dealloc = storage_dealloc;
    type.tp_members = storage_members;
    type.tp_getset = storage_fields;
    type.tp_doc = "One block of memory; every view of it points here.";
    return type;
}();

PyTypeObject TensorType = [] {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "rushlight.native.Fields";
    type.tp_basicsize = sizeof(Tensor);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
    type.tp_dictoffset = offsetof(Tensor, dict);
    type.tp_weaklistoffset = offsetof(Tensor, weak_references);
    type.tp_new = [](PyTypeObject* kind, PyObject*, PyObject*) {
        PyObject* made = kind->tp_alloc(kind, 0);
        if (made != nullptr) as_tensor(made)->born = state.birth;
        return made;
    };
    type.tp_dealloc = tensor_dealloc;
    type.tp_traverse = tensor_traverse;
    type.tp_clear = tensor_clear;
    type.tp_members = tensor_members;
    type.tp_methods = tensor_methods;
    type.tp_getset = tensor_fields;
    type.tp_as_number = &tensor_as_number;
    type.tp_as_mapping = &tensor_as_mapping;
    type.tp_richcompare = tensor_compare;
    type.tp_hash = [](PyObject* self) { return _Py_HashPointer(self); };
    type.tp_doc = "The fields of a tensor.";
    return type;
}();

PyObject* set_tensor_class(PyObject*, PyObject* type) {
    auto* given = reinterpret_cast<PyTypeObject*>(type);
    if (!PyType_Check(type) || !PyType_IsSubtype(given, &TensorType) || given->tp_basicsize != sizeof(Tensor)) {
        return PyErr_Format(PyExc_TypeError, "expected a subclass of Fields without fields of its own");
    }
    Py_INCREF(type);
    Py_XSETREF(tensor_class, given);
    adopt(given, class_dealloc);
    Py_RETURN_NONE;
}

Tensor* wrap(PyArrayObject* array) {
    auto* made = as_tensor(recycled.take(tensor_class));
    if (made == nullptr) {
        Py_DECREF(array);
        return nullptr;
    }
    made->array = array;
    made->born = state.birth;
    PyObject_GC_Track(made);
    return made;
}

static void leave_to_python(Tensor* tensor) { std::swap(tensor->array, tensor->deferred); }

Tensor* wrap_any(PyArrayObject* array) {
    Tensor* made = wrap(array);
    if (made != nullptr && !PyArray_CheckExact(array)) leave_to_python(made);
    return made;
}

void release_tensors() { recycled.release(); }

Storage* new_storage(PyObject* array) {
    auto* made = PyObject_New(Storage, &StorageType);
    if (made == nullptr) return nullptr;
    made->array = Py_NewRef(array);
    made->weak_references = nullptr;
    made->version = 0;
    made->writer = Place();
    made->shared = nullptr;
    return made;
}

Storage* storage_of(Tensor* tensor) {
    if (tensor->storage == nullptr) tensor->storage = new_storage(as_object(shown_array(tensor)));
    return tensor->storage;
}

Tensor* make_view(Tensor* base, PyArrayObject* array) {
    Storage* storage = storage_of(base);
    if (storage == nullptr) {
        Py_DECREF(array);
        return nullptr;
    }
    Tensor* view = wrap(array);
    if (view == nullptr) return nullptr;
    if (base->array == nullptr && !PyArray_CheckExact(array)) leave_to_python(view);
    Py_INCREF(storage);
    view->storage = storage;
    if (base->inference) {
        // its history never matters: it is no view of anything
        view->inference = true;
        return view;
    }
    view->base = Py_NewRef(base->base != nullptr ? base->base : as_object(base));
    view->view_version = storage->version;
    if (!state.grad) {
        view->made = Py_NewRef(state.inference ? word_inference : word_no_grad);
    } else if (base->made != nullptr) {
        view->made = Py_NewRef(base->made);
    }
    return view;
}

PyArrayObject* settled_array(Tensor* tensor) {
    if (is_pending(tensor)) settle("a look at elements");
    return tensor->array;
}

PyArrayObject* elements_of(Tensor* tensor) {
    settled_array(tensor);
    PyArrayObject* array = shown_array(tensor);
    PyObject* found = array == nullptr           ? nullptr
                      : tensor->array != nullptr ? Py_NewRef(as_object(array))
                                                 : PyObject_CallMethodNoArgs(as_object(array), word_resolve);
    if (found == nullptr && !PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "a gradient without an array");
    return reinterpret_cast<PyArrayObject*>(found);
}

bool written(Tensor* target) {
    Storage* storage = storage_of(target);
    if (storage == nullptr) return false;
    clear_place(storage->writer);
    storage->writer = user_place();
    count_write(storage);
    return true;
}

void share_count(Storage* storage) {
    Ref done = Ref::steal(PyObject_CallOneArg(storage->shared, as_object(storage)));
    // no caller can fail here: a write has happened
    if (!done) PyErr_WriteUnraisable(as_object(storage));
}

void copy_cut(Tensor* to, const Cut& cut) {
    Py_XINCREF(cut.reason);
    Py_XSETREF(to->cut.reason, cut.reason);
    Py_XINCREF(cut.place.code);
    clear_place(to->cut.place);
    to->cut.place = cut.place;
}

PyObject* cut_tuple(const Cut& cut) {
    if (cut.reason == nullptr) Py_RETURN_NONE;
    PyObject* place = place_tuple(cut.place);
    return place == nullptr ? nullptr : Py_BuildValue("(ON)", cut.reason, place);
}

}  // namespace rushlight
