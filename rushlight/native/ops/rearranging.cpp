// Rearranging: copies with the elements in another order. See ops/shape/rearranging.py.
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// Whether a copy in the same order of memory has but one form: nothing is spread out, and no dim has one element.
bool has_clear_order(PyArrayObject* array) {
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (PyArray_STRIDE(array, d) <= 0 || PyArray_DIM(array, d) < 2) return false;
    }
    return true;
}

// A copy, the order reversed along some dimensions, in rows or as the array stands; nullptr where Python must look.
PyArrayObject* flipped(PyArrayObject* array, PyObject* named, bool in_rows) {
    npy_intp dims[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), count = read_sizes(named, dims);
    DECLINE_IF(count < 0);
    Geometry from(array);
    npy_intp start = 0;
    bool seen[NPY_MAXDIMS] = {};
    for (int i = 0; i < count; i++) {
        DECLINE_IF(dims[i] < -ndim || dims[i] >= ndim);
        auto dim = static_cast<int>(dims[i] < 0 ? dims[i] + ndim : dims[i]);
        DECLINE_IF(seen[dim]);
        seen[dim] = true;
        start += (from.dims[dim] - 1) * from.strides[dim];
        from.strides[dim] = -from.strides[dim];
    }
    int type = PyArray_TYPE(array);
    PyArrayObject* found = made(in_rows ? new_array(ndim, from.dims, type)
                                        : new_array_like_strides(ndim, from.dims, PyArray_STRIDES(array), type));
    copy_elements(PyArray_BYTES(found), PyArray_STRIDES(found), PyArray_BYTES(array) + start, from.strides, ndim,
                  from.dims, static_cast<int>(PyArray_ITEMSIZE(array)));
    return found;
}

NAMES(Flip, input, dims);
NAMES(SavedOfFlip, dims);

bool flip_forward(Call& call) {
    PyArrayObject* input = call.array(Flip::input);
    bool in_rows = PyArray_IS_C_CONTIGUOUS(input);
    DECLINE_IF(!in_rows && !has_clear_order(input));
    PyArrayObject* found = flipped(input, call[Flip::dims], in_rows);
    return call.give(in_rows ? keep_unit_steps(found, input) : found);
}

bool flip_backward(Gradient& gradient) {
    return gradient.give(flipped(gradient.grad(), gradient.option(SavedOfFlip::dims), true));
}

// A number or several.
int read_numbers(PyObject* given, npy_intp* numbers) {
    if (!PyLong_CheckExact(given)) return read_sizes(given, numbers);
    return read_index(given, numbers[0]) ? 1 : -1;
}

// How far the elements move along each dimension, counted forward.
struct Turns {
    npy_intp by[NPY_MAXDIMS] = {};

    // False where Python must look.
    bool read(PyObject* shifts, PyObject* dims, int ndim, const npy_intp* sizes, bool back) {
        npy_intp amounts[NPY_MAXDIMS], named[NPY_MAXDIMS];
        int count = read_numbers(shifts, amounts), places = read_numbers(dims, named);
        if (count < 1 || count != places) return false;
        for (int i = 0; i < count; i++) {
            if (named[i] < -ndim || named[i] >= ndim) return false;
            npy_intp dim = named[i] < 0 ? named[i] + ndim : named[i], size = sizes[dim], shift = amounts[i] % size;
            by[dim] = (by[dim] + (back ? size - shift : size + shift)) % size;
        }
        return true;
    }
};

// Copy an array block by block: along each dimension that turns, what leaves one end comes in at the other.
void turn(PyArrayObject* to, PyArrayObject* from, const Turns& turns, int dim, Geometry& block, npy_intp into,
          npy_intp out_of) {
    while (dim < block.ndim && turns.by[dim] == 0) dim++;
    if (dim == block.ndim) {
        copy_elements(PyArray_BYTES(to) + into, PyArray_STRIDES(to), PyArray_BYTES(from) + out_of, block.strides,
                      block.ndim, block.dims, static_cast<int>(PyArray_ITEMSIZE(from)));
        return;
    }
    npy_intp size = PyArray_DIM(from, dim), by = turns.by[dim];
    block.dims[dim] = size - by;
    turn(to, from, turns, dim + 1, block, into + by * PyArray_STRIDE(to, dim), out_of);
    block.dims[dim] = by;
    turn(to, from, turns, dim + 1, block, into, out_of + (size - by) * PyArray_STRIDE(from, dim));
    block.dims[dim] = size;
}

PyArrayObject* rolled(PyArrayObject* array, PyObject* shifts, PyObject* dims, bool back) {
    bool is_flat = PyTuple_Check(dims) && PyTuple_GET_SIZE(dims) == 0;
    PyArrayObject* found = made(new_array(PyArray_NDIM(array), PyArray_DIMS(array), PyArray_TYPE(array)));
    Ref owned = Ref::steal(as_object(found));
    Turns turns;
    if (!is_flat) {
        DECLINE_IF(!turns.read(shifts, dims, PyArray_NDIM(array), PyArray_DIMS(array), back));
        Geometry block(array);
        turn(found, array, turns, 0, block, 0, 0);
        owned.release();
        return found;
    }
    npy_intp numbers[NPY_MAXDIMS];
    DECLINE_IF(read_numbers(shifts, numbers) != 1);
    Ref packed = in_c_order(array);
    npy_intp bytes = PyArray_NBYTES(array), by = numbers[0] % PyArray_SIZE(array) * PyArray_ITEMSIZE(array);
    by = back ? (bytes - by) % bytes : (bytes + by) % bytes;
    std::memcpy(PyArray_BYTES(found) + by, PyArray_BYTES(packed.array()), bytes - by);
    std::memcpy(PyArray_BYTES(found), PyArray_BYTES(packed.array()) + bytes - by, by);
    owned.release();
    return found;
}

NAMES(Roll, input, shifts, dims);
NAMES(SavedOfRoll, shifts, dims);

bool roll_forward(Call& call) {
    return call.give(rolled(call.array(Roll::input), call[Roll::shifts], call[Roll::dims], false));
}

bool roll_backward(Gradient& gradient) {
    return gradient.give(
        rolled(gradient.grad(), gradient.option(SavedOfRoll::shifts), gradient.option(SavedOfRoll::dims), true));
}

KERNEL("roll")
    .forward(roll_forward, Roll::names)
    .takes(tensor(Roll::input).movable().rank_from(1).filled())
    .gradient(roll_backward, SavedOfRoll::names)
    .given(tensor(GRADIENT).movable().rank_from(1).filled());
KERNEL("flip")
    .forward(flip_forward, Flip::names)
    .takes(tensor(Flip::input).movable().rank_from(1).filled())
    .gradient(flip_backward, SavedOfFlip::names)
    .given(tensor(GRADIENT).movable().rank_from(1).filled());

}  // namespace

}  // namespace rushlight
