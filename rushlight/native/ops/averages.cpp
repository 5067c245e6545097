// Averages: those of windows, alike or spread evenly, and their gradients. See ops/images/pooling/averages.py and
// adaptive.py.
#include <vector>

#include "loops/planes.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"
#include "seam/numbers.h"

namespace rushlight {

namespace {

// Elements of a window, and windows along a dimension, up to which products of them need no check.
constexpr int64_t MOST_WINDOWS = 1 << 24;

// The windows along one dimension, with the memory of their numbers.
struct Line {
    std::vector<int64_t> starts, counts;
    std::vector<double> divisors;
    int64_t size = 1;

    Windows windows(bool divide) const {
        Windows found{size,
                      static_cast<int64_t>(starts.size()),
                      starts.data(),
                      counts.data(),
                      divide ? divisors.data() : nullptr,
                      0,
                      0};
        int64_t stride = starts.size() > 1 ? starts[1] : counts[0];
        bool alike = starts[0] == 0;
        for (size_t i = 0; i < starts.size(); i++) {
            alike = alike && starts[i] == static_cast<int64_t>(i) * stride && counts[i] == counts[0];
        }
        if (alike) {
            found.kernel = counts[0];
            found.stride = stride;
        }
        return found;
    }
    void add(int64_t start, int64_t count, double divisor) {
        starts.push_back(start);
        counts.push_back(std::max<int64_t>(count, 0));
        divisors.push_back(std::max(divisor, 1.0));
    }
};

constexpr int MOST_DIMS = 3;

// The windows of all dimensions; volumes and planes are one element deep and high where there are fewer.
struct Grid {
    Line depth, rows, columns;
    double divisor = 0;  // for all windows, unless 0

    // the line of dimension d of `count`
    Line& line(int d, int count) { return d == count - 1 ? columns : d == count - 2 ? rows : depth; }
    void leave_others(int count) {
        if (count < 3) depth.add(0, 1, 1);
        if (count < 2) rows.add(0, 1, 1);
    }
    Windows depth_windows() const { return depth.windows(divisor == 0); }
    Windows row_windows() const { return rows.windows(divisor == 0); }
    Windows column_windows() const { return columns.windows(divisor == 0); }
};

// An option that is one plain integer for all dimensions, or one for each.
bool read_option(PyObject* value, int count, int64_t* found) {
    for (int d = 0; d < count; d++) {
        PyObject* each = value;
        if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
            Py_ssize_t length = PySequence_Fast_GET_SIZE(value);
            if (length != count && length != 1) return false;
            each = PySequence_Fast_GET_ITEM(value, length == 1 ? 0 : d);
        }
        if (!PyLong_CheckExact(each) || !plain_integer(each, found[d])) return false;
    }
    return true;
}

bool is_empty(PyObject* value) {
    return value == Py_None ||
           ((PyTuple_CheckExact(value) || PyList_CheckExact(value)) && PySequence_Fast_GET_SIZE(value) == 0);
}

struct Options {
    PyObject *kernel, *stride, *padding, *ceil, *include_pad, *divisor;
};

// The windows of an average pooling over planes of these sizes; false where Python has to look, or to refuse.
bool read_grid(const Options& options, int count, const int64_t* sizes, Grid& grid) {
    int64_t kernel[MOST_DIMS], stride[MOST_DIMS], padding[MOST_DIMS];
    bool ceil, include_pad;
    DECLINE_IF(!read_option(options.kernel, count, kernel) || !read_option(options.padding, count, padding));
    DECLINE_IF(!read_option(is_empty(options.stride) ? options.kernel : options.stride, count, stride));
    DECLINE_IF(!read_flag(options.ceil, ceil) || !read_flag(options.include_pad, include_pad));
    int64_t divisor = 0;
    DECLINE_IF(options.divisor != Py_None && (!plain_integer(options.divisor, divisor) || divisor == 0));
    grid.divisor = static_cast<double>(divisor);
    grid.leave_others(count);
    for (int d = 0; d < count; d++) {
        int64_t size = sizes[d], pad = padding[d];
        DECLINE_IF(kernel[d] < 1 || stride[d] < 1 || pad < 0 || pad > kernel[d] / 2);
        DECLINE_IF(kernel[d] > MOST_WINDOWS || stride[d] > INT32_MAX);
        Line& line = grid.line(d, count);
        line.size = size;
        int64_t room = size + 2 * pad - kernel[d];
        DECLINE_IF(room < 0 && !ceil);
        int64_t windows = (room + (ceil ? stride[d] - 1 : 0)) / stride[d] + 1;
        if (ceil && (windows - 1) * stride[d] >= size + pad) windows--;
        DECLINE_IF(room < 0 || windows < 1);
        for (int64_t i = 0; i < windows; i++) {
            int64_t start = i * stride[d] - pad, end = std::min(start + kernel[d], size + pad);
            int64_t padded = end - start;
            start = std::max<int64_t>(start, 0);
            int64_t inside = std::min(end, size) - start;
            line.add(start, inside, static_cast<double>(include_pad ? padded : inside));
        }
    }
    return true;
}

// Windows that cover a dimension evenly.
void cover(Line& line, int64_t size, int64_t outputs) {
    line.size = size;
    for (int64_t i = 0; i < outputs; i++) {
        int64_t start = i * size / outputs, end = ((i + 1) * size + outputs - 1) / outputs;
        line.add(start, end - start, static_cast<double>(end - start));
    }
}

bool read_even(PyObject* output, int count, const int64_t* sizes, Grid& grid) {
    grid.leave_others(count);
    for (int d = 0; d < count; d++) {
        int64_t wanted;
        DECLINE_IF(!plain_integer(PyTuple_GET_ITEM(output, d), wanted) || wanted < 1);
        DECLINE_IF(wanted > MOST_WINDOWS || sizes[d] > INT32_MAX);
        cover(grid.line(d, count), sizes[d], wanted);
    }
    return true;
}

void last_sizes(const Planes& planes, int64_t* sizes) {
    for (int d = 0; d < planes.dims; d++) sizes[d] = planes.extent(MOST_DIMS - planes.dims + d);
}

// A row, and of volumes a plane.
int64_t spare_of(const Grid& grid) {
    return grid.columns.size * (1 + (grid.depth.size > 1 || grid.depth.counts[0] != 1 ? grid.rows.size : 0));
}

bool averages(Call& call, const Planes& planes, const Grid& grid) {
    Windows depth = grid.depth_windows(), rows = grid.row_windows(), columns = grid.column_windows();
    auto loop = table().images.averages[planes.which()];
    int64_t made = depth.outputs * rows.outputs * columns.outputs * planes.item();
    char* to = PyArray_BYTES(planes.resized(call, depth.outputs, rows.outputs, columns.outputs));
    each_plane(planes, planes.size(), spare_of(grid), [&](int64_t plane, double* spare) {
        loop(depth, rows, columns, grid.divisor, planes.at(plane), to + plane * made, spare);
    });
    return true;
}

// The gradient of the averages of planes of another size.
bool average_slopes(Call& call, const Planes& grads, const Grid& grid) {
    Windows depth = grid.depth_windows(), rows = grid.row_windows(), columns = grid.column_windows();
    DECLINE_IF(depth.outputs != grads.depth || rows.outputs != grads.height || columns.outputs != grads.width);
    auto loop = table().images.average_slopes[grads.which()];
    int64_t size = depth.size * rows.size * columns.size, made = size * grads.item();
    char* to = PyArray_BYTES(grads.resized(call, depth.size, rows.size, columns.size));
    each_plane(grads, size, spare_of(grid), [&](int64_t plane, double* spare) {
        loop(depth, rows, columns, grid.divisor, grads.at(plane), to + plane * made, spare);
    });
    return true;
}

NAMES(AvgPool, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);

// `data` points to the number of dimensions.
const int two = 2, three = 3;

bool avg_pool(Call& call) {
    Planes planes;
    int64_t sizes[MOST_DIMS];
    int count = *static_cast<const int*>(call.op->kernel->data);
    if (!planes.read(call.array(AvgPool::input), count)) return false;
    last_sizes(planes, sizes);
    Grid grid;
    Options options{call[AvgPool::kernel_size],       call[AvgPool::stride],
                    call[AvgPool::padding],           call[AvgPool::ceil_mode],
                    call[AvgPool::count_include_pad], call[AvgPool::divisor_override]};
    return read_grid(options, count, sizes, grid) && averages(call, planes, grid);
}

NAMES(Slopes, grad, shape, count, kernel, stride, padding, ceil, include_pad, divisor);

bool avg_pool_gradient(Call& call) {
    npy_intp shape[NPY_MAXDIMS];
    int count = static_cast<int>(std::clamp<int64_t>(call.integer(Slopes::count), 0, 3));
    int ndim = read_sizes(call[Slopes::shape], shape);
    Planes grads;
    Grid grid;
    if (!grads.read(call.array(Slopes::grad), count)) return false;
    DECLINE_IF(ndim < count || grads.ndim != ndim);
    Options options{call[Slopes::kernel], call[Slopes::stride],      call[Slopes::padding],
                    call[Slopes::ceil],   call[Slopes::include_pad], call[Slopes::divisor]};
    return read_grid(options, count, shape + ndim - count, grid) && average_slopes(call, grads, grid);
}

int output_dims(PyObject* output) {
    return PyTuple_CheckExact(output) ? static_cast<int>(PyTuple_GET_SIZE(output)) : 0;
}

// Whether one window is all there is along each dimension.
bool is_whole(PyObject* output) {
    for (int d = 0; d < output_dims(output); d++) {
        int64_t each;
        if (!plain_integer(PyTuple_GET_ITEM(output, d), each) || each != 1) return false;
    }
    return true;
}

Dims last_dims(int ndim, int count) { return all_dims(ndim) & ~all_dims(ndim - count); }

NAMES(Adaptive, input, output);

bool adaptive_avg_pool(Call& call) {
    Planes planes;
    Grid grid;
    int64_t sizes[MOST_DIMS];
    PyObject* output = call[Adaptive::output];
    int count = output_dims(output);
    if (!planes.read(call.array(Adaptive::input), count)) return false;
    if (is_whole(output)) {
        // 8192 planes of 4 x 4: 206 us one by one, 40 us so
        return call.give(fold(SUM, planes.array.array(), last_dims(planes.ndim, count), true, double(planes.size())));
    }
    last_sizes(planes, sizes);
    return read_even(output, count, sizes, grid) && averages(call, planes, grid);
}

NAMES(AdaptiveSlopes, grad, shape, output);

bool adaptive_avg_pool_gradient(Call& call) {
    Planes grads;
    Grid grid;
    npy_intp shape[NPY_MAXDIMS];
    PyObject* output = call[AdaptiveSlopes::output];
    int count = output_dims(output);
    if (!grads.read(call.array(AdaptiveSlopes::grad), count)) return false;
    int ndim = read_sizes(call[AdaptiveSlopes::shape], shape);
    DECLINE_IF(ndim != grads.ndim || ndim < count);
    const npy_intp* sizes = shape + ndim - count;
    if (is_whole(output)) {
        double size = 1;
        for (int d = 0; d < count; d++) size *= double(sizes[d]);
        return call.give(spread(grads.array.array(), ndim, shape, last_dims(ndim, count), size));
    }
    return read_even(output, count, sizes, grid) && average_slopes(call, grads, grid);
}

bool adaptive_max_pool(Call& call) {
    Planes planes;
    Grid grid;
    int64_t sizes[MOST_DIMS];
    PyObject* output = call[Adaptive::output];
    int count = output_dims(output);
    if (!planes.read(call.array(Adaptive::input), count)) return false;
    last_sizes(planes, sizes);
    if (!read_even(output, count, sizes, grid)) return false;
    Windows depth = grid.depth_windows(), rows = grid.row_windows(), columns = grid.column_windows();
    return give_maxima(call, planes, depth, rows, columns, table().images.max_windows[planes.which()]);
}

// One name for each number of dimensions, and for the mean of whole planes.
unsigned by_output(const Call& call) {
    PyObject* output = call[Adaptive::output];
    int count = output_dims(output);
    return count == 0 ? 0 : static_cast<unsigned>(2 * count + is_whole(output));
}

unsigned by_count(const Call& call) {
    int64_t count;
    return plain_integer(call[Slopes::count], count) && count > 0 ? static_cast<unsigned>(count) : 0;
}

constexpr TensorWant planes = tensor(Adaptive::input).floats().widened().rank_from(1).filled().dense();

KERNEL("nn.functional.avg_pool2d")
    .forward(avg_pool, AvgPool::names)
    .takes(tensor(AvgPool::input).floats().widened().rank(3, 4).filled().dense())
    .with(&two);
KERNEL("nn.functional.avg_pool3d")
    .forward(avg_pool, AvgPool::names)
    .takes(tensor(AvgPool::input).floats().widened().rank(4, 5).filled().dense())
    .with(&three);
KERNEL("_avg_pool_gradient")
    .forward(avg_pool_gradient, Slopes::names)
    .takes(tensor(Slopes::grad).floats().widened().rank_from(1).filled(), integer(Slopes::count))
    .naming(by_count);
KERNEL("_adaptive_avg_pool").forward(adaptive_avg_pool, Adaptive::names).takes(planes).naming(by_output);
KERNEL("_adaptive_mean").forward(adaptive_avg_pool, Adaptive::names).takes(planes);
KERNEL("_adaptive_avg_pool_gradient")
    .forward(adaptive_avg_pool_gradient, AdaptiveSlopes::names)
    .takes(tensor(AdaptiveSlopes::grad).floats().widened().rank_from(1).filled());
KERNEL("_adaptive_max_pool").forward(adaptive_max_pool, Adaptive::names).takes(planes).naming(by_output);

}  // namespace

}  // namespace rushlight
