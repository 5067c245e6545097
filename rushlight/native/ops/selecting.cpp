// Shortcuts of ops/reductions/selecting.py: which of equal elements come first where torch does not sort stably.
#include <memory>
#include <new>

#include "loops/selection.h"
#include "memory/arrays.h"
#include "seam/shortcut.h"

namespace rushlight {

namespace {

using Entry = Placed<uint64_t>;

// The ranks of a row, each with its place.
struct Row {
    std::unique_ptr<Entry[]> entries;
    int64_t count = 0;

    // false for what is no row of int64, and where there is no memory
    bool read(PyObject* ranks) {
        if (ranks == nullptr || !PyArray_CheckExact(ranks)) return false;
        auto* array = reinterpret_cast<PyArrayObject*>(ranks);
        if (PyArray_NDIM(array) != 1 || PyArray_TYPE(array) != NPY_INT64 || !PyArray_IS_C_CONTIGUOUS(array))
            return false;
        count = PyArray_SIZE(array);
        entries.reset(new (std::nothrow) Entry[count]);
        if (count == 0 || !entries) return false;
        auto* rank = static_cast<const int64_t*>(PyArray_DATA(array));
        for (int64_t i = 0; i < count; i++) entries[i] = {static_cast<uint64_t>(rank[i]), static_cast<uint64_t>(i)};
        return true;
    }

    Selection<uint64_t> selection() { return {entries.get(), count}; }

    PyObject* places(int64_t wanted) const {
        npy_intp size = wanted;
        PyArrayObject* found = new_array(1, &size, NPY_INT64);
        if (found == nullptr) return nullptr;
        auto* place = static_cast<int64_t*>(PyArray_DATA(found));
        for (int64_t i = 0; i < wanted; i++) place[i] = static_cast<int64_t>(entries[i].place);
        return reinterpret_cast<PyObject*>(found);
    }
};

// A number of the row that counts from `least`; -1 for another.
int64_t number_of(PyObject* value, int64_t least, int64_t most) {
    if (value == nullptr || !PyLong_Check(value)) return -1;
    int64_t found = PyLong_AsLongLong(value);
    return found >= least && found <= most ? found : -1;
}

NAMES(Top, ranks, wanted, is_sorted);

PyObject* top_places(const Arguments& arguments) {
    Row row;
    DECLINE_IF(!row.read(arguments[Top::ranks]));
    int64_t wanted = number_of(arguments[Top::wanted], 1, row.count);
    DECLINE_IF(wanted < 0);
    row.selection().top(wanted, arguments[Top::is_sorted] == Py_True);
    return row.places(wanted);
}

NAMES(Sorted, ranks);

PyObject* sorted_places(const Arguments& arguments) {
    Row row;
    DECLINE_IF(!row.read(arguments[Sorted::ranks]));
    row.selection().sort(row.count);
    return row.places(row.count);
}

NAMES(One, ranks, number);

PyObject* place_of(const Arguments& arguments) {
    Row row;
    DECLINE_IF(!row.read(arguments[One::ranks]));
    int64_t number = number_of(arguments[One::number], 0, row.count - 1);
    DECLINE_IF(number < 0);
    return PyLong_FromLongLong(row.selection().place_of(number));
}

KERNEL("ops.reductions.selecting.top_places").shortcut(top_places, Top::names);
KERNEL("ops.reductions.selecting.sorted_places").shortcut(sorted_places, Sorted::names);
KERNEL("ops.reductions.selecting.place_of").shortcut(place_of, One::names);

}  // namespace

}  // namespace rushlight
