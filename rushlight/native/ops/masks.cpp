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

    // False unless the mask, which is C-contiguous, fits and some of it holds.
    bool read(PyArrayObject* mask, int ndim, const npy_intp* dims, npy_intp itemsize) {
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

bool pick_mask_forward(Call& call) {
    PyArrayObject *input = call.array(PickMask::input), *mask = call.array(PickMask::mask);
    Masked masked;
    if (!masked.read(mask, PyArray_NDIM(input), PyArray_DIMS(input), PyArray_ITEMSIZE(input))) return false;
    npy_intp dims[NPY_MAXDIMS];
    int rest = PyArray_NDIM(input) - PyArray_NDIM(mask);
    dims[0] = masked.held;
    std::copy_n(PyArray_DIMS(input) + PyArray_NDIM(mask), rest, dims + 1);
    masked.copy(PyArray_BYTES(input), PyArray_BYTES(call.make(rest + 1, dims, PyArray_TYPE(input))), true);
    return true;
}

// the same, but for a mask of the input's shape
bool masked_select_forward(Call& call) {
    DECLINE_IF(!have_same_shape(call.array(PickMask::input), call.array(PickMask::mask)));
    return pick_mask_forward(call);
}

bool pick_mask_backward(Gradient& gradient) {
    using Saved = SavedOfPickMask;
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(Saved::input_shape), sizes);
    PyArrayObject* grad = gradient.grad();
    Masked masked;
    DECLINE_IF(count < 1);
    if (!masked.read(gradient.array(Saved::mask), count, sizes, PyArray_ITEMSIZE(grad))) return false;
    DECLINE_IF(PyArray_NBYTES(grad) != masked.held * masked.bytes);
    PyArrayObject* whole = gradient.make_zeros(count, sizes, PyArray_TYPE(grad));
    masked.copy(PyArray_BYTES(whole), PyArray_BYTES(grad), false);
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
bool rows_nonzero_forward(Call& call) {
    constexpr Places loops[DTYPES] = {{count_places<float>, find_places<float>},
                                      {count_places<double>, find_places<double>},
                                      {count_places<int64_t>, find_places<int64_t>},
                                      {count_places<npy_bool>, find_places<npy_bool>}};
    PyArrayObject* input = call.array(RowsNonzero::input);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    npy_intp count = loops[dtype].count(PyArray_DATA(input), PyArray_SIZE(input)), dims[] = {ndim, count};
    DECLINE_IF(count == 0);
    Ref columns = Ref::steal(as_object(made(new_array(2, dims, NPY_INT64))));
    auto* first = elements<int64_t>(columns.array());
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
    return call.give(rows.of(columns.array()));
}

NAMES(Nonzero, input, out, as_tuple);

// nonzero(input, *, out=None, as_tuple=False)
PyObject* nonzero_route(Call& call) {
    static Inner rows("_rows_nonzero");
    DECLINE_IF(call.flag(Nonzero::as_tuple));
    return rows(call[Nonzero::input]);
}

constexpr TensorWant whole = tensor(PickMask::input).movable().dense(), mask = tensor(PickMask::mask).bools().dense();
constexpr TensorWant saved_mask = tensor(SavedOfPickMask::mask).bools().dense(),
                     parts = tensor(GRADIENT).movable().packed();

KERNEL("_pick_mask")
    .forward(pick_mask_forward, PickMask::names)
    .takes(whole, mask)
    .gradient(pick_mask_backward, SavedOfPickMask::names)
    .given(parts, saved_mask);
KERNEL("masked_select").as("_pick_mask").forward(masked_select_forward, PickMask::names);
KERNEL("_rows_nonzero")
    .forward(rows_nonzero_forward, RowsNonzero::names)
    .takes(tensor(RowsNonzero::input).known().rank_from(1).dense());
KERNEL("nonzero")
    .route(nonzero_route, Nonzero::names)
    .takes(tensor(Nonzero::input), none(Nonzero::out), flag(Nonzero::as_tuple));

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
