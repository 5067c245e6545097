// Assignment: tensors of positions and masks between the brackets of x[...], read and written. See
// ops/indexing/assignment.py.
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "object/attributes.h"
#include "object/operators.h"
#include "ops/masks.h"
#include "ops/picking.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// Write values, broadcast from one element or of the picked shape, to the parts of a whole.
bool put(PyArrayObject* whole, const Picked& picked, PyArrayObject* values) {
    bool single = PyArray_SIZE(values) == 1;
    DECLINE_IF(!single && !picked.fits(values, whole));
    Ref packed = in_c_order(values);
    int itemsize = static_cast<int>(PyArray_ITEMSIZE(whole));
    Around around(picked, whole);
    npy_intp strides[NPY_MAXDIMS], step = itemsize;
    for (int d = around.after - 1; d >= 0; d--) {
        strides[d] = single ? 0 : step;
        step *= around.after_dims[d];
    }
    const char* from = PyArray_BYTES(packed.array());
    for (npy_intp i = 0; i < around.outer; i++, around.advance()) {
        for (npy_intp offset : picked.offsets) {
            copy_elements(PyArray_BYTES(whole) + around.offset + offset, around.after_strides, from, strides,
                          around.after, around.after_dims, itemsize);
            if (!single) from += around.size * itemsize;
        }
    }
    return true;
}

bool is_positions(PyObject* index, int type_num) {
    if (!is_tensor(index)) return false;
    PyArrayObject* array = as_tensor(index)->array;
    return array != nullptr && PyArray_TYPE(array) == type_num && PyArray_NDIM(array) > 0;
}

// Tensors of positions for the first dimensions: a list of its own, as nodes keep it, and the dimensions. False for
// another index, or with an exception.
bool read_tensors(PyObject* index, int ndim, Ref& list, Ref& dims) {
    bool many = PyTuple_CheckExact(index);
    Py_ssize_t count = many ? PyTuple_GET_SIZE(index) : 1;
    PyObject* const* items = many ? &PyTuple_GET_ITEM(index, 0) : &index;
    if (count < 1 || count > ndim) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_positions(items[i], NPY_INT64)) return false;
    }
    list = Ref::steal(PyList_New(count));
    dims = Ref::steal(PyTuple_New(count));
    for (Py_ssize_t i = 0; list && dims && i < count; i++) {
        PyList_SET_ITEM(list.get(), i, Py_NewRef(items[i]));
        PyTuple_SET_ITEM(dims.get(), i, PyLong_FromSsize_t(i));
    }
    return list && dims;
}

NAMES(Put, input, indices, values, dims, accumulate);

bool put_forward(Call& call) {
    PyArrayObject *input = call.array(Put::input), *values = call.array(Put::values);
    PyArrayObject* indices[NPY_MAXDIMS];
    int first, count = read_indices(call[Put::indices], call[Put::dims], indices, first);
    bool adds = call.flag(Put::accumulate);
    DECLINE_IF(count == 0 || PyArray_DESCR(values) != PyArray_DESCR(input));
    for (int i = 0; call.out != nullptr && i < count; i++) {
        DECLINE_IF(may_overlap(call.out, indices[i]));
    }
    DECLINE_IF(call.out != nullptr && may_overlap(call.out, values));
    // the copy of an input in another order keeps that
    DECLINE_IF(call.out == nullptr && !PyArray_IS_C_CONTIGUOUS(input));
    PyArrayObject* whole = call.out != nullptr ? call.out : made(packed_copy(input));
    if (whole == call.out) Py_INCREF(whole);
    call.give(whole);
    if (PyArray_TYPE(indices[0]) == NPY_BOOL) {
        DECLINE_IF(count != 1 || adds);
        return put_masked(whole, indices[0], values);
    }
    Picked picked;
    int ndim = PyArray_NDIM(whole);
    if (!picked.read(indices, count, first, ndim, PyArray_DIMS(whole), PyArray_STRIDES(whole), true)) return false;
    if (!adds) return put(whole, picked, values);
    DECLINE_IF(!picked.fits(values, whole));
    return add_picked(whole, picked, values);
}

KERNEL("_put")
    .forward(put_forward, Put::names)
    .takes(tensor(Put::input).movable(), tensor(Put::values).filled(), flag(Put::accumulate));

}  // namespace

PyObject* read_positions(PyObject* self, PyObject* index) {
    static Function* pick = nullptr;
    static Function* pick_mask = nullptr;
    if (pick == nullptr) {
        pick = find_function("_pick");
        pick_mask = find_function("_pick_mask");
    }
    PyArrayObject* array = as_tensor(self)->array;
    if (array == nullptr || pick == nullptr || pick_mask == nullptr) return nullptr;
    if (is_positions(index, NPY_BOOL)) {
        PyObject* args[] = {self, index};
        return PyArray_NDIM(array) > 0 ? call_native(pick_mask, args, 2, nullptr) : nullptr;
    }
    Ref list, dims;
    if (!read_tensors(index, PyArray_NDIM(array), list, dims)) return nullptr;
    PyObject* args[] = {self, list.get(), dims.get()};
    return call_native(pick, args, 3, nullptr);
}

int write_positions(PyObject* self, PyObject* index, PyObject* value) {
    Tensor* target = as_tensor(self);
    PyObject* put = form_of(PUT_INNER);
    if (target->array == nullptr || put == nullptr || Py_TYPE(put) != &FunctionType) return 0;
    Ref list, dims, source = Ref::borrow(value);
    if (is_positions(index, NPY_BOOL)) {
        list = Ref::steal(Py_BuildValue("[O]", index));
        dims = Ref::steal(Py_BuildValue("(i)", 0));
    } else if (!read_tensors(index, PyArray_NDIM(target->array), list, dims)) {
        return PyErr_Occurred() ? -1 : 0;
    }
    if (!is_tensor(value)) {
        alignas(8) char element[8];
        if (!read_element(value, target->array, element)) return 0;
        PyArrayObject* single = new_array(0, nullptr, PyArray_TYPE(target->array));
        if (single == nullptr) return -1;
        std::memcpy(PyArray_DATA(single), element, PyArray_ITEMSIZE(single));
        source = Ref::steal(as_object(wrap(single)));
    }
    if (!list || !dims || !source) return -1;
    PyObject* args[] = {self, list.get(), source.get(), dims.get(), Py_False};
    Ref done = Ref::steal(call_native(reinterpret_cast<Function*>(put), args, 5, nullptr));
    if (done) return 1;
    return PyErr_Occurred() ? -1 : 0;
}

}  // namespace rushlight
