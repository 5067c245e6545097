// Kernels of Categorical: normalized logits, chosen log-probabilities and entropies, with their gradients.
#include <algorithm>
#include <cstring>

#include "kernels/table.h"
#include "loops/operands.h"
#include "random/draws.h"
#include "seam/plan.h"

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

NAMES(Normalized, input);
NAMES(SavedOfNormalized, result);

bool normalized_forward(Call& call) {
    PyArrayObject* logits = call.array(Normalized::input);
    Rows rows;
    DECLINE_IF(!rows.read(logits));
    PyArrayObject* made = new_like(logits);
    if (made == nullptr) return false;
    loops().normalized[rows.dtype](PyArray_DATA(logits), PyArray_DATA(made), rows.rows, rows.width);
    return call.give(made);
}

bool normalized_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *result = gradient.array(SavedOfNormalized::result);
    Rows rows;
    DECLINE_IF(!rows.read(grad) || !goes_with(result, grad));
    PyArrayObject* made = gradient.found[0] = new_like(grad);
    if (made == nullptr) return false;
    loops().normalized_slope[rows.dtype](PyArray_DATA(grad), PyArray_DATA(result), PyArray_DATA(made), rows.rows,
                                         rows.width);
    return true;
}

NAMES(Entropy, logits, probs);

bool entropy_forward(Call& call) {
    PyArrayObject *logits = call.array(Entropy::logits), *probs = call.array(Entropy::probs);
    Rows rows;
    DECLINE_IF(!rows.read(logits) || !goes_with(probs, logits));
    PyArrayObject* made = new_like(logits, 1);
    if (made == nullptr) return false;
    loops().entropy[rows.dtype](PyArray_DATA(logits), PyArray_DATA(probs), PyArray_DATA(made), rows.rows, rows.width);
    return call.give(made);
}

bool entropy_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *logits = gradient.array(Entropy::logits);
    PyArrayObject* probs = gradient.array(Entropy::probs);
    Rows rows;
    DECLINE_IF(!rows.read(logits) || !goes_with(grad, logits, 1));
    void* slopes[2] = {};
    for (auto input : {Entropy::logits, Entropy::probs}) {
        int place = gradient.place_of(input);
        if (place < 0) continue;
        // probabilities are not saved where only their own gradient is wanted
        DECLINE_IF(input == Entropy::logits && !goes_with(probs, logits));
        PyArrayObject* made = gradient.found[place] = new_like(logits);
        if (made == nullptr) return false;
        slopes[input] = PyArray_DATA(made);
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

NAMES(Chosen, input, index);
NAMES(SavedOfChosen, index, input_shape);

bool chosen_forward(Call& call) {
    PyArrayObject *input = call.array(Chosen::input), *index = call.array(Chosen::index);
    DECLINE_IF(float_type(input) < 0 || index == nullptr || PyArray_TYPE(index) != NPY_INT64 || !is_plain(index));
    int ndim = PyArray_NDIM(index);
    DECLINE_IF(PyArray_NDIM(input) != ndim + 1 ||
               !PyArray_CompareLists(PyArray_DIMS(input), PyArray_DIMS(index), ndim));
    auto* classes = static_cast<const int64_t*>(PyArray_DATA(index));
    int64_t count = PyArray_SIZE(index);
    DECLINE_IF(!are_classes(classes, count, PyArray_DIM(input, ndim)));
    PyArrayObject* made = new_array(ndim, PyArray_DIMS(index), PyArray_TYPE(input));
    if (made == nullptr) return false;
    npy_intp step = PyArray_STRIDE(input, ndim), itemsize = PyArray_ITEMSIZE(input);
    char* to = PyArray_BYTES(made);
    RowWalk walk(input);
    for (int64_t i = 0; i < count; i++, to += itemsize, walk.next()) {
        std::memcpy(to, walk.row() + classes[i] * step, itemsize);
    }
    return call.give(made);
}

bool chosen_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(SavedOfChosen::index);
    Shape shape;
    DECLINE_IF(float_type(grad) < 0 || index == nullptr || !is_plain(grad) || !is_plain(index));
    DECLINE_IF(PyArray_TYPE(index) != NPY_INT64 || !PyArray_SAMESHAPE(grad, index) ||
               !shape.read(gradient.option(SavedOfChosen::input_shape)));
    int ndim = PyArray_NDIM(grad);
    DECLINE_IF(shape.ndim != ndim + 1 || !PyArray_CompareLists(shape.dims, PyArray_DIMS(grad), ndim));
    auto* classes = static_cast<const int64_t*>(PyArray_DATA(index));
    int64_t count = PyArray_SIZE(grad), width = shape.dims[ndim];
    DECLINE_IF(!are_classes(classes, count, width));
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

KERNEL("_normalized_logits")
    .forward(normalized_forward, Normalized::names)
    .gradient(normalized_backward, SavedOfNormalized::names);
KERNEL("_entropy").forward(entropy_forward, Entropy::names).gradient(entropy_backward, Entropy::names);
KERNEL("_chosen").forward(chosen_forward, Chosen::names).gradient(chosen_backward, SavedOfChosen::names);

}  // namespace

}  // namespace rushlight
