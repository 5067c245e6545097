// Attributes: methods and fields of Tensor that need no arithmetic. The Python forms are in core/object/tensor.py,
// core/object/attributes.py, core/object/conversion.py and autograd/methods.py; they answer whatever is unusual.
#include "object/attributes.h"

#include <cstring>
#include <vector>

#include "object/elements.h"
#include "object/signed.h"
#include "object/tensor.h"
#include "ops/copying.h"
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_data("data");
const Interned word_detach("detach");

namespace {

constexpr const char* NAMES[ATTRIBUTES] = {
    "shape",    "dtype", "ndim",       "requires_grad", "is_leaf",   "grad_fn",        "grad",           "data",
    "size",     "dim",   "ndimension", "numel",         "nelement",  "stride",         "storage_offset", "data_ptr",
    "cpu",      "item",  "tolist",     "numpy",         "detach",    "requires_grad_", "float",          "double",
    "long",     "int",   "byte",       "bool",          "to",        "contiguous",     "is_contiguous",  "copy_",
    "_copy_",   "zero_", "fill_",      "_put_",         "__float__", "__int__",        "__bool__",       "__index__",
    "__iter__",
};

PyObject* forms[ATTRIBUTES] = {};  // what Python does in the rare cases: a function, or a property

PyObject* missing(Attribute which) {
    return PyErr_Format(PyExc_AttributeError, "a tensor's %s is not known before rushlight is imported", NAMES[which]);
}

}  // namespace

PyObject* form_of(Attribute which) { return forms[which]; }

PyObject* ask(Attribute which, PyObject* self) {
    PyObject* form = forms[which];
    if (form == nullptr) return missing(which);
    descrgetfunc get = Py_TYPE(form)->tp_descr_get;
    return PyFunction_Check(form) || get == nullptr ? PyObject_CallOneArg(form, self)
                                                    : get(form, self, as_object(Py_TYPE(self)));
}

PyObject* call_python(Attribute which, PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (forms[which] == nullptr) return missing(which);
    std::vector<PyObject*> all{self};
    all.insert(all.end(), args, args + count + (names == nullptr ? 0 : PyTuple_GET_SIZE(names)));
    return PyObject_Vectorcall(forms[which], all.data(), count + 1, names);
}

bool is_dtype(PyObject* object) {
    static PyTypeObject* type = nullptr;
    if (type == nullptr && fallbacks.dtypes != nullptr) {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        if (PyDict_Next(fallbacks.dtypes, &position, &key, &value)) type = Py_TYPE(value);
    }
    return Py_TYPE(object) == type;
}

namespace {

int set_by_python(Attribute which, PyObject* self, PyObject* value) {
    PyObject* form = forms[which];
    descrsetfunc set = form == nullptr ? nullptr : Py_TYPE(form)->tp_descr_set;
    if (set != nullptr) return set(form, self, value);
    missing(which);
    return -1;
}

// ---- fields

PyObject* get_shape(PyObject* self, void*) {
    PyArrayObject* array = plain_array(as_tensor(self));
    if (array == nullptr || fallbacks.size == nullptr) return ask(SHAPE, self);
    int ndim = PyArray_NDIM(array);
    auto* type = reinterpret_cast<PyTypeObject*>(fallbacks.size);
    PyObject* size = type->tp_alloc(type, ndim);
    for (int d = 0; size != nullptr && d < ndim; d++) {
        PyObject* extent = PyLong_FromSsize_t(PyArray_DIM(array, d));
        if (extent == nullptr) {
            Py_CLEAR(size);
        } else {
            PyTuple_SET_ITEM(size, d, extent);
        }
    }
    return size;
}

// The dtypes of NumPy's own numbers, found once.
PyObject* get_dtype(PyObject* self, void*) {
    struct Known {
        PyArray_Descr* from;
        PyObject* to;
    };
    static Known table[NPY_NTYPES_LEGACY] = {};
    PyArrayObject* array = plain_array(as_tensor(self));
    if (array == nullptr) return ask(DTYPE, self);
    int type = PyArray_TYPE(array);
    if (type < 0 || type >= NPY_NTYPES_LEGACY) return ask(DTYPE, self);
    Known& known = table[type];
    if (known.from == PyArray_DESCR(array)) return Py_NewRef(known.to);
    PyObject* found = ask(DTYPE, self);
    if (found != nullptr && known.from == nullptr && fallbacks.dtypes != nullptr &&
        PyDict_GetItemWithError(fallbacks.dtypes, as_object(PyArray_DESCR(array))) == found) {
        known = {PyArray_DESCR(array), Py_NewRef(found)};
        Py_INCREF(known.from);
    }
    return found;
}

PyObject* get_ndim(PyObject* self, void*) {
    PyArrayObject* array = plain_array(as_tensor(self));
    return array == nullptr ? ask(NDIM, self) : PyLong_FromLong(PyArray_NDIM(array));
}

PyObject* get_requires_grad(PyObject* self, void*) { return PyBool_FromLong(requires_grad(as_tensor(self))); }

// Whether a view's memory was written to since its history was noted; see `refresh` in core/object/views.py.
bool is_stale(const Tensor* tensor) {
    return tensor->base != nullptr && version_of(tensor) != tensor->view_version &&
           (as_tensor(tensor->base)->requires_grad || tensor->node != nullptr);
}

// True for a leaf of floats, and what changes nothing; the rest has something to note or to refuse.
int set_requires_grad(PyObject* self, PyObject* value, void*) {
    Tensor* tensor = as_tensor(self);
    bool plain = tensor->node == nullptr && tensor->array != nullptr && !tensor->inference && !is_stale(tensor);
    if (plain && value == Py_True && PyTypeNum_ISFLOAT(PyArray_TYPE(tensor->array))) {
        tensor->requires_grad = true;
        return 0;
    }
    if (plain && value == Py_False && !tensor->requires_grad) return 0;
    return set_by_python(REQUIRES_GRAD, self, value);
}

PyObject* get_is_leaf(PyObject* self, void*) {
    if (is_stale(as_tensor(self))) return ask(IS_LEAF, self);
    return PyBool_FromLong(as_tensor(self)->node == nullptr);
}

PyObject* get_grad_fn(PyObject* self, void*) {
    if (is_stale(as_tensor(self))) return ask(GRAD_FN, self);
    PyObject* node = as_tensor(self)->node;
    return Py_NewRef(node != nullptr ? node : Py_None);
}

PyObject* get_grad(PyObject* self, void*) {
    Tensor* tensor = as_tensor(self);
    if (tensor->grad != nullptr) return Py_NewRef(tensor->grad);
    if (tensor->node != nullptr && !tensor->retains) return ask(GRAD, self);  // with a warning
    Py_RETURN_NONE;
}

int set_grad(PyObject* self, PyObject* value, void*) {
    Tensor* tensor = as_tensor(self);
    if (value == nullptr || value == Py_None) {
        Py_CLEAR(tensor->grad);
        return 0;
    }
    PyArrayObject* array = is_any_tensor(value) ? as_tensor(value)->array : nullptr;
    if (array == nullptr || value == self || tensor->array == nullptr ||
        PyArray_DESCR(array) != PyArray_DESCR(tensor->array) || !PyArray_SAMESHAPE(array, tensor->array)) {
        return set_by_python(GRAD, self, value);
    }
    Py_XSETREF(tensor->grad, Py_NewRef(value));
    return 0;
}

void cut_here(Tensor* tensor, PyObject* reason) {
    tensor->cut.reason = Py_NewRef(reason);
    tensor->cut.place = user_place();
}

PyObject* get_data(PyObject* self, void*) {
    Tensor* tensor = as_tensor(self);
    if (tensor->array == nullptr || tensor->inference) return ask(DATA, self);
    Storage* storage = storage_of(tensor);
    if (storage == nullptr) return nullptr;
    Py_INCREF(tensor->array);
    Tensor* found = wrap(tensor->array);
    if (found == nullptr) return nullptr;
    // a count of writes of its own, over the same memory
    found->born = root_of(tensor)->born;
    found->storage = new_storage(storage->array);
    if (found->storage == nullptr) {
        Py_DECREF(found);
        return nullptr;
    }
    if (requires_grad(tensor)) cut_here(found, word_data);
    return as_object(found);
}

int set_data(PyObject* self, PyObject* value, void*) { return set_by_python(DATA, self, value); }

// ---- methods

PyObject* size(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count == 0 && names == nullptr) return get_shape(self, nullptr);
    PyArrayObject* array = plain_array(as_tensor(self));
    if (count == 1 && names == nullptr && array != nullptr && PyLong_CheckExact(args[0])) {
        int overflow;
        long long dim = PyLong_AsLongLongAndOverflow(args[0], &overflow);
        int ndim = PyArray_NDIM(array);
        if (overflow == 0 && dim >= -ndim && dim < ndim) {
            return PyLong_FromSsize_t(PyArray_DIM(array, dim < 0 ? dim + ndim : dim));
        }
    }
    return call_python(SIZE, self, args, count, names);
}

PyObject* dim(PyObject* self, PyObject*) { return get_ndim(self, nullptr); }

PyObject* numel(PyObject* self, PyObject*) {
    PyArrayObject* array = plain_array(as_tensor(self));
    return array == nullptr ? ask(NUMEL, self) : PyLong_FromSsize_t(PyArray_SIZE(array));
}

// Steps in elements; those of an empty tensor are Python's to make up.
PyObject* stride(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyArrayObject* array = plain_array(as_tensor(self));
    if (array == nullptr || count != 0 || names != nullptr || PyArray_SIZE(array) == 0) {
        return call_python(STRIDE, self, args, count, names);
    }
    int ndim = PyArray_NDIM(array);
    PyObject* found = PyTuple_New(ndim);
    for (int d = 0; found != nullptr && d < ndim; d++) {
        PyObject* step = PyLong_FromSsize_t(PyArray_STRIDE(array, d) / PyArray_ITEMSIZE(array));
        if (step == nullptr) {
            Py_CLEAR(found);
        } else {
            PyTuple_SET_ITEM(found, d, step);
        }
    }
    return found;
}

PyObject* storage_offset(PyObject* self, PyObject*) {
    const Tensor* tensor = as_tensor(self);
    if (tensor->array == nullptr) return ask(STORAGE_OFFSET, self);
    return PyLong_FromSsize_t(offset_of(tensor));
}

// The first time Python notes whose address was given away, see core/memory/addresses.py: by a weak reference.
PyObject* data_ptr(PyObject* self, PyObject*) {
    PyArrayObject* array = as_tensor(self)->array;
    if (array == nullptr || PyArray_SIZE(array) == 0) return ask(DATA_PTR, self);
    PyObject* owner = as_object(array);
    while (PyArray_BASE(reinterpret_cast<PyArrayObject*>(owner)) != nullptr &&
           PyArray_Check(PyArray_BASE(reinterpret_cast<PyArrayObject*>(owner)))) {
        owner = PyArray_BASE(reinterpret_cast<PyArrayObject*>(owner));
    }
    if (reinterpret_cast<PyArrayObject_fields*>(owner)->weakreflist == nullptr) return ask(DATA_PTR, self);
    return PyLong_FromVoidPtr(PyArray_DATA(array));
}

PyObject* cpu(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count == 0 && names == nullptr && as_tensor(self)->array != nullptr) return Py_NewRef(self);
    return call_python(CPU, self, args, count, names);
}

PyObject* detach(PyObject* self, PyObject*) {
    Tensor* tensor = as_tensor(self);
    if (tensor->array == nullptr || tensor->inference) return ask(DETACH, self);
    Storage* storage = storage_of(tensor);
    if (storage == nullptr) return nullptr;
    Py_INCREF(tensor->array);
    Tensor* found = wrap(tensor->array);
    if (found == nullptr) return nullptr;
    Py_INCREF(storage);
    found->storage = storage;
    found->born = root_of(tensor)->born;
    if (requires_grad(tensor)) {
        cut_here(found, word_detach);
    } else if (tensor->cut) {
        copy_cut(found, tensor->cut);
    }
    return as_object(found);
}

PyObject* requires_grad_inplace(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyArrayObject* array = as_tensor(self)->array;
    bool simple = names == nullptr && count <= 1 && as_tensor(self)->node == nullptr && array != nullptr &&
                  state.levels == nullptr && PyTypeNum_ISFLOAT(PyArray_TYPE(array));
    if (!simple || (count == 1 && !PyBool_Check(args[0]))) return call_python(REQUIRES_GRAD_, self, args, count, names);
    if (PyObject_SetAttrString(self, "requires_grad", count == 1 ? args[0] : Py_True) < 0) return nullptr;
    return Py_NewRef(self);
}

// ---- iteration

PyObject* iterate(PyObject* self) {
    static Function* unbind = nullptr;
    if (unbind == nullptr) unbind = find_function("unbind");
    bool plain = Py_TYPE(self) == tensor_class || Py_TYPE(self) == parameter_class;
    PyArrayObject* array = as_tensor(self)->array;
    if (unbind == nullptr || !plain || array == nullptr || PyArray_NDIM(array) == 0) return ask(ITER, self);
    Ref rows = Ref::steal(call_function(unbind, &self, 1, nullptr));
    return rows ? PyObject_GetIter(rows.get()) : nullptr;
}

PyGetSetDef fields[] = {
    {"shape", get_shape, nullptr, "The size of each dimension.", nullptr},
    {"dtype", get_dtype, nullptr, "The kind of its numbers.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"requires_grad", get_requires_grad, guarded<set_requires_grad>, "Whether operations on it are recorded.", nullptr},
    {"is_leaf", get_is_leaf, nullptr, "Whether it was created by the user rather than by a recorded operation.",
     nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The node of the graph that made it; None for a leaf.", nullptr},
    {"grad", get_grad, set_grad, "The gradient that backward has left here; None before.", nullptr},
    {"data", get_data, guarded<set_data>,
     "The same memory without history, and without the count of writes that guards a backward.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"size", plain_function(guarded_aside<size>), KEYWORDS,
     SIGNED("size($self, dim=None)", "The shape, or the size of one dimension.")},
    {"dim", guarded_aside<dim>, METH_NOARGS, SIGNED("dim($self)", "The number of dimensions.")},
    {"ndimension", guarded_aside<dim>, METH_NOARGS, SIGNED("ndimension($self)", "The number of dimensions.")},
    {"numel", guarded_aside<numel>, METH_NOARGS, SIGNED("numel($self)", "The number of elements.")},
    {"nelement", guarded_aside<numel>, METH_NOARGS, SIGNED("nelement($self)", "The number of elements.")},
    {"stride", plain_function(guarded_aside<stride>), KEYWORDS,
     SIGNED("stride($self, dim=None)", "Elements to step over in memory for one step in each dimension.")},
    {"storage_offset", guarded<storage_offset>, METH_NOARGS,
     SIGNED("storage_offset($self)", "Where its first element stands in its storage.")},
    {"data_ptr", guarded<data_ptr>, METH_NOARGS, SIGNED("data_ptr($self)", "The address of its first element.")},
    {"cpu", plain_function(guarded<cpu>), KEYWORDS,
     SIGNED("cpu($self, memory_format=None)", "The tensor itself, if it has memory: that is the CPU's.")},
    {"detach", guarded<detach>, METH_NOARGS,
     SIGNED("detach($self)", "The same memory outside the graph; writes through it are still counted.")},
    {"requires_grad_", plain_function(guarded<requires_grad_inplace>), KEYWORDS,
     SIGNED("requires_grad_($self, requires_grad=True)", "Switch recording for a leaf, in place.")},
    {nullptr, nullptr, 0, nullptr},
};

const char* name_of(const PyGetSetDef& field) { return field.name; }
const char* name_of(const PyMethodDef& method) { return method.ml_name; }

// The definitions that the type has and some more, as one list that lives as long as the program.
template <class Definition>
Definition* joined(std::initializer_list<const Definition*> lists) {
    static std::vector<Definition> all;
    for (const Definition* each : lists) {
        for (; name_of(*each) != nullptr; each++) all.push_back(*each);
    }
    all.push_back({});
    return all.data();
}

}  // namespace

void prepare_attributes() {
    TensorType.tp_getset = joined<PyGetSetDef>({TensorType.tp_getset, fields});
    TensorType.tp_methods = joined<PyMethodDef>({TensorType.tp_methods, methods, element_methods, copying_methods});
    TensorType.tp_iter = guarded<iterate>;
    prepare_elements();
}

PyObject* adopt_attribute(PyObject*, PyObject* args) {
    const char* name;
    PyObject* form;
    if (!PyArg_ParseTuple(args, "sO", &name, &form)) return nullptr;
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (std::strcmp(NAMES[i], name) == 0) {
            Py_XSETREF(forms[i], Py_NewRef(form));
            Py_RETURN_TRUE;
        }
    }
    Py_RETURN_FALSE;
}

}  // namespace rushlight
