// Maxima: the largest and smallest elements, where they stand, and their gradients. See ops/reductions/maxima.py.
#include <algorithm>
#include <cstring>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// The kernel's data points to one of these.
constexpr Reduction largest = LARGEST, smallest = SMALLEST;

Reduction which_of(const Kernel& kernel) { return *static_cast<const Reduction*>(kernel.data); }

NAMES(All, input);
NAMES(Along, input, dim, keepdim);
NAMES(Overload, input, dim, keepdim, other, axis, keepdims, out);
NAMES(SavedOfAll, input, result);
NAMES(SavedOfExtreme, input, result, dim);
NAMES(SavedOfAlong, indices, input_shape, dim);

// amax and amin
bool extreme(Call& call) {
    return call.give(
        fold(which_of(*call.op->kernel), call.array(Along::input), call.dims(Along::dim), call.flag(Along::keepdim)));
}

// _max_all and _min_all
bool extreme_of_all(Call& call) {
    PyArrayObject* array = call.array(All::input);
    return call.give(fold(which_of(*call.op->kernel), array, all_dims(PyArray_NDIM(array)), false));
}

// aminmax
bool both_extremes(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    // a number or None
    DECLINE_IF(PyTuple_Check(call[Along::dim]) || PyList_Check(call[Along::dim]));
    for (Reduction which : {SMALLEST, LARGEST}) {
        if (!call.give(fold(which, array, call.dims(Along::dim), call.flag(Along::keepdim)))) return false;
    }
    return true;
}

// A gradient goes to the elements that equal the result, in even parts.
bool extreme_slope(Gradient& gradient) {
    using Saved = SavedOfExtreme;
    return slope_of_rows(gradient, SHARED_SLOPE, gradient.array(Saved::input), gradient.dims(Saved::dim),
                         gradient.array(Saved::result));
}

// Here NaN equals NaN, and what is given lies by rows.
bool extreme_of_all_slope(Gradient& gradient) {
    PyArrayObject *input = gradient.array(SavedOfAll::input), *result = gradient.array(SavedOfAll::result);
    RowRun rows(input);
    Middle middle;
    middle.count = PyArray_SIZE(input);
    rows.read(0, input, middle.count);
    DECLINE_IF(!rows.read(1, result, 1) || !rows.read(2, gradient.grad(), 1));
    rows.write_like(0, input);
    rows.arrays.options[0] = true;
    rows.run(SHARED_SLOPE, middle);
    return gradient.give(rows.take(0));
}

constexpr int64_t BLOCK = 1 << 16;  // elements that one thread looks through at a time
constexpr int64_t MOST_BLOCKS = 256;

// One long row: the best of each block, then the best of these.
void search_row(const Search& search, const char* data, int itemsize, int64_t count, char* value, int64_t* place) {
    int64_t length = std::max(BLOCK, (count + MOST_BLOCKS - 1) / MOST_BLOCKS);
    int64_t blocks = (count + length - 1) / length;
    alignas(8) char values[MOST_BLOCKS * 8];
    int64_t places[MOST_BLOCKS];
    parallel(blocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; block++) {
            int64_t at = block * length;
            search.along(data + at * itemsize, 1, 0, std::min(length, count - at), values + block * itemsize,
                         places + block);
        }
    });
    int64_t best;
    search.along(values, 1, 0, blocks, value, &best);
    *place = best * length + places[best];
}

void search_rows(const Search& search, const char* data, int itemsize, const Middle& middle, char* values,
                 int64_t* places) {
    if (middle.inner == 1) {
        if (middle.outer == 1 && middle.count > BLOCK) {
            search_row(search, data, itemsize, middle.count, values, places);
            return;
        }
        parallel(middle.outer, std::max<int64_t>(1, BLOCK / middle.count), [&](int64_t begin, int64_t end) {
            search.along(data + begin * middle.outer_stride * itemsize, end - begin, middle.outer_stride, middle.count,
                         values + begin * itemsize, places + begin);
        });
        return;
    }
    int64_t tiles = (middle.inner + TILE - 1) / TILE;
    int64_t grain = std::max<int64_t>(1, BLOCK / (middle.count * std::min(middle.inner, TILE)));
    parallel(middle.outer * tiles, grain, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; unit++) {
            int64_t column = unit % tiles * TILE, outer = unit / tiles, first = outer * middle.inner + column;
            search.across(data + (outer * middle.outer_stride + column) * itemsize, middle.count, middle.stride,
                          std::min(TILE, middle.inner - column), values + first * itemsize, places + first);
        }
    });
}

// The best elements, if they are wanted, and where they stand: the results of the call.
bool search(Call& call, PyArrayObject* array, Dims dims, bool keepdim, bool with_values) {
    DECLINE_IF(PyArray_SIZE(array) > NPY_MAX_INT32);
    const FoldLoops& loops = table().folding;
    const Search& found = (which_of(*call.op->kernel) == LARGEST ? loops.largest : loops.smallest)[dtype_of(array)];
    Middle middle;
    Ref held = Ref::borrow(as_object(array));
    if (!middle_of(array, dims, middle)) {
        held = in_c_order(array);
        DECLINE_IF(!middle_of(held.array(), dims, middle));
    }
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape),
        type = PyArray_TYPE(array);
    Ref unseen;
    if (!with_values) unseen = Ref::steal(as_object(made(new_array(ndim, shape, type))));
    PyArrayObject* values = with_values ? call.make(ndim, shape, type) : unseen.array();
    search_rows(found, PyArray_BYTES(held.array()), static_cast<int>(PyArray_ITEMSIZE(array)), middle,
                PyArray_BYTES(values), elements<int64_t>(call.make(ndim, shape, NPY_INT64)));
    return true;
}

// _max_along and _min_along
bool extreme_along(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    Dims dims = PyArray_NDIM(array) > 0 ? Dims{1} << call.dim(Along::dim) : 0;
    return search(call, array, dims, call.flag(Along::keepdim), true);
}

// argmax and argmin
bool place_of_extreme(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    Dims dims = all_dims(PyArray_NDIM(array));
    Ref held = Ref::borrow(as_object(array));
    if (call[Along::dim] == Py_None) {
        // places count in C order, whatever the order in memory
        held = in_c_order(array);
    } else {
        int dim;
        DECLINE_IF(!read_dim(call[Along::dim], PyArray_NDIM(array), dim));
        dims = PyArray_NDIM(array) > 0 ? Dims{1} << dim : 0;
    }
    return search(call, held.array(), dims, call.flag(Along::keepdim), false);
}

template <class T>
void put(const T* grad, const int64_t* places, const Middle& middle, T* out) {
    for (int64_t outer = 0; outer < middle.outer; outer++, out += middle.count * middle.inner) {
        for (int64_t column = 0; column < middle.inner; column++) out[*places++ * middle.inner + column] = *grad++;
    }
}

// of _max_along and _min_along: the gradient where the chosen elements came from
bool extreme_along_slope(Gradient& gradient) {
    using Saved = SavedOfAlong;
    PyArrayObject *grad = gradient.grad(), *indices = gradient.array(Saved::indices);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(Saved::input_shape), shape), dim;
    DECLINE_IF(ndim < 1 || !read_dim(gradient.option(Saved::dim), ndim, dim));
    Middle middle;
    middle_of(ndim, shape, Dims{1} << dim, middle);
    DECLINE_IF(PyArray_SIZE(grad) != middle.rows() || PyArray_SIZE(indices) != middle.rows());
    PyArrayObject* out = gradient.make_zeros(ndim, shape, PyArray_TYPE(grad));
    with_float(dtype_of(grad), [&](auto zero) {
        using T = decltype(zero);
        put(elements<const T>(grad), elements<const int64_t>(indices), middle, elements<T>(out));
    });
    return true;
}

// max and min: one way for each overload
PyObject* overload(Call& call) {
    static Inner pairs[2] = {Inner("minimum"), Inner("maximum")}, alls[2] = {Inner("_min_all"), Inner("_max_all")};
    static Inner alongs[2] = {Inner("_min_along"), Inner("_max_along")};
    bool is_max = which_of(*call.op->kernel) == LARGEST;
    PyObject *input = call[Overload::input], *dim = call[Overload::dim];
    PyObject* other = is_tensor(dim) ? dim : call[Overload::other];
    if (other != Py_None) return pairs[is_max].either(input, other);
    if (dim == Py_None) return alls[is_max].either(input);
    return alongs[is_max].either(input, dim, call[Overload::keepdim]);
}

constexpr TensorWant searched = tensor(Along::input).known().filled(), folded = searched.halves();

KERNEL("amax")
    .forward(extreme, Along::names)
    .takes(folded, dims(Along::dim, Along::input), flag(Along::keepdim))
    .gradient(extreme_slope, SavedOfExtreme::names)
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfExtreme::input).like(GRADIENT).filled(),
           tensor(SavedOfExtreme::result).like(GRADIENT), dims(SavedOfExtreme::dim, SavedOfExtreme::input))
    .with(&largest);
KERNEL("aminmax")
    .forward(both_extremes, Along::names)
    .takes(folded, dims(Along::dim, Along::input), flag(Along::keepdim));
KERNEL("_max_all")
    .forward(extreme_of_all, All::names)
    .takes(folded)
    .gradient(extreme_of_all_slope, SavedOfAll::names)
    .given(tensor(GRADIENT).floats().widened(), tensor(SavedOfAll::input).like(GRADIENT).filled(),
           tensor(SavedOfAll::result).like(GRADIENT))
    .with(&largest);
KERNEL("_max_along")
    .forward(extreme_along, Along::names)
    .takes(searched.widened(), dim(Along::dim, Along::input), flag(Along::keepdim))
    .gradient(extreme_along_slope, SavedOfAlong::names)
    .given(tensor(GRADIENT).floats().widened().packed(), tensor(SavedOfAlong::indices).integers().packed())
    .with(&largest);
KERNEL("argmax")
    .forward(place_of_extreme, Along::names)
    .takes(tensor(Along::input).floats().integers().widened().filled(), flag(Along::keepdim))
    .with(&largest);
KERNEL("max")
    .route(overload, Overload::names)
    .takes(tensor(Overload::input), none(Overload::axis), none(Overload::keepdims), none(Overload::out))
    .with(&largest);
KERNEL("amin").as("amax").with(&smallest);
KERNEL("_min_all").as("_max_all").with(&smallest);
KERNEL("_min_along").as("_max_along").with(&smallest);
KERNEL("argmin").as("argmax").with(&smallest);
KERNEL("min").as("max").with(&smallest);

}  // namespace

}  // namespace rushlight
