// Shortcuts of ops/random/sampling.py and ops/random/filling.py: tensors of random numbers.
#include "object/tensor.h"
#include "ops/creation.h"
#include "random/draws.h"
#include "seam/names.h"
#include "seam/promotion.h"
#include "seam/shortcut.h"
#include "seam/state.h"

namespace rushlight {

const Interned word_inference("inference");
const Interned word_no_grad("no_grad");

namespace {

bool is_absent(PyObject* value) { return value == nullptr || value == Py_None; }

constexpr int NO_TYPE = -1;

// What functions that draw a tensor take besides a size.
struct Drawing {
    Stream* stream = nullptr;
    int type = NO_TYPE;
    bool requires_grad = false;

    // by the names of the list; `fallback` NO_TYPE is the default dtype
    template <class List>
    bool read(const Arguments& arguments, int fallback) {
        Options options;
        stream = stream_of(arguments[List::generator]);
        DECLINE_IF(stream == nullptr || !options.read<List>(arguments));
        int dtype = options.dtype < 0 && fallback == NO_TYPE ? default_dtype() : options.dtype;
        type = dtype < 0 ? fallback : type_num_of(dtype);
        requires_grad = options.requires_grad;
        DECLINE_IF(type == NO_TYPE || (requires_grad && !PyTypeNum_ISFLOAT(type)));
        return true;
    }
};

// A size given as integers one by one, as one sequence, or by name.
template <class Name>
bool read_sizes(const Arguments& arguments, Name named, Shape& shape) {
    if (!is_absent(arguments[named])) return arguments.many_count == 0 && shape.read(arguments[named]);
    if (arguments.many_count == 0) return false;
    if (arguments.many_count == 1 && !PyLong_Check(arguments.many[0])) return shape.read(arguments.many[0]);
    return shape.read(arguments.many, arguments.many_count);
}

template <class Fill>
PyObject* created(const Drawing& drawing, const Shape& shape, Fill fill) {
    // the tensor before the draw: Python would draw a second time
    Ref made = Ref::steal(finish(new_array(shape.ndim, shape.dims, drawing.type), drawing.requires_grad));
    if (!made) return nullptr;
    PyArrayObject* array = as_tensor(made.get())->array;
    return fill(PyArray_DATA(array), static_cast<int64_t>(PyArray_SIZE(array))) ? made.release() : nullptr;
}

NAMES(Rand, size, generator, out, dtype, layout, device, pin_memory, requires_grad);

// Numbers that depend on nothing but the stream.
using Draw = bool (*)(Stream& stream, int type, void* numbers, int64_t count);

bool uniform(Stream& stream, int type, void* numbers, int64_t count) {
    return draw_uniform(stream, type, numbers, count, 0, 1);
}
bool normal(Stream& stream, int type, void* numbers, int64_t count) {
    return draw_normal(stream, type, numbers, count, 0, 1, true);
}

template <Draw draw>
PyObject* drawn(const Arguments& arguments) {
    Shape shape;
    Drawing drawing;
    DECLINE_IF(!read_sizes(arguments, Rand::size, shape) || arguments.has(Rand::out));
    DECLINE_IF(!drawing.read<Rand>(arguments, NO_TYPE));
    return created(drawing, shape,
                   [&](void* data, int64_t count) { return draw(*drawing.stream, drawing.type, data, count); });
}

NAMES(RandInt, low, high, size, generator, out, dtype, layout, device, pin_memory, requires_grad);

// (high, size) or (low, high, size)
PyObject* randint(const Arguments& arguments) {
    Shape shape;
    Drawing drawing;
    Py_ssize_t bounds = arguments.many_count;
    PyObject* size = arguments[RandInt::size];
    DECLINE_IF(arguments.has(RandInt::low) || arguments.has(RandInt::high) || arguments.has(RandInt::out));
    DECLINE_IF(bounds == 0);
    if (is_absent(size)) size = arguments.many[--bounds];
    int64_t low = 0, high;
    DECLINE_IF(bounds < 1 || bounds > 2 || !shape.read(size));
    DECLINE_IF(bounds == 2 && !read_integer(arguments.many[0], low));
    DECLINE_IF(!read_integer(arguments.many[bounds - 1], high));
    DECLINE_IF(!drawing.read<RandInt>(arguments, NPY_INT64));
    return created(drawing, shape, [&](void* data, int64_t count) {
        return draw_integers(*drawing.stream, drawing.type, data, count, low, high);
    });
}

NAMES(RandPerm, n, generator, out, dtype, layout, device, pin_memory, requires_grad);

PyObject* randperm(const Arguments& arguments) {
    Shape shape;
    Drawing drawing;
    PyObject* n = arguments[RandPerm::n];
    DECLINE_IF(!shape.read(&n, 1) || arguments.has(RandPerm::out));
    DECLINE_IF(!drawing.read<RandPerm>(arguments, NPY_INT64));
    return created(drawing, shape, [&](void* data, int64_t count) {
        return draw_permutation(*drawing.stream, drawing.type, data, count);
    });
}

NAMES(RandLike, input, generator, dtype, layout, device, pin_memory, requires_grad, memory_format);

// The shape and the type of `input`.
bool read_likeness(const Arguments& arguments, Shape& shape, Drawing& drawing) {
    PyObject* input = arguments[RandLike::input];
    DECLINE_IF(input == nullptr || !is_tensor(input) || arguments.has(RandLike::memory_format));
    PyArrayObject* array = as_tensor(input)->array;
    // other steps along dims of size 1 are kept by Python
    DECLINE_IF(array == nullptr || !PyArray_IS_C_CONTIGUOUS(array) || !has_usual_steps(array));
    shape.ndim = PyArray_NDIM(array);
    for (int i = 0; i < shape.ndim; i++) shape.dims[i] = PyArray_DIM(array, i);
    return drawing.read<RandLike>(arguments, PyArray_TYPE(array));
}

template <Draw draw>
PyObject* drawn_like(const Arguments& arguments) {
    Shape shape;
    Drawing drawing;
    DECLINE_IF(!read_likeness(arguments, shape, drawing));
    return created(drawing, shape,
                   [&](void* data, int64_t count) { return draw(*drawing.stream, drawing.type, data, count); });
}

// Whether a write to the tensor is a plain one: not recorded, and to memory that is one stretch.
bool may_fill(Tensor* target) {
    PyArrayObject* array = target->array;
    // a function transform may have captured it
    if (state.levels != nullptr || array == nullptr || target->inference) return false;
    if (!is_plain(array) || !PyArray_ISWRITEABLE(array)) return false;
    if (target->base != nullptr && (requires_grad(target) || target->cut)) return false;
    return !requires_grad(target) || !state.grad;
}

// After a write that was not recorded, what ops/machine/inplace.py does: count it, and note where a history was cut.
bool finish_fill(Tensor* target, Ref reason) {
    if (!written(target)) return false;
    if (!reason) return true;
    target->cut.reason = reason.release();
    target->cut.place = target->storage->writer;
    Py_XINCREF(target->cut.place.code);
    return true;
}

template <class Fill>
PyObject* fill_target(PyObject* object, Fill fill) {
    DECLINE_IF(object == nullptr || !is_tensor(object) || !may_fill(as_tensor(object)));
    Tensor* target = as_tensor(object);
    PyArrayObject* array = target->array;
    // all that takes memory before the draw: Python would draw a second time
    if (storage_of(target) == nullptr) return nullptr;
    Ref reason;
    if (requires_grad(target) && !target->cut) {
        reason = Ref::borrow(state.inference ? word_inference : word_no_grad);
    }
    DECLINE_IF(!fill(PyArray_TYPE(array), PyArray_DATA(array), static_cast<int64_t>(PyArray_SIZE(array))));
    return finish_fill(target, std::move(reason)) ? Py_NewRef(object) : nullptr;
}

NAMES(Uniform, self, generator);

PyObject* uniform_(const Arguments& arguments) {
    double low, high;
    Py_ssize_t given = arguments.many_count;
    Stream* stream = stream_of(arguments[Uniform::generator]);
    DECLINE_IF(stream == nullptr || given > 2);
    DECLINE_IF(!read_number(given > 0 ? arguments.many[0] : nullptr, 0, low));
    DECLINE_IF(!read_number(given > 1 ? arguments.many[1] : nullptr, 1, high));
    return fill_target(arguments[Uniform::self], [=](int type, void* data, int64_t count) {
        return draw_uniform(*stream, type, data, count, low, high);
    });
}

NAMES(Normal, self, mean, std, generator);

PyObject* normal_(const Arguments& arguments) {
    double mean, std;
    Stream* stream = stream_of(arguments[Normal::generator]);
    DECLINE_IF(stream == nullptr || !read_number(arguments[Normal::mean], 0, mean) ||
               !read_number(arguments[Normal::std], 1, std));
    return fill_target(arguments[Normal::self], [=](int type, void* data, int64_t count) {
        return draw_normal(*stream, type, data, count, mean, std, true);
    });
}

NAMES(Exponential, self, lambd, generator);

PyObject* exponential_(const Arguments& arguments) {
    double rate;
    Stream* stream = stream_of(arguments[Exponential::generator]);
    DECLINE_IF(stream == nullptr || !read_number(arguments[Exponential::lambd], 1, rate));
    return fill_target(arguments[Exponential::self], [=](int type, void* data, int64_t count) {
        return draw_exponential(*stream, type, data, count, rate);
    });
}

NAMES(Bernoulli, self, p, generator);

PyObject* bernoulli_(const Arguments& arguments) {
    double p;
    Stream* stream = stream_of(arguments[Bernoulli::generator]);
    DECLINE_IF(stream == nullptr || !read_number(arguments[Bernoulli::p], 0.5, p));
    return fill_target(arguments[Bernoulli::self], [=](int type, void* data, int64_t count) {
        return draw_coins(*stream, type, data, count, p, 1);
    });
}

KERNEL("ops.random.sampling.rand").shortcut(drawn<uniform>, Rand::names);
KERNEL("ops.random.sampling.randn").shortcut(drawn<normal>, Rand::names);
KERNEL("ops.random.sampling.randint").shortcut(randint, RandInt::names);
KERNEL("ops.random.sampling.randperm").shortcut(randperm, RandPerm::names);
KERNEL("ops.random.sampling.rand_like").shortcut(drawn_like<uniform>, RandLike::names);
KERNEL("ops.random.sampling.randn_like").shortcut(drawn_like<normal>, RandLike::names);
KERNEL("ops.random.filling.uniform_").shortcut(uniform_, Uniform::names);
KERNEL("ops.random.filling.normal_").shortcut(normal_, Normal::names);
KERNEL("ops.random.filling.exponential_").shortcut(exponential_, Exponential::names);
KERNEL("ops.random.filling.bernoulli_").shortcut(bernoulli_, Bernoulli::names);

}  // namespace

}  // namespace rushlight
