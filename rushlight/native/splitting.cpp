// Splitting: views of all the parts of a tensor, or of one. See ops/splitting.py and ops/slicing.py.
#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "call.h"
#include "copies.h"
#include "parts.h"
#include "views.h"

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
    if (count < 0 || !is_movable(grad)) return nullptr;
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
        if (each != nullptr && PyArray_TYPE(each) != PyArray_TYPE(first)) return nullptr;
    }
    return first;
}

// The part of `whole` with this geometry becomes `grad`; false where it does not fit.
bool place(PyArrayObject* whole, const Geometry& part, npy_intp offset, PyArrayObject* grad) {
    bool fits = PyArray_NDIM(grad) == part.ndim && PyArray_CompareLists(PyArray_DIMS(grad), part.dims, part.ndim);
    if (!fits) return false;
    if (PyArray_SIZE(grad) > 0) copy_to(PyArray_BYTES(whole) + offset, part.strides, grad);
    return true;
}

// ---- split

PyObject* split_forward(Call& call) {
    PyArrayObject* array = call.array(0);
    npy_intp length;
    int dim;
    if (!read_index(call[1], length) || !read_dim(call[2], PyArray_NDIM(array), dim) || length <= 0) return nullptr;
    if (PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0) return nullptr;
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
    PyArrayObject* array = call.array(0);
    int dim;
    if (!PyList_CheckExact(call[1]) || !read_dim(call[2], PyArray_NDIM(array), dim)) return nullptr;
    if (PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0) return nullptr;
    Py_ssize_t count = PyList_GET_SIZE(call[1]);
    Ref views = Ref::steal(PyTuple_New(count));
    Geometry part(array);
    npy_intp start = 0;
    for (Py_ssize_t i = 0; views && i < count; i++) {
        npy_intp& length = part.dims[dim];
        // an empty part: Python knows where torch lets it begin
        if (!read_index(PyList_GET_ITEM(call[1], i), length) || length <= 0) return nullptr;
        if (length > PyArray_DIM(array, dim) - start) return nullptr;
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
    if (complete) gradient.found[0] = found_whole(gradient, gradient.option(0), gradient.option(2));
    if (gradient.found[0] != nullptr) return true;
    Ref whole = Ref::steal(as_object(whole_for(gradient.option(0), some, !complete)));
    npy_intp length = 0, start = 0;
    int dim;
    if (!whole || !read_dim(gradient.option(2), PyArray_NDIM(whole.array()), dim)) return false;
    PyObject* lengths = gradient.option(1);
    bool even = lengths != nullptr && PyLong_CheckExact(lengths);
    if (even ? !read_index(lengths, length) : lengths == nullptr || !PyList_CheckExact(lengths)) return false;
    if (!even && PyList_GET_SIZE(lengths) != gradient.grad_count) return false;
    Geometry part(whole.array());
    npy_intp extent = PyArray_DIM(whole.array(), dim);
    for (int i = 0; i < gradient.grad_count; i++) {
        if (!even && !read_index(PyList_GET_ITEM(lengths, i), length)) return false;
        npy_intp taken = even ? std::min(length, extent - start) : length;
        if (taken < 0 || start + taken > extent) return false;
        part.dims[dim] = taken;
        if (gradient.grads[i] != nullptr &&
            !place(whole.array(), part, start * part.strides[dim], gradient.grads[i])) {
            return false;
        }
        start += taken;
    }
    if (start != extent) return false;
    gradient.found[0] = whole.array();
    whole.release();
    return true;
}

PyObject* call_split(const char* name, PyObject* input, PyObject* lengths, int dim) {
    Function* inner = find_function(name);
    Ref number = Ref::steal(PyLong_FromLong(dim));
    if (inner == nullptr || !number) return nullptr;
    PyObject* args[] = {input, lengths, number.get()};
    return call_native(inner, args, 3, nullptr);
}

// The array of a tensor with dimensions and elements, and the dimension; nullptr for what Python has to look at.
PyArrayObject* read_input(PyObject* input, PyObject* dim, int& place) {
    if (!is_tensor(input)) return nullptr;
    PyArrayObject* array = as_tensor(input)->array;
    if (array == nullptr || PyArray_SIZE(array) == 0 || PyArray_NDIM(array) == 0) return nullptr;
    return read_dim(dim, PyArray_NDIM(array), place) ? array : nullptr;
}

// split(tensor, split_size_or_sections=None, dim=0, *, split_size=None)
PyObject* split_route(Call& call) {
    int dim;
    npy_intp length, total = 0;
    PyArrayObject* array = read_input(call[0], call[2], dim);
    if (array == nullptr || call[3] != Py_None) return nullptr;
    if (read_index(call[1], length)) return length > 0 ? call_split("_split", call[0], call[1], dim) : nullptr;
    if (!PyList_CheckExact(call[1]) && !PyTuple_CheckExact(call[1])) return nullptr;
    // the node saves the list, which must stay as it is
    Ref lengths = Ref::steal(PySequence_List(call[1]));
    for (Py_ssize_t i = 0; lengths && i < PyList_GET_SIZE(lengths.get()); i++) {
        if (!read_index(PyList_GET_ITEM(lengths.get(), i), length) || length <= 0) return nullptr;
        if (__builtin_add_overflow(total, length, &total)) return nullptr;
    }
    if (!lengths || total != PyArray_DIM(array, dim)) return nullptr;
    return call_split("_split_unevenly", call[0], lengths.get(), dim);
}

// chunk(input, chunks, dim=0)
PyObject* chunk_route(Call& call) {
    int dim;
    npy_intp chunks;
    PyArrayObject* array = read_input(call[0], call[2], dim);
    if (array == nullptr || !read_index(call[1], chunks) || chunks <= 0) return nullptr;
    npy_intp extent = PyArray_DIM(array, dim);
    Ref length = Ref::steal(PyLong_FromSsize_t(extent / chunks + (extent % chunks != 0)));
    return length ? call_split("_split", call[0], length.get(), dim) : nullptr;
}

// ---- unbind

PyObject* unbind_forward(Call& call) {
    PyArrayObject* array = call.array(0);
    int dim;
    if (PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0 || !read_dim(call[1], PyArray_NDIM(array), dim)) {
        return nullptr;
    }
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
    int dim, ndim = some == nullptr ? NPY_MAXDIMS : PyArray_NDIM(some);
    if (ndim == NPY_MAXDIMS || !is_movable(some) || !read_dim(gradient.option(0), ndim + 1, dim)) return false;
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

// The part from `start` to `end` of a dimension, every `step`th element; false for what is none, or is empty.
bool read_slice(PyObject* const* values, PyArrayObject* array, Geometry& part, npy_intp& offset) {
    npy_intp start, end, step;
    int dim;
    if (PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0 || !read_dim(values[0], PyArray_NDIM(array), dim)) {
        return false;
    }
    if (!read_index(values[1], start) || !read_index(values[2], end) || !read_index(values[3], step)) return false;
    if (start < 0 || start >= end || end > PyArray_DIM(array, dim) || step < 1) return false;
    offset = start * part.strides[dim];
    part.dims[dim] = (end - start - 1) / step + 1;
    part.strides[dim] *= step;
    return true;
}

PyObject* slice_forward(Call& call) {
    PyArrayObject* array = call.array(0);
    Geometry part(array);
    npy_intp offset;
    return read_slice(call.arguments + 1, array, part, offset) ? part.of(array, offset) : nullptr;
}

bool slice_backward(Gradient& gradient) {
    PyObject* values[] = {gradient.option(1), gradient.option(2), gradient.option(3), gradient.option(4)};
    Ref whole = Ref::steal(as_object(whole_for(gradient.option(0), gradient.grad(), true)));
    if (!whole) return false;
    Geometry part(whole.array());
    npy_intp offset;
    if (!read_slice(values, whole.array(), part, offset)) return false;
    if (!place(whole.array(), part, offset, gradient.grad())) return false;
    gradient.found[0] = whole.array();
    whole.release();
    return true;
}

// narrow(input, dim, start, length)
PyObject* narrow_route(Call& call) {
    static Function* inner = find_function("_slice");
    int dim;
    npy_intp start, length;
    PyArrayObject* array = read_input(call[0], call[1], dim);
    if (inner == nullptr || array == nullptr || !read_index(call[2], start) || !read_index(call[3], length)) {
        return nullptr;
    }
    npy_intp extent = PyArray_DIM(array, dim);
    if (start < -extent || start > extent || length <= 0) return nullptr;
    if (start < 0) start += extent;
    if (length > extent - start) return nullptr;
    Ref place = Ref::steal(PyLong_FromLong(dim)), from = Ref::steal(PyLong_FromSsize_t(start)),
        to = Ref::steal(PyLong_FromSsize_t(start + length));
    if (!place || !from || !to) return nullptr;
    PyObject* args[] = {call[0], place.get(), from.get(), to.get()};
    return call_native(inner, args, 4, nullptr);
}

}  // namespace

void register_splitting() {
    add_kernel({"_split", split_forward, split_backward, {"input_shape", "split_size", "dim"}});
    add_kernel({"_split_unevenly", split_unevenly_forward, split_backward, {"input_shape", "lengths", "dim"}});
    add_kernel({"unbind", unbind_forward, unbind_backward, {"dim"}});
    add_kernel({"_slice", slice_forward, slice_backward, {"input_shape", "dim", "start", "end", "step"}});
    add_route("split", split_route);
    add_route("chunk", chunk_route);
    add_route("narrow", narrow_route);
}

}  // namespace rushlight
