// Splitting: views of all the parts of a tensor, or of one. See ops/shape/splitting.py and ops/shape/slicing.py.
#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// Zeros, or nothing, in the shape that was saved; the parts of a gradient are then put into it.
PyArrayObject* whole_for(Gradient& gradient, PyObject* shape, PyArrayObject* grad, bool zeros) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(count < 0 || !is_movable(grad));
    int type = PyArray_TYPE(grad);
    return zeros ? gradient.make_zeros(count, sizes, type) : gradient.make(count, sizes, type);
}

// The gradients of all outputs that were used have this dtype.
PyArrayObject* first_of(const Gradient& gradient, bool& complete) {
    PyArrayObject* first = nullptr;
    complete = true;
    for (int i = 0; i < gradient.grad_count; i++) {
        PyArrayObject* each = gradient.grads[i];
        complete = complete && each != nullptr;
        if (first == nullptr) first = each;
        DECLINE_IF(each != nullptr && PyArray_TYPE(each) != PyArray_TYPE(first));
    }
    return first;
}

// The part of `whole` with this geometry becomes `grad`; false where it does not fit.
bool place(PyArrayObject* whole, const Geometry& part, npy_intp offset, PyArrayObject* grad) {
    bool fits = PyArray_NDIM(grad) == part.ndim && PyArray_CompareLists(PyArray_DIMS(grad), part.dims, part.ndim);
    DECLINE_IF(!fits);
    if (PyArray_SIZE(grad) > 0) copy_to(PyArray_BYTES(whole) + offset, part.strides, grad);
    return true;
}

// ---- split

NAMES(Even, input, split_size, dim);
NAMES(Uneven, input, lengths, dim);
// `split_size` in place of `lengths` for parts of one length
NAMES(SavedOfSplit, input_shape, lengths, dim);

bool split_forward(Call& call) {
    PyArrayObject* array = call.array(Even::input);
    int dim = call.dim(Even::dim);
    npy_intp length = call.integer(Even::split_size), extent = PyArray_DIM(array, dim);
    DECLINE_IF(length <= 0);
    Geometry part(array);
    call.several = true;
    for (npy_intp start = 0; start < extent; start += part.dims[dim]) {
        part.dims[dim] = std::min(length, extent - start);
        if (!call.give(part.of(array, start * part.strides[dim]))) return false;
    }
    return true;
}

bool split_unevenly_forward(Call& call) {
    PyArrayObject* array = call.array(Uneven::input);
    PyObject* lengths = call[Uneven::lengths];
    int dim = call.dim(Uneven::dim);
    DECLINE_IF(!PyList_CheckExact(lengths));
    Geometry part(array);
    npy_intp start = 0;
    call.several = true;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(lengths); i++) {
        npy_intp& length = part.dims[dim];
        // an empty part: Python knows where torch lets it begin
        DECLINE_IF(!read_index(PyList_GET_ITEM(lengths, i), length) || length <= 0);
        DECLINE_IF(length > PyArray_DIM(array, dim) - start);
        if (!call.give(part.of(array, start * part.strides[dim]))) return false;
        start += length;
    }
    return true;
}

// The whole, where the gradients of all parts are side by side in one array already, as those of attention are.
PyArrayObject* found_whole(const Gradient& gradient, PyObject* shape, PyObject* place) {
    PyArrayObject* first = gradient.grads[0];
    Geometry whole(first);
    npy_intp sizes[NPY_MAXDIMS], offset = 0;
    int dim;
    if (PyArray_BASE(first) == nullptr || read_sizes(shape, sizes) != whole.ndim) return nullptr;
    if (!read_dim(place, whole.ndim, dim)) return nullptr;
    for (int i = 0; i < gradient.grad_count; i++) {
        PyArrayObject* each = gradient.grads[i];
        if (PyArray_BASE(each) != PyArray_BASE(first) || PyArray_NDIM(each) != whole.ndim) return nullptr;
        if (!PyArray_CompareLists(PyArray_STRIDES(each), whole.strides, whole.ndim)) return nullptr;
        if (PyArray_BYTES(each) != PyArray_BYTES(first) + offset) return nullptr;
        offset += PyArray_DIM(each, dim) * whole.strides[dim];
    }
    npy_intp dense = PyArray_ITEMSIZE(first);
    for (int d = whole.ndim - 1; d >= 0; d--) {
        if (whole.strides[d] != dense || (d != dim && sizes[d] != whole.dims[d])) return nullptr;
        dense *= sizes[d];
    }
    if (offset != sizes[dim] * whole.strides[dim]) return nullptr;
    return view_of(first, whole.ndim, sizes, whole.strides);
}

// Each gradient to its place along the dimension, one after another.
bool split_backward(Gradient& gradient) {
    bool complete;
    PyArrayObject* some = first_of(gradient, complete);
    if (some == nullptr) return false;
    PyObject *shape = gradient.option(SavedOfSplit::input_shape), *named = gradient.option(SavedOfSplit::dim);
    if (complete && gradient.give(found_whole(gradient, shape, named))) return true;
    // where memory has failed, a second way would succeed beside the error
    if (PyErr_Occurred()) return false;
    PyArrayObject* whole = whole_for(gradient, shape, some, !complete);
    npy_intp length = 0, start = 0;
    int dim;
    if (whole == nullptr) return false;
    DECLINE_IF(!read_dim(named, PyArray_NDIM(whole), dim));
    PyObject* lengths = gradient.option(SavedOfSplit::lengths);
    bool even = lengths != nullptr && PyLong_CheckExact(lengths);
    DECLINE_IF(even ? !read_index(lengths, length) : lengths == nullptr || !PyList_CheckExact(lengths));
    DECLINE_IF(!even && PyList_GET_SIZE(lengths) != gradient.grad_count);
    Geometry part(whole);
    npy_intp extent = PyArray_DIM(whole, dim);
    for (int i = 0; i < gradient.grad_count; i++) {
        DECLINE_IF(!even && !read_index(PyList_GET_ITEM(lengths, i), length));
        npy_intp taken = even ? std::min(length, extent - start) : length;
        DECLINE_IF(taken < 0 || start + taken > extent);
        part.dims[dim] = taken;
        if (gradient.grads[i] != nullptr && !place(whole, part, start * part.strides[dim], gradient.grads[i]))
            return false;
        start += taken;
    }
    DECLINE_IF(start != extent);
    return true;
}

Inner split_op("_split"), split_unevenly_op("_split_unevenly"), slice_op("_slice");

PyObject* call_split(Inner& op, PyObject* input, PyObject* lengths, int dim) {
    Ref number = Ref::steal(PyLong_FromLong(dim));
    return number ? op(input, lengths, number.get()) : nullptr;
}

NAMES(Split, tensor, split_size_or_sections, dim, split_size);

// split(tensor, split_size_or_sections=None, dim=0, *, split_size=None)
PyObject* split_route(Call& call) {
    int dim = call.dim(Split::dim);
    npy_intp length, total = 0;
    PyObject *input = call[Split::tensor], *given = call[Split::split_size_or_sections];
    if (read_index(given, length)) {
        DECLINE_IF(length <= 0);
        return call_split(split_op, input, given, dim);
    }
    DECLINE_IF(!PyList_CheckExact(given) && !PyTuple_CheckExact(given));
    // the node saves the list, which must stay as it is
    Ref lengths = Ref::steal(PySequence_List(given));
    for (Py_ssize_t i = 0; lengths && i < PyList_GET_SIZE(lengths.get()); i++) {
        DECLINE_IF(!read_index(PyList_GET_ITEM(lengths.get(), i), length) || length <= 0);
        DECLINE_IF(__builtin_add_overflow(total, length, &total));
    }
    if (!lengths) return nullptr;
    DECLINE_IF(total != PyArray_DIM(call.array(Split::tensor), dim));
    return call_split(split_unevenly_op, input, lengths.get(), dim);
}

NAMES(Chunk, input, chunks, dim);

// chunk(input, chunks, dim=0)
PyObject* chunk_route(Call& call) {
    int dim = call.dim(Chunk::dim);
    npy_intp chunks = call.integer(Chunk::chunks), extent = PyArray_DIM(call.array(Chunk::input), dim);
    DECLINE_IF(chunks <= 0);
    Ref length = Ref::steal(PyLong_FromSsize_t(extent / chunks + (extent % chunks != 0)));
    return length ? call_split(split_op, call[Chunk::input], length.get(), dim) : nullptr;
}

// ---- unbind

NAMES(Unbind, input, dim);
NAMES(SavedOfUnbind, dim);

bool unbind_forward(Call& call) {
    PyArrayObject* array = call.array(Unbind::input);
    int dim = call.dim(Unbind::dim);
    Geometry part(array);
    npy_intp count = part.dims[dim], step = part.strides[dim];
    part.remove(dim);
    call.several = true;
    for (npy_intp i = 0; i < count; i++) {
        if (!call.give(part.of(array, i * step))) return false;
    }
    return true;
}

bool unbind_backward(Gradient& gradient) {
    bool complete;
    PyArrayObject* some = first_of(gradient, complete);
    if (some == nullptr) return false;
    int dim, ndim = PyArray_NDIM(some), type = PyArray_TYPE(some);
    DECLINE_IF(ndim == NPY_MAXDIMS || !is_movable(some));
    DECLINE_IF(!read_dim(gradient.option(SavedOfUnbind::dim), ndim + 1, dim));
    Geometry all(some);
    all.insert(dim, gradient.grad_count, 0);
    PyArrayObject* whole =
        complete ? gradient.make(all.ndim, all.dims, type) : gradient.make_zeros(all.ndim, all.dims, type);
    Geometry part(whole);
    npy_intp step = part.strides[dim];
    part.remove(dim);
    for (int i = 0; i < gradient.grad_count; i++) {
        if (gradient.grads[i] != nullptr && !place(whole, part, i * step, gradient.grads[i])) return false;
    }
    return true;
}

// ---- one part

NAMES(Slice, input, dim, start, end, step);
NAMES(SavedOfSlice, input_shape, dim, start, end, step);

struct Bounds {
    PyObject *dim, *start, *end, *step;
};

// The part from `start` to `end` of a dimension, every `step`th element; false for what is none, or is empty.
bool read_slice(const Bounds& bounds, PyArrayObject* array, Geometry& part, npy_intp& offset) {
    npy_intp start, end, step;
    int dim;
    DECLINE_IF(PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0);
    DECLINE_IF(!read_dim(bounds.dim, PyArray_NDIM(array), dim));
    DECLINE_IF(!read_index(bounds.start, start) || !read_index(bounds.end, end) || !read_index(bounds.step, step));
    DECLINE_IF(start < 0 || start >= end || end > PyArray_DIM(array, dim) || step < 1);
    offset = start * part.strides[dim];
    part.dims[dim] = (end - start - 1) / step + 1;
    part.strides[dim] *= step;
    return true;
}

bool slice_forward(Call& call) {
    PyArrayObject* array = call.array(Slice::input);
    Geometry part(array);
    npy_intp offset;
    Bounds bounds{call[Slice::dim], call[Slice::start], call[Slice::end], call[Slice::step]};
    return read_slice(bounds, array, part, offset) && call.give(part.of(array, offset));
}

bool slice_backward(Gradient& gradient) {
    using Saved = SavedOfSlice;
    Bounds bounds{gradient.option(Saved::dim), gradient.option(Saved::start), gradient.option(Saved::end),
                  gradient.option(Saved::step)};
    PyArrayObject* whole = whole_for(gradient, gradient.option(Saved::input_shape), gradient.grad(), true);
    if (whole == nullptr) return false;
    Geometry part(whole);
    npy_intp offset;
    return read_slice(bounds, whole, part, offset) && place(whole, part, offset, gradient.grad());
}

NAMES(Narrow, input, dim, start, length);

PyObject* narrow_route(Call& call) {
    int dim = call.dim(Narrow::dim);
    npy_intp start = call.integer(Narrow::start), length = call.integer(Narrow::length);
    npy_intp extent = PyArray_DIM(call.array(Narrow::input), dim);
    DECLINE_IF(start < -extent || start > extent || length <= 0);
    if (start < 0) start += extent;
    DECLINE_IF(length > extent - start);
    Ref place = Ref::steal(PyLong_FromLong(dim)), from = Ref::steal(PyLong_FromSsize_t(start)),
        to = Ref::steal(PyLong_FromSsize_t(start + length));
    if (!place || !from || !to) return nullptr;
    return slice_op(call[Narrow::input], place.get(), from.get(), to.get());
}

KERNEL("_split")
    .forward(split_forward, Even::names)
    .takes(tensor(Even::input).rank_from(1).filled(), integer(Even::split_size), dim(Even::dim, Even::input))
    .gradient(split_backward, "input_shape, split_size, dim");
KERNEL("_split_unevenly")
    .forward(split_unevenly_forward, Uneven::names)
    .takes(tensor(Uneven::input).rank_from(1).filled(), dim(Uneven::dim, Uneven::input))
    .gradient(split_backward, SavedOfSplit::names);
KERNEL("unbind")
    .forward(unbind_forward, Unbind::names)
    .takes(tensor(Unbind::input).rank_from(1).filled(), dim(Unbind::dim, Unbind::input))
    .gradient(unbind_backward, SavedOfUnbind::names);
KERNEL("_slice")
    .forward(slice_forward, Slice::names)
    .takes(tensor(Slice::input).rank_from(1).filled())
    .gradient(slice_backward, SavedOfSlice::names)
    .given(tensor(GRADIENT));
KERNEL("split")
    .route(split_route, Split::names)
    .takes(tensor(Split::tensor).rank_from(1).filled(), dim(Split::dim, Split::tensor), none(Split::split_size));
KERNEL("chunk")
    .route(chunk_route, Chunk::names)
    .takes(tensor(Chunk::input).rank_from(1).filled(), dim(Chunk::dim, Chunk::input), integer(Chunk::chunks));
KERNEL("narrow")
    .route(narrow_route, Narrow::names)
    .takes(tensor(Narrow::input).rank_from(1).filled(), dim(Narrow::dim, Narrow::input), integer(Narrow::start),
           integer(Narrow::length));

}  // namespace

}  // namespace rushlight
