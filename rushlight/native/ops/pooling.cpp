// Pooling: the maxima of windows, and values put back at places in planes. See ops/images/pooling/maxima.py and
// planes.py.
#include "loops/planes.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"

namespace rushlight {

PyArrayObject* Planes::new_array_of(const npy_intp* shape, int type) const { return new_array(ndim, shape, type); }

namespace {

constexpr int MOST_DIMS = 2;

// As many plain integers as there are dimensions.
bool read_each(PyObject* object, int count, npy_intp* values) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == count && read_sizes(object, values) == count;
}

NAMES(MaxPool, input, kernel, stride, padding, dilation, output);
NAMES(SavedOfMaxPool, indices, input, kernel);

// Python has checked the options.
PyObject* max_pool(Call& call) {
    npy_intp kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS], output[MOST_DIMS];
    DECLINE_IF(!PyTuple_CheckExact(call[MaxPool::kernel]));
    int count = static_cast<int>(PyTuple_GET_SIZE(call[MaxPool::kernel]));
    Planes planes;
    DECLINE_IF(count < 1 || count > MOST_DIMS);
    DECLINE_IF(!read_each(call[MaxPool::kernel], count, kernel) || !read_each(call[MaxPool::stride], count, stride));
    DECLINE_IF(!read_each(call[MaxPool::padding], count, padding));
    DECLINE_IF(!read_each(call[MaxPool::dilation], count, dilation));
    DECLINE_IF(!read_each(call[MaxPool::output], count, output));
    DECLINE_IF(!planes.read(call.array(MaxPool::input), count));
    DECLINE_IF(planes.size() > INT32_MAX);
    // where a window is mostly outside, Python looks at what is inside alone
    Pool pools[MOST_DIMS] = {{1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}};
    for (int d = 0; d < count; d++) {
        int place = MOST_DIMS - count + d;
        pools[place] = {planes.extent(place), output[d], kernel[d], stride[d], padding[d], dilation[d]};
        DECLINE_IF(kernel[d] < 1 || stride[d] < 1 || padding[d] < 0 || dilation[d] < 1 || output[d] < 1);
        DECLINE_IF(kernel[d] > 2 * planes.extent(place) + 16);
        DECLINE_IF(stride[d] > INT32_MAX || padding[d] > INT32_MAX || dilation[d] > INT32_MAX);
    }
    const Pool &rows = pools[0], &columns = pools[1];
    return maxima_of(planes, rows, columns, table().images.max_pool[planes.which()]);
}

// Zeros whose last dimensions have the sizes of `shape`, with the values added at their places; nullptr if it declines.
PyArrayObject* scattered(PyArrayObject* given, PyArrayObject* indices, const npy_intp* shape, int dims) {
    int ndim = given == nullptr ? 0 : PyArray_NDIM(given);
    DECLINE_IF(indices == nullptr || PyArray_TYPE(indices) != NPY_INT64);
    DECLINE_IF(dims < 1 || ndim < dims || !PyArray_SAMESHAPE(given, indices));
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(indices) || dtype_of(indices) < 0);
    Planes values;
    DECLINE_IF(!values.read(given, 1));
    npy_intp whole[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(given), ndim - dims, whole);
    std::copy_n(shape, dims, whole + ndim - dims);
    int64_t size = 1, taken = 1;
    for (int d = 0; d < dims; d++) {
        size *= shape[d];
        taken *= PyArray_DIM(given, ndim - dims + d);
    }
    auto* places = static_cast<const int64_t*>(PyArray_DATA(indices));
    int64_t total = PyArray_SIZE(given);
    bool inside = true;
    for (int64_t i = 0; i < total; i++) inside &= static_cast<uint64_t>(places[i]) < static_cast<uint64_t>(size);
    DECLINE_IF(!inside);
    PyArrayObject* result = zeros_array(ndim, whole, PyArray_TYPE(given));
    if (result == nullptr) return nullptr;
    auto loop = table().images.scatter[values.which()];
    const char* from = values.at(0);
    char* to = PyArray_BYTES(result);
    int64_t item = values.item();
    parallel(total / taken, plane_grain(taken), [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; plane++) {
            loop(from + plane * taken * item, places + plane * taken, taken, to + plane * size * item);
        }
    });
    return result;
}

NAMES(PlaneScatter, input, indices, shape);

PyObject* plane_scatter(Call& call) {
    npy_intp shape[NPY_MAXDIMS];
    DECLINE_IF(!PyTuple_CheckExact(call[PlaneScatter::shape]));
    int dims = read_sizes(call[PlaneScatter::shape], shape);
    DECLINE_IF(dims < 1);
    return as_object(scattered(call.array(PlaneScatter::input), call.array(PlaneScatter::indices), shape, dims));
}

// The gradient of maxima; the kernel is a tuple with a number for each dimension of a window.
bool backward(Gradient& gradient) {
    PyArrayObject* input = gradient.array(SavedOfMaxPool::input);
    PyObject* each = gradient.option(SavedOfMaxPool::kernel);
    DECLINE_IF(input == nullptr || each == nullptr || !PyTuple_Check(each) || gradient.grad() == nullptr);
    int dims = static_cast<int>(PyTuple_GET_SIZE(each)), ndim = PyArray_NDIM(input);
    DECLINE_IF(dims < 1 || ndim != PyArray_NDIM(gradient.grad()) || dims > ndim);
    const npy_intp* sizes = PyArray_DIMS(input) + (ndim - dims);
    gradient.found[0] = scattered(gradient.grad(), gradient.array(SavedOfMaxPool::indices), sizes, dims);
    return gradient.found[0] != nullptr;
}

// One name for each number of dimensions.
unsigned by_dims(const Call& call) {
    PyObject* kernel = call[MaxPool::kernel];
    return PyTuple_Check(kernel) ? static_cast<unsigned>(PyTuple_GET_SIZE(kernel)) : 0;
}

KERNEL("_max_pool").forward(max_pool, MaxPool::names).gradient(backward, SavedOfMaxPool::names).naming(by_dims);
KERNEL("_plane_scatter").forward(plane_scatter, PlaneScatter::names);

}  // namespace

}  // namespace rushlight
