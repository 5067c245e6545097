// Pooling: the maxima of windows, and values put back at places in planes. See ops/images/pooling/maxima.py and
// planes.py.
#include "loops/planes.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"

namespace rushlight {

namespace {

constexpr int MOST_DIMS = 3;

// As many plain integers as there are dimensions.
bool read_each(PyObject* object, int count, npy_intp* values) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == count && read_sizes(object, values) == count;
}

NAMES(MaxPool, input, kernel, stride, padding, dilation, output);
NAMES(SavedOfMaxPool, indices, input, kernel);

// Python has checked the options.
bool max_pool(Call& call) {
    npy_intp kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS], output[MOST_DIMS];
    DECLINE_IF(!PyTuple_CheckExact(call[MaxPool::kernel]));
    int count = static_cast<int>(PyTuple_GET_SIZE(call[MaxPool::kernel]));
    Planes planes;
    DECLINE_IF(count < 1 || count > MOST_DIMS);
    DECLINE_IF(!read_each(call[MaxPool::kernel], count, kernel) || !read_each(call[MaxPool::stride], count, stride));
    DECLINE_IF(!read_each(call[MaxPool::padding], count, padding));
    DECLINE_IF(!read_each(call[MaxPool::dilation], count, dilation));
    DECLINE_IF(!read_each(call[MaxPool::output], count, output));
    if (!planes.read(call.array(MaxPool::input), count)) return false;
    DECLINE_IF(planes.size() > INT32_MAX);
    // where a window is mostly outside, Python looks at what is inside alone
    Pool pools[MOST_DIMS] = {{1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}};
    for (int d = 0; d < count; d++) {
        int place = MOST_DIMS - count + d;
        pools[place] = {planes.extent(place), output[d], kernel[d], stride[d], padding[d], dilation[d]};
        DECLINE_IF(kernel[d] < 1 || stride[d] < 1 || padding[d] < 0 || dilation[d] < 1 || output[d] < 1);
        DECLINE_IF(kernel[d] > 2 * planes.extent(place) + 16);
        DECLINE_IF(stride[d] > INT32_MAX || padding[d] > INT32_MAX || dilation[d] > INT32_MAX);
    }
    bool whole = PyArray_TYPE(planes.array.array()) == NPY_INT64;
    return give_maxima(call, planes, pools[0], pools[1], pools[2], table().images.max_pool[whole ? 2 : planes.which()]);
}

using Loops = void (*const (&)[2])(const void*, const int64_t*, int64_t, void*);

bool are_inside(PyArrayObject* indices, int64_t size) {
    auto* places = elements<const int64_t>(indices);
    int64_t total = PyArray_SIZE(indices);
    bool inside = true;
    for (int64_t i = 0; i < total; i++) inside &= static_cast<uint64_t>(places[i]) < static_cast<uint64_t>(size);
    return inside;
}

// Zeros whose last dimensions have the sizes of `shape`, with the values added, or put, at their places: the result of
// a Call, or what a Gradient finds.
template <class Output>
bool scatter(Output& output, PyArrayObject* given, PyArrayObject* indices, const npy_intp* shape, int dims,
             Loops loops) {
    int ndim = PyArray_NDIM(given);
    Planes values;
    DECLINE_IF(dims < 1 || ndim < dims);
    if (!values.read(given, 1)) return false;
    Geometry whole(given);
    int64_t size = 1, taken = 1;
    for (int d = 0; d < dims; d++) {
        size *= shape[d];
        taken *= PyArray_DIM(given, ndim - dims + d);
        whole.dims[ndim - dims + d] = shape[d];
    }
    auto* places = elements<const int64_t>(indices);
    int64_t total = PyArray_SIZE(given);
    DECLINE_IF(PyArray_SIZE(indices) != total || !are_inside(indices, size));
    auto loop = loops[values.which()];
    const char* from = values.at(0);
    char* to = PyArray_BYTES(output.make_zeros(ndim, whole.dims, PyArray_TYPE(given)));
    int64_t item = values.item();
    parallel(total / taken, plane_grain(taken), [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; plane++) {
            loop(from + plane * taken * item, places + plane * taken, taken, to + plane * size * item);
        }
    });
    return true;
}

NAMES(PlaneScatter, input, indices, shape);

bool scatter(Call& call, Loops loops) {
    npy_intp shape[NPY_MAXDIMS];
    int dims = read_sizes(call[PlaneScatter::shape], shape);
    return scatter(call, call.array(PlaneScatter::input), call.array(PlaneScatter::indices), shape, dims, loops);
}

bool plane_scatter(Call& call) { return scatter(call, table().images.scatter); }

bool max_unpool(Call& call) { return scatter(call, table().images.put); }

NAMES(PlaneGather, input, indices, dims);

bool plane_gather(Call& call) {
    PyArrayObject *indices = call.array(PlaneGather::indices), *input = call.array(PlaneGather::input);
    int64_t dims = call.integer(PlaneGather::dims);
    int ndim = PyArray_NDIM(input);
    DECLINE_IF(PyArray_NDIM(indices) != ndim || dims < 1 || dims > 3 || dims > ndim);
    for (int d = 0; d < ndim - dims; d++) DECLINE_IF(PyArray_DIM(indices, d) != PyArray_DIM(input, d));
    Planes planes;
    if (!planes.read(input, static_cast<int>(dims))) return false;
    DECLINE_IF(!are_inside(indices, planes.size()));
    int64_t taken = PyArray_SIZE(indices) / planes.count, item = planes.item();
    auto loop = table().images.take[planes.which()];
    auto* places = elements<const int64_t>(indices);
    char* to = PyArray_BYTES(call.make(ndim, PyArray_DIMS(indices), PyArray_TYPE(input)));
    each_plane(planes, taken, 0, [&](int64_t plane, double*) {
        loop(planes.at(plane), places + plane * taken, taken, to + plane * taken * item);
    });
    return true;
}

// The gradient of maxima; the kernel is a tuple with a number for each dimension of a window.
bool backward(Gradient& gradient) {
    using Saved = SavedOfMaxPool;
    PyArrayObject *input = gradient.array(Saved::input), *grad = gradient.grad();
    PyObject* each = gradient.option(Saved::kernel);
    DECLINE_IF(each == nullptr || !PyTuple_Check(each));
    int dims = static_cast<int>(PyTuple_GET_SIZE(each)), ndim = PyArray_NDIM(input);
    DECLINE_IF(ndim != PyArray_NDIM(grad) || dims > ndim);
    return scatter(gradient, grad, gradient.array(Saved::indices), PyArray_DIMS(input) + (ndim - dims), dims,
                   table().images.scatter);
}

// One name for each number of dimensions.
unsigned by_dims(const Call& call) {
    PyObject* kernel = call[MaxPool::kernel];
    return PyTuple_Check(kernel) ? static_cast<unsigned>(PyTuple_GET_SIZE(kernel)) : 0;
}

unsigned by_shape(const Call& call) {
    PyObject* shape = call[PlaneScatter::shape];
    return PyTuple_Check(shape) ? static_cast<unsigned>(PyTuple_GET_SIZE(shape)) : 0;
}

KERNEL("_max_pool")
    .forward(max_pool, MaxPool::names)
    .takes(tensor(MaxPool::input).floats().integers().widened().rank_from(1).filled().dense())
    .gradient(backward, SavedOfMaxPool::names)
    .given(tensor(GRADIENT).floats().widened().rank_from(1).filled(), tensor(SavedOfMaxPool::input))
    .given(tensor(SavedOfMaxPool::indices).integers().dense())
    .naming(by_dims);
KERNEL("_plane_scatter")
    .forward(plane_scatter, PlaneScatter::names)
    .takes(tensor(PlaneScatter::input).floats().widened().rank_from(1).filled())
    .takes(tensor(PlaneScatter::indices).integers().dense());
KERNEL("_max_unpool")
    .forward(max_unpool, PlaneScatter::names)
    .takes(tensor(PlaneScatter::input).floats().widened().rank_from(1).filled().dense())
    .takes(tensor(PlaneScatter::indices).integers().dense())
    .naming(by_shape);
KERNEL("_plane_gather")
    .forward(plane_gather, PlaneGather::names)
    .takes(tensor(PlaneGather::input).floats().widened().rank_from(1).filled())
    .takes(tensor(PlaneGather::indices).integers().filled().dense(), integer(PlaneGather::dims));

}  // namespace

}  // namespace rushlight
