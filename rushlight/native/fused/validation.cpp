// Validation of distributions: whether parameters and values lie in their regions. See distributions/constraints.py.
// For the rows "Categorical made", "Normal made" and "actor-critic update": in Python these checks double the first
// two.
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

namespace {

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

// The classes by their names in constraints.py, in the order of the regions.
constexpr const char* CLASS_NAMES[REGIONS] = {
    "_Real",
    "_Boolean",
    "_IntegerInterval",
    "_IntegerGreaterThan",
    "_GreaterThan",
    "_GreaterThanEq",
    "_LessThan",
    "_Interval",
    "_HalfOpenInterval",
    "_Simplex",
    "_IndependentConstraint",
};
PyObject* classes[REGIONS] = {};

// connect_regions(constraints): the module with the classes. A program's own subclasses are not among them, so that
// what they redefine counts.
PyObject* connect_regions(PyObject*, PyObject* constraints) {
    for (int i = 0; i < REGIONS; i++) {
        PyObject* found = PyObject_GetAttrString(constraints, CLASS_NAMES[i]);
        if (found == nullptr) return nullptr;
        Py_XSETREF(classes[i], found);
    }
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
    DECLINE_IF(!list || !PyList_CheckExact(list.get()));
    Py_ssize_t count = PyList_GET_SIZE(list.get());
    DECLINE_IF(count < 1 || count > 2 || !read_bound(PyList_GET_ITEM(list.get(), 0), bounds.low));
    DECLINE_IF(count == 2 && !read_bound(PyList_GET_ITEM(list.get(), 1), bounds.high));
    return true;
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
        DECLINE_IF(!is_plain(array) || PyArray_NDIM(array) < 1 || PyArray_SIZE(array) == 0);
        int64_t width = PyArray_DIM(array, PyArray_NDIM(array) - 1);
        return PyBool_FromLong(are_simplexes(x, PyArray_SIZE(array) / width, width));
    }
    Bounds<T> bounds;
    int64_t count = distinct(array);
    DECLINE_IF(count < 0);
    if (!read_bounds(constraint, region, bounds)) return nullptr;
    return PyBool_FromLong(is_inside(region, x, count, bounds));
}

PyObject* check_any(PyObject* constraint, int region, PyArrayObject* array) {
    DECLINE_IF(region >= INDEPENDENT);
    DECLINE_IF(region == SIMPLEX && dtype_of(array) == INT64);
    switch (dtype_of(array)) {
        case FLOAT32: return check<float>(constraint, region, array);
        case FLOAT64: return check<double>(constraint, region, array);
        case INT64: return check<int64_t>(constraint, region, array);
        default: return declined("a dtype without loops");
    }
}

// The same region for every element of events of more dims.
PyObject* check_independent(PyObject* constraint, PyArrayObject* array) {
    Ref base = Ref::steal(PyObject_GetAttr(constraint, word_base_constraint));
    Ref dims = base ? Ref::steal(PyObject_GetAttr(constraint, word_reinterpreted_batch_ndims)) : Ref();
    int64_t count;
    DECLINE_IF(!dims || !read_integer(dims.get(), count) || PyArray_NDIM(array) < count);
    DECLINE_IF(PyArray_SIZE(array) == 0);  // Python refuses some of those
    int region = region_of(base.get());
    DECLINE_IF(region == SIMPLEX);
    return check_any(base.get(), region, array);
}

NAMES(Holds, self, value);

PyObject* holds(const Arguments& arguments) {
    PyObject *self = arguments[Holds::self], *value = arguments[Holds::value];
    DECLINE_IF(self == nullptr || value == nullptr || !is_tensor(value) || as_tensor(value)->array == nullptr);
    PyArrayObject* array = as_tensor(value)->array;
    int region = region_of(self);
    return region == INDEPENDENT ? check_independent(self, array) : check_any(self, region, array);
}

KERNEL("distributions.constraints.Constraint.holds").shortcut(holds, Holds::names);
KERNEL("distributions.constraints._IndependentConstraint.holds").shortcut(holds, Holds::names);

PyMethodDef methods[] = {
    {"connect_regions", guarded<connect_regions>, METH_O, "Give the module with the classes of constraints."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_validation(PyObject* module) { return PyModule_AddFunctions(module, methods) >= 0; }

}  // namespace rushlight
