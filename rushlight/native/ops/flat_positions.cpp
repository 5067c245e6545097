// Positions counted through a whole tensor, and places that a mask holds or all: take, put, masked_scatter and fill.
// See ops/indexing/gathering.py, ops/indexing/placing.py, ops/indexing/masking.py and ops/shape/copying.py.
#include <algorithm>
#include <cstring>

#include "kernels/table.h"
#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/gathering.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/promotion.h"

namespace rushlight {

namespace {

// Where the elements of an array stand that positions through all of it name; negative ones count from the end.
class Flat {
public:
    explicit Flat(PyArrayObject* whole)
        : itemsize(PyArray_ITEMSIZE(whole)),
          size(PyArray_SIZE(whole)),
          ndim(PyArray_NDIM(whole)),
          dims(PyArray_DIMS(whole)),
          strides(PyArray_STRIDES(whole)),
          straight(PyArray_IS_C_CONTIGUOUS(whole)) {}

    // Whether the tensor has all of these; the index is C-contiguous.
    bool has(PyArrayObject* index) const {
        auto* positions = elements<const int64_t>(index);
        npy_intp count = PyArray_SIZE(index);
        bool inside = true;
        for (npy_intp i = 0; i < count; i++) inside = inside & (positions[i] >= -size) & (positions[i] < size);
        return inside;
    }
    // In bytes.
    npy_intp offset(int64_t position) const {
        if (position < 0) position += size;
        if (straight) return position * itemsize;
        npy_intp found = 0;
        for (int d = ndim - 1; d >= 0; d--) {
            found += position % dims[d] * strides[d];
            position /= dims[d];
        }
        return found;
    }

private:
    npy_intp itemsize, size;
    int ndim;
    const npy_intp *dims, *strides;
    bool straight;
};

// Runs work(T) with an unsigned type of an element's size; false for other sizes.
template <class Work>
bool by_size(npy_intp itemsize, Work work) {
    switch (itemsize) {
        case 1: work(uint8_t{}); return true;
        case 2: work(uint16_t{}); return true;
        case 4: work(uint32_t{}); return true;
        case 8: work(uint64_t{}); return true;
        default: return false;
    }
}

NAMES(Take, input, index);
NAMES(SavedOfTake, input_shape, index);

bool take_forward(Call& call) {
    PyArrayObject *input = call.array(Take::input), *index = call.array(Take::index);
    Flat flat(input);
    DECLINE_IF(!flat.has(index));
    const char* from = PyArray_BYTES(input);
    auto* positions = elements<const int64_t>(index);
    npy_intp count = PyArray_SIZE(index);
    PyArrayObject* made = call.make(PyArray_NDIM(index), PyArray_DIMS(index), PyArray_TYPE(input));
    return by_size(PyArray_ITEMSIZE(input), [&](auto kind) {
        using T = decltype(kind);
        auto* to = elements<T>(made);
        for (npy_intp i = 0; i < count; i++) std::memcpy(to + i, from + flat.offset(positions[i]), sizeof(T));
    });
}

// Adds one value after another, in the order of the index.
template <class T>
void add_values(char* to, const Flat& flat, PyArrayObject* index, PyArrayObject* values) {
    auto* positions = elements<const int64_t>(index);
    auto* from = elements<const T>(values);
    for (npy_intp i = 0; i < PyArray_SIZE(index); i++) {
        auto* place = reinterpret_cast<T*>(to + flat.offset(positions[i]));
        if constexpr (std::is_same_v<T, npy_bool>) {
            *place = *place || from[i];
        } else {
            *place += from[i];
        }
    }
}

// The same in half precision, rounded after each step.
void add_halves(char* to, const Flat& flat, PyArrayObject* index, PyArrayObject* values, int half) {
    Convert widen = table().widen[half - DTYPES], shorten = table().shorten[half - DTYPES];
    auto* positions = elements<const int64_t>(index);
    auto* from = elements<const uint16_t>(values);
    for (npy_intp i = 0; i < PyArray_SIZE(index); i++) {
        char* place = to + flat.offset(positions[i]);
        float sum, value;
        widen(place, &sum, 1);
        widen(from + i, &value, 1);
        sum += value;
        shorten(&sum, place, 1);
    }
}

// False where there is no loop for the dtype.
bool add_at(PyArrayObject* whole, PyArrayObject* index, PyArrayObject* values) {
    Flat flat(whole);
    char* to = PyArray_BYTES(whole);
    int half = kept_dtype_of(whole);
    if (half >= DTYPES) {
        add_halves(to, flat, index, values, half);
        return true;
    }
    switch (PyArray_TYPE(whole)) {
        case NPY_FLOAT: add_values<float>(to, flat, index, values); return true;
        case NPY_DOUBLE: add_values<double>(to, flat, index, values); return true;
        // sums wrap around
        case NPY_INT64: add_values<uint64_t>(to, flat, index, values); return true;
        case NPY_BOOL: add_values<npy_bool>(to, flat, index, values); return true;
        default: return false;
    }
}

bool take_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfTake::input_shape), sizes);
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(SavedOfTake::index);
    DECLINE_IF(count < 0 || PyArray_SIZE(grad) != PyArray_SIZE(index));
    PyArrayObject* whole = gradient.make_zeros(count, sizes, PyArray_TYPE(grad));
    DECLINE_IF(!Flat(whole).has(index));
    return add_at(whole, index, grad);
}

// A copy of the input that lies in memory as it does, or what an in-place call brings.
PyArrayObject* target_like(Call& call, PyArrayObject* input) {
    if (call.out != nullptr || PyArray_IS_C_CONTIGUOUS(input)) return target_of(call, input);
    int ndim = PyArray_NDIM(input);
    PyArrayObject* copy =
        made(new_array_like_strides(ndim, PyArray_DIMS(input), PyArray_STRIDES(input), PyArray_TYPE(input)));
    call.give(copy);
    copy_into(copy, input);
    return copy;
}

NAMES(Put, input, index, source, accumulate);

// put(input, index, source, accumulate=False)
bool put_forward(Call& call) {
    PyArrayObject *input = call.array(Put::input), *index = call.array(Put::index);
    PyArrayObject* source = call.array(Put::source);
    bool adds = call.flag(Put::accumulate);
    DECLINE_IF(PyArray_SIZE(index) != PyArray_SIZE(source) || reads_target(call, index, source));
    DECLINE_IF(!Flat(input).has(index));
    PyArrayObject* whole = target_like(call, input);
    if (adds) return add_at(whole, index, source);
    Flat flat(whole);
    char* to = PyArray_BYTES(whole);
    auto* positions = elements<const int64_t>(index);
    return by_size(PyArray_ITEMSIZE(whole), [&](auto kind) {
        using T = decltype(kind);
        auto* from = elements<const T>(source);
        for (npy_intp i = 0; i < PyArray_SIZE(index); i++) {
            std::memcpy(to + flat.offset(positions[i]), from + i, sizeof(T));
        }
    });
}

NAMES(MaskedScatter, input, mask, source);

// The next element of the source in each place that the mask holds, row by row; rows may stand apart in the target.
template <class T>
void scatter_rows(PyArrayObject* whole, const npy_bool* holds, npy_intp rows, npy_intp step, const T* from) {
    int last = PyArray_NDIM(whole) - 1;
    npy_intp at[NPY_MAXDIMS] = {}, width = PyArray_DIM(whole, last), along = PyArray_STRIDE(whole, last);
    char* row = PyArray_BYTES(whole);
    for (npy_intp i = 0; i < rows; i++, holds += step) {
        for (npy_intp k = 0; k < width; k++) {
            if (holds[k]) std::memcpy(row + k * along, from++, sizeof(T));
        }
        for (int d = last - 1; d >= 0; d--) {
            row += PyArray_STRIDE(whole, d);
            if (++at[d] < PyArray_DIM(whole, d)) break;
            row -= PyArray_STRIDE(whole, d) * PyArray_DIM(whole, d);
            at[d] = 0;
        }
    }
}

// for a mask of the input's shape, or of one row of it
bool masked_scatter_forward(Call& call) {
    PyArrayObject *input = call.array(MaskedScatter::input), *mask = call.array(MaskedScatter::mask);
    PyArrayObject* source = call.array(MaskedScatter::source);
    int ndim = PyArray_NDIM(input);
    npy_intp width = PyArray_DIM(input, ndim - 1), rows = PyArray_SIZE(input) / width;
    bool repeats = PyArray_NDIM(mask) == 1 && PyArray_DIM(mask, 0) == width && rows > 1;
    DECLINE_IF(!repeats && !have_same_shape(input, mask));
    DECLINE_IF(reads_target(call, mask, source));
    auto* holds = elements<const npy_bool>(mask);
    npy_intp held = 0;
    for (npy_intp i = 0; i < PyArray_SIZE(mask); i++) held += holds[i];
    DECLINE_IF(PyArray_SIZE(source) < held * (repeats ? rows : 1));
    PyArrayObject* whole = target_of(call, input);
    return by_size(PyArray_ITEMSIZE(whole), [&](auto kind) {
        scatter_rows(whole, holds, rows, repeats ? 0 : width, elements<const decltype(kind)>(source));
    });
}

NAMES(Fill, input, value);

// fill(input, value): a number that the dtype holds, everywhere
bool fill_forward(Call& call) {
    PyArrayObject* input = call.array(Fill::input);
    alignas(16) char element[16];
    DECLINE_IF(call.out != nullptr || !read_element(call[Fill::value], input, element));
    int ndim = PyArray_NDIM(input);
    PyArrayObject* found =
        made(new_array_like_strides(ndim, PyArray_DIMS(input), PyArray_STRIDES(input), PyArray_TYPE(input)));
    call.give(keep_unit_steps(found, input));
    fill_elements(found, element);
    return true;
}

KERNEL("fill").forward(fill_forward, Fill::names).takes(tensor(Fill::input).known().halves().filled());
KERNEL("take")
    .forward(take_forward, Take::names)
    .takes(tensor(Take::input).known().halves().filled(), tensor(Take::index).integers().filled().dense())
    .gradient(take_backward, SavedOfTake::names)
    .given(tensor(GRADIENT).floats().halves().packed(), tensor(SavedOfTake::index).integers().filled().dense());
KERNEL("put")
    .forward(put_forward, Put::names)
    .takes(tensor(Put::input).known().halves().filled(), tensor(Put::index).integers().filled().packed(),
           tensor(Put::source).like(Put::input).packed(), flag(Put::accumulate));
KERNEL("masked_scatter")
    .forward(masked_scatter_forward, MaskedScatter::names)
    .takes(tensor(MaskedScatter::input).known().halves().rank_from(1).filled(),
           tensor(MaskedScatter::mask).bools().packed(),
           tensor(MaskedScatter::source).like(MaskedScatter::input).packed());

}  // namespace

}  // namespace rushlight
