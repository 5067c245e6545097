// Row ops: one run of an op's loop over all rows, or all columns, shared by threads.
#include <algorithm>

#include "arrays.h"
#include "copies.h"
#include "folding.h"
#include "threads.h"

namespace rushlight {

constexpr int64_t GRAIN = 1 << 14;  // elements that one thread takes at least

void run_rows(RowOp op, int dtype, const RowArrays& arrays, const Middle& middle) {
    RowLoop loop = table().folding.rows[op][dtype];
    if (middle.inner == 1) {
        int64_t grain = std::max<int64_t>(1, GRAIN / middle.count);
        parallel(middle.outer, grain, [&](int64_t begin, int64_t end) {
            loop(arrays, Piece{end - begin, middle.count, 0, 0, begin * middle.count, begin});
        });
        return;
    }
    int64_t tiles = (middle.inner + TILE - 1) / TILE;
    int64_t grain = std::max<int64_t>(1, GRAIN / (middle.count * std::min(middle.inner, TILE)));
    parallel(middle.outer * tiles, grain, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            int64_t outer = unit / tiles, column = unit % tiles * TILE;
            loop(arrays, Piece{1, middle.count, middle.inner, std::min(TILE, middle.inner - column),
                               outer * middle.count * middle.inner + column, outer * middle.inner + column});
        }
    });
}

bool RowRun::read(int which, PyArrayObject* array, int64_t size) {
    if (array == nullptr || dtype_of(array) != dtype || PyArray_SIZE(array) != size) return false;
    held[which] = in_c_order(array);
    if (!held[which]) return false;
    arrays.inputs[which] = PyArray_DATA(held[which].array());
    return true;
}

bool RowRun::write(int which, int ndim, const npy_intp* shape) {
    written[which] = Ref::steal(as_object(new_array(ndim, shape, type_num_of(dtype))));
    if (!written[which]) return false;
    arrays.outputs[which] = PyArray_DATA(written[which].array());
    return true;
}

bool RowRun::write_over(const Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    // the run itself holds it too, as what it reads
    bool alone = gradient.may_overwrite && Py_REFCNT(grad) == 1 + (held[0].get() == as_object(grad));
    if (!alone || !PyArray_IS_C_CONTIGUOUS(grad)) return write(0, PyArray_NDIM(grad), PyArray_DIMS(grad));
    written[0] = Ref::borrow(as_object(grad));
    arrays.outputs[0] = PyArray_DATA(grad);
    return true;
}

PyArrayObject* RowRun::take(int which) { return reinterpret_cast<PyArrayObject*>(written[which].release()); }

PyArrayObject* RowRun::take_like(int which, PyArrayObject* model) {
    PyArrayObject* found = take(which);
    if (PyArray_IS_C_CONTIGUOUS(model)) return found;
    PyArrayObject* laid =
        new_array_like_strides(PyArray_NDIM(model), PyArray_DIMS(model), PyArray_STRIDES(model), PyArray_TYPE(found));
    if (laid == nullptr) {
        PyErr_Clear();  // the numbers are right in any order
        return found;
    }
    copy_into(laid, found);
    drop(found);
    return laid;
}

void RowRun::run(RowOp op, const Middle& middle) const { run_rows(op, dtype, arrays, middle); }

}  // namespace rushlight
