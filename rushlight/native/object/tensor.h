// Tensor's base type: the fields that core/object/tensor.py names, and Storage.
#pragma once

#include "object/location.h"
#include "seam/python.h"

namespace rushlight {

// One block of memory that views share, with the count of writes to it. See core/memory/storage.py.
struct Storage {
    PyObject_HEAD PyObject* array;
    PyObject* weak_references;
    Py_ssize_t version;
    Place writer;
    PyObject* shared;  // nullptr, or what is called after a write: other memory that counts with this
};

// Where a history was cut: (what cut it, where).
struct Cut {
    PyObject* reason = nullptr;  // owned
    Place place;
    explicit operator bool() const { return reason != nullptr; }
};

struct Tensor {
    PyObject_HEAD
        // nullptr where native code must leave the tensor to Python: before it is given one, and while `deferred` is
        // there
        PyArrayObject* array;
    // shows the conjugates or negatives of its memory, see core/memory/deferred.py; or a plain array whose numbers are
    // pending, see seam/pending.h
    PyArrayObject* deferred;
    Storage* storage;
    PyObject* node;
    Py_ssize_t output;
    PyObject* grad;
    // for a view
    PyObject* base;
    Py_ssize_t view_version;
    PyObject* made;
    // for messages
    Cut cut;
    Place created;
    PyObject* hooks;
    PyObject* post_hooks;
    PyObject* accumulate;
    PyObject* dict;
    PyObject* weak_references;
    bool requires_grad, retains, inference;
    unsigned born;  // State::birth when it was made: a function transform that began later has captured it
};

extern PyTypeObject StorageType;
extern PyTypeObject TensorType;        // the base: rushlight.native.Fields
extern PyTypeObject* tensor_class;     // core.tensor.Tensor, given by Python at import
extern PyTypeObject* parameter_class;  // nn.Parameter, once nn is imported

// Whether the instances of a class say themselves how functions treat them; see seam/overrides.h.
bool overrides_functions(PyTypeObject* type);

// Whether it is a tensor that native code may treat as any other: its class has no `__torch_function__` to ask.
inline bool is_tensor(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    // the two classes that nearly all tensors have: asking for any subclass costs 5 ns each time
    if (type == tensor_class || type == parameter_class) return true;
    // and what is nearly always there instead: a number, None, a tuple, whose classes are C's
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return type == &TensorType;
    return PyType_IsSubtype(type, &TensorType) && !overrides_functions(type);
}
// Whether it is a tensor of any class.
inline bool is_any_tensor(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    return type == tensor_class || type == parameter_class || PyType_IsSubtype(type, &TensorType);
}
inline Tensor* as_tensor(PyObject* object) { return reinterpret_cast<Tensor*>(object); }
inline PyObject* as_object(void* object) { return reinterpret_cast<PyObject*>(object); }

// A tensor without history around an array, whose reference it takes; nullptr with an exception.
Tensor* wrap(PyArrayObject* array);
// The same around any array, also one that native code must leave to Python.
Tensor* wrap_any(PyArrayObject* array);
// Gives back the memory of those that have died.
void release_tensors();
// A storage over an array's memory, without writes so far; nullptr with an exception.
Storage* new_storage(PyObject* array);
// The tensor's storage, made now if nothing needed one before; borrowed.
Storage* storage_of(Tensor* tensor);
// A tensor on `array` (taken), a view of `base`'s memory, that shares its count of writes.
Tensor* make_view(Tensor* base, PyArrayObject* array);
// The elements, computed if they are deferred: a new reference, nullptr with an exception.
PyArrayObject* elements_of(Tensor* tensor);
// Count a write, and keep its line; false with an exception.
bool written(Tensor* target);

// The array for its shape and dtype, deferred or not; borrowed.
inline PyArrayObject* shown_array(const Tensor* tensor) {
    return tensor->array != nullptr ? tensor->array : tensor->deferred;
}
inline bool is_pending(const Tensor* tensor) {
    return tensor->array == nullptr && tensor->deferred != nullptr && PyArray_CheckExact(tensor->deferred);
}
// The array as soon as its numbers are there; nullptr as for `array`. Borrowed.
PyArrayObject* settled_array(Tensor* tensor);
// The array for its shape and dtype where those are plain, pending or not; nullptr as for `array`. Borrowed.
inline PyArrayObject* plain_array(const Tensor* tensor) {
    return is_pending(tensor) ? tensor->deferred : tensor->array;
}
// Tells the storages that count with this one of a write.
void share_count(Storage* storage);
inline void count_write(Storage* storage) {
    storage->version++;
    if (storage->shared != nullptr) share_count(storage);
}
inline Py_ssize_t version_of(const Tensor* tensor) { return tensor->storage ? tensor->storage->version : 0; }
inline bool requires_grad(const Tensor* tensor) {
    return tensor->requires_grad || (tensor->base != nullptr && as_tensor(tensor->base)->requires_grad);
}

// Where its first element stands in its storage, in elements; it has an array.
inline Py_ssize_t offset_of(const Tensor* tensor) {
    if (tensor->storage == nullptr) return 0;
    auto* memory = reinterpret_cast<PyArrayObject*>(tensor->storage->array);
    return (PyArray_BYTES(tensor->array) - PyArray_BYTES(memory)) / PyArray_ITEMSIZE(tensor->array);
}

// What a view is a view of, else the tensor itself.
inline const Tensor* root_of(const Tensor* tensor) {
    return tensor->base != nullptr ? as_tensor(tensor->base) : tensor;
}

PyObject* set_tensor_class(PyObject*, PyObject* type);
inline bool is_differentiable(PyArrayObject* array) {
    int type = PyArray_TYPE(array);
    // the one type that NumPy has from elsewhere is bfloat16
    return PyTypeNum_ISFLOAT(type) || PyTypeNum_ISCOMPLEX(type) || PyTypeNum_ISUSERDEF(type);
}

void copy_cut(Tensor* to, const Cut& cut);
PyObject* cut_tuple(const Cut& cut);

}  // namespace rushlight
