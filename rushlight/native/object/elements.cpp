// Elements: a tensor's numbers as Python's and NumPy's. core/object/conversion.py answers whatever is unusual.
#include "object/elements.h"

#include <cmath>
#include <cstring>

#include "object/attributes.h"
#include "object/lost.h"
#include "object/operators.h"
#include "object/signed.h"
#include "object/tensor.h"
#include "seam/guard.h"
#include "seam/state.h"

namespace rushlight {

namespace {

// The only element of a tensor.
struct Element {
    enum Kind { NONE, REAL, WHOLE, TRUTH } kind = NONE;
    double real = 0;
    long long whole = 0;

    explicit Element(PyArrayObject* array) {
        if (array == nullptr || PyArray_SIZE(array) != 1 || !PyArray_ISNOTSWAPPED(array)) return;
        switch (PyArray_TYPE(array)) {
            case NPY_FLOAT: read<float>(array, REAL); break;
            case NPY_DOUBLE: read<double>(array, REAL); break;
            case NPY_LONG: read<long>(array, WHOLE); break;
            case NPY_LONGLONG: read<long long>(array, WHOLE); break;
            case NPY_INT: read<int>(array, WHOLE); break;
            case NPY_UBYTE: read<unsigned char>(array, WHOLE); break;
            case NPY_BOOL: read<unsigned char>(array, TRUTH); break;
        }
    }
    bool is_true() const { return kind == REAL ? real != 0 : whole != 0; }
    PyObject* object() const {
        if (kind == REAL) return PyFloat_FromDouble(real);
        return kind == WHOLE ? PyLong_FromLongLong(whole) : PyBool_FromLong(whole);
    }

private:
    template <class T>
    void read(PyArrayObject* array, Kind found) {
        T value;
        std::memcpy(&value, PyArray_DATA(array), sizeof(T));
        kind = found;
        if (found == REAL) {
            real = static_cast<double>(value);
        } else {
            whole = static_cast<long long>(value);
        }
    }
};

PyObject* item(PyObject* self, PyObject*) {
    Tensor* tensor = as_tensor(self);
    Element element(tensor->array);
    if (element.kind == Element::NONE) return ask(ITEM, self);
    if (requires_grad(tensor)) {
        if (element.kind != Element::REAL) return ask(ITEM, self);
        number_left(element.real);
    }
    return element.object();
}

// Whether the numbers may leave without a word about their history.
bool leaves_freely(Tensor* tensor) {
    return tensor->array != nullptr && !requires_grad(tensor) && PyArray_TYPE(tensor->array) < NPY_NTYPES_LEGACY;
}

PyObject* tolist(PyObject* self, PyObject*) {
    if (!leaves_freely(as_tensor(self))) return ask(TOLIST, self);
    return PyArray_ToList(as_tensor(self)->array);
}

PyObject* numpy(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    Tensor* tensor = as_tensor(self);
    bool plain = count == 0 && names == nullptr && leaves_freely(tensor);
    if (!plain || (tensor->cut && !array_left(tensor->array, tensor->cut))) {
        return call_python(NUMPY, self, args, count, names);
    }
    return PyArray_View(tensor->array, nullptr, nullptr);
}

PyObject* as_float(PyObject* self) {
    Element element(as_tensor(self)->array);
    if (element.kind == Element::NONE || requires_grad(as_tensor(self))) return ask(FLOAT, self);
    return PyFloat_FromDouble(element.kind == Element::REAL ? element.real : static_cast<double>(element.whole));
}

PyObject* as_int(PyObject* self) {
    Element element(as_tensor(self)->array);
    bool plain = element.kind != Element::NONE && !requires_grad(as_tensor(self)) && std::isfinite(element.real);
    if (!plain) return ask(INT, self);
    return element.kind == Element::REAL ? PyLong_FromDouble(element.real) : PyLong_FromLongLong(element.whole);
}

int as_bool(PyObject* self) {
    Element element(as_tensor(self)->array);
    if (element.kind != Element::NONE && !state.whole) return element.is_true();
    Ref found = Ref::steal(ask(BOOLEAN, self));
    return found ? PyObject_IsTrue(found.get()) : -1;
}

PyObject* as_index(PyObject* self) {
    Element element(as_tensor(self)->array);
    bool plain = element.kind == Element::WHOLE || element.kind == Element::TRUTH;
    return plain && !state.whole ? PyLong_FromLongLong(element.whole) : ask(INDEX, self);
}

}  // namespace

PyMethodDef element_methods[] = {
    {"item", guarded<item>, METH_NOARGS, SIGNED("item($self)", "The only element, as a Python number.")},
    {"tolist", guarded<tolist>, METH_NOARGS,
     SIGNED("tolist($self)", "The elements in nested lists; a number if there are no dimensions.")},
    {"numpy", plain_function(guarded<numpy>), KEYWORDS,
     SIGNED("numpy($self, *, force=False)",
            "An array on the tensor's memory; with `force=True` also for a tensor that requires grad.")},
    {nullptr, nullptr, 0, nullptr},
};

void prepare_elements() {
    tensor_as_number.nb_float = guarded<as_float>;
    tensor_as_number.nb_int = guarded<as_int>;
    tensor_as_number.nb_bool = guarded<as_bool>;
    tensor_as_number.nb_index = guarded<as_index>;
}

}  // namespace rushlight
