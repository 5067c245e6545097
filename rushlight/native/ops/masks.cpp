// Masks: elements chosen by a tensor of bools on the first dimensions. See ops/indexing/indexing.py and
// ops/indexing/masking.py.
#include "ops/masks.h"

#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// The parts of a whole where a mask on its first dimensions holds.
struct Masked {
    npy_intp rows = 0, held = 0, bytes = 0;
    const npy_bool* holds = nullptr;

    // False unless both are C-contiguous, the mask fits and some of it holds.
    bool read(PyArrayObject* mask, int ndim, const npy_intp* dims, npy_intp itemsize) {
        DECLINE_IF(mask == nullptr || PyArray_TYPE(mask) != NPY_BOOL || !PyArray_IS_C_CONTIGUOUS(mask));
        int count = PyArray_NDIM(mask);
        DECLINE_IF(count < 1 || count > ndim || !PyArray_CompareLists(PyArray_DIMS(mask), dims, count));
        rows = PyArray_SIZE(mask);
        bytes = itemsize * PyArray_MultiplyList(dims + count, ndim - count);
        holds = static_cast<const npy_bool*>(PyArray_DATA(mask));
        for (npy_intp i = 0; i < rows; i++) held += holds[i];
        DECLINE_IF(held <= 0 || bytes <= 0);
        return true;
    }
    // Between the whole and the parts one after another.
    void copy(char* whole, char* parts, bool out) const {
        for (npy_intp i = 0; i < rows; i++, whole += bytes) {
            if (!holds[i]) continue;
            std::memcpy(out ? parts : whole, out ? whole : parts, bytes);
            parts += bytes;
        }
    }
};

NAMES(PickMask, input, mask);
NAMES(SavedOfPickMask, input_shape, mask);

PyObject* pick_mask_forward(Call& call) {
    PyArrayObject *input = call.array(PickMask::input), *mask = call.array(PickMask::mask);
    DECLINE_IF(input == nullptr || mask == nullptr);
    Masked masked;
    DECLINE_IF(!is_movable(input) || !PyArray_IS_C_CONTIGUOUS(input));
    if (!masked.read(mask, PyArray_NDIM(input), PyArray_DIMS(input), PyArray_ITEMSIZE(input))) return nullptr;
    npy_intp dims[NPY_MAXDIMS];
    int rest = PyArray_NDIM(input) - PyArray_NDIM(mask);
    dims[0] = masked.held;
    std::copy_n(PyArray_DIMS(input) + PyArray_NDIM(mask), rest, dims + 1);
    PyArrayObject* made = new_array(rest + 1, dims, PyArray_TYPE(input));
    if (made != nullptr) masked.copy(PyArray_BYTES(input), PyArray_BYTES(made), true);
    return as_object(made);
}

// the same, but for a mask of the input's shape
PyObject* masked_select_forward(Call& call) {
    PyArrayObject *input = call.array(PickMask::input), *mask = call.array(PickMask::mask);
    DECLINE_IF(mask == nullptr || !PyArray_SAMESHAPE(input, mask));
    return pick_mask_forward(call);
}

bool pick_mask_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfPickMask::input_shape), sizes);
    PyArrayObject* grad = gradient.grad();
    Masked masked;
    DECLINE_IF(count < 1 || !is_movable(grad));
    if (!masked.read(gradient.array(SavedOfPickMask::mask), count, sizes, PyArray_ITEMSIZE(grad))) return false;
    Ref packed = Ref::borrow(as_object(grad));
    if (!PyArray_IS_C_CONTIGUOUS(grad)) packed = Ref::steal(as_object(packed_copy(grad)));
    if (!packed) return false;
    DECLINE_IF(PyArray_NBYTES(packed.array()) != masked.held * masked.bytes);
    PyArrayObject* whole = zeros_array(count, sizes, PyArray_TYPE(grad));
    if (whole == nullptr) return false;
    masked.copy(PyArray_BYTES(whole), PyArray_BYTES(packed.array()), false);
    gradient.found[0] = whole;
    return true;
}

// ---- places that are not zero

// The places of elements that are not zero, each by its number in C order; `most` is how many there are.
template <class T>
void find_places(const void* from, npy_intp most, int64_t* places) {
    auto* values = static_cast<const T*>(from);
    npy_intp found = 0;
    for (npy_intp i = 0; found < most; i++) {
        places[found] = i;
        found += values[i] != 0;
    }
}

template <class T>
npy_intp count_places(const void* from, npy_intp count) {
    auto* values = static_cast<const T*>(from);
    npy_intp found = 0;
#pragma omp simd reduction(+ : found)
    for (npy_intp i = 0; i < count; i++) found += values[i] != 0;
    return found;
}

struct Places {
    npy_intp (*count)(const void*, npy_intp);
    void (*find)(const void*, npy_intp, int64_t*);
};

NAMES(RowsNonzero, input);

// A row for each, whose columns stand in memory one after another.
PyObject* rows_nonzero_forward(Call& call) {
    constexpr Places loops[DTYPES] = {{count_places<float>, find_places<float>},
                                      {count_places<double>, find_places<double>},
                                      {count_places<int64_t>, find_places<int64_t>},
                                      {count_places<npy_bool>, find_places<npy_bool>}};
    PyArrayObject* input = call.array(RowsNonzero::input);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    DECLINE_IF(ndim == 0 || dtype < 0 || !PyArray_IS_C_CONTIGUOUS(input));
    npy_intp count = loops[dtype].count(PyArray_DATA(input), PyArray_SIZE(input)), dims[] = {ndim, count};
    DECLINE_IF(count == 0);
    Ref columns = Ref::steal(as_object(new_array(2, dims, NPY_INT64)));
    if (!columns) return nullptr;
    auto* first = static_cast<int64_t*>(PyArray_DATA(columns.array()));
    loops[dtype].find(PyArray_DATA(input), count, first);
    for (int d = ndim - 1; d > 0; d--) {
        npy_intp extent = PyArray_DIM(input, d);
        for (npy_intp i = 0; i < count; i++) {
            first[d * count + i] = first[i] % extent;
            first[i] /= extent;
        }
    }
    Geometry rows(columns.array());
    rows.swap(0, 1);
    return rows.of(columns.array());
}

NAMES(Nonzero, input, out, as_tuple);

// nonzero(input, *, out=None, as_tuple=False)
PyObject* nonzero_route(Call& call) {
    static Function* rows = find_function("_rows_nonzero");
    DECLINE_IF(rows == nullptr || !call.is_tensor(Nonzero::input));
    DECLINE_IF(call[Nonzero::out] != Py_None);
    DECLINE_IF(call[Nonzero::as_tuple] != Py_False);
    PyObject* args[] = {call[Nonzero::input]};
    return call_native(rows, args, 1, nullptr);
}

KERNEL("_pick_mask").forward(pick_mask_forward, PickMask::names).gradient(pick_mask_backward, SavedOfPickMask::names);
KERNEL("masked_select")
    .forward(masked_select_forward, PickMask::names)
    .gradient(pick_mask_backward, SavedOfPickMask::names);
KERNEL("_rows_nonzero").forward(rows_nonzero_forward, RowsNonzero::names);
KERNEL("nonzero").route(nonzero_route, Nonzero::names);

}  // namespace

bool put_masked(PyArrayObject* whole, PyArrayObject* mask, PyArrayObject* value) {
    DECLINE_IF(PyArray_SIZE(value) != 1 || !PyArray_SAMESHAPE(mask, whole));
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(mask) || !PyArray_IS_C_CONTIGUOUS(whole));
    const char* element = PyArray_BYTES(value);
    auto* holds = static_cast<const npy_bool*>(PyArray_DATA(mask));
    npy_intp itemsize = PyArray_ITEMSIZE(whole);
    char* to = PyArray_BYTES(whole);
    for (npy_intp i = 0; i < PyArray_SIZE(whole); i++, to += itemsize) {
        if (holds[i]) std::memcpy(to, element, itemsize);
    }
    return true;
}

}  // namespace rushlight
