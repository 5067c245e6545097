// Normalization: layer_norm and rms_norm, forward and gradient. See ops/normalization.py.
#include <algorithm>
#include <cfloat>

#include "arrays.h"
#include "call.h"
#include "folding.h"
#include "parts.h"
#include "threads.h"

namespace rushlight {

namespace {

// layer_norm, which is centred, or rms_norm; the kernel's data points to one.
struct Norm {
    RowOp forward, backward;
    bool centred;
    const char* name;
    Function* function;  // found at first use
};

Norm layer{LAYER_NORM, LAYER_NORM_SLOPE, true, "_layer_norm", nullptr};
Norm rms{RMS_NORM, RMS_NORM_SLOPE, false, "_rms_norm", nullptr};

Norm& norm_of(const OpInfo& op) { return *static_cast<Norm*>(const_cast<void*>(op.kernel->data)); }

// Rows over the last dimensions, which must have the shape that was said; false where Python has to look.
bool rows_over(PyArrayObject* input, PyObject* normalized_shape, Middle& middle, int& dims) {
    PyObject* shape = normalized_shape;
    if (!PyTuple_Check(shape) && !PyList_CheckExact(shape)) return false;
    int ndim = PyArray_NDIM(input);
    dims = static_cast<int>(std::min<Py_ssize_t>(PySequence_Fast_GET_SIZE(shape), NPY_MAXDIMS + 1));
    if (dims == 0 || dims > ndim) return false;
    middle = Middle();
    for (int d = 0; d < ndim; d++) {
        npy_intp extent = PyArray_DIM(input, d);
        if (d < ndim - dims) {
            middle.outer *= extent;
            continue;
        }
        PyObject* said = PySequence_Fast_GET_ITEM(shape, d - (ndim - dims));
        int overflow;
        if (!PyLong_CheckExact(said) || PyLong_AsLongAndOverflow(said, &overflow) != extent || overflow != 0) return false;
        middle.count *= extent;
    }
    return middle.outer * middle.count > 0;
}

// A weight or bias has the shape of a row; None is none.
bool read_parameter(RowRun& rows, int which, PyObject* value, PyArrayObject* input, int dims, int64_t count) {
    if (value == Py_None) return true;
    if (!is_tensor(value)) return false;
    PyArrayObject* array = as_tensor(value)->array;
    return PyArray_NDIM(array) == dims &&
           PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(input) + PyArray_NDIM(input) - dims, dims) &&
           rows.read(which, array, count);
}

bool read_eps(PyObject* eps, int dtype, double& value) {
    if (eps == Py_None) {
        value = dtype == FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
        return true;
    }
    if (!PyFloat_CheckExact(eps) && !PyLong_CheckExact(eps)) return false;
    value = PyFloat_AsDouble(eps);
    return !PyErr_Occurred();
}

// _layer_norm: (input, normalized_shape, weight, bias, eps); _rms_norm: the same without a bias
PyObject* forward(Call& call) {
    const Norm& norm = norm_of(*call.op);
    PyArrayObject* input = call.array(0);
    RowRun rows(input);
    Middle middle;
    int dims;
    PyObject* eps = call[norm.centred ? 4 : 3];
    if (!rows.is_float() || !rows_over(input, call[1], middle, dims) || !rows.read(0, input, PyArray_SIZE(input)) ||
        !read_parameter(rows, 1, call[2], input, dims, middle.count) ||
        (norm.centred && !read_parameter(rows, 2, call[3], input, dims, middle.count)) ||
        (norm.centred && eps == Py_None) || !read_eps(eps, rows.dtype, rows.arrays.options[0])) {
        return nullptr;
    }
    int ndim = PyArray_NDIM(input);
    npy_intp kept[NPY_MAXDIMS];
    reduced_shape(ndim, PyArray_DIMS(input), all_dims(ndim) & ~all_dims(ndim - dims), true, kept);
    if (!rows.write(0, ndim, PyArray_DIMS(input)) || (norm.centred && !rows.write(1, ndim, kept)) ||
        !rows.write(2, ndim, kept)) {
        return nullptr;
    }
    rows.run(norm.forward, middle);
    Ref output = Ref::steal(as_object(rows.take(0))), scale = Ref::steal(as_object(rows.take(2)));
    if (!norm.centred) return PyTuple_Pack(2, output.get(), scale.get());
    Ref mean = Ref::steal(as_object(rows.take(1)));
    return PyTuple_Pack(3, output.get(), mean.get(), scale.get());
}

constexpr int64_t MOST_BLOCKS = 64;

// The gradients of weight and bias are added up over blocks of rows, and the blocks by halves.
struct Totals {
    Ref held;
    int64_t rows = 0, blocks = 0, count = 0;

    bool prepare(const Middle& middle) {
        count = middle.count;
        rows = std::max<int64_t>({32, (1 << 15) / count, (middle.outer + MOST_BLOCKS - 1) / MOST_BLOCKS});
        blocks = (middle.outer + rows - 1) / rows;
        npy_intp size = blocks * count;
        held = Ref::steal(as_object(zeros_array(1, &size, NPY_FLOAT64)));
        return static_cast<bool>(held);
    }
    double* at(int64_t block) const {
        return held ? static_cast<double*>(PyArray_DATA(held.array())) + block * count : nullptr;
    }
    // as a new array
    PyArrayObject* give(int ndim, const npy_intp* shape, int dtype) const {
        const Fold& sum = table().folding.folds[SUM][dtype];
        PyArrayObject* found = new_array(ndim, shape, type_num_of(dtype));
        if (found == nullptr) return nullptr;
        sum.join(at(0), blocks, count);
        sum.give(at(0), count, 1, PyArray_DATA(found));
        return found;
    }
};

// Each block of rows adds to its own totals, so that the result does not depend on who ran it.
void run_blocks(RowOp op, const RowRun& rows, const Middle& middle, const Totals& weights, const Totals& biases) {
    RowLoop loop = table().folding.rows[op][rows.dtype];
    int64_t length = weights.held ? weights.rows : biases.rows;
    int64_t blocks = (middle.outer + length - 1) / length;
    parallel(blocks, 1, [&](int64_t begin, int64_t end) {
        RowArrays arrays = rows.arrays;
        for (int64_t block = begin; block < end; block++) {
            int64_t row = block * length;
            arrays.outputs[1] = weights.at(block);
            arrays.outputs[2] = biases.at(block);
            loop(arrays, Piece{std::min(length, middle.outer - row), middle.count, 0, 0, row * middle.count, row});
        }
    });
}

// The gradients of weight and bias have the shape of a row: the dimensions over which `scale` was made.
int row_shape(PyArrayObject* input, PyObject* normalized_shape, PyArrayObject* scale, npy_intp* shape) {
    int ndim = PyArray_NDIM(input), skipped = 0;
    if (normalized_shape != nullptr) skipped = ndim - static_cast<int>(PyObject_Length(normalized_shape));
    for (int d = skipped; d < ndim; d++) {
        // without the shape, leading dimensions of size 1 are left for the engine to take off
        shape[d - skipped] = PyArray_DIM(scale, d) == 1 ? PyArray_DIM(input, d) : 1;
    }
    return ndim - skipped;
}

// reads input, scale, weight, normalized_shape, mean
bool backward(Gradient& gradient) {
    const Norm& norm = norm_of(*gradient.plan->op);
    PyArrayObject *grad = gradient.grads[0], *input = gradient.array(0), *scale = gradient.array(1);
    for (int i = 1; i < gradient.grad_count; i++) {
        if (gradient.grads[i] != nullptr) return false;
    }
    if (grad == nullptr || input == nullptr || scale == nullptr || !PyArray_SAMESHAPE(grad, input)) return false;
    RowRun rows(grad);
    Middle middle;
    int64_t size = PyArray_SIZE(input);
    if (!rows.is_float() || size == 0) return false;
    middle.outer = PyArray_SIZE(scale);
    middle.count = size / middle.outer;
    PyArrayObject* weight = gradient.array(2);
    if (!rows.read(0, grad, size) || !rows.read(1, input, size) ||
        (norm.centred && !rows.read(2, gradient.array(4), middle.outer)) || !rows.read(3, scale, middle.outer) ||
        (weight != nullptr && !rows.read(4, weight, middle.count))) {
        return false;
    }
    int place = gradient.place_of(0), weight_place = gradient.place_of(2);
    int bias_place = norm.centred ? gradient.place_of(3) : -1;
    Totals weights, biases;
    if ((weight_place >= 0 && !weights.prepare(middle)) || (bias_place >= 0 && !biases.prepare(middle)) ||
        (place >= 0 && !rows.write_over(gradient))) {
        return false;
    }
    npy_intp shape[NPY_MAXDIMS];
    int ndim = row_shape(input, gradient.option(3), scale, shape);
    if (weights.held || biases.held) {
        run_blocks(norm.backward, rows, middle, weights, biases);
    } else {
        rows.run(norm.backward, middle);
    }
    if (place >= 0) gradient.found[place] = rows.take(0);
    if (weight_place >= 0) gradient.found[weight_place] = weights.give(ndim, shape, rows.dtype);
    if (bias_place >= 0) gradient.found[bias_place] = biases.give(ndim, shape, rows.dtype);
    return (weight_place < 0 || gradient.found[weight_place] != nullptr) &&
           (bias_place < 0 || gradient.found[bias_place] != nullptr);
}

// _normalized_gradient: (through, normal, scale, dims, centred)
PyObject* normalized_gradient(Call& call) {
    PyArrayObject *through = call.array(0), *normal = call.array(1), *scale = call.array(2);
    RowRun rows(through);
    Middle middle;
    Dims dims;
    bool centred;
    if (!rows.is_float() || normal == nullptr || scale == nullptr || PyArray_SIZE(through) == 0 ||
        !read_dims(call[3], PyArray_NDIM(through), dims) || !read_flag(call[4], centred) ||
        !middle_of(PyArray_NDIM(through), PyArray_DIMS(through), dims, middle) || middle.inner != 1 ||
        !PyArray_SAMESHAPE(through, normal) || !rows.read(0, through, PyArray_SIZE(through)) ||
        !rows.read(1, normal, PyArray_SIZE(through)) || !rows.read(2, scale, middle.outer) ||
        !rows.write(0, PyArray_NDIM(through), PyArray_DIMS(through))) {
        return nullptr;
    }
    rows.arrays.options[0] = centred;
    rows.run(NORMALIZED_SLOPE, middle);
    return as_object(rows.take(0));
}

// Whether a parameter has the dtype of the input, or is none.
bool is_alike(Call& call, int place) {
    return !call.is_tensor(place) ||
           PyArray_TYPE(as_tensor(call[place])->array) == PyArray_TYPE(as_tensor(call[0])->array);
}

// nn.functional's, which return the first result alone
PyObject* route(Call& call) {
    Norm& norm = norm_of(*call.op);
    if (norm.function == nullptr) norm.function = find_function(norm.name);
    if (norm.function == nullptr || !call.is_tensor(0)) return nullptr;
    // Python refuses most other dtypes
    if (!is_alike(call, 2) || (norm.centred && !is_alike(call, 3))) return nullptr;
    Ref found = Ref::steal(call_function(norm.function, call.arguments, norm.centred ? 5 : 4, nullptr));
    return found && PyTuple_Check(found.get()) ? Py_NewRef(PyTuple_GET_ITEM(found.get(), 0)) : nullptr;
}

// The node of an rms norm has the usual name for rows in order; Python knows the others.
unsigned by_layout(const Call& call) {
    PyArrayObject* input = call.array(0);
    if (input == nullptr || !PyArray_IS_C_CONTIGUOUS(input)) return 0;
    return PyArray_ITEMSIZE(input) > 2 ? 1 : 2;
}

}  // namespace

void register_normalization() {
    Kernel kernel{"_layer_norm", forward, backward, {"input", "scale", "weight", "normalized_shape", "mean"}};
    kernel.data = &layer;
    add_kernel(kernel);
    kernel.name = "_rms_norm";
    kernel.data = &rms;
    kernel.variant = by_layout;
    add_kernel(kernel);
    add_kernel({"_normalized_gradient", normalized_gradient});
    add_kernel({"nn.functional.layer_norm", nullptr, nullptr, {}, route, &layer});
    add_kernel({"nn.functional.rms_norm", nullptr, nullptr, {}, route, &rms});
}

}  // namespace rushlight
