// Convolutions of one and two dimensions, forwards and transposed, and their gradients. See ops/convolution.py.
#include <algorithm>

#include "arrays.h"
#include "call.h"
#include "kernels/table.h"
#include "numbers.h"
#include "parts.h"
#include "plan.h"
#include "products.h"
#include "sweep.h"
#include "threads.h"

namespace rushlight {

namespace {

// The options of a call, one number for each of two dims; of one dim, the first is the height of a line.
struct Options {
    int64_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1}, extra[2] = {0, 0};
    int64_t groups = 1;
    bool transposed = false;
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

bool read_options(PyObject* stride, PyObject* padding, PyObject* dilation, PyObject* transposed, PyObject* groups,
                  int dims, Options& options) {
    if (!PyBool_Check(transposed) || !PyLong_CheckExact(groups)) return false;
    options.transposed = transposed == Py_True;
    constexpr int64_t MOST = 1 << 20;
    if (!plain_integer(groups, options.groups) || options.groups < 1) return false;
    if (!read_both(stride, dims, 1, options.stride) || !read_both(padding, dims, 0, options.padding) ||
        !read_both(dilation, dims, 1, options.dilation)) {
        return false;
    }
    for (int d = 0; d < 2; d++) {
        if (options.stride[d] > MOST || options.padding[d] > MOST || options.dilation[d] > MOST) return false;
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

// An array that sweeps can read: floats of one to two dims beside batch and channels, in C order.
bool read_array(PyArrayObject* array, int ndim, int dtype, Ref& kept) {
    if (array == nullptr || PyArray_NDIM(array) != ndim || dtype_of(array) != dtype) return false;
    kept = Ref::steal(reinterpret_cast<PyObject*>(contiguous(array)));
    return static_cast<bool>(kept);
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
        if (geometry.image[d] < 1 || geometry.places[d] < 1 || geometry.kernel[d] < 1) return false;
    }
    bool whole = geometry.count > 0 && geometry.channels > 0 && geometry.outputs > 0 &&
                 geometry.outputs % geometry.groups == 0 && geometry.channels % geometry.groups == 0;
    return whole && weight[0] == geometry.outputs && weight[1] == geometry.channels_each() && geometry.fits();
}

// The shape of what comes out; false where Python has to word an error.
bool result_shape(const npy_intp* input, const npy_intp* weight, int ndim, const Options& options, npy_intp* shape) {
    shape[0] = input[0];
    shape[1] = options.transposed ? weight[1] * options.groups : weight[0];
    for (int d = 2; d < ndim; d++) {
        int of = d - ndim + 2;
        int64_t far = options.dilation[of] * (weight[d] - 1) + 1;
        if (options.transposed) {
            if (options.extra[of] >= std::max(options.stride[of], options.dilation[of])) return false;
            shape[d] = (input[d] - 1) * options.stride[of] - 2 * options.padding[of] + far + options.extra[of];
        } else {
            int64_t room = input[d] + 2 * options.padding[of] - far;
            if (room < 0) return false;
            shape[d] = room / options.stride[of] + 1;
        }
        if (shape[d] < 1) return false;
    }
    return true;
}

PyObject* forward(Call& call) {
    PyArrayObject *input = call.array(0), *weight = call.array(1), *bias = call.array(2);
    if (input == nullptr || weight == nullptr || (bias == nullptr && call[2] != Py_None)) return nullptr;
    int ndim = PyArray_NDIM(input), dtype = dtype_of(input);
    if ((ndim != 3 && ndim != 4) || PyArray_NDIM(weight) != ndim || !is_real(dtype)) return nullptr;
    Options options;
    if (!read_options(call[3], call[4], call[5], call[6], call[8], ndim - 2, options)) return nullptr;
    if (!read_both(call[7], ndim - 2, 0, options.extra)) return nullptr;
    if (is_channels_last(input) || is_channels_last(weight)) return nullptr;
    Ref images, weights, biases;
    if (!read_array(input, ndim, dtype, images) || !read_array(weight, ndim, dtype, weights)) return nullptr;
    npy_intp shape[4];
    const npy_intp *given = PyArray_DIMS(input), *kernel = PyArray_DIMS(weight);
    if (!result_shape(given, kernel, ndim, options, shape)) return nullptr;
    if (bias != nullptr && (!read_array(bias, 1, dtype, biases) || PyArray_DIM(bias, 0) != shape[1])) return nullptr;
    Convolution geometry;
    const npy_intp *small = options.transposed ? given : shape, *large = options.transposed ? shape : given;
    if (!read_geometry(small, large, kernel, ndim, dtype, options, geometry)) return nullptr;
    PyArrayObject* result = new_array(ndim, shape, type_num_of(dtype));
    if (result == nullptr) return nullptr;
    bool done = (options.transposed ? spread : slide)(geometry, PyArray_DATA(images.array()), PyArray_DATA(weights.array()),
                                                      bias == nullptr ? nullptr : PyArray_DATA(biases.array()),
                                                      PyArray_DATA(result));
    if (!done) Py_CLEAR(result);
    return reinterpret_cast<PyObject*>(result);
}

// The saved values, by the names of the formulas.
enum Read { INPUT, WEIGHT, INPUT_SHAPE, WEIGHT_SHAPE, STRIDE, PADDING, DILATION, TRANSPOSED, GROUPS };

// A shape from a saved tensor or, where only that was saved, from its shape.
bool saved_shape(const Gradient& gradient, Read tensor, Read shape, int ndim, npy_intp* dims) {
    if (PyArrayObject* array = gradient.array(tensor)) {
        if (PyArray_NDIM(array) != ndim) return false;
        std::copy_n(PyArray_DIMS(array), ndim, dims);
        return true;
    }
    PyObject* saved = gradient.option(shape);
    if (saved == nullptr || !PyTuple_Check(saved) || PyTuple_GET_SIZE(saved) != ndim) return false;
    for (int d = 0; d < ndim; d++) dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(saved, d));
    return !PyErr_Occurred();
}

PyArrayObject* bias_gradient(const Convolution& geometry, const char* grads, int64_t channels, int64_t places) {
    npy_intp dims[] = {static_cast<npy_intp>(channels)};
    PyArrayObject* result = new_array(1, dims, type_num_of(geometry.dtype));
    if (result == nullptr) return nullptr;
    auto sum = table().convolution.sum_row[geometry.dtype];
    int64_t size = SIZES[geometry.dtype];
    parallel(channels, (1 << 16) / (geometry.count * places) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; c++) {
            double total = 0;
            for (int64_t n = 0; n < geometry.count; n++) total += sum(grads + (n * channels + c) * places * size, places);
            if (geometry.dtype == FLOAT32) {
                static_cast<float*>(PyArray_DATA(result))[c] = static_cast<float>(total);
            } else {
                static_cast<double*>(PyArray_DATA(result))[c] = total;
            }
        }
    });
    return result;
}

bool backward(Gradient& gradient) {
    PyArrayObject* given = gradient.grad();
    if (given == nullptr) return false;
    int ndim = PyArray_NDIM(given), dtype = dtype_of(given);
    if ((ndim != 3 && ndim != 4) || !is_real(dtype)) return false;
    PyArrayObject *input = gradient.array(INPUT), *weight = gradient.array(WEIGHT);
    bool wants_image = gradient.place_of(0) >= 0, wants_weight = gradient.place_of(1) >= 0;
    // of a bias alone no option is saved
    if (!wants_image && !wants_weight) return false;
    for (PyArrayObject* each : {given, input, weight}) {
        if (each != nullptr && is_channels_last(each)) return false;
    }
    Options options;
    npy_intp from[4], kernel[4];
    if (!read_options(gradient.option(STRIDE), gradient.option(PADDING), gradient.option(DILATION),
                      gradient.option(TRANSPOSED), gradient.option(GROUPS), ndim - 2, options) ||
        !saved_shape(gradient, INPUT, INPUT_SHAPE, ndim, from) ||
        !saved_shape(gradient, WEIGHT, WEIGHT_SHAPE, ndim, kernel)) {
        return false;
    }
    Ref grads, inputs, weights;
    if (!read_array(given, ndim, dtype, grads) || (wants_weight && !read_array(input, ndim, dtype, inputs)) ||
        (wants_image && !read_array(weight, ndim, dtype, weights))) {
        return false;
    }
    const npy_intp* to = PyArray_DIMS(given);
    Convolution geometry;
    const npy_intp *small = options.transposed ? from : to, *large = options.transposed ? to : from;
    if (!read_geometry(small, large, kernel, ndim, dtype, options, geometry)) return false;
    const void* grad = PyArray_DATA(grads.array());
    for (int k = 0; k < gradient.plan->input_count; k++) {
        PyArrayObject*& found = gradient.found[k];
        if (gradient.plan->inputs[k] == 2) {
            int64_t places = options.transposed ? geometry.image_size() : geometry.place_count();
            found = bias_gradient(geometry, static_cast<const char*>(grad), to[1], places);
            if (found == nullptr) return false;
            continue;
        }
        bool is_image = gradient.plan->inputs[k] == 0;
        found = new_array(ndim, is_image ? from : kernel, type_num_of(dtype));
        if (found == nullptr) return false;
        void* result = PyArray_DATA(found);
        bool done;
        if (is_image) {
            done = (options.transposed ? slide : spread)(geometry, grad, PyArray_DATA(weights.array()), nullptr, result);
        } else {
            const void* seen = PyArray_DATA(inputs.array());
            done = weight_gradient(geometry, options.transposed ? grad : seen, options.transposed ? seen : grad, result);
        }
        if (!done) return false;
    }
    return true;
}

// conv1d, conv2d and their transposes: straight to the op for a batch and a padding in numbers.
struct Dims {
    const char* name;
    int ndim;
    bool transposed;
};

constexpr Dims FUNCTIONS[] = {
    {"conv1d", 3, false}, {"conv2d", 4, false}, {"conv_transpose1d", 3, true}, {"conv_transpose2d", 4, true}};

PyObject* route(Call& call) {
    const auto& function = *static_cast<const Dims*>(call.op->kernel->data);
    static Function* const op = find_function("convolution");
    static PyObject* const none = PyLong_FromLong(0);
    PyArrayObject* input = call.array(0);
    if (op == nullptr || input == nullptr || PyArray_NDIM(input) != function.ndim) return nullptr;
    bool transposed = function.transposed;
    PyObject* arguments[] = {call[0], call[1], call[2], call[3], call[4],
                             call[transposed ? 7 : 5],
                             transposed ? Py_True : Py_False,
                             transposed ? call[5] : none,
                             call[6]};
    return call_native(op, arguments, 9, nullptr);
}

}  // namespace

void register_convolution() {
    for (const Dims& each : FUNCTIONS) {
        Kernel kernel;
        kernel.name = each.name;
        kernel.route = route;
        kernel.data = &each;
        add_kernel(kernel);
    }
    add_kernel({"convolution", forward, backward,
                {"input", "weight", "input_shape", "weight_shape", "stride", "padding", "dilation", "transposed",
                 "groups"}});
}

}  // namespace rushlight
