// Joining: cat and stack. See ops/shape/joining.py; lists of mixed dtypes and results without elements decline.
#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "object/node.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// A part of a gradient up to this size is copied: its own memory may be written to, and is dense.
constexpr npy_intp COPIED_BYTES = 4096;

// The tensors of a list.
struct Tensors {
    PyObject* const* items;
    Py_ssize_t count;

    explicit Tensors(PyObject* list) : items(PySequence_Fast_ITEMS(list)), count(PySequence_Fast_GET_SIZE(list)) {}
    PyArrayObject* operator[](Py_ssize_t i) const { return as_tensor(items[i])->array; }
};

bool is_nothing(PyArrayObject* array) { return PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == 0; }

// Whether the result is C-contiguous: images that have their channels last may keep that.
bool gives_rows(const Tensors& tensors, int ndim) {
    for (Py_ssize_t i = 0; ndim >= 4 && i < tensors.count; i++) {
        bool channels_first = is_ordered(tensors[i]) || PyArray_STRIDE(tensors[i], 1) != PyArray_ITEMSIZE(tensors[i]);
        if (!channels_first) return declined("images that have their channels last");
    }
    return true;
}

// Copy an array to its part of a C-contiguous whole: `rows` blocks that stand `step` bytes apart.
void place_rows(char* to, npy_intp rows, npy_intp step, PyArrayObject* from, const npy_intp* strides) {
    npy_intp bytes = PyArray_NBYTES(from);
    if (!PyArray_IS_C_CONTIGUOUS(from) || bytes > 1 << 19) {
        copy_to(to, strides, from);
        return;
    }
    const char* source = PyArray_BYTES(from);
    npy_intp each = bytes / rows;
    for (npy_intp row = 0; row < rows; row++) std::memcpy(to + row * step, source + row * each, each);
}

// A large result row by row, written from its start to its end; false where a tensor is not contiguous.
bool place_together(PyArrayObject* made, npy_intp rows, const Tensors& tensors) {
    constexpr npy_intp LARGE = 1 << 19;
    npy_intp width = PyArray_NBYTES(made) / rows;
    if (PyArray_NBYTES(made) < LARGE || rows < 2) return false;
    for (Py_ssize_t i = 0; i < tensors.count; i++) {
        if (!PyArray_IS_C_CONTIGUOUS(tensors[i])) return false;
    }
    char* to = PyArray_BYTES(made);
    parallel(rows, std::max<int64_t>(1, LARGE / 2 / width), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) {
            char* next = to + row * width;
            for (Py_ssize_t i = 0; i < tensors.count; i++) {
                npy_intp bytes = PyArray_NBYTES(tensors[i]) / rows;
                std::memcpy(next, PyArray_BYTES(tensors[i]) + row * bytes, bytes);
                next += bytes;
            }
        }
    });
    return true;
}

// The shape of the tensors one after another along `place`; its number of dimensions, or -1 where they do not fit.
int joined_dims(const Tensors& tensors, PyObject* place, int& dim, npy_intp* dims) {
    int ndim = -1;
    for (Py_ssize_t i = 0; i < tensors.count; i++) {
        PyArrayObject* each = tensors[i];
        if (is_nothing(each)) continue;
        if (PyArray_NDIM(each) == 0) return -1;
        if (ndim < 0) {
            ndim = PyArray_NDIM(each);
            if (!read_dim(place, ndim, dim)) return -1;
            std::copy_n(PyArray_DIMS(each), ndim, dims);
            continue;
        }
        if (PyArray_NDIM(each) != ndim) return -1;
        for (int d = 0; d < ndim; d++) {
            if (d != dim && PyArray_DIM(each, d) != dims[d]) return -1;
        }
        dims[dim] += PyArray_DIM(each, dim);
    }
    return ndim;
}

NAMES(Joined, tensors, dim);
NAMES(SavedOfCat, tensors_shape, dim);
NAMES(SavedOfStack, dim);

bool cat_forward(Call& call) {
    Tensors tensors(call[Joined::tensors]);
    npy_intp dims[NPY_MAXDIMS];
    int dim = 0, ndim = joined_dims(tensors, call[Joined::dim], dim, dims);
    DECLINE_IF(ndim < 0 || PyArray_MultiplyList(dims, ndim) == 0);
    if (!gives_rows(tensors, ndim)) return false;
    PyArrayObject* made = call.make(ndim, dims, PyArray_TYPE(tensors[0]));
    const npy_intp* strides = PyArray_STRIDES(made);
    npy_intp rows = PyArray_MultiplyList(dims, dim);
    if (place_together(made, rows, tensors)) return true;
    char* to = PyArray_BYTES(made);
    for (Py_ssize_t i = 0; i < tensors.count; i++) {
        PyArrayObject* each = tensors[i];
        if (PyArray_SIZE(each) == 0) continue;
        place_rows(to, rows, dims[dim] * strides[dim], each, strides);
        to += PyArray_DIM(each, dim) * strides[dim];
    }
    return true;
}

// Whether a part of a gradient shows: in the .grad of a leaf, which may have been given another shape first.
bool reaches_leaf(PyObject* edge) {
    if (!is_node(edge)) return true;
    const OpPlan* plan = as_node(edge)->plan;
    return plan != nullptr && plan->op->is_view;
}

// The part of a gradient for an edge: a view, or a copy where that is cheap or dense memory serves later loops better.
PyArrayObject* part_of(const Gradient& gradient, int edge, const Geometry& geometry, npy_intp offset) {
    PyArrayObject* grad = gradient.grad();
    npy_intp bytes = PyArray_MultiplyList(geometry.dims, geometry.ndim) * PyArray_ITEMSIZE(grad);
    bool is_shown = gradient.is_shown || reaches_leaf(gradient.node->edges[edge]);
    if (bytes > COPIED_BYTES || is_shown) return geometry.of(grad, offset);
    PyArrayObject* made = new_array(geometry.ndim, geometry.dims, PyArray_TYPE(grad));
    if (made == nullptr || bytes == 0) return made;
    if (geometry.ndim == 0) {
        std::memcpy(PyArray_BYTES(made), PyArray_BYTES(grad) + offset, bytes);
    } else {
        copy_elements(PyArray_BYTES(made), PyArray_STRIDES(made), PyArray_BYTES(grad) + offset, geometry.strides,
                      geometry.ndim, geometry.dims, static_cast<int>(PyArray_ITEMSIZE(grad)));
    }
    return made;
}

bool cat_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    PyObject* shapes = gradient.option(SavedOfCat::tensors_shape);
    int dim = gradient.dim(SavedOfCat::dim);
    DECLINE_IF(shapes == nullptr || !PyList_CheckExact(shapes));
    DECLINE_IF(PyList_GET_SIZE(shapes) != gradient.node->edge_count);
    Geometry part(grad);
    npy_intp start = 0;
    gradient.parts.assign(gradient.node->edge_count, nullptr);
    for (int i = 0; i < gradient.node->edge_count; i++) {
        npy_intp sizes[NPY_MAXDIMS];
        int count = read_sizes(PyList_GET_ITEM(shapes, i), sizes);
        bool wanted = gradient.node->edges[i] != nullptr;
        if (count == 1 && sizes[0] == 0) {
            if (wanted) gradient.parts[i] = made(new_array(1, sizes, PyArray_TYPE(grad)));
            continue;
        }
        DECLINE_IF(count != PyArray_NDIM(grad) || start + sizes[dim] > PyArray_DIM(grad, dim));
        part.dims[dim] = sizes[dim];
        if (wanted) gradient.parts[i] = made(part_of(gradient, i, part, start * part.strides[dim]));
        start += sizes[dim];
    }
    return true;
}

bool stack_forward(Call& call) {
    Tensors tensors(call[Joined::tensors]);
    PyArrayObject* first = tensors[0];
    int dim, ndim = PyArray_NDIM(first);
    DECLINE_IF(ndim == NPY_MAXDIMS || PyArray_SIZE(first) == 0 || !read_dim(call[Joined::dim], ndim + 1, dim));
    for (Py_ssize_t i = 0; i < tensors.count; i++) {
        DECLINE_IF(!PyArray_SAMESHAPE(tensors[i], first));
    }
    if (!gives_rows(tensors, ndim)) return false;
    Geometry whole(first);
    whole.insert(dim, tensors.count, 0);
    PyArrayObject* made = call.make(whole.ndim, whole.dims, PyArray_TYPE(first));
    Geometry part(made);
    npy_intp step = part.strides[dim], rows = PyArray_MultiplyList(whole.dims, dim);
    part.remove(dim);
    char* to = PyArray_BYTES(made);
    for (Py_ssize_t i = 0; i < tensors.count; i++, to += step) {
        place_rows(to, rows, step * tensors.count, tensors[i], part.strides);
    }
    return true;
}

bool stack_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    int dim = gradient.dim(SavedOfStack::dim);
    DECLINE_IF(PyArray_DIM(grad, dim) != gradient.node->edge_count);
    Geometry part(grad);
    npy_intp step = part.strides[dim];
    part.remove(dim);
    gradient.parts.assign(gradient.node->edge_count, nullptr);
    for (int i = 0; i < gradient.node->edge_count; i++) {
        if (gradient.node->edges[i] == nullptr) continue;
        gradient.parts[i] = made(part_of(gradient, i, part, i * step));
    }
    return true;
}

NAMES(Stacked, tensors, out);

Inner cat_op("cat");

// hstack and vstack of tensors that have the dimension already: `cat`.
PyObject* joined(Call& call, int least, int dim) {
    PyObject* list = call[Stacked::tensors];
    DECLINE_IF(!PyList_CheckExact(list) && !PyTuple_CheckExact(list));
    int ndim = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); i++) {
        PyObject* each = PySequence_Fast_GET_ITEM(list, i);
        DECLINE_IF(!is_tensor(each) || as_tensor(each)->array == nullptr);
        if (i == 0) ndim = PyArray_NDIM(as_tensor(each)->array);
        DECLINE_IF(PyArray_NDIM(as_tensor(each)->array) < least);
    }
    Ref place = Ref::steal(PyLong_FromLong(dim >= 0 ? dim : ndim > 1));
    return cat_op(list, place.get());
}

PyObject* hstack_route(Call& call) { return joined(call, 1, -1); }
PyObject* vstack_route(Call& call) { return joined(call, 2, 0); }

KERNEL("cat")
    .forward(cat_forward, Joined::names)
    .takes(tensors(Joined::tensors).count(1, NPY_MAXDIMS).movable())
    .gradient(cat_backward, SavedOfCat::names)
    .given(tensor(GRADIENT).movable().rank_from(1), dim(SavedOfCat::dim, GRADIENT));
KERNEL("stack")
    .forward(stack_forward, Joined::names)
    .takes(tensors(Joined::tensors).count(1, NPY_MAXDIMS).movable())
    .gradient(stack_backward, SavedOfStack::names)
    .given(tensor(GRADIENT).movable().rank_from(1), dim(SavedOfStack::dim, GRADIENT));
KERNEL("hstack").route(hstack_route, Stacked::names).takes(none(Stacked::out));
KERNEL("vstack").route(vstack_route, Stacked::names).takes(none(Stacked::out));

}  // namespace

}  // namespace rushlight
