// Picking: x[i, j] with tensors of positions, index_select and index_add. See ops/indexing/indexing.py,
// ops/indexing/gathering.py and ops/indexing/placing.py.
#include "ops/picking.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

bool Picked::read(PyArrayObject* const* indices, int number, int dim, int ndim, const npy_intp* dims,
                  const npy_intp* strides, bool wraps) {
    first = dim;
    count = number;
    DECLINE_IF(number < 1 || dim + number > ndim);
    index_ndim = PyArray_NDIM(indices[0]);
    std::copy_n(PyArray_DIMS(indices[0]), index_ndim, index_dims);
    // a view that one position was spread over: Python asks for the memory at once
    DECLINE_IF(PyArray_SIZE(indices[0]) > INT32_MAX);
    offsets.assign(PyArray_SIZE(indices[0]), 0);
    DECLINE_IF(offsets.empty());
    for (int i = 0; i < number; i++) {
        PyArrayObject* index = indices[i];
        DECLINE_IF(PyArray_TYPE(index) != NPY_INT64 || !PyArray_ISBEHAVED_RO(index));
        DECLINE_IF(!PyArray_SAMESHAPE(index, indices[0]));
        if (!add_offsets(index, dims[dim + i], strides[dim + i], wraps)) return false;
    }
    return true;
}

bool Picked::add_offsets(PyArrayObject* index, npy_intp extent, npy_intp stride, bool wraps) {
    Ref packed = Ref::borrow(as_object(index));
    if (!PyArray_IS_C_CONTIGUOUS(index)) packed = Ref::steal(as_object(packed_copy(index)));
    if (!packed) return false;
    auto* positions = static_cast<const int64_t*>(PyArray_DATA(packed.array()));
    const int64_t least = wraps ? -extent : 0;
    bool inside = true;
    for (size_t i = 0; i < offsets.size(); i++) {
        int64_t position = positions[i];
        bool good = (position >= least) & (position < extent);
        inside = inside & good;
        offsets[i] += (good ? position + (position < 0 ? extent : 0) : 0) * stride;
    }
    DECLINE_IF(!inside);
    return true;
}

int Picked::picked_dims(int ndim, const npy_intp* dims, npy_intp* found) const {
    int total = ndim - count + index_ndim;
    if (total > NPY_MAXDIMS) return -1;
    npy_intp* next = std::copy_n(dims, first, found);
    next = std::copy_n(index_dims, index_ndim, next);
    std::copy(dims + first + count, dims + ndim, next);
    return total;
}

bool Picked::fits(PyArrayObject* values, PyArrayObject* whole) const {
    npy_intp wanted[NPY_MAXDIMS];
    return picked_dims(PyArray_NDIM(whole), PyArray_DIMS(whole), wanted) == PyArray_NDIM(values) &&
           PyArray_CompareLists(PyArray_DIMS(values), wanted, PyArray_NDIM(values));
}

Around::Around(const Picked& picked, PyArrayObject* whole)
    : before(picked.first), dims(PyArray_DIMS(whole)), strides(PyArray_STRIDES(whole)) {
    for (int d = 0; d < before; d++) outer *= dims[d];
    int from = picked.first + picked.count;
    after = PyArray_NDIM(whole) - from;
    after_dims = dims + from;
    after_strides = strides + from;
    for (int d = after - 1; d >= 0; d--) {
        dense = dense && (after_dims[d] == 1 || after_strides[d] == size * PyArray_ITEMSIZE(whole));
        size *= after_dims[d];
    }
}

int read_indices(PyObject* list, PyObject* dims, PyArrayObject** indices, int& first) {
    npy_intp places[NPY_MAXDIMS];
    int count = read_sizes(dims, places);
    if (count < 1 || list == nullptr || (!PyList_CheckExact(list) && !PyTuple_CheckExact(list))) return 0;
    if (PySequence_Fast_GET_SIZE(list) != count || places[0] < 0) return 0;
    for (int i = 0; i < count; i++) {
        PyObject* each = PySequence_Fast_GET_ITEM(list, i);
        if (places[i] != places[0] + i || !is_tensor(each)) return 0;
        indices[i] = as_tensor(each)->array;
        if (indices[i] == nullptr) return 0;
    }
    first = static_cast<int>(places[0]);
    return count;
}

namespace {

template <class T>
void add_rows(char* to, Around& around, const std::vector<npy_intp>& offsets, const char* values) {
    auto* from = reinterpret_cast<const T*>(values);
    for (npy_intp i = 0; i < around.outer; i++, around.advance()) {
        for (npy_intp offset : offsets) {
            auto* row = reinterpret_cast<T*>(to + around.offset + offset);
#pragma omp simd
            for (npy_intp k = 0; k < around.size; k++) row[k] += from[k];
            from += around.size;
        }
    }
}

}  // namespace

bool add_picked(PyArrayObject* whole, const Picked& picked, PyArrayObject* values) {
    Around around(picked, whole);
    npy_intp total = around.outer * around.size * static_cast<npy_intp>(picked.offsets.size());
    DECLINE_IF(!around.dense || !is_addable(whole));
    DECLINE_IF(PyArray_TYPE(values) != PyArray_TYPE(whole) || PyArray_SIZE(values) != total);
    Ref packed = Ref::borrow(as_object(values));
    if (!PyArray_ISCARRAY_RO(values)) packed = Ref::steal(as_object(packed_copy(values)));
    if (!packed) return false;
    if (PyArray_TYPE(whole) == NPY_FLOAT) {
        add_rows<float>(PyArray_BYTES(whole), around, picked.offsets, PyArray_BYTES(packed.array()));
    } else {
        add_rows<double>(PyArray_BYTES(whole), around, picked.offsets, PyArray_BYTES(packed.array()));
    }
    return true;
}

namespace {

template <class T>
void take_single(const char* from, const std::vector<npy_intp>& offsets, char* to) {
    for (size_t i = 0; i < offsets.size(); i++) std::memcpy(to + i * sizeof(T), from + offsets[i], sizeof(T));
}

// What is picked, C-contiguous; nullptr where Python must look.
PyArrayObject* take(PyArrayObject* whole, const Picked& picked) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = picked.picked_dims(PyArray_NDIM(whole), PyArray_DIMS(whole), dims);
    DECLINE_IF(ndim < 0 || !is_movable(whole) || PyArray_SIZE(whole) == 0);
    PyArrayObject* made = new_array(ndim, dims, PyArray_TYPE(whole));
    if (made == nullptr) return nullptr;
    int itemsize = static_cast<int>(PyArray_ITEMSIZE(whole));
    Around around(picked, whole);
    char* to = PyArray_BYTES(made);
    const npy_intp* packed = PyArray_STRIDES(made) + ndim - around.after;
    npy_intp bytes = around.size * itemsize;
    for (npy_intp i = 0; i < around.outer; i++, around.advance()) {
        const char* from = PyArray_BYTES(whole) + around.offset;
        if (around.size == 1 && itemsize == 4) {
            take_single<int32_t>(from, picked.offsets, to);
            to += picked.offsets.size() * 4;
        } else if (around.size == 1 && itemsize == 8) {
            take_single<int64_t>(from, picked.offsets, to);
            to += picked.offsets.size() * 8;
        } else if (around.dense) {
            for (npy_intp offset : picked.offsets) {
                std::memcpy(to, from + offset, bytes);
                to += bytes;
            }
        } else {
            for (npy_intp offset : picked.offsets) {
                copy_elements(to, packed, from + offset, around.after_strides, around.after, around.after_dims,
                              itemsize);
                to += bytes;
            }
        }
    }
    return made;
}

bool read_picked(Picked& picked, PyObject* list, PyObject* dims, int ndim, const npy_intp* sizes,
                 const npy_intp* strides) {
    PyArrayObject* indices[NPY_MAXDIMS];
    int first, count = read_indices(list, dims, indices, first);
    DECLINE_IF(count == 0);
    return picked.read(indices, count, first, ndim, sizes, strides, true);
}

// The only index of index_select and kin, which may have no dimension: it counts as a vector.
bool read_vector(Picked& picked, PyArrayObject* index, PyObject* dim, PyArrayObject* whole) {
    int place, ndim = whole == nullptr ? 0 : PyArray_NDIM(whole);
    DECLINE_IF(index == nullptr || PyArray_NDIM(index) > 1);
    DECLINE_IF(ndim == 0 || !read_dim(dim, ndim, place));
    if (!picked.read(&index, 1, place, ndim, PyArray_DIMS(whole), PyArray_STRIDES(whole), false)) return false;
    picked.index_ndim = 1;
    picked.index_dims[0] = PyArray_SIZE(index);
    return true;
}

// Zeros in a shape, to which a gradient is then added; nullptr where Python must look.
PyArrayObject* zeros_for(PyObject* shape, PyArrayObject* values) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(count < 1);
    DECLINE_IF(values == nullptr || !is_addable(values));
    return zeros_array(count, sizes, PyArray_TYPE(values));
}

// Whether what is picked is contiguous in torch too: the dims go from the slowest to the fastest.
bool is_descending(PyArrayObject* array) {
    npy_intp least = NPY_MAX_INTP, size = 0;
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        npy_intp step = PyArray_STRIDE(array, d);
        if (step == 0) continue;
        if (step > least || (step == least && PyArray_DIM(array, d) > size)) return false;
        least = step;
        size = PyArray_DIM(array, d);
    }
    return true;
}

bool are_descending(PyObject* list) {
    for (Py_ssize_t i = 0; PyList_CheckExact(list) && i < PyList_GET_SIZE(list); i++) {
        PyObject* each = PyList_GET_ITEM(list, i);
        if (is_tensor(each) && !is_descending(as_tensor(each)->array)) return false;
    }
    return true;
}

NAMES(Pick, input, indices, dims);
NAMES(SavedOfPick, input_shape, indices, dims);

PyObject* pick_forward(Call& call) {
    PyArrayObject* input = call.array(Pick::input);
    PyObject* indices = call[Pick::indices];
    Picked picked;
    DECLINE_IF(input == nullptr);
    DECLINE_IF(!is_descending(input) || !are_descending(indices));
    if (!read_picked(picked, indices, call[Pick::dims], PyArray_NDIM(input), PyArray_DIMS(input),
                     PyArray_STRIDES(input))) {
        return nullptr;
    }
    return as_object(take(input, picked));
}

PyArrayObject* picked_into(PyArrayObject* values, PyObject* indices, PyObject* dims, PyObject* shape) {
    Ref whole = Ref::steal(as_object(zeros_for(shape, values)));
    if (!whole) return nullptr;
    PyArrayObject* array = whole.array();
    Picked picked;
    if (!read_picked(picked, indices, dims, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array))) {
        return nullptr;
    }
    DECLINE_IF(!picked.fits(values, array));
    return add_picked(array, picked, values) ? reinterpret_cast<PyArrayObject*>(whole.release()) : nullptr;
}

bool pick_backward(Gradient& gradient) {
    gradient.found[0] = picked_into(gradient.grad(), gradient.option(SavedOfPick::indices),
                                    gradient.option(SavedOfPick::dims), gradient.option(SavedOfPick::input_shape));
    return gradient.found[0] != nullptr;
}

NAMES(PickInto, input, indices, dims, shape);

PyObject* pick_into_forward(Call& call) {
    return as_object(
        picked_into(call.array(PickInto::input), call[PickInto::indices], call[PickInto::dims], call[PickInto::shape]));
}

NAMES(IndexSelect, input, dim, index);
NAMES(SavedOfIndexSelect, input_shape, dim, index);

PyObject* index_select_forward(Call& call) {
    PyArrayObject* input = call.array(IndexSelect::input);
    Picked picked;
    if (!read_vector(picked, call.array(IndexSelect::index), call[IndexSelect::dim], input)) return nullptr;
    return as_object(take(input, picked));
}

bool index_select_backward(Gradient& gradient) {
    Ref whole = Ref::steal(as_object(zeros_for(gradient.option(SavedOfIndexSelect::input_shape), gradient.grad())));
    Picked picked;
    if (!whole || !read_vector(picked, gradient.array(SavedOfIndexSelect::index),
                               gradient.option(SavedOfIndexSelect::dim), whole.array())) {
        return false;
    }
    if (!add_picked(whole.array(), picked, gradient.grad())) return false;
    gradient.found[0] = whole.array();
    whole.release();
    return true;
}

bool is_one(PyObject* value) {
    npy_intp number;
    return read_index(value, number) && number == 1;
}

NAMES(IndexAdd, input, dim, index, source, alpha);
NAMES(SavedOfIndexAdd, dim, index, alpha);

// index_add(input, dim, index, source, *, alpha=1)
PyObject* index_add_forward(Call& call) {
    PyArrayObject *input = call.array(IndexAdd::input), *index = call.array(IndexAdd::index);
    PyArrayObject* source = call.array(IndexAdd::source);
    Picked picked;
    DECLINE_IF(source == nullptr);
    DECLINE_IF(!is_one(call[IndexAdd::alpha]));
    DECLINE_IF(!is_addable(input));
    DECLINE_IF(call.out != nullptr);
    Ref made = Ref::steal(as_object(packed_copy(input)));
    if (!made || !read_vector(picked, index, call[IndexAdd::dim], made.array())) return nullptr;
    DECLINE_IF(!picked.fits(source, input));
    return add_picked(made.array(), picked, source) ? made.release() : nullptr;
}

bool index_add_backward(Gradient& gradient) {
    int input = gradient.place_of(IndexAdd::input), source = gradient.place_of(IndexAdd::source);
    if (source >= 0) {
        Picked picked;
        DECLINE_IF(!is_one(gradient.option(SavedOfIndexAdd::alpha)));
        if (!read_vector(picked, gradient.array(SavedOfIndexAdd::index), gradient.option(SavedOfIndexAdd::dim),
                         gradient.grad())) {
            return false;
        }
        gradient.found[source] = take(gradient.grad(), picked);
        if (gradient.found[source] == nullptr) return false;
    }
    if (input >= 0) {
        Py_INCREF(gradient.grad());
        gradient.found[input] = gradient.grad();
    }
    return true;
}

KERNEL("_pick").forward(pick_forward, Pick::names).gradient(pick_backward, SavedOfPick::names);
KERNEL("_pick_into").forward(pick_into_forward, PickInto::names);
KERNEL("index_select")
    .forward(index_select_forward, IndexSelect::names)
    .gradient(index_select_backward, SavedOfIndexSelect::names);
KERNEL("index_add").forward(index_add_forward, IndexAdd::names).gradient(index_add_backward, SavedOfIndexAdd::names);

}  // namespace

}  // namespace rushlight
