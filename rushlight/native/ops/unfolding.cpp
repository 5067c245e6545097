// Unfolding: the patches of an image as columns, and columns folded back into an image. See ops/images/unfolding.py.
#include <algorithm>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

constexpr npy_intp MOST = 1 << 20;  // sizes and steps up to which nothing overflows

// Two numbers, of which one stands for both; false where Python must look.
bool read_both(PyObject* given, npy_intp least, npy_intp* both) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = 1;
    if (!PyLong_CheckExact(given)) {
        count = read_sizes(given, sizes);
    } else if (!read_index(given, sizes[0])) {
        return false;
    }
    if (count != 1 && count != 2) return false;
    both[0] = sizes[0];
    both[1] = sizes[count - 1];
    return std::min(both[0], both[1]) >= least && std::max(both[0], both[1]) < MOST;
}

// A window that slides over images: both of its extents, and how many places it has along each.
struct Window {
    npy_intp kernel[2], dilation[2], padding[2], stride[2], sizes[2], places[2];

    bool read(PyObject* kernel_size, PyObject* dilated, PyObject* padded, PyObject* strided) {
        return read_both(kernel_size, 1, kernel) && read_both(dilated, 1, dilation) && read_both(padded, 0, padding) &&
               read_both(strided, 1, stride);
    }
    // False if it does not fit.
    bool place(const npy_intp* image) {
        for (int d = 0; d < 2; d++) {
            sizes[d] = image[d];
            npy_intp room = image[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
            if (room < 0) return false;
            places[d] = room / stride[d] + 1;
        }
        return true;
    }
    npy_intp kernel_size() const { return kernel[0] * kernel[1]; }
    npy_intp place_count() const { return places[0] * places[1]; }
    bool is_padded() const { return padding[0] != 0 || padding[1] != 0; }

    // The places at which an element of the window, `offset` along a dimension, lies inside of an image.
    void reach(int d, npy_intp offset, npy_intp& begin, npy_intp& end) const {
        npy_intp first = padding[d] - offset * dilation[d], last = sizes[d] - 1 + first;
        begin = std::min(places[d], first <= 0 ? 0 : (first + stride[d] - 1) / stride[d]);
        end = last < 0 ? begin : std::max(begin, std::min(places[d], last / stride[d] + 1));
    }
};

// Where an element of the window stands in images and in columns, at the places where it lies inside of the image.
struct Meeting {
    npy_intp dims[4], image_strides[4], column_strides[4], image_offset, column_offset;

    // Strides of columns that stand in C order; those of images are given: of the batch, channels, height and width.
    Meeting(const Window& window, npy_intp batch, npy_intp channels, const npy_intp* image, npy_intp itemsize,
            npy_intp down, npy_intp along) {
        npy_intp begin[2], end[2];
        window.reach(0, down, begin[0], end[0]);
        window.reach(1, along, begin[1], end[1]);
        npy_intp column = window.place_count() * itemsize, row = window.places[1] * itemsize;
        npy_intp offsets[2] = {down, along};
        npy_intp steps[4] = {channels * window.kernel_size() * column, window.kernel_size() * column, row, itemsize};
        dims[0] = batch;
        dims[1] = channels;
        image_offset = 0;
        column_offset = (down * window.kernel[1] + along) * column;
        for (int d = 0; d < 4; d++) {
            column_strides[d] = steps[d];
            image_strides[d] = image[d];
            if (d < 2) continue;
            int side = d - 2;
            dims[d] = end[side] - begin[side];
            image_strides[d] *= window.stride[side];
            column_offset += begin[side] * steps[d];
            npy_intp at = begin[side] * window.stride[side] + offsets[side] * window.dilation[side];
            image_offset += (at - window.padding[side]) * image[d];
        }
    }
};

// The patches of an array (N, C, H, W) or (C, H, W), padded with zeros.
PyArrayObject* unfolded(PyArrayObject* array, Window& window) {
    int ndim = PyArray_NDIM(array), first = ndim - 3;
    DECLINE_IF(!window.place(PyArray_DIMS(array) + ndim - 2));
    npy_intp batch = first == 0 ? 1 : PyArray_DIM(array, 0), channels = PyArray_DIM(array, first);
    npy_intp image[4] = {first == 0 ? 0 : PyArray_STRIDE(array, 0), PyArray_STRIDE(array, first),
                         PyArray_STRIDE(array, ndim - 2), PyArray_STRIDE(array, ndim - 1)};
    npy_intp shape[3] = {batch, channels * window.kernel_size(), window.place_count()};
    auto* make = window.is_padded() ? zeros_array : new_array;
    PyArrayObject* found = made(make(ndim - 1, shape + 1 - first, PyArray_TYPE(array)));
    npy_intp itemsize = PyArray_ITEMSIZE(array);
    for (npy_intp down = 0; down < window.kernel[0]; down++) {
        for (npy_intp along = 0; along < window.kernel[1]; along++) {
            Meeting at(window, batch, channels, image, itemsize, down, along);
            if (at.dims[2] == 0 || at.dims[3] == 0) continue;
            copy_elements(PyArray_BYTES(found) + at.column_offset, at.column_strides,
                          PyArray_BYTES(array) + at.image_offset, at.image_strides, 4, at.dims,
                          static_cast<int>(itemsize));
        }
    }
    return found;
}

template <class T>
void add_elements(char* to, const char* from, const Meeting& at) {
    for (npy_intp n = 0; n < at.dims[0]; n++) {
        for (npy_intp c = 0; c < at.dims[1]; c++) {
            for (npy_intp y = 0; y < at.dims[2]; y++) {
                char* into = to + n * at.image_strides[0] + c * at.image_strides[1] + y * at.image_strides[2];
                auto* row = reinterpret_cast<const T*>(from + n * at.column_strides[0] + c * at.column_strides[1] +
                                                       y * at.column_strides[2]);
                for (npy_intp x = 0; x < at.dims[3]; x++, into += at.image_strides[3])
                    *reinterpret_cast<T*>(into) += row[x];
            }
        }
    }
}

// Columns (N, C * patch, places) or (C * patch, places), in C order, added up in images of these sizes.
PyArrayObject* folded(PyArrayObject* array, const npy_intp* sizes, Window& window) {
    int ndim = PyArray_NDIM(array), first = ndim - 2;
    npy_intp rows = PyArray_DIM(array, first), itemsize = PyArray_ITEMSIZE(array);
    DECLINE_IF(!window.place(sizes) || rows % window.kernel_size() != 0);
    DECLINE_IF(PyArray_DIM(array, ndim - 1) != window.place_count());
    npy_intp shape[4] = {first == 0 ? 1 : PyArray_DIM(array, 0), rows / window.kernel_size(), sizes[0], sizes[1]};
    PyArrayObject* found = made(zeros_array(ndim + 1, shape + 1 - first, PyArray_TYPE(array)));
    npy_intp plane = sizes[0] * sizes[1] * itemsize;
    npy_intp image[4] = {shape[1] * plane, plane, sizes[1] * itemsize, itemsize};
    auto* add = PyArray_TYPE(array) == NPY_FLOAT32 ? add_elements<float> : add_elements<double>;
    for (npy_intp down = 0; down < window.kernel[0]; down++) {
        for (npy_intp along = 0; along < window.kernel[1]; along++) {
            Meeting at(window, shape[0], shape[1], image, itemsize, down, along);
            add(PyArray_BYTES(found) + at.image_offset, PyArray_BYTES(array) + at.column_offset, at);
        }
    }
    return found;
}

NAMES(Unfold, input, kernel_size, dilation, padding, stride);
NAMES(SavedOfUnfold, input_shape, kernel_size, dilation, padding, stride);
NAMES(Fold, input, output_size, kernel_size, dilation, padding, stride);
NAMES(SavedOfFold, kernel_size, dilation, padding, stride);

bool unfold_forward(Call& call) {
    Window window;
    DECLINE_IF(
        !window.read(call[Unfold::kernel_size], call[Unfold::dilation], call[Unfold::padding], call[Unfold::stride]));
    return call.give(unfolded(call.array(Unfold::input), window));
}

bool unfold_backward(Gradient& gradient) {
    using Saved = SavedOfUnfold;
    Window window;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = read_sizes(gradient.option(Saved::input_shape), shape);
    DECLINE_IF(ndim < 3 || !window.read(gradient.option(Saved::kernel_size), gradient.option(Saved::dilation),
                                        gradient.option(Saved::padding), gradient.option(Saved::stride)));
    return gradient.give(folded(gradient.grad(), shape + ndim - 2, window));
}

bool fold_forward(Call& call) {
    Window window;
    npy_intp sizes[2];
    DECLINE_IF(!read_both(call[Fold::output_size], 1, sizes));
    DECLINE_IF(!window.read(call[Fold::kernel_size], call[Fold::dilation], call[Fold::padding], call[Fold::stride]));
    return call.give(folded(call.array(Fold::input), sizes, window));
}

bool fold_backward(Gradient& gradient) {
    using Saved = SavedOfFold;
    Window window;
    DECLINE_IF(!window.read(gradient.option(Saved::kernel_size), gradient.option(Saved::dilation),
                            gradient.option(Saved::padding), gradient.option(Saved::stride)));
    return gradient.give(unfolded(gradient.grad(), window));
}

KERNEL("nn.functional.unfold")
    .forward(unfold_forward, Unfold::names)
    .takes(tensor(Unfold::input).floats().widened().rank(3, 4).filled())
    .gradient(unfold_backward, SavedOfUnfold::names)
    .given(tensor(GRADIENT).floats().rank(2, 3).filled().packed());
KERNEL("nn.functional.fold")
    .forward(fold_forward, Fold::names)
    .takes(tensor(Fold::input).floats().rank(2, 3).filled().packed())
    .gradient(fold_backward, SavedOfFold::names)
    .given(tensor(GRADIENT).floats().rank(3, 4).filled());

}  // namespace

}  // namespace rushlight
