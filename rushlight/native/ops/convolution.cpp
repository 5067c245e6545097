// Convolutions of one and two dimensions, forwards and transposed, and their gradients. See ops/images/convolution.py.
#include <algorithm>

#include "kernels/table.h"
#include "loops/convolution.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"
#include "seam/plan.h"

namespace rushlight {

namespace {

// The options of a call, one number for each of two dims; of one dim, the first is the height of a line.
struct Options {
    int64_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1}, extra[2] = {0, 0};
    int64_t groups;
    bool transposed;

    Options(int64_t groups, bool transposed) : groups(groups), transposed(transposed) {}
};

bool read_both(PyObject* value, int dims, int64_t least, int64_t (&numbers)[2]) {
    int64_t number;
    if (PyLong_CheckExact(value)) {
        if (!plain_integer(value, number) || number < least) return false;
        for (int d = 2 - dims; d < 2; d++) numbers[d] = number;
        return true;
    }
    if (!PyTuple_CheckExact(value) && !PyList_CheckExact(value)) return false;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    if (count != 1 && count != dims) return false;
    for (int d = 0; d < dims; d++) {
        PyObject* each = PySequence_Fast_GET_ITEM(value, count == 1 ? 0 : d);
        if (!PyLong_CheckExact(each) || !plain_integer(each, number) || number < least) return false;
        numbers[2 - dims + d] = number;
    }
    return true;
}

bool read_options(PyObject* stride, PyObject* padding, PyObject* dilation, int dims, Options& options) {
    constexpr int64_t MOST = 1 << 20;
    DECLINE_IF(options.groups < 1);
    DECLINE_IF(!read_both(stride, dims, 1, options.stride));
    DECLINE_IF(!read_both(padding, dims, 0, options.padding));
    DECLINE_IF(!read_both(dilation, dims, 1, options.dilation));
    for (int d = 0; d < 2; d++) {
        DECLINE_IF(options.stride[d] > MOST || options.padding[d] > MOST || options.dilation[d] > MOST);
    }
    return true;
}

// The last two dims of a shape, or the last one as a line.
void read_sizes(const npy_intp* dims, int ndim, int64_t (&sizes)[2]) {
    sizes[0] = ndim == 4 ? dims[2] : 1;
    sizes[1] = dims[ndim - 1];
}

// Channels stand next to each other: Python lays out such results.
bool is_channels_last(PyArrayObject* array) {
    if (PyArray_NDIM(array) != 4 || PyArray_SIZE(array) == 0) return false;
    npy_intp least = 0;
    for (int d : {1, 3, 2, 0}) {
        npy_intp step = PyArray_STRIDE(array, d);
        if (step == 0 || step < least || (d == 0 && step == PyArray_STRIDE(array, 1))) return false;
        least = step * PyArray_DIM(array, d);
    }
    return true;
}

// The geometry of both sides and the weights, of shapes that fit; false for all else.
bool read_geometry(const npy_intp* small, const npy_intp* large, const npy_intp* weight, int ndim, int dtype,
                   const Options& options, Convolution& geometry) {
    geometry.dtype = dtype;
    geometry.count = small[0];
    geometry.groups = options.groups;
    geometry.outputs = small[1];
    geometry.channels = large[1];
    read_sizes(large, ndim, geometry.image);
    read_sizes(small, ndim, geometry.places);
    read_sizes(weight, ndim, geometry.kernel);
    for (int d = 0; d < 2; d++) {
        geometry.stride[d] = options.stride[d];
        geometry.padding[d] = options.padding[d];
        geometry.dilation[d] = options.dilation[d];
        DECLINE_IF(geometry.image[d] < 1 || geometry.places[d] < 1 || geometry.kernel[d] < 1);
    }
    DECLINE_IF(geometry.count <= 0 || geometry.channels <= 0 || geometry.outputs <= 0);
    DECLINE_IF(geometry.outputs % geometry.groups != 0 || geometry.channels % geometry.groups != 0);
    DECLINE_IF(weight[0] != geometry.outputs || weight[1] != geometry.channels_each());
    DECLINE_IF(!geometry.fits());
    return true;
}

// The shape of what comes out; false where Python has to word an error.
bool result_shape(const npy_intp* input, const npy_intp* weight, int ndim, const Options& options, npy_intp* shape) {
    shape[0] = input[0];
    shape[1] = options.transposed ? weight[1] * options.groups : weight[0];
    for (int d = 2; d < ndim; d++) {
        int of = d - ndim + 2;
        // with options of up to 2**20 no product is beyond 64 bits
        DECLINE_IF(input[d] > INT32_MAX || weight[d] > INT32_MAX);
        int64_t far = options.dilation[of] * (weight[d] - 1) + 1;
        if (options.transposed) {
            DECLINE_IF(options.extra[of] >= std::max(options.stride[of], options.dilation[of]));
            shape[d] = (input[d] - 1) * options.stride[of] - 2 * options.padding[of] + far + options.extra[of];
        } else {
            int64_t room = input[d] + 2 * options.padding[of] - far;
            DECLINE_IF(room < 0);
            shape[d] = room / options.stride[of] + 1;
        }
        DECLINE_IF(shape[d] < 1);
    }
    return true;
}

NAMES(Convolve, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups);

bool forward(Call& call) {
    PyArrayObject *input = call.array(Convolve::input), *weight = call.array(Convolve::weight);
    PyArrayObject* bias = call.array(Convolve::bias);
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    Options options(call.integer(Convolve::groups), call.flag(Convolve::transposed));
    DECLINE_IF(PyArray_NDIM(weight) != ndim);
    DECLINE_IF(is_channels_last(call.own_array(Convolve::input)) || is_channels_last(call.own_array(Convolve::weight)));
    if (!read_options(call[Convolve::stride], call[Convolve::padding], call[Convolve::dilation], ndim - 2, options)) {
        return false;
    }
    DECLINE_IF(!read_both(call[Convolve::output_padding], ndim - 2, 0, options.extra));
    npy_intp shape[4];
    const npy_intp *given = PyArray_DIMS(input), *kernel = PyArray_DIMS(weight);
    if (!result_shape(given, kernel, ndim, options, shape)) return false;
    DECLINE_IF(bias != nullptr && PyArray_DIM(bias, 0) != shape[1]);
    Convolution geometry;
    const npy_intp *small = options.transposed ? given : shape, *large = options.transposed ? shape : given;
    if (!read_geometry(small, large, kernel, ndim, dtype, options, geometry)) return false;
    const void* start = bias == nullptr ? nullptr : PyArray_DATA(bias);
    void* to = PyArray_DATA(call.make(ndim, shape, type_num_of(dtype)));
    auto* run = options.transposed ? spread : slide;
    if (run(geometry, PyArray_DATA(input), PyArray_DATA(weight), start, to)) return true;
    return declined("there is no memory to slide in");
}

NAMES(Saved, input, weight, input_shape, weight_shape, stride, padding, dilation, transposed, groups);

// A shape from a saved tensor or, where only that was saved, from its shape.
bool saved_shape(const Gradient& gradient, Saved::Name tensor, Saved::Name shape, int ndim, npy_intp* dims) {
    if (PyArrayObject* array = gradient.array(tensor)) {
        DECLINE_IF(PyArray_NDIM(array) != ndim);
        std::copy_n(PyArray_DIMS(array), ndim, dims);
        return true;
    }
    PyObject* saved = gradient.option(shape);
    DECLINE_IF(saved == nullptr || !PyTuple_Check(saved) || PyTuple_GET_SIZE(saved) != ndim);
    for (int d = 0; d < ndim; d++) dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(saved, d));
    return !PyErr_Occurred();
}

PyArrayObject* bias_gradient(const Convolution& geometry, PyArrayObject* grads) {
    int64_t channels = PyArray_DIM(grads, 1), places = PyArray_SIZE(grads) / (geometry.count * channels);
    npy_intp dims[] = {static_cast<npy_intp>(channels)};
    PyArrayObject* result = made(new_array(1, dims, type_num_of(geometry.dtype)));
    auto sum = table().convolution.sum_row[geometry.dtype];
    const char* from = PyArray_BYTES(grads);
    int64_t size = SIZES[geometry.dtype];
    with_float(geometry.dtype, [&](auto zero) {
        using T = decltype(zero);
        parallel(channels, (1 << 16) / (geometry.count * places) + 1, [&](int64_t begin, int64_t end) {
            for (int64_t c = begin; c < end; c++) {
                double total = 0;
                for (int64_t n = 0; n < geometry.count; n++) {
                    total += sum(from + (n * channels + c) * places * size, places);
                }
                elements<T>(result)[c] = static_cast<T>(total);
            }
        });
    });
    return result;
}

// A gradient that `fill(data)` writes into a new array; nullptr, with the reason, without memory to slide in.
template <class Fill>
PyArrayObject* slid(int ndim, const npy_intp* shape, int dtype, Fill fill) {
    Ref found = Ref::steal(as_object(made(new_array(ndim, shape, type_num_of(dtype)))));
    if (fill(PyArray_DATA(found.array()))) return found.release_array();
    return declined("there is no memory to slide in");
}

bool backward(Gradient& gradient) {
    PyArrayObject *grads = gradient.grad(), *input = gradient.array(Saved::input);
    PyArrayObject* weight = gradient.array(Saved::weight);
    int ndim = PyArray_NDIM(grads), dtype = dtype_of(grads);
    // of a bias alone no option is saved
    DECLINE_IF(gradient.place_of(Convolve::input) < 0 && gradient.place_of(Convolve::weight) < 0);
    for (PyArrayObject* each :
         {gradient.grads[0], gradient.own_array(Saved::input), gradient.own_array(Saved::weight)}) {
        DECLINE_IF(each != nullptr && is_channels_last(each));
    }
    Options options(gradient.integer(Saved::groups), gradient.flag(Saved::transposed));
    npy_intp from[4], kernel[4];
    if (!read_options(gradient.option(Saved::stride), gradient.option(Saved::padding), gradient.option(Saved::dilation),
                      ndim - 2, options) ||
        !saved_shape(gradient, Saved::input, Saved::input_shape, ndim, from) ||
        !saved_shape(gradient, Saved::weight, Saved::weight_shape, ndim, kernel)) {
        return false;
    }
    const npy_intp* to = PyArray_DIMS(grads);
    Convolution geometry;
    const npy_intp *small = options.transposed ? from : to, *large = options.transposed ? to : from;
    if (!read_geometry(small, large, kernel, ndim, dtype, options, geometry)) return false;
    const void* grad = PyArray_DATA(grads);
    auto of_image = [&](void* found) {
        return (options.transposed ? slide : spread)(geometry, grad, PyArray_DATA(weight), nullptr, found);
    };
    auto of_weight = [&](void* found) {
        const void* seen = PyArray_DATA(input);
        return weight_gradient(geometry, options.transposed ? grad : seen, options.transposed ? seen : grad, found);
    };
    return gradient.fill(Convolve::input, [&] { return slid(ndim, from, dtype, of_image); }) &&
           gradient.fill(Convolve::weight, [&] { return slid(ndim, kernel, dtype, of_weight); }) &&
           gradient.fill(Convolve::bias, [&] { return bias_gradient(geometry, grads); });
}

// conv1d, conv2d and their transposes: straight to the op for a batch and a padding in numbers.
Inner convolution("convolution");

NAMES(Slid, input, weight, bias, stride, padding, dilation, groups);

PyObject* slid_route(Call& call) {
    static PyObject* const none = PyLong_FromLong(0);
    return convolution(call[Slid::input], call[Slid::weight], call[Slid::bias], call[Slid::stride], call[Slid::padding],
                       call[Slid::dilation], Py_False, none, call[Slid::groups]);
}

NAMES(Spread, input, weight, bias, stride, padding, output_padding, groups, dilation);

PyObject* spread_route(Call& call) {
    return convolution(call[Spread::input], call[Spread::weight], call[Spread::bias], call[Spread::stride],
                       call[Spread::padding], call[Spread::dilation], Py_True, call[Spread::output_padding],
                       call[Spread::groups]);
}

KERNEL("convolution")
    .forward(forward, Convolve::names)
    .takes(tensor(Convolve::input).floats().widened().rank(3, 4).packed())
    .takes(tensor(Convolve::weight).like(Convolve::input).rank(3, 4).packed())
    .takes(tensor(Convolve::bias).like(Convolve::input).rank(1).packed().optional())
    .takes(flag(Convolve::transposed), integer(Convolve::groups))
    .gradient(backward, Saved::names)
    .given(tensor(GRADIENT).floats().widened().rank(3, 4).packed(),
           tensor(Saved::input).like(GRADIENT).rank(3, 4).packed())
    .given(tensor(Saved::weight).like(GRADIENT).rank(3, 4).packed(), flag(Saved::transposed), integer(Saved::groups));
KERNEL("conv1d").route(slid_route, Slid::names).takes(tensor(Slid::input).rank(3));
KERNEL("conv2d").route(slid_route, Slid::names).takes(tensor(Slid::input).rank(4));
KERNEL("conv_transpose1d").route(spread_route, Spread::names).takes(tensor(Spread::input).rank(3));
KERNEL("conv_transpose2d").route(spread_route, Spread::names).takes(tensor(Spread::input).rank(4));

}  // namespace

}  // namespace rushlight
