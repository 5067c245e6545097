// Splitting: views of all the parts of a tensor, or of one. See ops/shape/splitting.py and ops/shape/slicing.py.
#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

bool put(PyObject* tuple, Py_ssize_t place, PyObject* item) {
    if (item != nullptr) PyTuple_SET_ITEM(tuple, place, item);
    return item != nullptr;
}

// Zeros, or nothing, in the shape that was saved; the parts of a gradient are then put into it.
PyArrayObject* whole_for(PyObject* shape, PyArrayObject* grad, bool zeros) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(count < 0 || !is_movable(grad));
    int type = PyArray_TYPE(grad);
    return zeros ? zeros_array(count, sizes, type) : new_array(count, sizes, type);
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

PyObject* split_forward(Call& call) {
    PyArrayObject* array = call.array(Even::input);
    npy_intp length;
    int dim;
    DECLINE_IF(!read_index(call[Even::split_size], length));
    DECLINE_IF(!read_dim(call[Even::dim], PyArray_NDIM(array), dim));
    DECLINE_IF(length <= 0);
    DECLINE_IF(PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0);
    npy_intp extent = PyArray_DIM(array, dim);
    npy_intp count = extent / length + (extent % length != 0);
    Ref views = Ref::steal(PyTuple_New(count));
    Geometry part(array);
    for (npy_intp i = 0; views && i < count; i++) {
        part.dims[dim] = std::min(length, extent - i * length);
        if (!put(views.get(), i, part.of(array, i * length * part.strides[dim]))) return nullptr;
    }
    return views.release();
}

PyObject* split_unevenly_forward(Call& call) {
    PyArrayObject* array = call.array(Uneven::input);
    PyObject* lengths = call[Uneven::lengths];
    int dim;
    DECLINE_IF(!PyList_CheckExact(lengths));
    DECLINE_IF(!read_dim(call[Uneven::dim], PyArray_NDIM(array), dim));
    DECLINE_IF(PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0);
    Py_ssize_t count = PyList_GET_SIZE(lengths);
    Ref views = Ref::steal(PyTuple_New(count));
    Geometry part(array);
    npy_intp start = 0;
    for (Py_ssize_t i = 0; views && i < count; i++) {
        npy_intp& length = part.dims[dim];
        // an empty part: Python knows where torch lets it begin
        DECLINE_IF(!read_index(PyList_GET_ITEM(lengths, i), length) || length <= 0);
        DECLINE_IF(length > PyArray_DIM(array, dim) - start);
        if (!put(views.get(), i, part.of(array, start * part.strides[dim]))) return nullptr;
        start += length;
    }
    return views.release();
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
    if (complete) gradient.found[0] = found_whole(gradient, shape, named);
    if (gradient.found[0] != nullptr) return true;
    Ref whole = Ref::steal(as_object(whole_for(shape, some, !complete)));
    npy_intp length = 0, start = 0;
    int dim;
    if (!whole) return false;
    DECLINE_IF(!read_dim(named, PyArray_NDIM(whole.array()), dim));
    PyObject* lengths = gradient.option(SavedOfSplit::lengths);
    bool even = lengths != nullptr && PyLong_CheckExact(lengths);
    DECLINE_IF(even ? !read_index(lengths, length) : lengths == nullptr || !PyList_CheckExact(lengths));
    DECLINE_IF(!even && PyList_GET_SIZE(lengths) != gradient.grad_count);
    Geometry part(whole.array());
    npy_intp extent = PyArray_DIM(whole.array(), dim);
    for (int i = 0; i < gradient.grad_count; i++) {
        DECLINE_IF(!even && !read_index(PyList_GET_ITEM(lengths, i), length));
        npy_intp taken = even ? std::min(length, extent - start) : length;
        DECLINE_IF(taken < 0 || start + taken > extent);
        part.dims[dim] = taken;
        if (gradient.grads[i] != nullptr && !place(whole.array(), part, start * part.strides[dim], gradient.grads[i])) {
            return false;
        }
        start += taken;
    }
    DECLINE_IF(start != extent);
    gradient.found[0] = whole.array();
    whole.release();
    return true;
}

PyObject* call_split(const char* name, PyObject* input, PyObject* lengths, int dim) {
    Function* inner = find_function(name);
    Ref number = Ref::steal(PyLong_FromLong(dim));
    DECLINE_IF(inner == nullptr);
    if (!number) return nullptr;
    PyObject* args[] = {input, lengths, number.get()};
    return call_native(inner, args, 3, nullptr);
}

// The array of a tensor with dimensions and elements, and the dimension; nullptr for what Python has to look at.
PyArrayObject* read_input(PyObject* input, PyObject* dim, int& place) {
    DECLINE_IF(!is_tensor(input));
    PyArrayObject* array = as_tensor(input)->array;
    DECLINE_IF(array == nullptr || PyArray_SIZE(array) == 0 || PyArray_NDIM(array) == 0);
    DECLINE_IF(!read_dim(dim, PyArray_NDIM(array), place));
    return array;
}

NAMES(Split, tensor, split_size_or_sections, dim, split_size);

// split(tensor, split_size_or_sections=None, dim=0, *, split_size=None)
PyObject* split_route(Call& call) {
    int dim;
    npy_intp length, total = 0;
    PyObject *input = call[Split::tensor], *given = call[Split::split_size_or_sections];
    PyArrayObject* array = read_input(input, call[Split::dim], dim);
    if (array == nullptr) return nullptr;
    DECLINE_IF(call[Split::split_size] != Py_None);
    if (read_index(given, length)) {
        DECLINE_IF(length <= 0);
        return call_split("_split", input, given, dim);
    }
    DECLINE_IF(!PyList_CheckExact(given) && !PyTuple_CheckExact(given));
    // the node saves the list, which must stay as it is
    Ref lengths = Ref::steal(PySequence_List(given));
    for (Py_ssize_t i = 0; lengths && i < PyList_GET_SIZE(lengths.get()); i++) {
        DECLINE_IF(!read_index(PyList_GET_ITEM(lengths.get(), i), length) || length <= 0);
        DECLINE_IF(__builtin_add_overflow(total, length, &total));
    }
    if (!lengths) return nullptr;
    DECLINE_IF(total != PyArray_DIM(array, dim));
    return call_split("_split_unevenly", input, lengths.get(), dim);
}

NAMES(Chunk, input, chunks, dim);

// chunk(input, chunks, dim=0)
PyObject* chunk_route(Call& call) {
    int dim;
    npy_intp chunks;
    PyArrayObject* array = read_input(call[Chunk::input], call[Chunk::dim], dim);
    if (array == nullptr) return nullptr;
    DECLINE_IF(!read_index(call[Chunk::chunks], chunks) || chunks <= 0);
    npy_intp extent = PyArray_DIM(array, dim);
    Ref length = Ref::steal(PyLong_FromSsize_t(extent / chunks + (extent % chunks != 0)));
    return length ? call_split("_split", call[Chunk::input], length.get(), dim) : nullptr;
}

// ---- unbind

NAMES(Unbind, input, dim);
NAMES(SavedOfUnbind, dim);

PyObject* unbind_forward(Call& call) {
    PyArrayObject* array = call.array(Unbind::input);
    int dim;
    DECLINE_IF(PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0);
    DECLINE_IF(!read_dim(call[Unbind::dim], PyArray_NDIM(array), dim));
    Geometry part(array);
    npy_intp count = part.dims[dim], step = part.strides[dim];
    part.remove(dim);
    Ref views = Ref::steal(PyTuple_New(count));
    for (npy_intp i = 0; views && i < count; i++) {
        if (!put(views.get(), i, part.of(array, i * step))) return nullptr;
    }
    return views.release();
}

bool unbind_backward(Gradient& gradient) {
    bool complete;
    PyArrayObject* some = first_of(gradient, complete);
    if (some == nullptr) return false;
    int dim, ndim = PyArray_NDIM(some);
    DECLINE_IF(ndim == NPY_MAXDIMS || !is_movable(some));
    DECLINE_IF(!read_dim(gradient.option(SavedOfUnbind::dim), ndim + 1, dim));
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(some), dim, dims);
    dims[dim] = gradient.grad_count;
    std::copy_n(PyArray_DIMS(some) + dim, ndim - dim, dims + dim + 1);
    int type = PyArray_TYPE(some);
    Ref whole = Ref::steal(as_object(complete ? new_array(ndim + 1, dims, type) : zeros_array(ndim + 1, dims, type)));
    if (!whole) return false;
    Geometry part(whole.array());
    npy_intp step = part.strides[dim];
    part.remove(dim);
    for (int i = 0; i < gradient.grad_count; i++) {
        if (gradient.grads[i] != nullptr && !place(whole.array(), part, i * step, gradient.grads[i])) return false;
    }
    gradient.found[0] = whole.array();
    whole.release();
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

PyObject* slice_forward(Call& call) {
    PyArrayObject* array = call.array(Slice::input);
    Geometry part(array);
    npy_intp offset;
    Bounds bounds{call[Slice::dim], call[Slice::start], call[Slice::end], call[Slice::step]};
    return read_slice(bounds, array, part, offset) ? part.of(array, offset) : nullptr;
}

bool slice_backward(Gradient& gradient) {
    Bounds bounds{gradient.option(SavedOfSlice::dim), gradient.option(SavedOfSlice::start),
                  gradient.option(SavedOfSlice::end), gradient.option(SavedOfSlice::step)};
    Ref whole = Ref::steal(as_object(whole_for(gradient.option(SavedOfSlice::input_shape), gradient.grad(), true)));
    if (!whole) return false;
    Geometry part(whole.array());
    npy_intp offset;
    if (!read_slice(bounds, whole.array(), part, offset)) return false;
    if (!place(whole.array(), part, offset, gradient.grad())) return false;
    gradient.found[0] = whole.array();
    whole.release();
    return true;
}

NAMES(Narrow, input, dim, start, length);

PyObject* narrow_route(Call& call) {
    static Function* inner = find_function("_slice");
    int dim;
    npy_intp start, length;
    DECLINE_IF(inner == nullptr);
    PyArrayObject* array = read_input(call[Narrow::input], call[Narrow::dim], dim);
    if (array == nullptr) return nullptr;
    DECLINE_IF(!read_index(call[Narrow::start], start) || !read_index(call[Narrow::length], length));
    npy_intp extent = PyArray_DIM(array, dim);
    DECLINE_IF(start < -extent || start > extent || length <= 0);
    if (start < 0) start += extent;
    DECLINE_IF(length > extent - start);
    Ref place = Ref::steal(PyLong_FromLong(dim)), from = Ref::steal(PyLong_FromSsize_t(start)),
        to = Ref::steal(PyLong_FromSsize_t(start + length));
    if (!place || !from || !to) return nullptr;
    PyObject* args[] = {call[Narrow::input], place.get(), from.get(), to.get()};
    return call_native(inner, args, 4, nullptr);
}

KERNEL("_split").forward(split_forward, Even::names).gradient(split_backward, "input_shape, split_size, dim");
KERNEL("_split_unevenly").forward(split_unevenly_forward, Uneven::names).gradient(split_backward, SavedOfSplit::names);
KERNEL("unbind").forward(unbind_forward, Unbind::names).gradient(unbind_backward, SavedOfUnbind::names);
KERNEL("_slice").forward(slice_forward, Slice::names).gradient(slice_backward, SavedOfSlice::names);
KERNEL("split").route(split_route, Split::names);
KERNEL("chunk").route(chunk_route, Chunk::names);
KERNEL("narrow").route(narrow_route, Narrow::names);

}  // namespace

}  // namespace rushlight
