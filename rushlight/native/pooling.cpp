// Pooling: the maxima of windows, and values put back at places in planes. See ops/pooling/maxima.py and planes.py.
#include "arrays.h"
#include "call.h"
#include "parts.h"
#include "planes.h"
#include "threads.h"

namespace rushlight {

PyArrayObject* Planes::new_array_of(const npy_intp* shape, int type) const { return new_array(ndim, shape, type); }

namespace {

constexpr int MOST_DIMS = 2;

// As many plain integers as there are dimensions.
bool read_each(PyObject* object, int count, npy_intp* values) {
    return PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) == count && read_sizes(object, values) == count;
}

// _max_pool: (input, kernel, stride, padding, dilation, output), which Python has checked
PyObject* max_pool(Call& call) {
    npy_intp kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS], dilation[MOST_DIMS], output[MOST_DIMS];
    if (!PyTuple_CheckExact(call[1])) return nullptr;
    int count = static_cast<int>(PyTuple_GET_SIZE(call[1]));
    Planes planes;
    if (count < 1 || count > MOST_DIMS || !read_each(call[1], count, kernel) || !read_each(call[2], count, stride) ||
        !read_each(call[3], count, padding) || !read_each(call[4], count, dilation) ||
        !read_each(call[5], count, output) || !planes.read(call.array(0), count) || planes.size() > INT32_MAX) {
        return nullptr;
    }
    Pool pools[MOST_DIMS] = {{1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}};
    for (int d = 0; d < count; d++) {
        int place = MOST_DIMS - count + d;
        pools[place] = {planes.extent(place), output[d], kernel[d], stride[d], padding[d], dilation[d]};
        if (kernel[d] < 1 || stride[d] < 1 || padding[d] < 0 || dilation[d] < 1 || output[d] < 1) return nullptr;
    }
    const Pool &rows = pools[0], &columns = pools[1];
    return maxima_of(planes, rows, columns, table().images.max_pool[planes.which()]);
}

// Zeros whose last dimensions have the sizes of `shape`, with the values added at their places; nullptr if it declines.
PyArrayObject* scattered(PyArrayObject* given, PyArrayObject* indices, const npy_intp* shape, int dims) {
    int ndim = given == nullptr ? 0 : PyArray_NDIM(given);
    if (indices == nullptr || PyArray_TYPE(indices) != NPY_INT64 || dims < 1 || ndim < dims ||
        !PyArray_SAMESHAPE(given, indices) || !PyArray_IS_C_CONTIGUOUS(indices) || dtype_of(indices) < 0) {
        return nullptr;
    }
    Planes values;
    if (!values.read(given, 1)) return nullptr;
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
    PyArrayObject* result = inside ? zeros_array(ndim, whole, PyArray_TYPE(given)) : nullptr;
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

// _plane_scatter: (input, indices, shape)
PyObject* plane_scatter(Call& call) {
    npy_intp shape[NPY_MAXDIMS];
    if (!PyTuple_CheckExact(call[2])) return nullptr;
    int dims = read_sizes(call[2], shape);
    return dims < 1 ? nullptr : as_object(scattered(call.array(0), call.array(1), shape, dims));
}

// The gradient of maxima: reads indices, the shape of input and a tuple with a number for each dimension of a window.
bool backward(Gradient& gradient) {
    PyArrayObject* input = gradient.array(1);
    PyObject* each = gradient.option(2);
    if (input == nullptr || each == nullptr || !PyTuple_Check(each) || gradient.grad() == nullptr) return false;
    int dims = static_cast<int>(PyTuple_GET_SIZE(each)), ndim = PyArray_NDIM(input);
    if (dims < 1 || ndim != PyArray_NDIM(gradient.grad()) || dims > ndim) return false;
    const npy_intp* sizes = PyArray_DIMS(input) + (ndim - dims);
    gradient.found[0] = scattered(gradient.grad(), gradient.array(0), sizes, dims);
    return gradient.found[0] != nullptr;
}

// One name for each number of dimensions.
unsigned by_dims(const Call& call) {
    return PyTuple_Check(call[1]) ? static_cast<unsigned>(PyTuple_GET_SIZE(call[1])) : 0;
}

}  // namespace

void register_pooling() {
    Kernel kernel{"_max_pool", max_pool, backward, {"indices", "input", "kernel"}};
    kernel.variant = by_dims;
    add_kernel(kernel);
    add_kernel({"_plane_scatter", plane_scatter});
}

}  // namespace rushlight
