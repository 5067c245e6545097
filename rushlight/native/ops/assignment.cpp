// Assignment: tensors of positions and masks between the brackets of x[...], read and written. See
// ops/indexing/assignment.py.
#include <algorithm>
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

// Values as something of some shape reads them: steps of 0 along what they are broadcast.
struct Spread {
    npy_intp strides[NPY_MAXDIMS] = {};
    npy_intp at[NPY_MAXDIMS] = {};
    npy_intp offset = 0;

    // False if they do not fit.
    bool read(PyArrayObject* values, int ndim, const npy_intp* dims) {
        int extra = ndim - PyArray_NDIM(values);
        if (extra < 0 && PyArray_SIZE(values) != 1) return false;
        for (int d = std::max(extra, 0); d < ndim; d++) {
            npy_intp extent = PyArray_DIM(values, d - extra);
            if (extent != dims[d] && extent != 1) return false;
            strides[d] = extent == 1 ? 0 : PyArray_STRIDE(values, d - extra);
        }
        return true;
    }
    // On to the next combination of the first dimensions.
    void advance(int count, const npy_intp* dims) {
        for (int d = count - 1; d >= 0; d--) {
            offset += strides[d];
            if (++at[d] < dims[d]) return;
            offset -= strides[d] * dims[d];
            at[d] = 0;
        }
    }
};

// Write values, broadcast to the picked shape, to the parts of a whole.
bool put(PyArrayObject* whole, const Picked& picked, PyArrayObject* values) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = picked.picked_dims(PyArray_NDIM(whole), PyArray_DIMS(whole), dims);
    Spread spread;
    DECLINE_IF(ndim < 0 || !spread.read(values, ndim, dims));
    int itemsize = static_cast<int>(PyArray_ITEMSIZE(whole));
    Around around(picked, whole);
    int leading = ndim - around.after;
    for (npy_intp i = 0; i < around.outer; i++, around.advance()) {
        for (npy_intp offset : picked.offsets) {
            copy_elements(PyArray_BYTES(whole) + around.offset + offset, around.after_strides,
                          PyArray_BYTES(values) + spread.offset, spread.strides + leading, around.after,
                          around.after_dims, itemsize);
            spread.advance(leading, dims);
        }
    }
    return true;
}

bool is_positions(PyObject* index, int type_num) {
    if (!is_tensor(index)) return false;
    PyArrayObject* array = as_tensor(index)->array;
    return array != nullptr && PyArray_TYPE(array) == type_num && PyArray_NDIM(array) > 0;
}

bool is_whole_slice(PyObject* entry) {
    if (!PySlice_Check(entry)) return false;
    auto* slice = reinterpret_cast<PySliceObject*>(entry);
    return slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None;
}

// The positions of an array or a list of integers as a tensor of its own; empty for another entry, or with an
// exception. As `positions_from` in ops/indexing/indices.py.
Ref positions_of(PyObject* entry) {
    bool plain = PyArray_CheckExact(entry) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(entry)) > 0 &&
                 PyArray_TYPE(reinterpret_cast<PyArrayObject*>(entry)) == NPY_INT64 &&
                 PyArray_ISBEHAVED_RO(reinterpret_cast<PyArrayObject*>(entry));
    if (!plain) return Ref();
    PyArrayObject* copy = packed_copy(reinterpret_cast<PyArrayObject*>(entry));
    return copy == nullptr ? Ref() : Ref::steal(as_object(wrap(copy)));
}

// Tensors of positions among whole slices, and their dimensions.
struct Positions {
    PyObject* items[NPY_MAXDIMS];
    int dims[NPY_MAXDIMS], count = 0;

    // False for another index.
    bool read(PyObject* index, int ndim) {
        bool many = PyTuple_CheckExact(index);
        Py_ssize_t total = many ? PyTuple_GET_SIZE(index) : 1;
        PyObject* const* given = many ? &PyTuple_GET_ITEM(index, 0) : &index;
        if (total < 1 || total > ndim + 1) return false;
        bool has_dots = false;
        int dim = 0;
        for (Py_ssize_t i = 0; i < total; i++) {
            if (given[i] == Py_Ellipsis) {
                if (has_dots) return false;
                has_dots = true;
                dim += ndim + 1 - static_cast<int>(total);
                continue;
            }
            if (dim >= ndim) return false;
            if (!is_whole_slice(given[i])) {
                if (!PyArray_CheckExact(given[i]) && !is_positions(given[i], NPY_INT64)) return false;
                items[count] = given[i];
                dims[count++] = dim;
            }
            dim++;
        }
        return count > 0;
    }
};

// Such positions: a list of its own, as nodes keep it, and the dimensions. False for another index, or with an
// exception.
bool read_tensors(PyObject* index, int ndim, Ref& list, Ref& dims) {
    Positions found;
    if (!found.read(index, ndim)) return false;
    list = Ref::steal(PyList_New(found.count));
    dims = Ref::steal(PyTuple_New(found.count));
    for (int i = 0; list && dims && i < found.count; i++) {
        Ref each = is_tensor(found.items[i]) ? Ref::borrow(found.items[i]) : positions_of(found.items[i]);
        PyObject* dim = each ? PyLong_FromLong(found.dims[i]) : nullptr;
        if (dim == nullptr) return false;
        PyList_SET_ITEM(list.get(), i, each.release());
        PyTuple_SET_ITEM(dims.get(), i, dim);
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

// Whether values are written as they are: torch leaves out leading dimensions of one element, which Python does.
static bool may_spread(PyArrayObject* values) {
    return values != nullptr && (PyArray_NDIM(values) == 0 || PyArray_DIM(values, 0) != 1 || PyArray_SIZE(values) == 1);
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
    if (is_tensor(value) && !may_spread(as_tensor(value)->array)) return 0;
    PyObject* args[] = {self, list.get(), source.get(), dims.get(), Py_False};
    Ref done = Ref::steal(call_native(reinterpret_cast<Function*>(put), args, 5, nullptr));
    if (done) return 1;
    return PyErr_Occurred() ? -1 : 0;
}

}  // namespace rushlight
