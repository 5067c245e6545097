// Maxima: the largest and smallest elements, where they stand, and their gradients. See ops/reductions/maxima.py.
#include <algorithm>
#include <cstring>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"

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
PyObject* extreme(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    Dims dims;
    bool keepdim;
    DECLINE_IF(array == nullptr);
    DECLINE_IF(!read_dims(call[Along::dim], PyArray_NDIM(array), dims));
    DECLINE_IF(!read_flag(call[Along::keepdim], keepdim));
    return as_object(fold(which_of(*call.op->kernel), array, dims, keepdim));
}

// _max_all and _min_all
PyObject* extreme_of_all(Call& call) {
    PyArrayObject* array = call.array(All::input);
    DECLINE_IF(array == nullptr);
    return as_object(fold(which_of(*call.op->kernel), array, all_dims(PyArray_NDIM(array)), false));
}

// A gradient goes to the elements that equal the result, in even parts. What `max()` gives lies by rows, what `amax`
// gives as its input does.
bool share(Gradient& gradient, PyArrayObject* input, PyArrayObject* result, Dims dims, bool nans) {
    RowRun rows(input);
    Middle middle;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(input) == 0);
    DECLINE_IF(!middle_of(PyArray_NDIM(input), PyArray_DIMS(input), dims, middle));
    DECLINE_IF(!rows.read(0, input, PyArray_SIZE(input)) || !rows.read(1, result, middle.rows()));
    DECLINE_IF(!rows.read(2, gradient.grad(), middle.rows()));
    if (!rows.write(0, PyArray_NDIM(input), PyArray_DIMS(input))) return false;
    rows.arrays.options[0] = nans;
    rows.run(SHARED_SLOPE, middle);
    gradient.found[0] = nans ? rows.take(0) : rows.take_like(0, input);
    return true;
}

bool extreme_slope(Gradient& gradient) {
    PyArrayObject* input = gradient.array(SavedOfExtreme::input);
    PyObject* dim = gradient.option(SavedOfExtreme::dim);
    Dims dims;
    DECLINE_IF(input == nullptr || dim == nullptr || !read_dims(dim, PyArray_NDIM(input), dims));
    return share(gradient, input, gradient.array(SavedOfExtreme::result), dims, false);
}

bool extreme_of_all_slope(Gradient& gradient) {
    PyArrayObject* input = gradient.array(SavedOfAll::input);
    DECLINE_IF(input == nullptr);
    return share(gradient, input, gradient.array(SavedOfAll::result), all_dims(PyArray_NDIM(input)), true);
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

// The best elements and their places, as new arrays; false if it declines.
bool search(Reduction which, PyArrayObject* array, Dims dims, bool keepdim, Ref& values, Ref& places) {
    int dtype = dtype_of(array);
    DECLINE_IF(dtype < 0);
    DECLINE_IF(PyArray_SIZE(array) == 0 || PyArray_SIZE(array) > NPY_MAX_INT32);
    const FoldLoops& loops = table().folding;
    const Search& found = (which == LARGEST ? loops.largest : loops.smallest)[dtype];
    Middle middle;
    Ref held = Ref::borrow(as_object(array));
    if (!middle_of(array, dims, middle)) {
        held = in_c_order(array);
        if (!held) return false;
        DECLINE_IF(!middle_of(held.array(), dims, middle));
    }
    npy_intp shape[NPY_MAXDIMS];
    int ndim = reduced_shape(PyArray_NDIM(array), PyArray_DIMS(array), dims, keepdim, shape);
    values = Ref::steal(as_object(new_array(ndim, shape, PyArray_TYPE(array))));
    places = Ref::steal(as_object(new_array(ndim, shape, NPY_INT64)));
    if (!values || !places) return false;
    search_rows(found, PyArray_BYTES(held.array()), static_cast<int>(PyArray_ITEMSIZE(array)), middle,
                PyArray_BYTES(values.array()), static_cast<int64_t*>(PyArray_DATA(places.array())));
    return true;
}

// _max_along and _min_along
PyObject* extreme_along(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    int dim;
    bool keepdim;
    DECLINE_IF(array == nullptr);
    DECLINE_IF(!read_dim(call[Along::dim], PyArray_NDIM(array), dim));
    DECLINE_IF(!read_flag(call[Along::keepdim], keepdim));
    Ref values, places;
    Dims dims = PyArray_NDIM(array) > 0 ? Dims{1} << dim : 0;
    if (!search(which_of(*call.op->kernel), array, dims, keepdim, values, places)) return nullptr;
    return PyTuple_Pack(2, values.get(), places.get());
}

// argmax and argmin
PyObject* place_of_extreme(Call& call) {
    PyArrayObject* array = call.array(Along::input);
    bool keepdim;
    DECLINE_IF(array == nullptr || PyArray_TYPE(array) == NPY_BOOL);
    DECLINE_IF(!read_flag(call[Along::keepdim], keepdim));
    Dims dims = all_dims(PyArray_NDIM(array));
    Ref held = Ref::borrow(as_object(array));
    if (call[Along::dim] == Py_None) {
        // places count in C order, whatever the order in memory
        held = in_c_order(array);
        if (!held) return nullptr;
    } else {
        int dim;
        DECLINE_IF(!read_dim(call[Along::dim], PyArray_NDIM(array), dim));
        dims = PyArray_NDIM(array) > 0 ? Dims{1} << dim : 0;
    }
    Ref values, places;
    return search(which_of(*call.op->kernel), held.array(), dims, keepdim, values, places) ? places.release() : nullptr;
}

template <class T>
void put(const T* grad, const int64_t* places, const Middle& middle, T* out) {
    for (int64_t outer = 0; outer < middle.outer; outer++, out += middle.count * middle.inner) {
        for (int64_t column = 0; column < middle.inner; column++) out[*places++ * middle.inner + column] = *grad++;
    }
}

// of _max_along and _min_along: the gradient where the chosen elements came from
bool extreme_along_slope(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *indices = gradient.array(SavedOfAlong::indices);
    npy_intp shape[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(SavedOfAlong::input_shape), shape), dim;
    DECLINE_IF(grad == nullptr || indices == nullptr);
    DECLINE_IF(ndim < 1 || !read_dim(gradient.option(SavedOfAlong::dim), ndim, dim));
    int dtype = dtype_of(grad);
    DECLINE_IF(dtype != FLOAT32 && dtype != FLOAT64);
    Middle middle;
    middle_of(ndim, shape, Dims{1} << dim, middle);
    DECLINE_IF(PyArray_SIZE(grad) != middle.rows() || PyArray_SIZE(indices) != middle.rows());
    Ref slope = in_c_order(grad), places = in_c_order(indices);
    PyArrayObject* out = slope && places ? zeros_array(ndim, shape, PyArray_TYPE(grad)) : nullptr;
    if (out == nullptr) return false;
    auto* at = static_cast<const int64_t*>(PyArray_DATA(places.array()));
    const void* from = PyArray_DATA(slope.array());
    if (dtype == FLOAT32) {
        put(static_cast<const float*>(from), at, middle, static_cast<float*>(PyArray_DATA(out)));
    } else {
        put(static_cast<const double*>(from), at, middle, static_cast<double*>(PyArray_DATA(out)));
    }
    gradient.found[0] = out;
    return true;
}

// max and min: one way for each overload
PyObject* overload(Call& call) {
    bool is_max = which_of(*call.op->kernel) == LARGEST;
    DECLINE_IF(!call.is_tensor(Overload::input));
    DECLINE_IF(call[Overload::axis] != Py_None || call[Overload::keepdims] != Py_None);
    DECLINE_IF(call[Overload::out] != Py_None);
    PyObject* dim = call[Overload::dim];
    PyObject* other = is_tensor(dim) ? dim : call[Overload::other];
    PyObject* args[] = {call[Overload::input], dim, call[Overload::keepdim]};
    Function* inner;
    int count;
    if (other != Py_None) {
        static Function* functions[2] = {find_function("minimum"), find_function("maximum")};
        inner = functions[is_max];
        args[1] = other;
        count = 2;
    } else if (dim == Py_None) {
        static Function* functions[2] = {find_function("_min_all"), find_function("_max_all")};
        inner = functions[is_max];
        count = 1;
    } else {
        static Function* functions[2] = {find_function("_min_along"), find_function("_max_along")};
        inner = functions[is_max];
        count = 3;
    }
    DECLINE_IF(inner == nullptr);
    return call_function(inner, args, count, nullptr);
}

KERNEL("amax").forward(extreme, Along::names).gradient(extreme_slope, SavedOfExtreme::names).with(&largest);
KERNEL("amin").forward(extreme, Along::names).gradient(extreme_slope, SavedOfExtreme::names).with(&smallest);
KERNEL("_max_all").forward(extreme_of_all, All::names).gradient(extreme_of_all_slope, SavedOfAll::names).with(&largest);
KERNEL("_min_all")
    .forward(extreme_of_all, All::names)
    .gradient(extreme_of_all_slope, SavedOfAll::names)
    .with(&smallest);
KERNEL("_max_along")
    .forward(extreme_along, Along::names)
    .gradient(extreme_along_slope, SavedOfAlong::names)
    .with(&largest);
KERNEL("_min_along")
    .forward(extreme_along, Along::names)
    .gradient(extreme_along_slope, SavedOfAlong::names)
    .with(&smallest);
KERNEL("argmax").forward(place_of_extreme, Along::names).with(&largest);
KERNEL("argmin").forward(place_of_extreme, Along::names).with(&smallest);
KERNEL("max").route(overload, Overload::names).with(&largest);
KERNEL("min").route(overload, Overload::names).with(&smallest);

}  // namespace

}  // namespace rushlight
