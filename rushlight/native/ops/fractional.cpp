// Fractional pooling: maxima of windows that start at random places. See ops/images/pooling/fractional.py.
#include <vector>

#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

NAMES(Fractional, input, kernel, output, samples);

constexpr int MOST = 3;  // dims of a window

struct Windows {
    int count;
    npy_intp sizes[MOST], kernel[MOST], output[MOST];
    std::vector<npy_intp> starts[MOST];  // of the windows of one plane along each dim
};

// Where the windows start along one dim, in the dtype of the samples: a rounding decides.
template <class T>
void place_windows(Windows& windows, int d, T sample) {
    npy_intp room = windows.sizes[d] - windows.kernel[d], made = windows.output[d];
    std::vector<npy_intp>& starts = windows.starts[d];
    starts.assign(made, room);
    if (made == 1) return;
    T alpha = T(room) / T(made - 1);
    auto first = static_cast<npy_intp>(sample * alpha);
    for (npy_intp i = 0; i + 1 < made; i++) starts[i] = static_cast<npy_intp>((T(i) + sample) * alpha) - first;
}

// The largest element of a window and its place; the first of equals, the last NaN.
template <class T>
void find_best(const Windows& windows, const npy_intp* at, const T* plane, T& value, int64_t& index) {
    npy_intp offset[MOST] = {};
    int count = windows.count;
    for (bool first = true;; first = false) {
        npy_intp place = 0;
        for (int d = 0; d < count; d++) place = place * windows.sizes[d] + windows.starts[d][at[d]] + offset[d];
        T candidate = plane[place];
        if (first || candidate > value || candidate != candidate) value = candidate, index = place;
        int d = count - 1;
        for (; d >= 0 && ++offset[d] == windows.kernel[d]; d--) offset[d] = 0;
        if (d < 0) return;
    }
}

template <class T>
bool pool(Windows& windows, npy_intp planes, const T* from, const T* samples, T* values, int64_t* indices) {
    int count = windows.count;
    npy_intp size = 1;
    for (int d = 0; d < count; d++) size *= windows.sizes[d];
    for (npy_intp plane = 0; plane < planes; plane++, from += size, samples += count) {
        for (int d = 0; d < count; d++) {
            // torch's planes take the sample of their width first, its volumes last
            place_windows(windows, d, samples[count == 3 ? d : count - 1 - d]);
            for (npy_intp start : windows.starts[d]) {
                DECLINE_IF(start < 0 || start + windows.kernel[d] > windows.sizes[d]);
            }
        }
        npy_intp at[MOST] = {};
        for (;;) {
            find_best(windows, at, from, *values++, *indices++);
            int d = count - 1;
            for (; d >= 0 && ++at[d] == windows.output[d]; d--) at[d] = 0;
            if (d < 0) break;
        }
    }
    return true;
}

bool fractional_forward(Call& call) {
    PyArrayObject *input = call.array(Fractional::input), *samples = call.array(Fractional::samples);
    npy_intp kernel[NPY_MAXDIMS], output[NPY_MAXDIMS], dims[NPY_MAXDIMS], planes = 1;
    int count = read_sizes(call[Fractional::kernel], kernel), ndim = PyArray_NDIM(input), lead = ndim - count;
    DECLINE_IF(count < 2 || count > MOST || read_sizes(call[Fractional::output], output) != count);
    DECLINE_IF(lead < 1 || lead > 2 || PyArray_DIM(samples, 2) != count);
    Windows windows;
    windows.count = count;
    for (int d = 0; d < ndim; d++) {
        npy_intp size = PyArray_DIM(input, d);
        dims[d] = d < lead ? size : output[d - lead];
        if (d < lead) {
            planes *= size;
            continue;
        }
        DECLINE_IF(kernel[d - lead] < 1 || output[d - lead] < 1 || kernel[d - lead] > size);
        windows.sizes[d - lead] = size;
        windows.kernel[d - lead] = kernel[d - lead];
        windows.output[d - lead] = output[d - lead];
    }
    DECLINE_IF(PyArray_DIM(samples, 1) != PyArray_DIM(input, lead - 1));
    DECLINE_IF(lead == 2 && PyArray_DIM(samples, 0) < PyArray_DIM(input, 0));
    PyArrayObject* values = call.make(ndim, dims, PyArray_TYPE(input));
    auto* indices = elements<int64_t>(call.make(ndim, dims, NPY_INT64));
    if (PyArray_TYPE(input) == NPY_FLOAT32) {
        return pool(windows, planes, elements<const float>(input), elements<const float>(samples),
                    elements<float>(values), indices);
    }
    return pool(windows, planes, elements<const double>(input), elements<const double>(samples),
                elements<double>(values), indices);
}

// The node is named after the dimensions of a window: Python knows its class.
unsigned unknown(const Call&) { return 0; }

KERNEL("_fractional_max_pool")
    .forward(fractional_forward, Fractional::names)
    .takes(tensor(Fractional::input).floats().widened().rank(3, 5).filled().packed())
    .takes(tensor(Fractional::samples).like(Fractional::input).rank(3).filled().packed())
    .naming(unknown);

}  // namespace

}  // namespace rushlight
