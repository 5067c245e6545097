// Normalization: layer_norm and rms_norm, forward and gradient. See ops/normalization/normalization.py.
#include <algorithm>
#include <cfloat>

#include "loops/folding.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// layer_norm, which is centred, or rms_norm; the kernel's data points to one.
struct Norm {
    RowOp forward, backward;
    bool centred;
    Inner op;
};

Norm layer{LAYER_NORM, LAYER_NORM_SLOPE, true, Inner("_layer_norm")};
Norm rms{RMS_NORM, RMS_NORM_SLOPE, false, Inner("_rms_norm")};

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
    return true;
}

// A weight or bias, nullptr for none, has the shape of a row.
bool read_parameter(RowRun& rows, int which, PyArrayObject* array, PyArrayObject* input, int dims, int64_t count) {
    if (array == nullptr) return true;
    const npy_intp* row = PyArray_DIMS(input) + PyArray_NDIM(input) - dims;
    DECLINE_IF(PyArray_NDIM(array) != dims || !PyArray_CompareLists(PyArray_DIMS(array), row, dims));
    return rows.read(which, array, count);
}

bool read_eps(const Call& call, const Norm& norm, int dtype, double& value) {
    PyObject* eps = call[Normalized::eps];
    if (eps == Py_None && !norm.centred) {
        value = dtype == FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
        return true;
    }
    DECLINE_IF(!plain_number(eps, value));
    return true;
}

bool forward(Call& call) {
    const Norm& norm = norm_of(*call.op);
    PyArrayObject* input = call.array(Normalized::input);
    RowRun rows(input);
    Middle middle;
    int dims, ndim = PyArray_NDIM(input);
    if (!rows_over(input, call[Normalized::normalized_shape], middle, dims)) return false;
    rows.read(0, input, PyArray_SIZE(input));
    if (!read_parameter(rows, 1, call.array(Normalized::weight), input, dims, middle.count)) return false;
    if (norm.centred && !read_parameter(rows, 2, call.array(Normalized::bias), input, dims, middle.count)) return false;
    if (!read_eps(call, norm, rows.dtype, rows.arrays.options[0])) return false;
    npy_intp kept[NPY_MAXDIMS];
    reduced_shape(ndim, PyArray_DIMS(input), all_dims(ndim) & ~all_dims(ndim - dims), true, kept);
    rows.write_like(0, input);
    if (norm.centred) rows.write(1, ndim, kept);
    rows.write(2, ndim, kept);
    rows.run(norm.forward, middle);
    return call.give(rows.take(0)) && (!norm.centred || call.give(rows.take(1))) && call.give(rows.take(2));
}

constexpr int64_t MOST_BLOCKS = 64;

// The gradients of weight and bias are added up over blocks of rows, and the blocks by halves.
struct Totals {
    Ref held;
    int64_t rows = 0, blocks = 0, count = 0;

    void prepare(const Middle& middle) {
        count = middle.count;
        rows = std::max<int64_t>({32, (1 << 15) / count, (middle.outer + MOST_BLOCKS - 1) / MOST_BLOCKS});
        blocks = (middle.outer + rows - 1) / rows;
        npy_intp size = blocks * count;
        held = Ref::steal(as_object(made(zeros_array(1, &size, NPY_FLOAT64))));
    }
    double* at(int64_t block) const {
        return held ? static_cast<double*>(PyArray_DATA(held.array())) + block * count : nullptr;
    }
    // as a new array
    PyArrayObject* give(int ndim, const npy_intp* shape, int dtype) const {
        const Fold& sum = table().folding.folds[SUM][dtype];
        PyArrayObject* found = made(new_array(ndim, shape, type_num_of(dtype)));
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
    using Saved = SavedOfNormalized;
    const Norm& norm = norm_of(*gradient.plan->op);
    PyArrayObject *grad = gradient.grad(), *input = gradient.array(Saved::input), *scale = gradient.array(Saved::scale);
    PyArrayObject* weight = gradient.array(Saved::weight);
    // where only the bias learns nothing is saved
    DECLINE_IF(gradient.has_other_grads() || input == nullptr || scale == nullptr);
    RowRun rows(grad);
    Middle middle;
    middle.outer = PyArray_SIZE(scale);
    middle.count = PyArray_SIZE(input) / middle.outer;
    rows.read(0, grad, PyArray_SIZE(grad));
    rows.read(1, input, PyArray_SIZE(input));
    rows.read(3, scale, middle.outer);
    DECLINE_IF(norm.centred && !rows.read(2, gradient.array(Saved::mean), middle.outer));
    DECLINE_IF(weight != nullptr && !rows.read(4, weight, middle.count));
    Totals weights, biases;
    if (gradient.place_of(Normalized::weight) >= 0) weights.prepare(middle);
    if (norm.centred && gradient.place_of(Normalized::bias) >= 0) biases.prepare(middle);
    if (gradient.place_of(Normalized::input) >= 0) rows.write_over(gradient);
    if (weights.held || biases.held) {
        run_blocks(norm.backward, rows, middle, weights, biases);
    } else {
        rows.run(norm.backward, middle);
    }
    npy_intp shape[NPY_MAXDIMS];
    int ndim = row_shape(input, gradient.option(Saved::normalized_shape), scale, shape);
    return gradient.fill(Normalized::input, [&] { return rows.take(0); }) &&
           gradient.fill(Normalized::weight, [&] { return weights.give(ndim, shape, rows.dtype); }) &&
           (!biases.held || gradient.fill(Normalized::bias, [&] { return biases.give(ndim, shape, rows.dtype); }));
}

bool normalized_gradient(Call& call) {
    PyArrayObject *through = call.array(NormalizedGradient::through), *normal = call.array(NormalizedGradient::normal);
    RowRun rows(through);
    Middle middle;
    DECLINE_IF(!middle_of(PyArray_NDIM(through), PyArray_DIMS(through), call.dims(NormalizedGradient::dims), middle));
    DECLINE_IF(middle.inner != 1);
    rows.read(0, through, PyArray_SIZE(through));
    rows.read(1, normal, PyArray_SIZE(through));
    DECLINE_IF(!rows.read(2, call.array(NormalizedGradient::scale), middle.outer));
    rows.write_like(0, through);
    rows.arrays.options[0] = call.flag(NormalizedGradient::centred);
    rows.run(NORMALIZED_SLOPE, middle);
    return call.give(rows.take(0));
}

// nn.functional's, which return the first result alone
PyObject* route(Call& call) {
    Norm& norm = norm_of(*call.op);
    PyObject *input = call[Normalized::input], *shape = call[Normalized::normalized_shape];
    PyObject *weight = call[Normalized::weight], *eps = call[Normalized::eps];
    Ref found = Ref::steal(norm.centred ? norm.op.either(input, shape, weight, call[Normalized::bias], eps)
                                        : norm.op.either(input, shape, weight, eps));
    if (!found) return nullptr;
    DECLINE_IF(!PyTuple_Check(found.get()));
    return Py_NewRef(PyTuple_GET_ITEM(found.get(), 0));
}

// The node of an rms norm has the usual name for rows in order; Python knows the others.
unsigned by_layout(const Call& call) {
    PyArrayObject* input = call.own_array(Normalized::input);
    if (input == nullptr || !PyArray_IS_C_CONTIGUOUS(input)) return 0;
    return PyArray_ITEMSIZE(input) > 2 ? 1 : 2;
}

constexpr TensorWant input = tensor(Normalized::input).floats().widened().filled();
constexpr TensorWant weight = tensor(Normalized::weight).like(Normalized::input).optional();
constexpr TensorWant bias = tensor(Normalized::bias).like(Normalized::input).optional();

KERNEL("_layer_norm")
    .forward(forward, Normalized::names)
    .takes(input, weight, bias)
    .gradient(backward, SavedOfNormalized::names)
    .given(tensor(GRADIENT).floats().widened().filled(), tensor(SavedOfNormalized::input).shaped(GRADIENT))
    .given(tensor(SavedOfNormalized::scale).like(GRADIENT), tensor(SavedOfNormalized::weight).like(GRADIENT).optional())
    .given(tensor(SavedOfNormalized::mean).like(GRADIENT).optional())
    .with(&layer);
KERNEL("_rms_norm")
    .forward(forward, rms_names)
    .takes(input, weight)
    .gradient(backward, saved_of_rms)
    .given(tensor(GRADIENT).floats().widened().filled(), tensor(SavedOfNormalized::input).shaped(GRADIENT))
    .given(tensor(SavedOfNormalized::scale).like(GRADIENT), tensor(SavedOfNormalized::weight).like(GRADIENT).optional())
    .with(&rms)
    .naming(by_layout);
KERNEL("_normalized_gradient")
    .forward(normalized_gradient, NormalizedGradient::names)
    .takes(tensor(NormalizedGradient::through).floats().filled())
    .takes(tensor(NormalizedGradient::normal).shaped(NormalizedGradient::through))
    .takes(tensor(NormalizedGradient::scale).like(NormalizedGradient::through))
    .takes(dims(NormalizedGradient::dims, NormalizedGradient::through), flag(NormalizedGradient::centred));
// Python refuses most other dtypes
KERNEL("nn.functional.layer_norm")
    .route(route, Normalized::names)
    .takes(tensor(Normalized::input), weight, bias)
    .with(&layer);
KERNEL("nn.functional.rms_norm").route(route, rms_names).takes(tensor(Normalized::input), weight).with(&rms);

}  // namespace

}  // namespace rushlight
