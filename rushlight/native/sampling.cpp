// Shortcuts of ops/sampling.py and ops/filling.py: tensors of random numbers.
#include "draws.h"
#include "shortcut.h"
#include "state.h"
#include "tensor.h"

namespace rushlight {

namespace {

// An attribute of a module of the package, found once; borrowed, nullptr with an exception.
PyObject* attribute(const char* module, const char* name) {
    Ref found = Ref::steal(PyImport_ImportModule(module));
    return found ? PyObject_GetAttrString(found.get(), name) : nullptr;
}

// The CPU, given by any of the names it has.
bool is_cpu(PyObject* device) {
    static PyObject* cpu = attribute("rushlight.core.device", "CPU");
    if (device == nullptr || device == Py_None || device == cpu) return true;
    if (PyUnicode_CheckExact(device)) return PyUnicode_CompareWithASCIIString(device, "cpu") == 0;
    if (cpu == nullptr || Py_TYPE(device) != Py_TYPE(cpu)) return false;
    Ref kind = Ref::steal(PyObject_GetAttrString(device, "type"));
    return kind && PyUnicode_Check(kind.get()) && PyUnicode_CompareWithASCIIString(kind.get(), "cpu") == 0;
}

// The NumPy type of a torch dtype.
bool read_dtype(PyObject* dtype, int& type) {
    static PyObject* kind = attribute("rushlight.core.dtypes", "dtype");
    static PyObject* numpy = PyUnicode_InternFromString("_numpy");
    if (as_object(Py_TYPE(dtype)) != kind) return false;
    Ref found = Ref::steal(PyObject_GetAttr(dtype, numpy));
    return read_type(found.get(), type);
}

bool default_dtype(int& type) {
    static PyObject* module = PyImport_ImportModule("rushlight.core.dtypes");
    static PyObject* name = PyUnicode_InternFromString("default");
    Ref found = module != nullptr ? Ref::steal(PyObject_GetAttr(module, name)) : Ref();
    return found && read_dtype(found.get(), type);
}

bool is_off(PyObject* flag) { return flag == nullptr || flag == Py_False; }
bool is_absent(PyObject* value) { return value == nullptr || value == Py_None; }

constexpr int NO_TYPE = -1;

// What functions that create a tensor take besides a size.
struct Options {
    Stream* stream = nullptr;
    int type = NO_TYPE;
    bool requires_grad = false;

    // dtype, layout, device, pin_memory, requires_grad stand in this order; `fallback` NO_TYPE is the default dtype
    bool read(PyObject* generator, PyObject* const* rest, int fallback) {
        stream = stream_of(generator);
        if (stream == nullptr || !is_absent(rest[1]) || !is_cpu(rest[2]) || !is_off(rest[3])) return false;
        if (!read_flag(rest[4], false, requires_grad)) return false;
        type = fallback;
        if (!is_absent(rest[0])) return read_dtype(rest[0], type);
        return fallback != NO_TYPE || default_dtype(type);
    }

    // A leaf around the array, which it takes, that remembers the user's line.
    PyObject* finish(PyArrayObject* array) const {
        if (array == nullptr) return nullptr;
        Tensor* made = wrap(array);
        if (made == nullptr) return nullptr;
        made->created = user_place();
        made->inference = state.inference;
        made->requires_grad = requires_grad;
        return as_object(made);
    }

    bool may_require() const { return !requires_grad || PyTypeNum_ISFLOAT(type); }
};

// A size given as integers one by one, as one sequence, or by name.
bool read_sizes(const Arguments& arguments, int named, Shape& shape) {
    if (!is_absent(arguments[named])) return arguments.many_count == 0 && shape.read(arguments[named]);
    if (arguments.many_count == 0) return false;
    if (arguments.many_count == 1 && !PyLong_Check(arguments.many[0])) return shape.read(arguments.many[0]);
    return shape.read(arguments.many, arguments.many_count);
}

template <class Fill>
PyObject* created(const Options& options, const Shape& shape, Fill fill) {
    if (!options.may_require()) return nullptr;
    return options.finish(filled(shape.ndim, shape.dims, options.type, fill));
}

// rand(*sizes, size, generator, out, dtype, layout, device, pin_memory, requires_grad)
PyObject* rand(const Arguments& arguments) {
    Shape shape;
    Options options;
    if (!read_sizes(arguments, 0, shape) || !is_absent(arguments[2])) return nullptr;
    if (!options.read(arguments[1], arguments.given + 3, NO_TYPE)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_uniform(*options.stream, options.type, data, count, 0, 1);
    });
}

PyObject* randn(const Arguments& arguments) {
    Shape shape;
    Options options;
    if (!read_sizes(arguments, 0, shape) || !is_absent(arguments[2])) return nullptr;
    if (!options.read(arguments[1], arguments.given + 3, NO_TYPE)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_normal(*options.stream, options.type, data, count, 0, 1, true);
    });
}

// randint(*bounds, low, high, size, generator, out, dtype, ...): (high, size) or (low, high, size)
PyObject* randint(const Arguments& arguments) {
    Shape shape;
    Options options;
    Py_ssize_t bounds = arguments.many_count;
    PyObject* size = arguments[2];
    if (arguments.has(0) || arguments.has(1) || !is_absent(arguments[4]) || bounds == 0) return nullptr;
    if (is_absent(size)) size = arguments.many[--bounds];
    int64_t low = 0, high;
    if (bounds < 1 || bounds > 2 || !shape.read(size)) return nullptr;
    if (bounds == 2 && !read_integer(arguments.many[0], low)) return nullptr;
    if (!read_integer(arguments.many[bounds - 1], high)) return nullptr;
    if (!options.read(arguments[3], arguments.given + 5, NPY_INT64)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_integers(*options.stream, options.type, data, count, low, high);
    });
}

// randperm(n, generator, out, dtype, ...)
PyObject* randperm(const Arguments& arguments) {
    Shape shape;
    Options options;
    if (!shape.read(arguments.given, 1) || !is_absent(arguments[2])) return nullptr;
    if (!options.read(arguments[1], arguments.given + 3, NPY_INT64)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_permutation(*options.stream, options.type, data, count);
    });
}

// The shape and the type of `input` for rand_like(input, generator, dtype, ..., requires_grad, memory_format).
bool read_likeness(const Arguments& arguments, Shape& shape, Options& options) {
    if (arguments[0] == nullptr || !is_tensor(arguments[0]) || !is_absent(arguments[7])) return false;
    PyArrayObject* array = as_tensor(arguments[0])->array;
    // other steps along dims of size 1 are kept by Python
    if (array == nullptr || !PyArray_IS_C_CONTIGUOUS(array) || !has_usual_steps(array)) return false;
    shape.ndim = PyArray_NDIM(array);
    for (int i = 0; i < shape.ndim; i++) shape.dims[i] = PyArray_DIM(array, i);
    return options.read(arguments[1], arguments.given + 2, PyArray_TYPE(array));
}

PyObject* rand_like(const Arguments& arguments) {
    Shape shape;
    Options options;
    if (!read_likeness(arguments, shape, options)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_uniform(*options.stream, options.type, data, count, 0, 1);
    });
}

PyObject* randn_like(const Arguments& arguments) {
    Shape shape;
    Options options;
    if (!read_likeness(arguments, shape, options)) return nullptr;
    return created(options, shape, [&](void* data, int64_t count) {
        return draw_normal(*options.stream, options.type, data, count, 0, 1, true);
    });
}

// Whether a write to the tensor is a plain one: not recorded, and to memory that is one stretch.
bool may_fill(Tensor* target) {
    PyArrayObject* array = target->array;
    if (array == nullptr || target->inference || !is_plain(array) || !PyArray_ISWRITEABLE(array)) return false;
    if (target->base != nullptr && (requires_grad(target) || target->cut)) return false;
    return !requires_grad(target) || !state.grad;
}

// After a write that was not recorded, what ops/inplace.py does: count it, and note where a history was cut.
bool finish_fill(Tensor* target) {
    if (!written(target)) return false;
    if (!requires_grad(target) || target->cut) return true;
    target->cut.reason = PyUnicode_InternFromString(state.inference ? "inference" : "no_grad");
    target->cut.place = target->storage->writer;
    Py_XINCREF(target->cut.place.code);
    return target->cut.reason != nullptr;
}

template <class Fill>
PyObject* fill_target(PyObject* object, Fill fill) {
    if (object == nullptr || !is_tensor(object) || !may_fill(as_tensor(object))) return nullptr;
    PyArrayObject* array = as_tensor(object)->array;
    if (!fill(PyArray_TYPE(array), PyArray_DATA(array), static_cast<int64_t>(PyArray_SIZE(array)))) return nullptr;
    return finish_fill(as_tensor(object)) ? Py_NewRef(object) : nullptr;
}

// uniform_(self, *bounds, generator)
PyObject* uniform_(const Arguments& arguments) {
    double low, high;
    Py_ssize_t given = arguments.many_count;
    Stream* stream = stream_of(arguments[1]);
    if (stream == nullptr || given > 2) return nullptr;
    if (!read_number(given > 0 ? arguments.many[0] : nullptr, 0, low)) return nullptr;
    if (!read_number(given > 1 ? arguments.many[1] : nullptr, 1, high)) return nullptr;
    return fill_target(arguments[0], [=](int type, void* data, int64_t count) {
        return draw_uniform(*stream, type, data, count, low, high);
    });
}

// normal_(self, mean, std, generator)
PyObject* normal_(const Arguments& arguments) {
    double mean, std;
    Stream* stream = stream_of(arguments[3]);
    if (stream == nullptr || !read_number(arguments[1], 0, mean) || !read_number(arguments[2], 1, std)) return nullptr;
    return fill_target(arguments[0], [=](int type, void* data, int64_t count) {
        return draw_normal(*stream, type, data, count, mean, std, true);
    });
}

// exponential_(self, lambd, generator)
PyObject* exponential_(const Arguments& arguments) {
    double rate;
    Stream* stream = stream_of(arguments[2]);
    if (stream == nullptr || !read_number(arguments[1], 1, rate)) return nullptr;
    return fill_target(arguments[0], [=](int type, void* data, int64_t count) {
        return draw_exponential(*stream, type, data, count, rate);
    });
}

// bernoulli_(self, p, generator)
PyObject* bernoulli_(const Arguments& arguments) {
    double p;
    Stream* stream = stream_of(arguments[2]);
    if (stream == nullptr || !read_number(arguments[1], 0.5, p)) return nullptr;
    return fill_target(arguments[0], [=](int type, void* data, int64_t count) {
        return draw_coins(*stream, type, data, count, p, 1);
    });
}

}  // namespace

void add_sampling() {
    add_shortcut("ops.sampling.rand", rand);
    add_shortcut("ops.sampling.randn", randn);
    add_shortcut("ops.sampling.randint", randint);
    add_shortcut("ops.sampling.randperm", randperm);
    add_shortcut("ops.sampling.rand_like", rand_like);
    add_shortcut("ops.sampling.randn_like", randn_like);
    add_shortcut("ops.filling.uniform_", uniform_);
    add_shortcut("ops.filling.normal_", normal_);
    add_shortcut("ops.filling.exponential_", exponential_);
    add_shortcut("ops.filling.bernoulli_", bernoulli_);
}

}  // namespace rushlight
