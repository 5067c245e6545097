// Folding: reductions over dimensions in blocks, and their gradients, on arrays seen as (outer, count, inner).
#include "loops/folding.h"

#include <algorithm>

#include "loops/convert.h"
#include "loops/copy.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "ops/views.h"

namespace rushlight {

namespace {

// Blocks are what one thread folds at a time. Their borders depend on the shape alone, and so does the result.
constexpr int64_t BLOCK = 1 << 16;    // elements
constexpr int64_t MOST_BLOCKS = 256;  // of a row
constexpr int64_t BATCH = 128;        // rows whose totals are kept at once

int64_t parts_of(int64_t count, int64_t part) { return (count + part - 1) / part; }

// One dimension of a walk in the order of memory.
struct Step {
    npy_intp extent, stride;
    bool reduced;
    int dim;
};

// The dimensions that are longer than 1, from the slowest to the fastest, neighbours joined; -1 for a layout that is
// copied first.
int steps_of(PyArrayObject* array, Dims dims, Step* steps) {
    npy_intp itemsize = PyArray_ITEMSIZE(array);
    int count = 0;
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (PyArray_DIM(array, d) == 1) continue;
        npy_intp stride = PyArray_STRIDE(array, d);
        if (stride < itemsize || stride % itemsize != 0) return -1;
        steps[count++] = {PyArray_DIM(array, d), stride / itemsize, (dims >> d & 1) != 0, d};
    }
    std::stable_sort(steps, steps + count, [](const Step& a, const Step& b) { return a.stride > b.stride; });
    int last_kept = -1, walked = 0;
    for (int i = 0; i < count; i++) {
        if (!steps[i].reduced && steps[i].dim < last_kept) return -1;
        if (!steps[i].reduced) last_kept = steps[i].dim;
        bool joins = walked > 0 && steps[walked - 1].reduced == steps[i].reduced &&
                     steps[walked - 1].stride == steps[i].extent * steps[i].stride;
        Step step = steps[i];
        if (joins) step.extent *= steps[--walked].extent;
        steps[walked++] = step;
    }
    return walked;
}

// How many elements of a row are folded by one thread.
int64_t part_of(int64_t count) {
    int64_t parts = std::min(parts_of(count, BLOCK), MOST_BLOCKS);
    return parts <= 1 ? count : parts_of(parts_of(count, parts), 1024) * 1024;
}

// Many rows of elements that stand next to each other.
void fold_along(const Fold& fold, const char* data, int itemsize, const Middle& middle, double divisor, char* out) {
    int out_size = SIZES[fold.result];
    int64_t length = part_of(middle.count), blocks = parts_of(middle.count, length);
    if (blocks <= 1) {
        parallel(middle.outer, std::max<int64_t>(1, BLOCK / middle.count), [&](int64_t begin, int64_t end) {
            int64_t totals[BATCH];
            for (int64_t row = begin; row < end; row += BATCH) {
                int64_t rows = std::min(BATCH, end - row);
                fold.along(data + row * middle.outer_stride * itemsize, rows, middle.outer_stride, middle.count,
                           totals);
                fold.give(totals, rows, divisor, out + row * out_size);
            }
        });
        return;
    }
    auto fold_row = [&](int64_t row) {
        int64_t totals[MOST_BLOCKS];
        const char* here = data + row * middle.outer_stride * itemsize;
        parallel(blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t block = begin; block < end; block++) {
                int64_t at = block * length;
                fold.along(here + at * itemsize, 1, 0, std::min(length, middle.count - at),
                           reinterpret_cast<char*>(totals) + block * fold.total_size);
            }
        });
        fold.join(totals, blocks, 1);
        fold.give(totals, 1, divisor, out + row * out_size);
    };
    // rows are shared by threads or, if there is one row only, its blocks
    parallel(middle.outer, 1, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; row++) fold_row(row);
    });
}

// Columns, a tile of them at a time, in one go.
void fold_tiles(const Fold& fold, const char* data, int itemsize, const Middle& middle, double divisor, char* out) {
    int64_t tiles = parts_of(middle.inner, TILE), width = std::min(middle.inner, TILE);
    int64_t grain = std::max<int64_t>(1, BLOCK / (middle.count * width));
    parallel(middle.outer * tiles, grain, [&](int64_t begin, int64_t end) {
        int64_t totals[TILE];
        for (int64_t unit = begin; unit < end; unit++) {
            int64_t outer = unit / tiles, column = unit % tiles * TILE;
            int64_t columns = std::min(TILE, middle.inner - column);
            const char* from = data + (outer * middle.outer_stride + column) * itemsize;
            fold.across(from, middle.count, middle.stride, columns, totals);
            fold.give(totals, columns, divisor, out + (outer * middle.inner + column) * SIZES[fold.result]);
        }
    });
}

// Many rows, in blocks that are folded one by one, and then onto each other; false without memory for that.
bool fold_blocks(const Fold& fold, const char* data, int itemsize, const Middle& middle, double divisor, char* out) {
    int64_t width = std::min(middle.inner, TILE);
    int64_t rows = std::max({int64_t{64}, parts_of(BLOCK, width), parts_of(middle.count, 64)});
    int64_t blocks = parts_of(middle.count, rows);
    // narrow tiles where there are too few blocks for many threads
    int64_t tile = blocks >= 16 ? WIDE_TILE : TILE, tiles = parts_of(middle.inner, tile);
    npy_intp size = middle.outer * blocks * middle.inner;
    Ref held = Ref::steal(reinterpret_cast<PyObject*>(new_array(1, &size, NPY_INT64)));
    if (!held) return false;
    char* totals = PyArray_BYTES(held.array());
    parallel(middle.outer * blocks * tiles, 1, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            int64_t column = unit % tiles * tile, block = unit / tiles % blocks, outer = unit / tiles / blocks;
            int64_t columns = std::min(tile, middle.inner - column);
            int64_t at = outer * middle.outer_stride + block * rows * middle.stride + column;
            fold.across(data + at * itemsize, std::min(rows, middle.count - block * rows), middle.stride, columns,
                        totals + (unit / tiles * middle.inner + column) * fold.total_size);
        }
    });
    for (int64_t outer = 0; outer < middle.outer; outer++) {
        char* first = totals + outer * blocks * middle.inner * fold.total_size;
        fold.join(first, blocks, middle.inner);
        fold.give(first, middle.inner, divisor, out + outer * middle.inner * SIZES[fold.result]);
    }
    return true;
}

bool fold_middle(const Fold& fold, PyArrayObject* array, const Middle& middle, double divisor, char* out) {
    const char* data = PyArray_BYTES(array);
    int itemsize = static_cast<int>(PyArray_ITEMSIZE(array));
    if (middle.inner == 1) {
        fold_along(fold, data, itemsize, middle, divisor, out);
        return true;
    }
    int64_t tiles = middle.outer * parts_of(middle.inner, TILE);
    if (tiles >= 64 || middle.count * std::min(middle.inner, TILE) <= BLOCK) {
        fold_tiles(fold, data, itemsize, middle, divisor, out);
        return true;
    }
    return fold_blocks(fold, data, itemsize, middle, divisor, out);
}

// Whether the reduction of reductions is the reduction of all.
bool is_repeatable(Reduction which) { return which <= ALL; }

// A copy in C order with the kept dimensions first and the others last.
Ref kept_first(PyArrayObject* array, Dims dims) {
    npy_intp order[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array), place = 0;
    for (int reduced = 0; reduced < 2; reduced++) {
        for (int d = 0; d < ndim; d++) {
            if (static_cast<int>(dims >> d & 1) == reduced) order[place++] = d;
        }
    }
    PyArray_Dims permutation = {order, ndim};
    Ref view = Ref::steal(PyArray_Transpose(array, &permutation));
    return view ? Ref::steal(reinterpret_cast<PyObject*>(packed_copy(view.array()))) : Ref();
}

bool fold_into(Reduction which, PyArrayObject* array, Dims dims, double divisor, char* out) {
    Middle middle;
    if (middle_of(array, dims, middle)) {
        return fold_middle(table().folding.folds[which][kept_dtype_of(array)], array, middle, divisor, out);
    }
    if (!PyArray_IS_C_CONTIGUOUS(array)) {
        Ref copy = in_c_order(array);
        return copy && fold_into(which, copy.array(), dims, divisor, out);
    }
    int ndim = PyArray_NDIM(array);
    if (!is_repeatable(which)) {
        Ref copy = in_rows(array, dims, middle);
        return copy && fold_middle(table().folding.folds[which][dtype_of(array)], copy.array(), middle, divisor, out);
    }
    // the last dimensions that stand together, then those before them
    int end = ndim;
    while (!(dims >> (end - 1) & 1)) end--;
    int begin = end;
    while (begin > 0 && (dims >> (begin - 1) & 1)) begin--;
    Dims last = all_dims(end) & ~all_dims(begin);
    Ref part = Ref::steal(reinterpret_cast<PyObject*>(fold(which, array, last, true)));
    return part && fold_into(which, part.array(), dims & ~last, divisor, out);
}

// One number, divided, everywhere.
template <class T>
void fill(PyArrayObject* array, const void* number, double divisor) {
    T* data = static_cast<T*>(PyArray_DATA(array));
    T value = *static_cast<const T*>(number) / static_cast<T>(divisor);
    Repeat repeat = table().repeat[dtype_of(array)];
    parallel(PyArray_SIZE(array), BLOCK,
             [&](int64_t begin, int64_t end) { repeat(&value, 0, data + begin, 1, end - begin); });
}

template <class T>
Ref divided_as(PyArrayObject* array, double divisor) {
    Ref copy = Ref::steal(reinterpret_cast<PyObject*>(packed_copy(array)));
    if (!copy) return copy;
    T* data = static_cast<T*>(PyArray_DATA(copy.array()));
    for (npy_intp i = 0; i < PyArray_SIZE(copy.array()); i++) data[i] /= static_cast<T>(divisor);
    return copy;
}

// The array with elements that are expanded along reduced dimensions taken once; `times` is how often each counts.
Ref without_repeats(PyArrayObject* array, Dims dims, double& times) {
    Geometry geometry(array);
    for (int d = 0; d < geometry.ndim; d++) {
        if (geometry.strides[d] != 0 || geometry.dims[d] == 1 || !(dims >> d & 1)) continue;
        times *= static_cast<double>(geometry.dims[d]);
        geometry.dims[d] = 1;
    }
    if (times == 1) return Ref::borrow(reinterpret_cast<PyObject*>(array));
    return Ref::steal(as_object(geometry.of(array)));
}

template <class T>
void scale(PyArrayObject* array, double times, double divisor) {
    T* data = static_cast<T*>(PyArray_DATA(array));
    for (npy_intp i = 0; i < PyArray_SIZE(array); i++) {
        data[i] = static_cast<T>(static_cast<double>(data[i]) * times / divisor);
    }
}

}  // namespace

bool read_dims(PyObject* dim, int ndim, Dims& dims) {
    dims = all_dims(ndim);
    if (dim == Py_None) return true;
    int one;
    if (read_dim(dim, ndim, one)) {
        dims = ndim > 0 ? Dims{1} << one : 0;
        return true;
    }
    if (!PyTuple_CheckExact(dim) && !PyList_CheckExact(dim)) return false;
    if (PySequence_Fast_GET_SIZE(dim) == 0) return true;
    Dims named = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(dim); i++) {
        if (!read_dim(PySequence_Fast_GET_ITEM(dim, i), ndim, one) || (named >> one & 1)) return false;
        named |= Dims{1} << one;
    }
    dims = ndim > 0 ? named : 0;
    return true;
}

bool read_flag(PyObject* flag, bool& found) {
    found = flag == Py_True;
    return found || flag == Py_False;
}

bool middle_of(int ndim, const npy_intp* shape, Dims dims, Middle& middle) {
    middle = Middle();
    int state = 0;  // before, in, after the reduced dimensions
    for (int d = 0; d < ndim; d++) {
        if (shape[d] == 1) continue;
        bool reduced = dims >> d & 1;
        if (reduced && state == 2) return false;
        state = reduced ? 1 : state == 1 ? 2 : state;
        (state == 0 ? middle.outer : state == 1 ? middle.count : middle.inner) *= shape[d];
    }
    // without any: one row of all elements, which is walked quickest across
    if (state == 0) std::swap(middle.outer, middle.inner);
    middle.stride = middle.inner;
    middle.outer_stride = middle.count * middle.inner;
    return true;
}

bool middle_of(PyArrayObject* array, Dims dims, Middle& middle) {
    if (PyArray_IS_C_CONTIGUOUS(array)) return middle_of(PyArray_NDIM(array), PyArray_DIMS(array), dims, middle);
    Step steps[NPY_MAXDIMS];
    int count = steps_of(array, dims, steps);
    if (count < 1 || count > 3 || steps[count - 1].stride != 1) return false;
    const Step *first = steps, *last = steps + count;
    middle = Middle();
    if (!first->reduced && count > 1) {
        middle.outer = first->extent;
        middle.outer_stride = first->stride;
        first++;
    }
    if (first->reduced) {
        middle.count = first->extent;
        middle.stride = first->stride;
        first++;
    }
    if (first == last) return true;
    middle.inner = first->extent;
    return !first->reduced && first + 1 == last && (middle.count > 1 || middle.outer == 1);
}

int reduced_shape(int ndim, const npy_intp* shape, Dims dims, bool keepdim, npy_intp* result) {
    int count = 0;
    for (int d = 0; d < ndim; d++) {
        bool reduced = dims >> d & 1;
        if (!reduced || keepdim) result[count++] = reduced ? 1 : shape[d];
    }
    return count;
}

Ref in_rows(PyArrayObject* array, Dims dims, Middle& middle) {
    if (middle_of(PyArray_NDIM(array), PyArray_DIMS(array), dims, middle)) return in_c_order(array);
    Ref copy = kept_first(array, dims);
    int ndim = PyArray_NDIM(array), kept = 0;
    for (int d = 0; d < ndim; d++) kept += !(dims >> d & 1);
    if (copy) middle_of(copy.array(), all_dims(ndim) & ~all_dims(kept), middle);
    return copy;
}

namespace {

Ref fold_widened(Reduction which, PyArrayObject* array, Dims dims, int ndim, const npy_intp* shape, double divisor) {
    Ref wide = Ref::steal(as_object(
        new_array_like_strides(PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array), NPY_FLOAT32)));
    if (!wide) return wide;
    convert_into(wide.array(), array);
    return Ref::steal(as_object(fold_to(which, wide.array(), dims, ndim, shape, divisor)));
}

// Half precision as it stands in memory, to float32; empty where it has to be widened first.
Ref fold_as_stored(Reduction which, PyArrayObject* array, Dims dims, int ndim, const npy_intp* shape, double divisor) {
    Middle middle;
    const Fold& fold = table().folding.folds[which][kept_dtype_of(array)];
    if (fold.along == nullptr || PyArray_SIZE(array) == 0 || !middle_of(array, dims, middle)) return Ref();
    Ref made = Ref::steal(as_object(new_array(ndim, shape, NPY_FLOAT32)));
    if (!made || !fold_into(which, array, dims, divisor, PyArray_BYTES(made.array()))) return Ref();
    return made;
}

// Half precision is folded as float32 is, and rounded once at the end.
PyArrayObject* fold_half(Reduction which, PyArrayObject* array, Dims dims, int ndim, const npy_intp* shape,
                         double divisor) {
    Ref folded = fold_as_stored(which, array, dims, ndim, shape, divisor);
    PyErr_Clear();
    if (!folded) folded = fold_widened(which, array, dims, ndim, shape, divisor);
    if (!folded || PyArray_TYPE(folded.array()) != NPY_FLOAT32) return folded.release_array();
    Ref found = Ref::steal(as_object(new_array(ndim, shape, PyArray_TYPE(array))));
    if (found) convert_into(found.array(), folded.array());
    return found.release_array();
}

}  // namespace

PyArrayObject* fold_to(Reduction which, PyArrayObject* array, Dims dims, int ndim, const npy_intp* shape,
                       double divisor) {
    if (kept_dtype_of(array) >= DTYPES) return fold_half(which, array, dims, ndim, shape, divisor);
    int dtype = dtype_of(array);
    DECLINE_IF(dtype < 0 || PyArray_SIZE(array) == 0);
    const Fold& fold = table().folding.folds[which][dtype];
    DECLINE_IF(fold.along == nullptr);
    double times = 1;
    bool may_repeat = which == SUM && (dtype == FLOAT32 || dtype == FLOAT64);
    Ref held = may_repeat ? without_repeats(array, dims, times) : Ref::borrow(reinterpret_cast<PyObject*>(array));
    if (!held) return nullptr;
    // held by a Ref: what is made on the way may throw
    Ref made = Ref::steal(reinterpret_cast<PyObject*>(new_array(ndim, shape, type_num_of(fold.result))));
    if (!made) return nullptr;
    PyArrayObject* result = made.array();
    if (!fold_into(which, held.array(), dims, times > 1 ? 1 : divisor, PyArray_BYTES(result))) return nullptr;
    if (times > 1) (dtype == FLOAT32 ? scale<float> : scale<double>)(result, times, divisor);
    return made.release_array();
}

PyArrayObject* fold(Reduction which, PyArrayObject* array, Dims dims, bool keepdim, double divisor) {
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape);
    return fold_to(which, array, dims, ndim, shape, divisor);
}

double reduced_count(int ndim, const npy_intp* shape, Dims dims) {
    double count = 1;
    for (int d = 0; d < ndim; d++) {
        if (dims >> d & 1) count *= static_cast<double>(shape[d]);
    }
    return count;
}

FoldedRows::FoldedRows(int dtype, const Middle& middle)
    // the CHUNK of kernels/reduce.h; whole numbers are summed in any order
    : rows(middle.outer),
      count(middle.count),
      part(part_of(middle.count)),
      leaf(dtype == BOOL ? 1024 : 4096 / SIZES[dtype]) {}

Ref divided(PyArrayObject* array, double divisor) {
    return (dtype_of(array) == FLOAT32 ? divided_as<float> : divided_as<double>)(array, divisor);
}

namespace {

// Half precision is divided as float32 is, and rounded where it is written.
PyArrayObject* spread_half(PyArrayObject* grad, int ndim, const npy_intp* shape, npy_intp* kept, double divisor) {
    Ref wide = Ref::steal(as_object(new_array(PyArray_NDIM(grad), PyArray_DIMS(grad), NPY_FLOAT32)));
    if (!wide) return nullptr;
    convert_into(wide.array(), grad);
    if (divisor != 1) wide = divided(wide.array(), divisor);
    PyArray_Dims sizes = {kept, ndim};
    Ref view = wide ? Ref::steal(PyArray_Newshape(wide.array(), &sizes, NPY_CORDER)) : Ref();
    Ref result = view ? Ref::steal(as_object(new_array(ndim, shape, PyArray_TYPE(grad)))) : Ref();
    if (result) convert_into(result.array(), view.array());
    return result.release_array();
}

}  // namespace

PyArrayObject* spread(PyArrayObject* grad, int ndim, const npy_intp* shape, Dims dims, double divisor) {
    int dtype = kept_dtype_of(grad);
    DECLINE_IF(dtype < 0 || dtype == INT64 || dtype == BOOL);
    npy_intp kept[NPY_MAXDIMS];
    reduced_shape(ndim, shape, dims, true, kept);
    DECLINE_IF(PyArray_SIZE(grad) != PyArray_MultiplyList(kept, ndim));
    if (dtype >= DTYPES) return spread_half(grad, ndim, shape, kept, divisor);
    Ref result = Ref::steal(reinterpret_cast<PyObject*>(new_array(ndim, shape, type_num_of(dtype))));
    if (!result) return nullptr;
    auto* found = result.array();
    if (PyArray_SIZE(grad) == 1) {
        (dtype == FLOAT32 ? fill<float> : fill<double>)(found, PyArray_DATA(grad), divisor);
        return reinterpret_cast<PyArrayObject*>(result.release());
    }
    Ref held = divisor == 1 ? in_c_order(grad) : divided(grad, divisor);
    if (!held) return nullptr;
    Middle middle;
    if (middle_of(ndim, shape, dims, middle)) {
        RowArrays arrays;
        arrays.inputs[0] = PyArray_DATA(held.array());
        arrays.outputs[0] = PyArray_DATA(found);
        if (PyArray_SIZE(found) > 0) run_rows(SPREAD, dtype, arrays, middle);
    } else {
        PyArray_Dims sizes = {kept, ndim};
        Ref view = Ref::steal(PyArray_Newshape(held.array(), &sizes, NPY_CORDER));
        if (!view || PyArray_CopyInto(found, view.array()) < 0) return nullptr;
    }
    return reinterpret_cast<PyArrayObject*>(result.release());
}

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
    arrays.inputs[which] = PyArray_DATA(held[which].array());
    return true;
}

void RowRun::write(int which, int ndim, const npy_intp* shape) {
    written[which] = Ref::steal(as_object(made(new_array(ndim, shape, type_num_of(dtype)))));
    arrays.outputs[which] = PyArray_DATA(written[which].array());
}

void RowRun::write_over(const Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    // the run itself holds it too, as what it reads
    bool alone = gradient.may_overwrite && Py_REFCNT(grad) == 1 + (held[0].get() == as_object(grad));
    if (!alone || !PyArray_IS_C_CONTIGUOUS(grad)) return write_like(0, grad);
    written[0] = Ref::borrow(as_object(grad));
    arrays.outputs[0] = PyArray_DATA(grad);
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

bool slope_of_rows(Gradient& gradient, RowOp op, PyArrayObject* input, Dims dims, PyArrayObject* result,
                   double option) {
    RowRun rows(input);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), dims, middle));
    rows.read(0, input, PyArray_SIZE(input));
    DECLINE_IF(!rows.read(1, result, middle.rows()) || !rows.read(2, gradient.grad(), middle.rows()));
    rows.write_like(0, input);
    rows.arrays.options[0] = option;
    rows.run(op, middle);
    return gradient.give(rows.take_like(0, input));
}

}  // namespace rushlight
