// Padding: a border of one value around tensors, and the part inside of one. See ops/images/padding.py.
#include <algorithm>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// The array between so many elements before and after its dimensions, the last one first, or without so many where
// they are negative; nullptr where Python must look. `value` points to an element.
PyArrayObject* padded(PyArrayObject* array, PyObject* pad, int sign, const char* value) {
    npy_intp sides[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), count = read_sizes(pad, sides);
    DECLINE_IF(count < 0 || count % 2 != 0 || count > 2 * ndim || !has_usual_steps(array));
    Geometry whole(array), inside(array);
    npy_intp skipped = 0, starts[NPY_MAXDIMS] = {};
    bool grows = false;
    for (int i = 0; i < count; i += 2) {
        int dim = ndim - 1 - i / 2;
        npy_intp before = sign * sides[i], after = sign * sides[i + 1], size = whole.dims[dim];
        DECLINE_IF(before < -size || after < -size || before > NPY_MAX_INT32 || after > NPY_MAX_INT32);
        whole.dims[dim] += before + after;
        inside.dims[dim] += std::min<npy_intp>(before, 0) + std::min<npy_intp>(after, 0);
        DECLINE_IF(whole.dims[dim] < 1 || inside.dims[dim] < 1);
        skipped += std::max<npy_intp>(-before, 0) * inside.strides[dim];
        starts[dim] = std::max<npy_intp>(before, 0);
        grows |= before > 0 || after > 0;
    }
    PyArrayObject* found = made(new_array(ndim, whole.dims, PyArray_TYPE(array)));
    if (grows) fill_elements(found, value);
    char* to = PyArray_BYTES(found);
    for (int dim = 0; dim < ndim; dim++) to += starts[dim] * PyArray_STRIDE(found, dim);
    copy_elements(to, PyArray_STRIDES(found), PyArray_BYTES(array) + skipped, inside.strides, ndim, inside.dims,
                  static_cast<int>(PyArray_ITEMSIZE(array)));
    return found;
}

NAMES(ConstantPad, input, pad, value);
NAMES(SavedOfConstantPad, pad);

bool forward(Call& call) {
    PyArrayObject* input = call.array(ConstantPad::input);
    alignas(8) char element[8];
    PyObject* value = call[ConstantPad::value];
    bool is_cut = PyBool_Check(value) || (PyFloat_CheckExact(value) && PyArray_TYPE(input) == NPY_INT64);
    Ref number = is_cut ? Ref::steal(PyNumber_Long(value)) : Ref::borrow(value);
    DECLINE_IF(!number || !read_element(number.get(), input, element));
    return call.give(padded(input, call[ConstantPad::pad], 1, element));
}

bool backward(Gradient& gradient) {
    constexpr char zero[8] = {};
    return gradient.give(padded(gradient.grad(), gradient.option(SavedOfConstantPad::pad), -1, zero));
}

// Read a border from the array itself: what so many lines before it and behind it along a dimension show. Lines along
// later dimensions that are not there yet are written over when those are.
void read_border(PyArrayObject* whole, int dim, npy_intp before, npy_intp size, npy_intp after, bool mirrors) {
    npy_intp step = PyArray_STRIDE(whole, dim), end = before + size;
    Geometry line(whole);
    line.dims[dim] = 1;
    auto copy = [&](npy_intp to, npy_intp from) {
        copy_elements(PyArray_BYTES(whole) + to * step, line.strides, PyArray_BYTES(whole) + from * step, line.strides,
                      line.ndim, line.dims, static_cast<int>(PyArray_ITEMSIZE(whole)));
    };
    for (npy_intp i = 1; i <= before; i++) copy(before - i, mirrors ? before + i : before);
    for (npy_intp i = 0; i < after; i++) copy(end + i, mirrors ? end - 2 - i : end - 1);
}

NAMES(EdgePad, input, pad, mode);

bool is_mirrored(PyObject* mode) { return PyUnicode_CompareWithASCIIString(mode, "reflect") == 0; }

// _edge_pad; the function before it has looked whether there is enough to read from.
bool edge_forward(Call& call) {
    PyArrayObject* input = call.array(EdgePad::input);
    npy_intp sides[NPY_MAXDIMS], shape[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(input), count = read_sizes(call[EdgePad::pad], sides);
    DECLINE_IF(count < 2 || count % 2 != 0 || count > 2 * ndim || !has_usual_steps(input));
    std::copy_n(PyArray_DIMS(input), ndim, shape);
    for (int i = 0; i < count; i++) {
        DECLINE_IF(sides[i] < 0 || sides[i] > NPY_MAX_INT32);
        shape[ndim - 1 - i / 2] += sides[i];
    }
    PyArrayObject* found = call.make(ndim, shape, PyArray_TYPE(input));
    char* inside = PyArray_BYTES(found);
    for (int i = 0; i < count; i += 2) inside += sides[i] * PyArray_STRIDE(found, ndim - 1 - i / 2);
    copy_to(inside, PyArray_STRIDES(found), input);
    bool mirrors = is_mirrored(call[EdgePad::mode]);
    for (int i = count - 2; i >= 0; i -= 2) {
        int dim = ndim - 1 - i / 2;
        read_border(found, dim, sides[i], PyArray_DIM(input, dim), sides[i + 1], mirrors);
    }
    return true;
}

// The node's name tells the mode and the dimensions.
unsigned edge_variant(const Call& call) {
    Py_ssize_t count = PyTuple_Check(call[EdgePad::pad]) ? PyTuple_GET_SIZE(call[EdgePad::pad]) : 0;
    return static_cast<unsigned>(count) * 2 + (is_mirrored(call[EdgePad::mode]) ? 1 : 0);
}

KERNEL("_edge_pad")
    .forward(edge_forward, EdgePad::names)
    .takes(tensor(EdgePad::input).movable().rank_from(1).filled().dense())
    .naming(edge_variant);
KERNEL("constant_pad_nd")
    .forward(forward, ConstantPad::names)
    .takes(tensor(ConstantPad::input).known().rank_from(1).filled().dense())
    .gradient(backward, SavedOfConstantPad::names)
    .given(tensor(GRADIENT).floats().rank_from(1).filled().dense());

}  // namespace

}  // namespace rushlight
