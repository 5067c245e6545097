// Creation: common calls of tensor, as_tensor and from_numpy. See core/creation/creation.py; other dtypes, devices,
// layouts and kinds of data are left to it.
#include "ops/creation.h"

#include <cstring>

#include "kernels/table.h"
#include "loops/copy.h"
#include "memory/arrays.h"
#include "object/attributes.h"
#include "object/location.h"
#include "object/lost.h"
#include "object/tensor.h"
#include "ops/views.h"
#include "seam/names.h"
#include "seam/numbers.h"
#include "seam/promotion.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_numpy("numpy");

namespace {

// An attribute of a module of the package, kept once it is there; borrowed, nullptr without an exception.
PyObject* from_package(PyObject*& kept, const char* module, const char* name) {
    if (kept == nullptr) {
        Ref found = Ref::steal(PyImport_ImportModule(module));
        kept = found ? PyObject_GetAttrString(found.get(), name) : nullptr;
        PyErr_Clear();
    }
    return kept;
}

PyObject *cpu = nullptr, *lost_numbers = nullptr, *lost_arrays = nullptr, *catch_up = nullptr;
constexpr const char* LOST = "rushlight.errors.lost";

bool is_cpu(PyObject* device) {
    if (PyUnicode_CheckExact(device)) return PyUnicode_CompareWithASCIIString(device, "cpu") == 0;
    if (from_package(cpu, "rushlight.core.settings.device", "CPU") == nullptr || Py_TYPE(device) != Py_TYPE(cpu))
        return false;
    int same = PyObject_RichCompareBool(device, cpu, Py_EQ);
    if (same < 0) PyErr_Clear();
    return same > 0;
}

bool read_flag(PyObject* value, bool& flag) {
    flag = value == Py_True;
    return value == nullptr || value == Py_True || value == Py_False;
}

}  // namespace

bool Options::read_device(PyObject* given) { return given == nullptr || given == Py_None || is_cpu(given); }

bool Options::read_flags(PyObject* pin_memory, PyObject* requires) {
    bool pinned;
    return read_flag(pin_memory, pinned) && !pinned && read_flag(requires, requires_grad);
}

bool Options::read_dtype(PyObject* given) {
    if (given == nullptr || given == Py_None) return true;
    if (!is_dtype(given)) return false;
    Ref kind = Ref::steal(PyObject_GetAttr(given, word_numpy));
    if (!kind || !PyArray_DescrCheck(kind.get())) return false;
    int type_num = reinterpret_cast<PyArray_Descr*>(kind.get())->type_num;
    for (int each = 0; each < DTYPES; each++) {
        if (type_num_of(each) == type_num) dtype = each;
    }
    return dtype >= 0;
}

PyObject* finish(PyArrayObject* array, bool requires_grad) {
    if (array == nullptr) return nullptr;
    if (requires_grad && !PyTypeNum_ISFLOAT(PyArray_TYPE(array))) {
        Py_DECREF(array);
        return nullptr;
    }
    Tensor* made = wrap(array);
    if (made == nullptr) return nullptr;
    made->created = user_place();
    made->inference = state.inference;
    made->requires_grad = requires_grad;
    return as_object(made);
}

namespace {

// ---- data: numbers and lists of them

// Write a number to a place of an array; false for what does not fit without a closer look.
bool store(PyObject* value, int dtype, PyArrayObject* array, npy_intp place) {
    double number;
    if (dtype == FLOAT32 || dtype == FLOAT64) {
        if (PyBool_Check(value)) {
            number = value == Py_True;
        } else if (!plain_number(value, number)) {
            return false;
        }
        if (dtype == FLOAT32) {
            elements<float>(array)[place] = static_cast<float>(number);
        } else {
            elements<double>(array)[place] = number;
        }
        return true;
    }
    if (PyBool_Check(value)) {
        if (dtype == BOOL) elements<npy_bool>(array)[place] = value == Py_True;
        if (dtype == INT64) elements<int64_t>(array)[place] = value == Py_True;
        return true;
    }
    npy_intp whole;
    if (dtype != INT64 || !read_index(value, whole)) return false;
    elements<int64_t>(array)[place] = whole;
    return true;
}

bool is_list(PyObject* data) { return PyList_CheckExact(data) || PyTuple_CheckExact(data); }

// Nested lists of Python numbers: their shape and the dtype that they ask for.
struct Numbers {
    static constexpr int DEEPEST = 4;
    npy_intp dims[DEEPEST + 1];
    int ndim = 0;
    bool floats = false, integers = false;

    bool read(PyObject* data) {
        for (PyObject* first = data; is_list(first); first = PySequence_Fast_GET_ITEM(first, 0)) {
            if (ndim == DEEPEST || PySequence_Fast_GET_SIZE(first) == 0) return false;
            dims[ndim++] = PySequence_Fast_GET_SIZE(first);
        }
        return look(data, 0);
    }
    int dtype() const { return floats ? default_dtype() : integers ? INT64 : BOOL; }
    bool store_all(PyObject* data, int dtype, PyArrayObject* array) const {
        npy_intp place = 0;
        return store_level(data, dtype, array, 0, place);
    }

private:
    bool look(PyObject* data, int level) {
        if (level == ndim) {
            bool is_float = PyFloat_CheckExact(data), is_integer = PyLong_CheckExact(data);
            floats = floats || is_float;
            integers = integers || is_integer;
            return is_float || is_integer || PyBool_Check(data);
        }
        if (!is_list(data) || PySequence_Fast_GET_SIZE(data) != dims[level]) return false;
        for (npy_intp i = 0; i < dims[level]; i++) {
            if (!look(PySequence_Fast_GET_ITEM(data, i), level + 1)) return false;
        }
        return true;
    }
    bool store_level(PyObject* data, int dtype, PyArrayObject* array, int level, npy_intp& place) const {
        if (level == ndim) return store(data, dtype, array, place++);
        for (npy_intp i = 0; i < dims[level]; i++) {
            if (!store_level(PySequence_Fast_GET_ITEM(data, i), dtype, array, level + 1, place)) return false;
        }
        return true;
    }
};

// Where numbers came out of a graph, as `cut_of_data` in errors/lost.py finds it; borrowed, nullptr for nowhere.
PyObject* cut_of_numbers(PyObject* data) {
    if (from_package(lost_numbers, LOST, "_numbers") == nullptr) return nullptr;
    if (from_package(catch_up, LOST, "catch_up") == nullptr) return nullptr;
    if (has_exits()) {
        Ref done = Ref::steal(PyObject_CallNoArgs(catch_up));
        if (!done) PyErr_Clear();
    }
    if (PyDict_GET_SIZE(lost_numbers) == 0) return nullptr;
    auto find = [](PyObject* value) -> PyObject* {
        PyObject* found = PyFloat_CheckExact(value) ? PyDict_GetItemWithError(lost_numbers, value) : nullptr;
        if (found == nullptr) PyErr_Clear();
        return found;
    };
    if (PyList_CheckExact(data) && PyFloat_CheckExact(PyList_GET_ITEM(data, 0))) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(data); i++) {
            PyObject* found = find(PyList_GET_ITEM(data, i));
            if (found != nullptr) return found;
        }
        return nullptr;
    }
    while (PyList_CheckExact(data) && PyList_GET_SIZE(data) > 0) data = PyList_GET_ITEM(data, 0);
    return find(data);
}

PyObject* tensor_of_numbers(PyObject* data, const Options& options) {
    Numbers numbers;
    DECLINE_IF(!numbers.read(data));
    int dtype = options.dtype >= 0 ? options.dtype : numbers.dtype();
    DECLINE_IF(dtype < 0);
    DECLINE_IF((dtype == INT64 && numbers.floats) || (dtype == BOOL && (numbers.floats || numbers.integers)));
    Ref array = Ref::steal(as_object(new_array(numbers.ndim, numbers.dims, type_num_of(dtype))));
    if (!array) return nullptr;
    DECLINE_IF(!numbers.store_all(data, dtype, array.array()));
    PyObject* cut = numbers.floats ? cut_of_numbers(data) : nullptr;
    Ref made = Ref::steal(finish(reinterpret_cast<PyArrayObject*>(array.release()), options.requires_grad));
    if (made && cut != nullptr && PyObject_SetAttrString(made.get(), "_cut", cut) < 0) return nullptr;
    return made.release();
}

// ---- arrays

// A NumPy array that needs no look: its own class, dense, of a dtype with loops, and never part of a graph.
bool is_plain_array(PyObject* data) {
    if (!PyArray_CheckExact(data) || from_package(lost_arrays, LOST, "_arrays") == nullptr) return false;
    auto* array = reinterpret_cast<PyArrayObject*>(data);
    if (!PyArray_IS_C_CONTIGUOUS(array) || dtype_of(array) < 0) return false;
    if (PyDict_GET_SIZE(lost_arrays) == 0) return true;
    PyObject* base = PyArray_BASE(array);
    Ref key = Ref::steal(PyLong_FromVoidPtr(base != nullptr && PyArray_Check(base) ? base : data));
    return key && PyDict_GetItemWithError(lost_arrays, key.get()) == nullptr && !PyErr_Occurred();
}

PyArrayObject* array_as(PyArrayObject* array, int dtype) {
    int own = dtype_of(array);
    if (dtype < 0 || dtype == own) return packed_copy(array);
    PyArrayObject* made = new_array(PyArray_NDIM(array), PyArray_DIMS(array), type_num_of(dtype));
    if (made != nullptr) table().convert[own][dtype](PyArray_DATA(array), PyArray_DATA(made), PyArray_SIZE(array));
    return made;
}

// A tensor on the array's memory, by an array object of our own.
PyObject* shared(PyArrayObject* array) {
    DECLINE_IF(!PyArray_ISWRITEABLE(array));
    return finish(reinterpret_cast<PyArrayObject*>(PyArray_View(array, nullptr, nullptr)), false);
}

NAMES(OfTensor, data, dtype, device, requires_grad, pin_memory);

PyObject* tensor(const Arguments& arguments) {
    Options options;
    PyObject* data = arguments[OfTensor::data];
    DECLINE_IF(data == nullptr);
    DECLINE_IF(!options.read_dtype(arguments[OfTensor::dtype]) || !options.read_device(arguments[OfTensor::device]));
    DECLINE_IF(!options.read_flags(arguments[OfTensor::pin_memory], arguments[OfTensor::requires_grad]));
    if (is_plain_array(data)) {
        return finish(array_as(reinterpret_cast<PyArrayObject*>(data), options.dtype), options.requires_grad);
    }
    DECLINE_IF(is_tensor(data));
    return tensor_of_numbers(data, options);
}

NAMES(OfAsTensor, data, dtype, device);

PyObject* as_tensor_way(const Arguments& arguments) {
    Options options;
    PyObject* data = arguments[OfAsTensor::data];
    DECLINE_IF(data == nullptr);
    DECLINE_IF(!options.read_dtype(arguments[OfAsTensor::dtype]) ||
               !options.read_device(arguments[OfAsTensor::device]));
    if (is_tensor(data)) {
        DECLINE_IF(options.dtype >= 0);
        return Py_NewRef(data);
    }
    if (!is_plain_array(data)) return tensor_of_numbers(data, options);
    auto* array = reinterpret_cast<PyArrayObject*>(data);
    if (options.dtype < 0 || options.dtype == dtype_of(array)) return shared(array);
    return finish(array_as(array, options.dtype), false);
}

NAMES(OfFromNumpy, array);

PyObject* from_numpy(const Arguments& arguments) {
    PyObject* data = arguments[OfFromNumpy::array];
    DECLINE_IF(data == nullptr || !is_plain_array(data));
    return shared(reinterpret_cast<PyArrayObject*>(data));
}

KERNEL("core.creation.creation.tensor").shortcut(tensor, OfTensor::names);
KERNEL("core.creation.creation.as_tensor").shortcut(as_tensor_way, OfAsTensor::names);
KERNEL("core.creation.creation.from_numpy").shortcut(from_numpy, OfFromNumpy::names);

}  // namespace

}  // namespace rushlight
