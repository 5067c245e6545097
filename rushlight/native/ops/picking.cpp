// Picking: x[i, j] with tensors of positions, index_select and index_add. See ops/indexing/indexing.py,
// ops/indexing/gathering.py and ops/indexing/placing.py.
#include "ops/picking.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/gathering.h"
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
    Ref packed = in_c_order(index);
    auto* positions = elements<const int64_t>(packed.array());
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
    DECLINE_IF(!around.dense || !is_addable(whole) || !is_addable(values));
    DECLINE_IF(PyArray_TYPE(values) != PyArray_TYPE(whole) || PyArray_SIZE(values) != total);
    Ref packed = in_c_order(values);
    auto* add = PyArray_TYPE(whole) == NPY_FLOAT ? add_rows<float> : add_rows<double>;
    add(PyArray_BYTES(whole), around, picked.offsets, PyArray_BYTES(packed.array()));
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
    DECLINE_IF(ndim < 0);
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
bool read_vector(Picked& picked, PyArrayObject* index, int dim, PyArrayObject* whole) {
    int ndim = PyArray_NDIM(whole);
    if (!picked.read(&index, 1, dim, ndim, PyArray_DIMS(whole), PyArray_STRIDES(whole), false)) return false;
    picked.index_ndim = 1;
    picked.index_dims[0] = PyArray_SIZE(index);
    return true;
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

bool pick_forward(Call& call) {
    PyArrayObject* input = call.array(Pick::input);
    PyObject* indices = call[Pick::indices];
    Picked picked;
    DECLINE_IF(!is_descending(input) || !are_descending(indices));
    if (!read_picked(picked, indices, call[Pick::dims], PyArray_NDIM(input), PyArray_DIMS(input),
                     PyArray_STRIDES(input))) {
        return false;
    }
    return call.give(take(input, picked));
}

// Zeros of a shape, to which values are added where `_pick` reads. `output` is a Call or a Gradient.
template <class Output>
bool pick_into(Output& output, PyArrayObject* values, PyObject* indices, PyObject* dims, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(count < 1);
    PyArrayObject* whole = output.make_zeros(count, sizes, PyArray_TYPE(values));
    Picked picked;
    if (!read_picked(picked, indices, dims, count, sizes, PyArray_STRIDES(whole))) return false;
    DECLINE_IF(!picked.fits(values, whole));
    return add_picked(whole, picked, values);
}

bool pick_backward(Gradient& gradient) {
    using Saved = SavedOfPick;
    return pick_into(gradient, gradient.grad(), gradient.option(Saved::indices), gradient.option(Saved::dims),
                     gradient.option(Saved::input_shape));
}

NAMES(PickInto, input, indices, dims, shape);

bool pick_into_forward(Call& call) {
    return pick_into(call, call.array(PickInto::input), call[PickInto::indices], call[PickInto::dims],
                     call[PickInto::shape]);
}

NAMES(IndexSelect, input, dim, index);
NAMES(SavedOfIndexSelect, input_shape, dim, index);

bool index_select_forward(Call& call) {
    PyArrayObject* input = call.array(IndexSelect::input);
    Picked picked;
    return read_vector(picked, call.array(IndexSelect::index), call.dim(IndexSelect::dim), input) &&
           call.give(take(input, picked));
}

bool index_select_backward(Gradient& gradient) {
    using Saved = SavedOfIndexSelect;
    npy_intp sizes[NPY_MAXDIMS];
    int dim, count = read_sizes(gradient.option(Saved::input_shape), sizes);
    DECLINE_IF(count < 1 || !read_dim(gradient.option(Saved::dim), count, dim));
    PyArrayObject* whole = gradient.make_zeros(count, sizes, PyArray_TYPE(gradient.grad()));
    Picked picked;
    return read_vector(picked, gradient.array(Saved::index), dim, whole) && add_picked(whole, picked, gradient.grad());
}

NAMES(IndexAdd, input, dim, index, source, alpha);
NAMES(SavedOfIndexAdd, dim, index, alpha);

// index_add(input, dim, index, source, *, alpha=1)
bool index_add_forward(Call& call) {
    PyArrayObject *input = call.array(IndexAdd::input), *source = call.array(IndexAdd::source);
    PyArrayObject* index = call.array(IndexAdd::index);
    Picked picked;
    DECLINE_IF(call.integer(IndexAdd::alpha) != 1 || reads_target(call, index, source));
    PyArrayObject* whole = target_of(call, input);
    if (!read_vector(picked, index, call.dim(IndexAdd::dim), whole)) return false;
    DECLINE_IF(!picked.fits(source, input));
    return add_picked(whole, picked, source);
}

bool index_add_backward(Gradient& gradient) {
    using Saved = SavedOfIndexAdd;
    PyArrayObject* grad = gradient.grad();
    return gradient.fill(IndexAdd::source, [&]() -> PyArrayObject* {
        Picked picked;
        DECLINE_IF(gradient.integer(Saved::alpha) != 1);
        bool fits = read_vector(picked, gradient.array(Saved::index), gradient.dim(Saved::dim), grad);
        return fits ? take(grad, picked) : nullptr;
    }) && gradient.pass_on(IndexAdd::input);
}

KERNEL("_pick")
    .forward(pick_forward, Pick::names)
    .takes(tensor(Pick::input).movable().filled())
    .gradient(pick_backward, SavedOfPick::names)
    .given(tensor(GRADIENT).floats());
KERNEL("_pick_into").forward(pick_into_forward, PickInto::names).takes(tensor(PickInto::input).floats());
KERNEL("index_select")
    .forward(index_select_forward, IndexSelect::names)
    .takes(tensor(IndexSelect::input).movable().rank_from(1).filled(), dim(IndexSelect::dim, IndexSelect::input),
           tensor(IndexSelect::index).integers().rank(0, 1).filled())
    .gradient(index_select_backward, SavedOfIndexSelect::names)
    .given(tensor(GRADIENT).floats(), tensor(SavedOfIndexSelect::index).integers().rank(0, 1).filled());
KERNEL("index_add")
    .forward(index_add_forward, IndexAdd::names)
    .takes(tensor(IndexAdd::input).floats().rank_from(1), dim(IndexAdd::dim, IndexAdd::input),
           tensor(IndexAdd::index).integers().rank(0, 1).filled(), tensor(IndexAdd::source).like(IndexAdd::input),
           integer(IndexAdd::alpha))
    .gradient(index_add_backward, SavedOfIndexAdd::names)
    .given(tensor(GRADIENT).floats().rank_from(1), dim(SavedOfIndexAdd::dim, GRADIENT),
           tensor(SavedOfIndexAdd::index).integers().rank(0, 1).filled(), integer(SavedOfIndexAdd::alpha));

}  // namespace

}  // namespace rushlight
