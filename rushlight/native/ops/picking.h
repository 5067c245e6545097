// Picking: which parts of a tensor an index of positions names, for reading, adding and writing.
#pragma once

#include <vector>

#include "seam/python.h"

namespace rushlight {

// Positions along `count` neighbouring dimensions from `first` on.
struct Picked {
    int first = 0, count = 0;
    int index_ndim = 0;
    npy_intp index_dims[NPY_MAXDIMS];
    std::vector<npy_intp> offsets;  // in bytes, one for each position

    // Positions from tensors of one shape; negative ones count from the end if `wraps`. False where Python must look.
    bool read(PyArrayObject* const* indices, int number, int dim, int ndim, const npy_intp* dims,
              const npy_intp* strides, bool wraps);
    // The shape of what is picked out of a whole; the number of its dimensions, or -1 if they are too many.
    int picked_dims(int ndim, const npy_intp* dims, npy_intp* found) const;
    // Whether values have that shape.
    bool fits(PyArrayObject* values, PyArrayObject* whole) const;

private:
    bool add_offsets(PyArrayObject* index, npy_intp extent, npy_intp stride, bool wraps);
};

// The dimensions before and behind those that are indexed.
struct Around {
    npy_intp outer = 1;  // combinations of those before
    npy_intp at[NPY_MAXDIMS] = {};
    int before;
    const npy_intp *dims, *strides;  // of the whole
    npy_intp offset = 0;
    int after;
    const npy_intp *after_dims, *after_strides;
    npy_intp size = 1;  // elements of one part
    bool dense = true;  // whether these stand one after another

    Around(const Picked& picked, PyArrayObject* whole);
    // On to the next combination of the dimensions before.
    void advance() {
        for (int d = before - 1; d >= 0; d--) {
            offset += strides[d];
            if (++at[d] < dims[d]) return;
            offset -= strides[d] * dims[d];
            at[d] = 0;
        }
    }
};

// The arrays of a list of tensors and the dimensions they index, which must be neighbours; the count, or 0.
int read_indices(PyObject* list, PyObject* dims, PyArrayObject** indices, int& first);

// Add values of the picked shape to a whole; false, with nothing done, where Python must do it.
bool add_picked(PyArrayObject* whole, const Picked& picked, PyArrayObject* values);

}  // namespace rushlight
