// Masks: elements chosen by a tensor of bools on the first dimensions. See ops/indexing.py and ops/masking.py.
#include "masks.h"

#include <algorithm>
#include <cstring>

#include "arrays.h"
#include "call.h"
#include "copies.h"
#include "parts.h"
#include "promotion.h"
#include "views.h"

namespace rushlight {

namespace {

// The parts of a whole where a mask on its first dimensions holds.
struct Masked {
    npy_intp rows = 0, held = 0, bytes = 0;
    const npy_bool* holds = nullptr;

    // False unless both are C-contiguous, the mask fits and some of it holds.
    bool read(PyArrayObject* mask, int ndim, const npy_intp* dims, npy_intp itemsize) {
        if (mask == nullptr || PyArray_TYPE(mask) != NPY_BOOL || !PyArray_IS_C_CONTIGUOUS(mask)) return false;
        int count = PyArray_NDIM(mask);
        if (count < 1 || count > ndim || !PyArray_CompareLists(PyArray_DIMS(mask), dims, count)) return false;
        rows = PyArray_SIZE(mask);
        bytes = itemsize * PyArray_MultiplyList(dims + count, ndim - count);
        holds = static_cast<const npy_bool*>(PyArray_DATA(mask));
        for (npy_intp i = 0; i < rows; i++) held += holds[i];
        return held > 0 && bytes > 0;
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

// _pick_mask(input, mask) and masked_select(input, mask), which wants a mask of the input's shape
PyObject* pick_mask_forward(Call& call) {
    PyArrayObject *input = call.array(0), *mask = call.array(1);
    if (input == nullptr || mask == nullptr) return nullptr;
    Masked masked;
    if (!is_movable(input) || !PyArray_IS_C_CONTIGUOUS(input)) return nullptr;
    if (!masked.read(mask, PyArray_NDIM(input), PyArray_DIMS(input), PyArray_ITEMSIZE(input))) return nullptr;
    npy_intp dims[NPY_MAXDIMS];
    int rest = PyArray_NDIM(input) - PyArray_NDIM(mask);
    dims[0] = masked.held;
    std::copy_n(PyArray_DIMS(input) + PyArray_NDIM(mask), rest, dims + 1);
    PyArrayObject* made = new_array(rest + 1, dims, PyArray_TYPE(input));
    if (made != nullptr) masked.copy(PyArray_BYTES(input), PyArray_BYTES(made), true);
    return as_object(made);
}

PyObject* masked_select_forward(Call& call) {
    bool alike = call.array(1) != nullptr && PyArray_SAMESHAPE(call.array(0), call.array(1));
    return alike ? pick_mask_forward(call) : nullptr;
}

bool pick_mask_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(0), sizes);
    PyArrayObject* grad = gradient.grad();
    Masked masked;
    if (count < 1 || !is_movable(grad) || !masked.read(gradient.array(1), count, sizes, PyArray_ITEMSIZE(grad))) {
        return false;
    }
    Ref packed = Ref::borrow(as_object(grad));
    if (!PyArray_IS_C_CONTIGUOUS(grad)) packed = Ref::steal(as_object(packed_copy(grad)));
    if (!packed || PyArray_NBYTES(packed.array()) != masked.held * masked.bytes) return false;
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

// _rows_nonzero(input): a row for each, whose columns stand in memory one after another
PyObject* rows_nonzero_forward(Call& call) {
    constexpr Places loops[DTYPES] = {{count_places<float>, find_places<float>},
                                      {count_places<double>, find_places<double>},
                                      {count_places<int64_t>, find_places<int64_t>},
                                      {count_places<npy_bool>, find_places<npy_bool>}};
    PyArrayObject* input = call.array(0);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    if (ndim == 0 || dtype < 0 || !PyArray_IS_C_CONTIGUOUS(input)) return nullptr;
    npy_intp count = loops[dtype].count(PyArray_DATA(input), PyArray_SIZE(input)), dims[] = {ndim, count};
    if (count == 0) return nullptr;
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

// nonzero(input, *, out=None, as_tuple=False)
PyObject* nonzero_route(Call& call) {
    static Function* rows = find_function("_rows_nonzero");
    if (rows == nullptr || !call.is_tensor(0) || call[1] != Py_None || call[2] != Py_False) return nullptr;
    PyObject* args[] = {call[0]};
    return call_native(rows, args, 1, nullptr);
}

}  // namespace

bool put_masked(PyArrayObject* whole, PyArrayObject* mask, PyArrayObject* value) {
    if (PyArray_SIZE(value) != 1 || !PyArray_SAMESHAPE(mask, whole)) return false;
    if (!PyArray_IS_C_CONTIGUOUS(mask) || !PyArray_IS_C_CONTIGUOUS(whole)) return false;
    const char* element = PyArray_BYTES(value);
    auto* holds = static_cast<const npy_bool*>(PyArray_DATA(mask));
    npy_intp itemsize = PyArray_ITEMSIZE(whole);
    char* to = PyArray_BYTES(whole);
    for (npy_intp i = 0; i < PyArray_SIZE(whole); i++, to += itemsize) {
        if (holds[i]) std::memcpy(to, element, itemsize);
    }
    return true;
}

void register_masks() {
    add_kernel({"_pick_mask", pick_mask_forward, pick_mask_backward, {"input_shape", "mask"}});
    add_kernel({"_rows_nonzero", rows_nonzero_forward});
    add_route("nonzero", nonzero_route);
    add_kernel({"masked_select", masked_select_forward, pick_mask_backward, {"input_shape", "mask"}});
}

}  // namespace rushlight
