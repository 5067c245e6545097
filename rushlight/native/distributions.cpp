// Kernels of Categorical: normalized logits, chosen log-probabilities and entropies, with their gradients.
#include <algorithm>
#include <cstring>

#include "draws.h"
#include "kernels/table.h"
#include "operands.h"
#include "plan.h"

namespace rushlight {

namespace {

const DistributionLoops& loops() { return table().distributions; }

// float32 or float64 as the loops count them, or -1.
int float_type(PyArrayObject* array) {
    int dtype = array == nullptr ? -1 : dtype_of(array);
    return dtype == FLOAT32 || dtype == FLOAT64 ? dtype : -1;
}

// An array of rows of classes: contiguous, the classes along its last dim.
struct Rows {
    int dtype = -1;
    int64_t rows = 0, width = 0;

    bool read(PyArrayObject* array) {
        dtype = float_type(array);
        if (dtype < 0 || PyArray_NDIM(array) < 1 || !is_plain(array)) return false;
        width = PyArray_DIM(array, PyArray_NDIM(array) - 1);
        rows = width == 0 ? 0 : PyArray_SIZE(array) / width;
        return width > 0;
    }
};

PyArrayObject* new_like(PyArrayObject* array, int fewer = 0) {
    return new_array(PyArray_NDIM(array) - fewer, PyArray_DIMS(array), PyArray_TYPE(array));
}

// Whether `array` is what the loops expect beside `rows`: the same shape, or with `fewer` the one without classes.
bool goes_with(PyArrayObject* array, PyArrayObject* rows, int fewer = 0) {
    int ndim = PyArray_NDIM(rows) - fewer;
    return array != nullptr && PyArray_TYPE(array) == PyArray_TYPE(rows) && is_plain(array) &&
           PyArray_NDIM(array) == ndim && PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(rows), ndim);
}

// _normalized_logits(input)
PyObject* normalized_forward(Call& call) {
    PyArrayObject* logits = call.array(0);
    Rows rows;
    if (!rows.read(logits)) return nullptr;
    PyArrayObject* made = new_like(logits);
    if (made == nullptr) return nullptr;
    loops().normalized[rows.dtype](PyArray_DATA(logits), PyArray_DATA(made), rows.rows, rows.width);
    return as_object(made);
}

bool normalized_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *result = gradient.array(0);
    Rows rows;
    if (!rows.read(grad) || !goes_with(result, grad)) return false;
    PyArrayObject* made = gradient.found[0] = new_like(grad);
    if (made == nullptr) return false;
    loops().normalized_slope[rows.dtype](PyArray_DATA(grad), PyArray_DATA(result), PyArray_DATA(made), rows.rows,
                                         rows.width);
    return true;
}

// _entropy(logits, probs)
PyObject* entropy_forward(Call& call) {
    PyArrayObject *logits = call.array(0), *probs = call.array(1);
    Rows rows;
    if (!rows.read(logits) || !goes_with(probs, logits)) return nullptr;
    PyArrayObject* made = new_like(logits, 1);
    if (made == nullptr) return nullptr;
    loops().entropy[rows.dtype](PyArray_DATA(logits), PyArray_DATA(probs), PyArray_DATA(made), rows.rows, rows.width);
    return as_object(made);
}

bool entropy_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *logits = gradient.array(0), *probs = gradient.array(1);
    Rows rows;
    if (!rows.read(logits) || !goes_with(grad, logits, 1)) return false;
    void* slopes[2] = {};
    for (int position = 0; position < 2; position++) {
        int place = gradient.place_of(position);
        if (place < 0) continue;
        // probabilities are not saved where only their own gradient is wanted
        if (position == 0 && !goes_with(probs, logits)) return false;
        PyArrayObject* made = gradient.found[place] = new_like(logits);
        if (made == nullptr) return false;
        slopes[position] = PyArray_DATA(made);
    }
    const void* weights = probs == nullptr ? nullptr : PyArray_DATA(probs);
    loops().entropy_slopes[rows.dtype](PyArray_DATA(grad), PyArray_DATA(logits), weights, slopes[0], slopes[1],
                                       rows.rows, rows.width);
    return true;
}

// Walks the rows of an array of any strides: the address of each in turn.
class RowWalk {
public:
    explicit RowWalk(PyArrayObject* array) : array_(array), at_(PyArray_BYTES(array)) {}
    const char* row() const { return at_; }
    void next() {
        for (int d = PyArray_NDIM(array_) - 2; d >= 0; d--) {
            at_ += PyArray_STRIDE(array_, d);
            if (++index_[d] < PyArray_DIM(array_, d)) return;
            at_ -= index_[d] * PyArray_STRIDE(array_, d);
            index_[d] = 0;
        }
    }

private:
    PyArrayObject* array_;
    const char* at_;
    npy_intp index_[NPY_MAXDIMS] = {};
};

bool are_classes(const int64_t* index, int64_t count, int64_t width) {
    bool good = true;
    for (int64_t i = 0; i < count; i++) good = good & (index[i] >= 0) & (index[i] < width);
    return good;
}

// _chosen(input, index)
PyObject* chosen_forward(Call& call) {
    PyArrayObject *input = call.array(0), *index = call.array(1);
    if (float_type(input) < 0 || index == nullptr || PyArray_TYPE(index) != NPY_INT64 || !is_plain(index)) {
        return nullptr;
    }
    int ndim = PyArray_NDIM(index);
    if (PyArray_NDIM(input) != ndim + 1 || !PyArray_CompareLists(PyArray_DIMS(input), PyArray_DIMS(index), ndim)) {
        return nullptr;
    }
    auto* classes = static_cast<const int64_t*>(PyArray_DATA(index));
    int64_t count = PyArray_SIZE(index);
    if (!are_classes(classes, count, PyArray_DIM(input, ndim))) return nullptr;
    PyArrayObject* made = new_array(ndim, PyArray_DIMS(index), PyArray_TYPE(input));
    if (made == nullptr) return nullptr;
    npy_intp step = PyArray_STRIDE(input, ndim), itemsize = PyArray_ITEMSIZE(input);
    char* to = PyArray_BYTES(made);
    RowWalk walk(input);
    for (int64_t i = 0; i < count; i++, to += itemsize, walk.next()) {
        std::memcpy(to, walk.row() + classes[i] * step, itemsize);
    }
    return as_object(made);
}

// Reads: index, input_shape
bool chosen_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(0);
    Shape shape;
    if (float_type(grad) < 0 || index == nullptr || !is_plain(grad) || !is_plain(index)) return false;
    if (PyArray_TYPE(index) != NPY_INT64 || !PyArray_SAMESHAPE(grad, index) || !shape.read(gradient.option(1))) {
        return false;
    }
    int ndim = PyArray_NDIM(grad);
    if (shape.ndim != ndim + 1 || !PyArray_CompareLists(shape.dims, PyArray_DIMS(grad), ndim)) return false;
    auto* classes = static_cast<const int64_t*>(PyArray_DATA(index));
    int64_t count = PyArray_SIZE(grad), width = shape.dims[ndim];
    if (!are_classes(classes, count, width)) return false;
    PyArrayObject* made = gradient.found[0] = zeros_array(shape.ndim, shape.dims, PyArray_TYPE(grad));
    if (made == nullptr) return false;
    npy_intp itemsize = PyArray_ITEMSIZE(grad);
    const char* from = PyArray_BYTES(grad);
    char* to = PyArray_BYTES(made);
    for (int64_t i = 0; i < count; i++, from += itemsize, to += width * itemsize) {
        std::memcpy(to + classes[i] * itemsize, from, itemsize);
    }
    return true;
}

void add(const char* name, Forward forward, Backward backward, std::initializer_list<const char*> reads) {
    Kernel kernel;
    kernel.name = name;
    kernel.forward = forward;
    kernel.backward = backward;
    std::copy(reads.begin(), reads.end(), kernel.reads);
    add_kernel(kernel);
}

}  // namespace

void add_distribution_kernels() {
    add("_normalized_logits", normalized_forward, normalized_backward, {"result"});
    add("_entropy", entropy_forward, entropy_backward, {"logits", "probs"});
    add("_chosen", chosen_forward, chosen_backward, {"index", "input_shape"});
}

}  // namespace rushlight
