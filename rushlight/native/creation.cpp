// Creation: the common calls of tensor, zeros, arange and kin. See core/creation.py, core/filled.py, core/ranges.py and
// core/likeness.py; other dtypes, devices, layouts and kinds of data are left to them.
#include <cstring>

#include "arrays.h"
#include "attributes.h"
#include "copies.h"
#include "kernels/table.h"
#include "location.h"
#include "lost.h"
#include "numbers.h"
#include "parts.h"
#include "promotion.h"
#include "shortcut.h"
#include "state.h"
#include "tensor.h"
#include "views.h"

namespace rushlight {

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
constexpr const char* LOST = "rushlight.core.lost";

bool is_cpu(PyObject* device) {
    if (PyUnicode_CheckExact(device)) return PyUnicode_CompareWithASCIIString(device, "cpu") == 0;
    if (from_package(cpu, "rushlight.core.device", "CPU") == nullptr || Py_TYPE(device) != Py_TYPE(cpu)) return false;
    int same = PyObject_RichCompareBool(device, cpu, Py_EQ);
    if (same < 0) PyErr_Clear();
    return same > 0;
}

bool read_flag(PyObject* value, bool& flag) {
    flag = value == Py_True;
    return value == nullptr || value == Py_True || value == Py_False;
}

// Where an option stands among the arguments; -1 if the function does not have it.
struct Places {
    int dtype, device, requires_grad, pin_memory, layout = -1, out = -1, memory_format = -1;
};

// What functions that create a tensor take besides its data.
struct Options {
    int dtype = -1;  // of the table; -1 where none was asked for
    bool requires_grad = false;

    bool read(const Arguments& arguments, const Places& places) {
        for (int place : {places.layout, places.out, places.memory_format}) {
            if (place >= 0 && arguments.has(place)) return false;
        }
        bool pinned;
        if (!read_flag(places.pin_memory < 0 ? nullptr : arguments[places.pin_memory], pinned) || pinned) return false;
        if (!read_flag(places.requires_grad < 0 ? nullptr : arguments[places.requires_grad], requires_grad)) {
            return false;
        }
        if (arguments.has(places.device) && !is_cpu(arguments[places.device])) return false;
        return !arguments.has(places.dtype) || read_dtype(arguments[places.dtype]);
    }

private:
    bool read_dtype(PyObject* given) {
        static PyObject* name = PyUnicode_InternFromString("numpy");
        if (!is_dtype(given)) return false;
        Ref kind = Ref::steal(PyObject_GetAttr(given, name));
        if (!kind || !PyArray_DescrCheck(kind.get())) return false;
        int type_num = reinterpret_cast<PyArray_Descr*>(kind.get())->type_num;
        for (int each = 0; each < DTYPES; each++) {
            if (type_num_of(each) == type_num) dtype = each;
        }
        return dtype >= 0;
    }
};

// A leaf around the array, whose reference it takes, which remembers the user's line; see `finish` in options.py.
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

// ---- data: numbers and lists of them

template <class T>
T* elements(PyArrayObject* array) {
    return static_cast<T*>(PyArray_DATA(array));
}

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

// Where numbers came out of a graph, as `cut_of_data` in core/lost.py finds it; borrowed, nullptr for nowhere.
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
    if (!numbers.read(data)) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : numbers.dtype();
    if (dtype < 0 || (dtype == INT64 && numbers.floats) || (dtype == BOOL && (numbers.floats || numbers.integers))) {
        return nullptr;
    }
    Ref array = Ref::steal(as_object(new_array(numbers.ndim, numbers.dims, type_num_of(dtype))));
    if (!array || !numbers.store_all(data, dtype, array.array())) return nullptr;
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
    if (!PyArray_ISWRITEABLE(array)) return nullptr;
    return finish(reinterpret_cast<PyArrayObject*>(PyArray_View(array, nullptr, nullptr)), false);
}

// tensor(data, *, dtype, device, requires_grad, pin_memory)
PyObject* tensor(const Arguments& arguments) {
    Options options;
    PyObject* data = arguments[0];
    if (data == nullptr || !options.read(arguments, {1, 2, 3, 4})) return nullptr;
    if (!is_plain_array(data)) return is_tensor(data) ? nullptr : tensor_of_numbers(data, options);
    return finish(array_as(reinterpret_cast<PyArrayObject*>(data), options.dtype), options.requires_grad);
}

// as_tensor(data, dtype, device)
PyObject* as_tensor_way(const Arguments& arguments) {
    Options options;
    PyObject* data = arguments[0];
    if (data == nullptr || !options.read(arguments, {1, 2, -1, -1})) return nullptr;
    if (is_tensor(data)) return options.dtype < 0 ? Py_NewRef(data) : nullptr;
    if (!is_plain_array(data)) return tensor_of_numbers(data, options);
    auto* array = reinterpret_cast<PyArrayObject*>(data);
    if (options.dtype < 0 || options.dtype == dtype_of(array)) return shared(array);
    return finish(array_as(array, options.dtype), false);
}

PyObject* from_numpy(const Arguments& arguments) {
    PyObject* data = arguments[0];
    return data != nullptr && is_plain_array(data) ? shared(reinterpret_cast<PyArrayObject*>(data)) : nullptr;
}

// ---- filled

int read_many(const Arguments& arguments, int named, npy_intp* sizes) {
    if (arguments.has(named) || arguments.many_count < 1) return -1;
    int count;
    if (arguments.many_count == 1 && !PyLong_CheckExact(arguments.many[0])) {
        count = read_sizes(arguments.many[0], sizes);
    } else {
        count = static_cast<int>(arguments.many_count);
        if (arguments.many_count > NPY_MAXDIMS) return -1;
        for (int i = 0; i < count; i++) {
            if (!read_index(arguments.many[i], sizes[i])) return -1;
        }
    }
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 0) return -1;
    }
    return count;
}

PyArrayObject* filled_array(int ndim, const npy_intp* dims, int dtype, int value) {
    if (ndim < 0 || dtype < 0) return nullptr;
    if (value == 0) return zeros_array(ndim, dims, type_num_of(dtype));
    PyArrayObject* array = new_array(ndim, dims, type_num_of(dtype));
    if (array == nullptr || value < 0 || PyArray_SIZE(array) == 0) return array;
    Ref one = Ref::steal(as_object(new_array(0, nullptr, type_num_of(dtype))));
    Ref number = Ref::steal(PyBool_FromLong(1));
    if (!one || !store(number.get(), dtype, one.array(), 0)) {
        Py_DECREF(array);
        return nullptr;
    }
    fill_elements(array, PyArray_BYTES(one.array()));
    return array;
}

constexpr int NOTHING = -1;  // as the value of `empty`

// zeros(*sizes, size, out, dtype, layout, device, pin_memory, requires_grad[, memory_format])
template <int value>
PyObject* filled(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    Places places{2, 4, 6, 5, 3, 1, value == NOTHING ? 7 : -1};
    int count = read_many(arguments, 0, sizes);
    if (count < 0 || !options.read(arguments, places)) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : default_dtype();
    return finish(filled_array(count, sizes, dtype, value), options.requires_grad);
}

// zeros_like(input, *, dtype, layout, device, pin_memory, requires_grad, memory_format)
template <int value>
PyObject* like(const Arguments& arguments) {
    Options options;
    if (arguments[0] == nullptr || !is_tensor(arguments[0])) return nullptr;
    PyArrayObject* input = as_tensor(arguments[0])->array;
    if (input == nullptr || !PyArray_IS_C_CONTIGUOUS(input) || !options.read(arguments, {1, 3, 5, 4, 2, -1, 6})) {
        return nullptr;
    }
    int dtype = options.dtype >= 0 ? options.dtype : dtype_of(input);
    return finish(filled_array(PyArray_NDIM(input), PyArray_DIMS(input), dtype, value), options.requires_grad);
}

// full(size, fill_value, *, out, dtype, layout, device, pin_memory, requires_grad)
PyObject* full(const Arguments& arguments) {
    Options options;
    npy_intp sizes[NPY_MAXDIMS];
    PyObject* value = arguments[1];
    int count = read_sizes(arguments[0], sizes);
    if (count < 0 || value == nullptr || !options.read(arguments, {3, 5, 7, 6, 4, 2})) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : PyFloat_CheckExact(value) ? default_dtype() : INT64;
    Ref array = Ref::steal(as_object(filled_array(count, sizes, dtype, NOTHING)));
    alignas(8) char element[8];
    if (!array || !read_element(value, array.array(), element)) return nullptr;
    if (PyArray_SIZE(array.array()) > 0) fill_elements(array.array(), element);
    return finish(reinterpret_cast<PyArrayObject*>(array.release()), options.requires_grad);
}

// arange(*bounds, start, end, step, out, dtype, layout, device, pin_memory, requires_grad), of integers
PyObject* arange(const Arguments& arguments) {
    Options options;
    npy_intp bounds[3], start = 0, step = 1;
    Py_ssize_t count = arguments.many_count;
    if (count < 1 || count > 3 || arguments.has(0) || arguments.has(1) || arguments.has(2)) return nullptr;
    if (!options.read(arguments, {4, 6, 8, 7, 5, 3})) return nullptr;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!read_index(arguments.many[i], bounds[i])) return nullptr;
    }
    npy_intp end = bounds[count == 1 ? 0 : 1];
    if (count > 1) start = bounds[0];
    if (count > 2) step = bounds[2];
    constexpr npy_intp LARGE = 1 << 24;  // up to here every float is exact
    if (step < 1 || end <= start || start < -LARGE || end > LARGE) return nullptr;
    int dtype = options.dtype >= 0 ? options.dtype : INT64;
    npy_intp size = (end - start - 1) / step + 1;
    PyArrayObject* array = dtype == BOOL ? nullptr : new_array(1, &size, type_num_of(dtype));
    if (array == nullptr) return nullptr;
    for (npy_intp i = 0; i < size; i++) {
        npy_intp value = start + i * step;
        if (dtype == INT64) {
            elements<int64_t>(array)[i] = value;
        } else if (dtype == FLOAT32) {
            elements<float>(array)[i] = static_cast<float>(value);
        } else {
            elements<double>(array)[i] = static_cast<double>(value);
        }
    }
    return finish(array, options.requires_grad);
}

}  // namespace

void register_creation() {
    add_shortcut("core.creation.tensor", tensor);
    add_shortcut("core.creation.as_tensor", as_tensor_way);
    add_shortcut("core.creation.from_numpy", from_numpy);
    add_shortcut("core.filled.zeros", filled<0>);
    add_shortcut("core.filled.ones", filled<1>);
    add_shortcut("core.filled.empty", filled<NOTHING>);
    add_shortcut("core.filled.full", full);
    add_shortcut("core.likeness.zeros_like", like<0>);
    add_shortcut("core.likeness.ones_like", like<1>);
    add_shortcut("core.likeness.empty_like", like<NOTHING>);
    add_shortcut("core.ranges.arange", arange);
}

}  // namespace rushlight
