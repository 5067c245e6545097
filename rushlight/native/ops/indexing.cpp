// Indexing: `x[...]` with integers, slices, None and an ellipsis. See ops/indexing/indexing.py; the rest declines.
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "object/operators.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/fallbacks.h"
#include "seam/state.h"

namespace rushlight {

namespace {

// What the last entry of an index that does something does: the node is named after it.
enum Effect : unsigned { NOTHING = 1, SELECTS, ADDS, SLICES };

// A view of an array, entry by entry of an index.
struct Reader {
    PyArrayObject* array;
    Geometry geometry;
    npy_intp offset = 0;
    int source = 0;  // the dimension of the array that the next entry reads
    int place = 0;   // the dimension of the view that it makes
    Effect effect = NOTHING;

    explicit Reader(PyArrayObject* given) : array(given), geometry(given) {}

    bool read(PyObject* index) {
        if (PyArray_SIZE(array) == 0) return false;
        if (!PyTuple_CheckExact(index)) return read_entry(index, 1);
        int taken = 0, dots = 0;
        Py_ssize_t count = PyTuple_GET_SIZE(index);
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject* each = PyTuple_GET_ITEM(index, i);
            dots += each == Py_Ellipsis;
            taken += each != Py_None && each != Py_Ellipsis;
        }
        if (dots > 1 || taken > PyArray_NDIM(array)) return false;
        for (Py_ssize_t i = 0; i < count; i++) {
            if (!read_entry(PyTuple_GET_ITEM(index, i), taken)) return false;
        }
        return true;
    }

    PyArrayObject* view() const { return geometry.of(array, offset); }

private:
    bool read_entry(PyObject* entry, int taken) {
        if (entry == Py_Ellipsis) {
            source += PyArray_NDIM(array) - taken;
            place += PyArray_NDIM(array) - taken;
            return true;
        }
        if (entry == Py_None) return add_dim();
        if (source >= PyArray_NDIM(array)) return false;
        if (PySlice_Check(entry)) return slice(entry);
        npy_intp index, extent = PyArray_DIM(array, source);
        if (!read_index(entry, index) || index < -extent || index >= extent) return false;
        offset += (index < 0 ? index + extent : index) * PyArray_STRIDE(array, source);
        geometry.remove(place);
        source++;
        effect = SELECTS;
        return true;
    }

    bool add_dim() {
        if (geometry.ndim == NPY_MAXDIMS) return false;
        // torch's stride of a new dimension, which nobody walks along
        npy_intp stride = source < PyArray_NDIM(array) ? PyArray_DIM(array, source) * PyArray_STRIDE(array, source)
                                                       : PyArray_ITEMSIZE(array);
        geometry.insert(place++, 1, stride);
        effect = ADDS;
        return true;
    }

    bool slice(PyObject* entry) {
        auto* given = reinterpret_cast<PySliceObject*>(entry);
        npy_intp extent = PyArray_DIM(array, source), start = 0, stop = extent, step = 1;
        if (given->step != Py_None && (!read_index(given->step, step) || step < 1)) return false;
        if (given->start != Py_None && !read_index(given->start, start)) return false;
        if (given->stop != Py_None && !read_index(given->stop, stop)) return false;
        bool begins_later = given->start != Py_None && start != 0;
        bool ends_sooner = given->stop != Py_None && stop < extent;
        if (start < 0) start = std::max<npy_intp>(start + extent, 0);
        if (stop < 0) stop += extent;
        stop = std::min(stop, extent);
        // an empty part: Python knows where torch lets it begin
        if (start >= stop) return false;
        offset += start * PyArray_STRIDE(array, source);
        geometry.dims[place] = (stop - start - 1) / step + 1;
        // torch keeps the product also where one element is left
        if (step > 1 && __builtin_mul_overflow(geometry.strides[place], step, &geometry.strides[place])) return false;
        place++;
        source++;
        if (begins_later || ends_sooner || step > 1) effect = SLICES;
        return true;
    }
};

NAMES(Part, input, index);
NAMES(SavedOfPart, input_shape, index);

bool part_forward(Call& call) {
    Reader reader(call.array(Part::input));
    DECLINE_IF(!reader.read(call[Part::index]));
    return call.give(reader.view());
}

unsigned part_variant(const Call& call) {
    // of any tensor: inside of a function transform it is one that no kernel reads
    Reader reader(shown_array(as_tensor(call[Part::input])));
    if (!reader.read(call[Part::index])) return 0;
    return PySlice_Check(call[Part::index]) ? SLICES : reader.effect;
}

// Whether a slice begins at 0 and goes step by step, and says so: torch makes no node of one that takes all then.
bool is_plain_slice(PyObject* slice) {
    auto says = [](PyObject* value, long usual) {
        return value == Py_None || (PyLong_CheckExact(value) && PyLong_AsLong(value) == usual);
    };
    auto* parts = reinterpret_cast<PySliceObject*>(slice);
    return says(parts->start, 0) && says(parts->step, 1);
}

// Whether an index takes all there is: it has no integers, and the part is no smaller. A single slice copies, in torch.
bool keeps_all(PyObject* index, PyArrayObject* grad, const npy_intp* sizes, int count) {
    if (PyArray_SIZE(grad) == 0 || PyArray_SIZE(grad) != PyArray_MultiplyList(sizes, count)) return false;
    if (!PyTuple_CheckExact(index)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
        PyObject* each = PyTuple_GET_ITEM(index, i);
        if (each == Py_None || each == Py_Ellipsis) continue;
        if (!PySlice_Check(each) || !is_plain_slice(each)) {
            PyErr_Clear();
            return false;
        }
    }
    return true;
}

// The array without the dimensions of one element that `sizes` lacks.
PyArrayObject* without_new_dims(PyArrayObject* array, const npy_intp* sizes, int count) {
    Geometry geometry(array);
    for (int i = 0; i < geometry.ndim;) {
        if (i < count && geometry.dims[i] == sizes[i]) {
            i++;
        } else {
            geometry.remove(i);
        }
    }
    return geometry.of(array);
}

bool part_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfPart::input_shape), sizes);
    PyArrayObject* grad = gradient.grad();
    PyObject* index = gradient.option(SavedOfPart::index);
    DECLINE_IF(count < 0 || index == nullptr);
    if (keeps_all(index, grad, sizes, count)) {
        return PyArray_NDIM(grad) == count ? gradient.pass_on() : gradient.give(without_new_dims(grad, sizes, count));
    }
    Reader reader(gradient.make_zeros(count, sizes, PyArray_TYPE(grad)));
    DECLINE_IF(!reader.read(index));
    Ref part = Ref::steal(as_object(made(reader.view())));
    DECLINE_IF(!PyArray_SAMESHAPE(part.array(), grad));
    if (PyArray_IS_C_CONTIGUOUS(part.array()) && PyArray_IS_C_CONTIGUOUS(grad)) {
        std::memcpy(PyArray_DATA(part.array()), PyArray_DATA(grad), PyArray_NBYTES(grad));
        return true;
    }
    return PyArray_CopyInto(part.array(), grad) == 0;
}

// The index as ops/indexing/indexing.py hands it to the op: a tuple that ends with an ellipsis where it has none, or a
// slice.
PyObject* whole_index(PyObject* index) {
    if (PySlice_Check(index)) return Py_NewRef(index);
    if (!PyTuple_CheckExact(index)) {
        if (index == Py_Ellipsis) return PyTuple_Pack(1, Py_Ellipsis);
        return PyTuple_Pack(2, index, Py_Ellipsis);
    }
    Py_ssize_t count = PyTuple_GET_SIZE(index);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyTuple_GET_ITEM(index, i) == Py_Ellipsis) return Py_NewRef(index);
    }
    PyObject* whole = PyTuple_New(count + 1);
    if (whole == nullptr) return nullptr;
    for (Py_ssize_t i = 0; i < count; i++) PyTuple_SET_ITEM(whole, i, Py_NewRef(PyTuple_GET_ITEM(index, i)));
    PyTuple_SET_ITEM(whole, count, Py_NewRef(Py_Ellipsis));
    return whole;
}

bool is_basic(PyObject* index) {
    return PyLong_CheckExact(index) || PySlice_Check(index) || index == Py_None || index == Py_Ellipsis;
}

bool is_basic_index(PyObject* index) {
    if (!PyTuple_CheckExact(index)) return is_basic(index);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); i++) {
        if (!is_basic(PyTuple_GET_ITEM(index, i))) return false;
    }
    return true;
}

KERNEL("_part")
    .forward(part_forward, Part::names)
    .takes(tensor(Part::input).filled())
    .gradient(part_backward, SavedOfPart::names)
    .given(tensor(GRADIENT))
    .naming(part_variant);

}  // namespace

PyObject* read_item(PyObject* self, PyObject* index) {
    static Function* part = nullptr;
    if (part == nullptr) part = find_function("_part");
    PyArrayObject* array = as_tensor(self)->array;
    if (part != nullptr && array != nullptr && PyArray_NDIM(array) > 0 && is_basic_index(index)) {
        Ref whole = Ref::steal(whole_index(index));
        if (!whole) return nullptr;
        PyObject* args[] = {self, whole.get()};
        PyObject* found = call_native(part, args, 2, nullptr);
        if (found != nullptr || PyErr_Occurred()) return found;
    }
    PyObject* found = read_positions(self, index);
    if (found != nullptr || PyErr_Occurred()) return found;
    PyObject* args[] = {self, index};
    return PyObject_Vectorcall(fallbacks.read_item, args, 2, nullptr);
}

// Whether a part of a tensor may be written here: no history to record, and memory of its own.
static bool may_write(Tensor* target, PyObject* index) {
    PyArrayObject* array = target->array;
    return array != nullptr && PyArray_NDIM(array) > 0 && !target->inference && is_basic_index(index) &&
           !(state.grad && requires_grad(target)) && PyArray_ISWRITEABLE(array) && is_movable(array);
}

// Whether a tensor can be copied into a part of another array as it is.
static bool may_copy(Tensor* source, const Geometry& part, PyArrayObject* target) {
    PyArrayObject* array = source->array;
    return array != nullptr && !requires_grad(source) && !source->cut && PyArray_NDIM(array) == part.ndim &&
           PyArray_CompareLists(PyArray_DIMS(array), part.dims, part.ndim) &&
           PyArray_DESCR(array) == PyArray_DESCR(target) && !may_overlap(array, target);
}

int write_part(PyObject* self, PyObject* index, PyObject* value) {
    Tensor* target = as_tensor(self);
    if (!may_write(target, index)) return 0;
    Reader reader(target->array);
    if (!reader.read(index)) return 0;
    const Geometry& part = reader.geometry;
    if (std::find(part.strides, part.strides + part.ndim, 0) != part.strides + part.ndim) return 0;
    alignas(8) char element[8];
    npy_intp still[NPY_MAXDIMS] = {};
    const char* from = element;
    const npy_intp* steps = still;
    if (!is_tensor(value)) {
        if (!read_element(value, target->array, element)) return 0;
    } else {
        if (!may_copy(as_tensor(value), part, target->array)) return 0;
        from = PyArray_BYTES(as_tensor(value)->array);
        steps = PyArray_STRIDES(as_tensor(value)->array);
    }
    if (storage_of(target) == nullptr) return -1;
    copy_elements(PyArray_BYTES(target->array) + reader.offset, part.strides, from, steps, part.ndim, part.dims,
                  static_cast<int>(PyArray_ITEMSIZE(target->array)));
    return written(target) ? 1 : -1;
}

}  // namespace rushlight
