// Validation of distributions: whether parameters and values lie in their regions. See distributions/constraints.py.
#include <cmath>
#include <limits>

#include "loops/operands.h"
#include "object/tensor.h"
#include "random/draws.h"
#include "seam/guard.h"
#include "seam/names.h"
#include "seam/shortcut.h"

namespace rushlight {

const Interned word_bounds("bounds");
const Interned word_base_constraint("base_constraint");
const Interned word_reinterpreted_batch_ndims("reinterpreted_batch_ndims");
const Interned word_arg_constraints("arg_constraints");
const Interned word_batch_shape("_batch_shape");
const Interned word_event_shape("_event_shape");
const Interned word_support("support");

namespace {

// In the order in which constraints.py names its classes.
enum Region {
    REAL,
    BOOLEAN,
    INTEGER_INTERVAL,
    INTEGER_GREATER_THAN,
    GREATER_THAN,
    GREATER_THAN_EQ,
    LESS_THAN,
    INTERVAL,
    HALF_OPEN_INTERVAL,
    SIMPLEX,
    INDEPENDENT,
    REGIONS,
};

PyObject* classes[REGIONS] = {};
PyObject* lazy_property = nullptr;

PyObject* set_lazy_property(PyObject*, PyObject* given) {
    Py_XSETREF(lazy_property, Py_NewRef(given));
    Py_RETURN_NONE;
}

// set_regions(classes): a program's own subclasses are not among them, so that what they redefine counts.
PyObject* set_regions(PyObject*, PyObject* given) {
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != REGIONS) {
        return PyErr_Format(PyExc_ValueError, "expected a tuple of %d classes", REGIONS);
    }
    for (int i = 0; i < REGIONS; i++) Py_XSETREF(classes[i], Py_NewRef(PyTuple_GET_ITEM(given, i)));
    Py_RETURN_NONE;
}

int region_of(PyObject* constraint) {
    int found = 0;
    while (found < REGIONS && classes[found] != as_object(Py_TYPE(constraint))) found++;
    return found;
}

bool is_whole(double x) { return x == std::floor(x) && std::fabs(x) <= std::numeric_limits<double>::max(); }
bool is_whole(int64_t) { return true; }

template <class T>
struct Bounds {
    T low = 0, high = 0;
};

template <class T, class Test>
bool all(const T* x, int64_t count, Test test) {
    bool good = true;
    for (int64_t i = 0; i < count; i++) good = good & test(x[i]);
    return good;
}

template <class T>
bool is_inside(int region, const T* x, int64_t count, Bounds<T> bounds) {
    const T low = bounds.low, high = bounds.high;
    switch (region) {
        case REAL: return all(x, count, [](T each) { return each == each; });
        case BOOLEAN: return all(x, count, [](T each) { return each == 0 || each == 1; });
        case GREATER_THAN: return all(x, count, [=](T each) { return each > low; });
        case GREATER_THAN_EQ: return all(x, count, [=](T each) { return each >= low; });
        case LESS_THAN: return all(x, count, [=](T each) { return each < low; });
        case INTERVAL: return all(x, count, [=](T each) { return low <= each && each <= high; });
        case HALF_OPEN_INTERVAL: return all(x, count, [=](T each) { return low <= each && each < high; });
        case INTEGER_GREATER_THAN: return all(x, count, [=](T each) { return each >= low && is_whole(each); });
        default: return all(x, count, [=](T each) { return low <= each && each <= high && is_whole(each); });
    }
}

template <class T>
bool are_simplexes(const T* x, int64_t rows, int64_t width) {
    for (int64_t row = 0; row < rows; row++, x += width) {
        double total = 0;
        bool good = true;
        for (int64_t i = 0; i < width; i++) {
            good = good & (x[i] >= 0);
            total += x[i];
        }
        if (!good || !(std::fabs(static_cast<T>(total) - 1) < 1e-6)) return false;
    }
    return true;
}

bool read_bound(PyObject* value, float& bound) {
    double number;
    bool good = read_number(value, 0, number);
    bound = static_cast<float>(number);
    return good;
}
bool read_bound(PyObject* value, double& bound) { return read_number(value, 0, bound); }
bool read_bound(PyObject* value, int64_t& bound) { return read_integer(value, bound); }

template <class T>
bool read_bounds(PyObject* constraint, int region, Bounds<T>& bounds) {
    if (region == REAL || region == BOOLEAN) return true;
    Ref list = Ref::steal(PyObject_GetAttr(constraint, word_bounds));
    if (!list || !PyList_CheckExact(list.get())) return false;
    Py_ssize_t count = PyList_GET_SIZE(list.get());
    if (count < 1 || count > 2 || !read_bound(PyList_GET_ITEM(list.get(), 0), bounds.low)) return false;
    return count == 1 || read_bound(PyList_GET_ITEM(list.get(), 1), bounds.high);
}

// How many elements stand one after another in memory, where an expanded dim repeats others; -1 if they do not.
int64_t distinct(PyArrayObject* array) {
    npy_intp step = PyArray_ITEMSIZE(array);
    int64_t count = 1;
    for (int d = PyArray_NDIM(array) - 1; d >= 0; d--) {
        npy_intp extent = PyArray_DIM(array, d);
        if (extent == 0) return 0;
        if (extent == 1 || PyArray_STRIDE(array, d) == 0) continue;
        if (PyArray_STRIDE(array, d) != step) return -1;
        step *= extent;
        count *= extent;
    }
    return count;
}

template <class T>
PyObject* check(PyObject* constraint, int region, PyArrayObject* array) {
    auto* x = static_cast<const T*>(PyArray_DATA(array));
    if (region == SIMPLEX) {
        if (!is_plain(array) || PyArray_NDIM(array) < 1 || PyArray_SIZE(array) == 0) return nullptr;
        int64_t width = PyArray_DIM(array, PyArray_NDIM(array) - 1);
        return PyBool_FromLong(are_simplexes(x, PyArray_SIZE(array) / width, width));
    }
    Bounds<T> bounds;
    int64_t count = distinct(array);
    if (count < 0 || !read_bounds(constraint, region, bounds)) return nullptr;
    return PyBool_FromLong(is_inside(region, x, count, bounds));
}

PyObject* check_any(PyObject* constraint, int region, PyArrayObject* array) {
    if (region >= INDEPENDENT) return nullptr;
    switch (dtype_of(array)) {
        case FLOAT32: return check<float>(constraint, region, array);
        case FLOAT64: return check<double>(constraint, region, array);
        case INT64: return region == SIMPLEX ? nullptr : check<int64_t>(constraint, region, array);
        default: return nullptr;
    }
}

// The same region for every element of events of more dims.
PyObject* check_independent(PyObject* constraint, PyArrayObject* array) {
    Ref base = Ref::steal(PyObject_GetAttr(constraint, word_base_constraint));
    Ref dims = base ? Ref::steal(PyObject_GetAttr(constraint, word_reinterpreted_batch_ndims)) : Ref();
    int64_t count;
    if (!dims || !read_integer(dims.get(), count) || PyArray_NDIM(array) < count) return nullptr;
    if (PyArray_SIZE(array) == 0) return nullptr;  // Python refuses some of those
    int region = region_of(base.get());
    return region == SIMPLEX ? nullptr : check_any(base.get(), region, array);
}

PyObject* check_tensor(PyObject* constraint, PyObject* value) {
    if (!is_tensor(value) || as_tensor(value)->array == nullptr) return nullptr;
    PyArrayObject* array = as_tensor(value)->array;
    int region = region_of(constraint);
    return region == INDEPENDENT ? check_independent(constraint, array) : check_any(constraint, region, array);
}

NAMES(Holds, self, value);

PyObject* holds(const Arguments& arguments) {
    PyObject *self = arguments[Holds::self], *value = arguments[Holds::value];
    DECLINE_IF(self == nullptr || value == nullptr);
    return check_tensor(self, value);
}

// Whether the value is known to lie in the region; Python looks again at all others.
bool is_known_inside(PyObject* constraint, PyObject* value) {
    Ref found = Ref::steal(check_tensor(constraint, value));
    return found.get() == Py_True;
}

// Whether a parameter is computed from another one on demand, so that it was not given.
bool is_lazy(PyTypeObject* type, PyObject* name) {
    Ref found = Ref::steal(PyObject_GetAttr(as_object(type), name));
    return found && as_object(Py_TYPE(found.get())) == lazy_property;
}

NAMES(ValidateParameters, self);

PyObject* validate_parameters(const Arguments& arguments) {
    PyObject* self = arguments[ValidateParameters::self];
    DECLINE_IF(self == nullptr);
    Ref regions = Ref::steal(PyObject_GetAttr(self, word_arg_constraints));
    Ref given = regions ? Ref::steal(PyObject_GenericGetDict(self, nullptr)) : Ref();
    DECLINE_IF(!given || !PyDict_CheckExact(regions.get()));
    PyObject *name, *region;
    Py_ssize_t place = 0;
    while (PyDict_Next(regions.get(), &place, &name, &region)) {
        // looking may run code of the program's, which may change either dict
        Ref kept_name = Ref::borrow(name), kept_region = Ref::borrow(region);
        Ref value = Ref::borrow(PyDict_GetItemWithError(given.get(), name));
        DECLINE_IF(value ? !is_known_inside(region, value.get()) : !is_lazy(Py_TYPE(self), name));
    }
    Py_RETURN_NONE;
}

bool has_shape(PyArrayObject* array, PyObject* shape) {
    if (!PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) != PyArray_NDIM(array)) return false;
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        int64_t size;
        if (!read_integer(PyTuple_GET_ITEM(shape, d), size) || size != PyArray_DIM(array, d)) return false;
    }
    return true;
}

NAMES(ValidateSample, self, value);

// for single values of the batch's own shape
PyObject* validate_sample(const Arguments& arguments) {
    PyObject *self = arguments[ValidateSample::self], *value = arguments[ValidateSample::value];
    DECLINE_IF(self == nullptr || value == nullptr || !is_tensor(value) || as_tensor(value)->array == nullptr);
    Ref batch = Ref::steal(PyObject_GetAttr(self, word_batch_shape));
    Ref event = batch ? Ref::steal(PyObject_GetAttr(self, word_event_shape)) : Ref();
    DECLINE_IF(!event || !PyTuple_Check(event.get()) || PyTuple_GET_SIZE(event.get()) != 0);
    DECLINE_IF(!has_shape(as_tensor(value)->array, batch.get()));
    Ref region = Ref::steal(PyObject_GetAttr(self, word_support));
    DECLINE_IF(!region || !is_known_inside(region.get(), value));
    Py_RETURN_NONE;
}

// broadcast_all(*values), for tensors of one shape
PyObject* broadcast_all(const Arguments& arguments) {
    for (Py_ssize_t i = 0; i < arguments.many_count; i++) {
        PyObject *value = arguments.many[i], *first = arguments.many[0];
        DECLINE_IF(!is_tensor(value) || as_tensor(value)->array == nullptr);
        DECLINE_IF(!PyArray_SAMESHAPE(as_tensor(value)->array, as_tensor(first)->array));
    }
    DECLINE_IF(arguments.many_count == 0);
    PyObject* made = PyTuple_New(arguments.many_count);
    for (Py_ssize_t i = 0; made != nullptr && i < arguments.many_count; i++) {
        PyTuple_SET_ITEM(made, i, Py_NewRef(arguments.many[i]));
    }
    return made;
}

KERNEL("distributions.constraints.Constraint.holds").shortcut(holds, Holds::names);
KERNEL("distributions.constraints._IndependentConstraint.holds").shortcut(holds, Holds::names);
KERNEL("distributions.distribution.Distribution._validate_parameters")
    .shortcut(validate_parameters, ValidateParameters::names);
KERNEL("distributions.distribution.Distribution._validate_sample").shortcut(validate_sample, ValidateSample::names);
KERNEL("distributions.utils.broadcast_all").shortcut(broadcast_all, "");

PyMethodDef methods[] = {
    {"set_lazy_property", guarded<set_lazy_property>, METH_O, "Give the class of distributions/utils.py."},
    {"set_regions", guarded<set_regions>, METH_O,
     "Give the classes of constraints.py, in the order of validation.cpp."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_validation(PyObject* module) { return PyModule_AddFunctions(module, methods) >= 0; }

}  // namespace rushlight
