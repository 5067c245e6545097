// Taps: sums of a few inputs each along the last dimensions. See ops/images/taps.py.
#include <vector>

#include "loops/planes.h"
#include "memory/arrays.h"
#include "memory/threads.h"
#include "seam/call.h"

namespace rushlight {

namespace {

// The taps along one dimension, read from a Taps of ops/images/taps.py; tap after tap.
struct Line {
    std::vector<int64_t> places, counts;
    std::vector<double> weights;
    Taps taps{};

    // each output is the input
    void leave(int64_t size, bool as_rows) {
        taps = {size, size, 1, nullptr, nullptr, nullptr, true};
        if (!as_rows) return;
        places.resize(size);
        counts.assign(size, 1);
        for (int64_t i = 0; i < size; i++) places[i] = i;
        taps.places = places.data();
        taps.counts = counts.data();
    }
    bool read(PyObject* given, int64_t size) {
        Ref spots = Ref::steal(PyObject_GetAttrString(given, "places"));
        Ref numbers = Ref::steal(PyObject_GetAttrString(given, "counts"));
        Ref shares = Ref::steal(PyObject_GetAttrString(given, "weights"));
        if (!spots || !numbers || !shares) return false;
        DECLINE_IF(!is_plain(spots.get(), 2, NPY_INT64) || !is_plain(numbers.get(), 1, NPY_INT64));
        int64_t outputs = PyArray_DIM(spots.array(), 0), most = PyArray_DIM(spots.array(), 1);
        DECLINE_IF(PyArray_DIM(numbers.array(), 0) != outputs || outputs == 0 || most == 0);
        taps = {size, outputs, most, nullptr, nullptr, nullptr, true};
        places.resize(outputs * most);
        auto* from = static_cast<const int64_t*>(PyArray_DATA(spots.array()));
        auto* many = static_cast<const int64_t*>(PyArray_DATA(numbers.array()));
        counts.assign(many, many + outputs);
        for (int64_t i = 0; i < outputs; i++) {
            DECLINE_IF(counts[i] < 0 || counts[i] > most);
            taps.full = taps.full && counts[i] == most;
            for (int64_t k = 0; k < most; k++) {
                int64_t place = places[k * outputs + i] = from[i * most + k];
                DECLINE_IF(place < 0 || place >= size);
            }
        }
        taps.places = places.data();
        taps.counts = counts.data();
        return shares.get() == Py_None || read_weights(shares.get(), outputs, most);
    }

private:
    static bool is_plain(PyObject* object, int ndim, int type) {
        if (!PyArray_CheckExact(object)) return false;
        auto* array = reinterpret_cast<PyArrayObject*>(object);
        return PyArray_NDIM(array) == ndim && PyArray_TYPE(array) == type && PyArray_IS_C_CONTIGUOUS(array) &&
               dtype_of(array) >= 0;
    }
    bool read_weights(PyObject* object, int64_t outputs, int64_t most) {
        bool wide = is_plain(object, 2, NPY_FLOAT64);
        DECLINE_IF(!wide && !is_plain(object, 2, NPY_FLOAT32));
        auto* array = reinterpret_cast<PyArrayObject*>(object);
        DECLINE_IF(PyArray_DIM(array, 0) != outputs || PyArray_DIM(array, 1) != most);
        weights.resize(outputs * most);
        for (int64_t i = 0; i < outputs; i++) {
            for (int64_t k = 0; k < most; k++) {
                int64_t at = i * most + k;
                weights[k * outputs + i] = wide ? static_cast<const double*>(PyArray_DATA(array))[at]
                                                : static_cast<const float*>(PyArray_DATA(array))[at];
            }
        }
        taps.weights = weights.data();
        return true;
    }
};

NAMES(Tap, input, taps);

bool tap(Call& call) {
    PyObject* lines = call[Tap::taps];
    DECLINE_IF(!PyTuple_CheckExact(lines));
    int count = static_cast<int>(PyTuple_GET_SIZE(lines));
    Planes planes;
    Line rows, columns;
    DECLINE_IF(count > 2);
    if (!planes.read(call.array(Tap::input), count)) return false;
    rows.leave(planes.height, true);
    for (int d = 0; d < count; d++) {
        bool last = d == count - 1;
        Line& line = last ? columns : rows;
        PyObject* given = PyTuple_GET_ITEM(lines, d);
        if (given == Py_None) {
            line.leave(last ? planes.width : planes.height, !last);
        } else if (!line.read(given, last ? planes.width : planes.height)) {
            return false;
        }
    }
    auto loop = table().images.tap[planes.which()];
    int64_t made = rows.taps.outputs * columns.taps.outputs;
    char* to = PyArray_BYTES(planes.resized(call, 1, rows.taps.outputs, columns.taps.outputs));
    each_plane(planes, std::max(made, planes.size()), planes.width, [&](int64_t plane, double* spare) {
        loop(rows.taps, columns.taps, planes.at(plane), to + plane * made * planes.item(), spare);
    });
    return true;
}

// The node's name is an argument: Python knows its class.
unsigned unknown(const Call&) { return 0; }

KERNEL("_tap")
    .forward(tap, Tap::names)
    .takes(tensor(Tap::input).floats().widened().rank_from(1).filled().dense())
    .naming(unknown);

}  // namespace

}  // namespace rushlight
