// Normalization: layer_norm and rms_norm, forward and gradient. See ops/normalization.py.
#include <algorithm>
#include <cfloat>

#include "arrays.h"
#include "call.h"
#include "folding.h"
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

// An rms norm has no bias: it reads all but the last.
NAMES(Normalized, input, normalized_shape, weight, eps, bias);
constexpr const char* rms_names = "input, normalized_shape, weight, eps";
// Nor has it a mean.
NAMES(SavedOfNormalized, input, scale, weight, normalized_shape, mean);
constexpr const char* saved_of_rms = "input, scale, weight, normalized_shape";
NAMES(NormalizedGradient, through, normal, scale, dims, centred);

// Rows over the last dimensions, which must have the shape that was said; false where Python has to look.
bool rows_over(PyArrayObject* input, PyObject* normalized_shape, Middle& middle, int& dims) {
    PyObject* shape = normalized_shape;
    DECLINE_IF(!PyTuple_Check(shape) && !PyList_CheckExact(shape));
    int ndim = PyArray_NDIM(input);
    dims = static_cast<int>(std::min<Py_ssize_t>(PySequence_Fast_GET_SIZE(shape), NPY_MAXDIMS + 1));
    DECLINE_IF(dims == 0 || dims > ndim);
    middle = Middle();
    for (int d = 0; d < ndim; d++) {
        npy_intp extent = PyArray_DIM(input, d);
        if (d < ndim - dims) {
            middle.outer *= extent;
            continue;
        }
        PyObject* said = PySequence_Fast_GET_ITEM(shape, d - (ndim - dims));
        int overflow;
        DECLINE_IF(!PyLong_CheckExact(said));
        DECLINE_IF(PyLong_AsLongAndOverflow(said, &overflow) != extent || overflow != 0);
        middle.count *= extent;
    }
    DECLINE_IF(middle.outer * middle.count == 0);
    return true;
}

// A weight or bias has the shape of a row; None is none.
bool read_parameter(RowRun& rows, int which, PyObject* value, PyArrayObject* input, int dims, int64_t count) {
    if (value == Py_None) return true;
    DECLINE_IF(!is_tensor(value));
    PyArrayObject* array = as_tensor(value)->array;
    const npy_intp* row = PyArray_DIMS(input) + PyArray_NDIM(input) - dims;
    DECLINE_IF(PyArray_NDIM(array) != dims || !PyArray_CompareLists(PyArray_DIMS(array), row, dims));
    DECLINE_IF(!rows.read(which, array, count));
    return true;
}

bool read_eps(PyObject* eps, int dtype, double& value) {
    if (eps == Py_None) {
        value = dtype == FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
        return true;
    }
    DECLINE_IF(!PyFloat_CheckExact(eps) && !PyLong_CheckExact(eps));
    value = PyFloat_AsDouble(eps);
    return !PyErr_Occurred();
}

PyObject* forward(Call& call) {
    const Norm& norm = norm_of(*call.op);
    PyArrayObject* input = call.array(Normalized::input);
    RowRun rows(input);
    Middle middle;
    int dims;
    PyObject* eps = call[Normalized::eps];
    DECLINE_IF(!rows.is_float());
    if (!rows_over(input, call[Normalized::normalized_shape], middle, dims)) return nullptr;
    DECLINE_IF(!rows.read(0, input, PyArray_SIZE(input)));
    if (!read_parameter(rows, 1, call[Normalized::weight], input, dims, middle.count)) return nullptr;
    if (norm.centred) {
        if (!read_parameter(rows, 2, call[Normalized::bias], input, dims, middle.count)) return nullptr;
        DECLINE_IF(eps == Py_None);
    }
    if (!read_eps(eps, rows.dtype, rows.arrays.options[0])) return nullptr;
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

bool backward(Gradient& gradient) {
    const Norm& norm = norm_of(*gradient.plan->op);
    using Saved = SavedOfNormalized;
    PyArrayObject *grad = gradient.grads[0], *input = gradient.array(Saved::input);
    PyArrayObject *scale = gradient.array(Saved::scale), *weight = gradient.array(Saved::weight);
    for (int i = 1; i < gradient.grad_count; i++) {
        DECLINE_IF(gradient.grads[i] != nullptr);
    }
    DECLINE_IF(grad == nullptr || input == nullptr || scale == nullptr);
    DECLINE_IF(!PyArray_SAMESHAPE(grad, input));
    RowRun rows(grad);
    Middle middle;
    int64_t size = PyArray_SIZE(input);
    DECLINE_IF(!rows.is_float() || size == 0);
    middle.outer = PyArray_SIZE(scale);
    middle.count = size / middle.outer;
    DECLINE_IF(!rows.read(0, grad, size) || !rows.read(1, input, size));
    DECLINE_IF(norm.centred && !rows.read(2, gradient.array(Saved::mean), middle.outer));
    DECLINE_IF(!rows.read(3, scale, middle.outer));
    DECLINE_IF(weight != nullptr && !rows.read(4, weight, middle.count));
    int place = gradient.place_of(Normalized::input), weight_place = gradient.place_of(Normalized::weight);
    int bias_place = norm.centred ? gradient.place_of(Normalized::bias) : -1;
    Totals weights, biases;
    if ((weight_place >= 0 && !weights.prepare(middle)) || (bias_place >= 0 && !biases.prepare(middle)) ||
        (place >= 0 && !rows.write_over(gradient))) {
        return false;
    }
    npy_intp shape[NPY_MAXDIMS];
    int ndim = row_shape(input, gradient.option(Saved::normalized_shape), scale, shape);
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

PyObject* normalized_gradient(Call& call) {
    PyArrayObject *through = call.array(NormalizedGradient::through), *normal = call.array(NormalizedGradient::normal);
    PyArrayObject* scale = call.array(NormalizedGradient::scale);
    RowRun rows(through);
    Middle middle;
    Dims dims;
    bool centred;
    DECLINE_IF(!rows.is_float() || PyArray_SIZE(through) == 0);
    DECLINE_IF(normal == nullptr || scale == nullptr);
    DECLINE_IF(!read_dims(call[NormalizedGradient::dims], PyArray_NDIM(through), dims));
    DECLINE_IF(!read_flag(call[NormalizedGradient::centred], centred));
    DECLINE_IF(!middle_of(PyArray_NDIM(through), PyArray_DIMS(through), dims, middle) || middle.inner != 1);
    DECLINE_IF(!PyArray_SAMESHAPE(through, normal));
    DECLINE_IF(!rows.read(0, through, PyArray_SIZE(through)) || !rows.read(1, normal, PyArray_SIZE(through)));
    DECLINE_IF(!rows.read(2, scale, middle.outer));
    if (!rows.write(0, PyArray_NDIM(through), PyArray_DIMS(through))) return nullptr;
    rows.arrays.options[0] = centred;
    rows.run(NORMALIZED_SLOPE, middle);
    return as_object(rows.take(0));
}

// Whether a parameter has the dtype of the input, or is none.
bool is_alike(const Call& call, Normalized::Name parameter) {
    return !call.is_tensor(parameter) ||
           PyArray_TYPE(call.array(parameter)) == PyArray_TYPE(call.array(Normalized::input));
}

// nn.functional's, which return the first result alone
PyObject* route(Call& call) {
    Norm& norm = norm_of(*call.op);
    if (norm.function == nullptr) norm.function = find_function(norm.name);
    DECLINE_IF(norm.function == nullptr || !call.is_tensor(Normalized::input));
    // Python refuses most other dtypes
    DECLINE_IF(!is_alike(call, Normalized::weight) || (norm.centred && !is_alike(call, Normalized::bias)));
    PyObject* args[5] = {call[Normalized::input], call[Normalized::normalized_shape], call[Normalized::weight]};
    int count = 3;
    if (norm.centred) args[count++] = call[Normalized::bias];
    args[count++] = call[Normalized::eps];
    Ref found = Ref::steal(call_function(norm.function, args, count, nullptr));
    if (!found) return nullptr;
    DECLINE_IF(!PyTuple_Check(found.get()));
    return Py_NewRef(PyTuple_GET_ITEM(found.get(), 0));
}

// The node of an rms norm has the usual name for rows in order; Python knows the others.
unsigned by_layout(const Call& call) {
    PyArrayObject* input = call.array(Normalized::input);
    if (input == nullptr || !PyArray_IS_C_CONTIGUOUS(input)) return 0;
    return PyArray_ITEMSIZE(input) > 2 ? 1 : 2;
}

KERNEL("_layer_norm").forward(forward, Normalized::names).gradient(backward, SavedOfNormalized::names).with(&layer);
KERNEL("_rms_norm").forward(forward, rms_names).gradient(backward, saved_of_rms).with(&rms).naming(by_layout);
KERNEL("_normalized_gradient").forward(normalized_gradient, NormalizedGradient::names);
KERNEL("nn.functional.layer_norm").route(route, Normalized::names).with(&layer);
KERNEL("nn.functional.rms_norm").route(route, rms_names).with(&rms);

}  // namespace

}  // namespace rushlight
