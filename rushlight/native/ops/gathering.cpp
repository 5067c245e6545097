// Gathering and scattering: elements whose position along one dimension a tensor gives. See ops/indexing/gathering.py
// and ops/indexing/scattering.py. Positions are int64; one out of range declines, and Python words the error.
#include "ops/gathering.h"

#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

namespace rushlight {

namespace {

bool is_index(PyArrayObject* array) {
    return array != nullptr && PyArray_TYPE(array) == NPY_INT64 && PyArray_ISBEHAVED_RO(array) &&
           PyArray_SIZE(array) > 0;
}

// How gather and scatter go through memory: for each element of the index a place along `dim` of the whole, and one in
// the part, which has the index's shape.
struct Along {
    int ndim, dim = 0;
    npy_intp extent = 0;  // of the whole along `dim`
    PyArrayObject* index;
    npy_intp whole[NPY_MAXDIMS];  // byte strides of the whole, 0 along `dim`
    npy_intp step = 0;            // the one along `dim`
    npy_intp part[NPY_MAXDIMS];

    explicit Along(PyArrayObject* positions) : ndim(PyArray_NDIM(positions)), index(positions) {}

    // False where the shapes do not fit each other.
    bool set_whole(PyObject* place, int dims_count, const npy_intp* dims, const npy_intp* strides) {
        DECLINE_IF(dims_count != ndim || ndim == 0 || !read_dim(place, ndim, dim));
        for (int d = 0; d < ndim; d++) {
            DECLINE_IF(d != dim && PyArray_DIM(index, d) > dims[d]);
            whole[d] = d == dim ? 0 : strides[d];
        }
        extent = dims[dim];
        step = strides[dim];
        return true;
    }
    bool set_whole(PyObject* place, PyArrayObject* array) {
        return set_whole(place, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array));
    }
    void set_part(PyArrayObject* array) { std::copy_n(PyArray_STRIDES(array), ndim, part); }

    bool is_inside() const {
        bool inside = true;
        walk([&](npy_intp, npy_intp, const char* positions, npy_intp stride, npy_intp count) {
            for (npy_intp i = 0; i < count; i++, positions += stride) {
                inside = inside & (*reinterpret_cast<const uint64_t*>(positions) < static_cast<uint64_t>(extent));
            }
        });
        return inside;
    }

    // Call move(whole, part) with the byte offsets of each pair of elements, in the order of the index.
    template <class Move>
    void each(Move move) const {
        npy_intp whole_step = whole[ndim - 1], part_step = part[ndim - 1];
        walk([&](npy_intp to, npy_intp from, const char* positions, npy_intp stride, npy_intp count) {
            for (npy_intp i = 0; i < count; i++, positions += stride, to += whole_step, from += part_step) {
                move(to + *reinterpret_cast<const int64_t*>(positions) * step, from);
            }
        });
    }

    // The same, with the checks of is_inside on the way: a position that is out of range reads the first place.
    template <class Move>
    bool each_inside(Move move) const {
        npy_intp whole_step = whole[ndim - 1], part_step = part[ndim - 1];
        uint64_t outside = 0;
        walk([&](npy_intp to, npy_intp from, const char* positions, npy_intp stride, npy_intp count) {
            for (npy_intp i = 0; i < count; i++, positions += stride, to += whole_step, from += part_step) {
                int64_t position = *reinterpret_cast<const int64_t*>(positions);
                bool inside = static_cast<uint64_t>(position) < static_cast<uint64_t>(extent);
                outside |= !inside;
                move(to + (inside ? position : 0) * step, from);
            }
        });
        return outside == 0;
    }

private:
    // Row by row of the index.
    template <class Row>
    void walk(Row row) const {
        npy_intp at[NPY_MAXDIMS] = {}, to = 0, from = 0;
        const char* positions = PyArray_BYTES(index);
        int last = ndim - 1;
        const npy_intp *dims = PyArray_DIMS(index), *strides = PyArray_STRIDES(index);
        while (true) {
            row(to, from, positions, strides[last], dims[last]);
            int d = last - 1;
            for (; d >= 0; d--) {
                to += whole[d];
                from += part[d];
                positions += strides[d];
                if (++at[d] < dims[d]) break;
                to -= whole[d] * dims[d];
                from -= part[d] * dims[d];
                positions -= strides[d] * dims[d];
                at[d] = 0;
            }
            if (d < 0) return;
        }
    }
};

template <class T>
bool take(const Along& along, const char* whole, char* part) {
    return along.each_inside([=](npy_intp from, npy_intp to) { std::memcpy(part + to, whole + from, sizeof(T)); });
}

bool take(const Along& along, PyArrayObject* whole, PyArrayObject* part) {
    const char* from = PyArray_BYTES(whole);
    char* to = PyArray_BYTES(part);
    switch (PyArray_ITEMSIZE(whole)) {
        case 1: return take<int8_t>(along, from, to);
        case 2: return take<int16_t>(along, from, to);
        case 4: return take<int32_t>(along, from, to);
        case 8: return take<int64_t>(along, from, to);
        default: return take<double[2]>(along, from, to);
    }
}

template <class T>
void put(const Along& along, char* whole, const char* part) {
    along.each([=](npy_intp to, npy_intp from) { std::memcpy(whole + to, part + from, sizeof(T)); });
}

void put(const Along& along, PyArrayObject* whole, const char* from) {
    char* to = PyArray_BYTES(whole);
    switch (PyArray_ITEMSIZE(whole)) {
        case 1: return put<int8_t>(along, to, from);
        case 2: return put<int16_t>(along, to, from);
        case 4: return put<int32_t>(along, to, from);
        case 8: return put<int64_t>(along, to, from);
        default: return put<double[2]>(along, to, from);
    }
}

template <class T>
void add(const Along& along, char* whole, const char* part) {
    along.each([=](npy_intp to, npy_intp from) {
        *reinterpret_cast<T*>(whole + to) += *reinterpret_cast<const T*>(part + from);
    });
}

void add(const Along& along, PyArrayObject* whole, PyArrayObject* part) {
    if (PyArray_TYPE(whole) == NPY_FLOAT) {
        add<float>(along, PyArray_BYTES(whole), PyArray_BYTES(part));
    } else {
        add<double>(along, PyArray_BYTES(whole), PyArray_BYTES(part));
    }
}

// What `gather` reads; nullptr where Python has to look.
PyArrayObject* gathered(PyArrayObject* input, PyObject* dim, PyArrayObject* index) {
    DECLINE_IF(!is_index(index) || !is_ordered(index));
    DECLINE_IF(input == nullptr || !is_movable(input));
    Along along(index);
    if (!along.set_whole(dim, input)) return nullptr;
    PyArrayObject* made = new_array(PyArray_NDIM(index), PyArray_DIMS(index), PyArray_TYPE(input));
    if (made == nullptr) return nullptr;
    along.set_part(made);
    if (along.extent > 0 && take(along, input, made)) return made;
    Py_DECREF(made);
    return declined("a position is out of range");
}

}  // namespace

PyArrayObject* gathered_into(PyArrayObject* values, PyObject* dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(values == nullptr || !is_addable(values));
    DECLINE_IF(count < 1);
    DECLINE_IF(!is_index(index) || !PyArray_SAMESHAPE(values, index));
    Ref made = Ref::steal(as_object(zeros_array(count, sizes, PyArray_TYPE(values))));
    Along along(index);
    if (!made || !along.set_whole(dim, made.array())) return nullptr;
    along.set_part(values);
    DECLINE_IF(!along.is_inside());
    add(along, made.array(), values);
    return reinterpret_cast<PyArrayObject*>(made.release());
}

namespace {

NAMES(Gather, input, dim, index);
NAMES(SavedOfGather, input_shape, dim, index);

PyObject* gather_forward(Call& call) {
    return as_object(gathered(call.array(Gather::input), call[Gather::dim], call.array(Gather::index)));
}

bool gather_backward(Gradient& gradient) {
    gradient.found[0] =
        gathered_into(gradient.grad(), gradient.option(SavedOfGather::dim), gradient.array(SavedOfGather::index),
                      gradient.option(SavedOfGather::input_shape));
    return gradient.found[0] != nullptr;
}

NAMES(GatherInto, input, dim, index, shape);

PyObject* gather_into_forward(Call& call) {
    return as_object(gathered_into(call.array(GatherInto::input), call[GatherInto::dim], call.array(GatherInto::index),
                                   call[GatherInto::shape]));
}

// ---- scatter

// Whether an in-place call would read what it has written.
bool reads_target(const Call& call, PyArrayObject* index, PyArrayObject* source) {
    return call.out != nullptr &&
           (may_overlap(call.out, index) || (source != nullptr && may_overlap(call.out, source)));
}

// The array to write to: a copy of the input, or what an in-place call brings; a new reference.
PyArrayObject* target_of(Call& call, PyArrayObject* input) {
    if (call.out == nullptr) return packed_copy(input);
    Py_INCREF(call.out);
    return call.out;
}

NAMES(Scatter, input, dim, index, src, value, reduce);
NAMES(SavedOfScatter, dim, index, reduce, src_shape);

// scatter(input, dim, index, src=None, *, value=None, reduce=None)
PyObject* scatter_forward(Call& call) {
    PyArrayObject *input = call.array(Scatter::input), *index = call.array(Scatter::index);
    PyObject *dim = call[Scatter::dim], *src = call[Scatter::src];
    PyObject* value = src != Py_None ? src : call[Scatter::value];
    PyArrayObject* source = is_tensor(value) ? as_tensor(value)->array : nullptr;
    DECLINE_IF(!is_index(index));
    DECLINE_IF(call[Scatter::reduce] != Py_None);
    DECLINE_IF(!is_movable(input));
    Along along(index);
    alignas(8) char element[8];
    if (!along.set_whole(dim, input)) return nullptr;
    if (source == nullptr) {
        DECLINE_IF(!read_element(value, input, element));
        std::fill_n(along.part, along.ndim, 0);
    } else {
        DECLINE_IF(PyArray_DESCR(source) != PyArray_DESCR(input) || PyArray_NDIM(source) != along.ndim);
        for (int d = 0; d < along.ndim; d++) {
            DECLINE_IF(PyArray_DIM(index, d) > PyArray_DIM(source, d));
        }
        along.set_part(source);
    }
    DECLINE_IF(reads_target(call, index, source));
    DECLINE_IF(!along.is_inside());
    PyArrayObject* made = target_of(call, input);
    if (made == nullptr) return nullptr;
    along.set_whole(dim, made);
    put(along, made, source == nullptr ? element : PyArray_BYTES(source));
    return as_object(made);
}

NAMES(ScatterAdd, input, dim, index, src);
NAMES(SavedOfScatterAdd, dim, index, src_shape);

PyObject* scatter_add_forward(Call& call) {
    PyArrayObject *input = call.array(ScatterAdd::input), *index = call.array(ScatterAdd::index);
    PyArrayObject* source = call.array(ScatterAdd::src);
    PyObject* dim = call[ScatterAdd::dim];
    DECLINE_IF(!is_index(index));
    DECLINE_IF(source == nullptr || !is_addable(input) || !is_addable(source));
    Along along(index);
    DECLINE_IF(PyArray_TYPE(source) != PyArray_TYPE(input) || PyArray_NDIM(source) != along.ndim);
    if (!along.set_whole(dim, input)) return nullptr;
    for (int d = 0; d < along.ndim; d++) {
        DECLINE_IF(PyArray_DIM(index, d) > PyArray_DIM(source, d));
    }
    along.set_part(source);
    DECLINE_IF(reads_target(call, index, source));
    DECLINE_IF(!along.is_inside());
    PyArrayObject* made = target_of(call, input);
    if (made == nullptr) return nullptr;
    along.set_whole(dim, made);
    add(along, made, source);
    return as_object(made);
}

// What was written receives; the part of the source that was not used is left to Python.
bool source_gradient(Gradient& gradient, int place, PyObject* dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(!is_index(index));
    DECLINE_IF(count != PyArray_NDIM(index) || !PyArray_CompareLists(sizes, PyArray_DIMS(index), count));
    gradient.found[place] = gathered(gradient.grad(), dim, index);
    return gradient.found[place] != nullptr;
}

bool scatter_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(SavedOfScatter::index);
    PyObject *dim = gradient.option(SavedOfScatter::dim), *shape = gradient.option(SavedOfScatter::src_shape);
    DECLINE_IF(gradient.option(SavedOfScatter::reduce) != Py_None);
    DECLINE_IF(!is_index(index) || !is_movable(grad));
    int input = gradient.place_of(Scatter::input), source = gradient.place_of(Scatter::src);
    if (source >= 0 && !source_gradient(gradient, source, dim, index, shape)) return false;
    if (input < 0) return true;
    Along along(index);
    PyArrayObject* made = packed_copy(grad);
    gradient.found[input] = made;
    if (made == nullptr || !along.set_whole(dim, made)) return false;
    constexpr char zero[16] = {};
    std::fill_n(along.part, along.ndim, 0);
    DECLINE_IF(!along.is_inside());
    put(along, made, zero);
    return true;
}

bool scatter_add_backward(Gradient& gradient) {
    int input = gradient.place_of(ScatterAdd::input), source = gradient.place_of(ScatterAdd::src);
    if (source >= 0 &&
        !source_gradient(gradient, source, gradient.option(SavedOfScatterAdd::dim),
                         gradient.array(SavedOfScatterAdd::index), gradient.option(SavedOfScatterAdd::src_shape))) {
        return false;
    }
    if (input >= 0) {
        Py_INCREF(gradient.grad());
        gradient.found[input] = gradient.grad();
    }
    return true;
}

NAMES(OneHot, input, num_classes);

// nn.functional.one_hot(input, num_classes=-1)
PyObject* one_hot_forward(Call& call) {
    PyArrayObject* input = call.array(OneHot::input);
    npy_intp classes;
    DECLINE_IF(!is_index(input));
    int ndim = PyArray_NDIM(input);
    DECLINE_IF(ndim == NPY_MAXDIMS || !PyArray_IS_C_CONTIGUOUS(input));
    DECLINE_IF(!read_index(call[OneHot::num_classes], classes));
    auto* numbers = static_cast<const int64_t*>(PyArray_DATA(input));
    npy_intp count = PyArray_SIZE(input);
    uint64_t largest = 0;  // a negative number is huge
    for (npy_intp i = 0; i < count; i++) largest = std::max(largest, static_cast<uint64_t>(numbers[i]));
    if (classes == -1 && largest < NPY_MAX_INTP) classes = static_cast<npy_intp>(largest) + 1;
    DECLINE_IF(classes <= 0 || largest >= static_cast<uint64_t>(classes));
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(input), ndim, dims);
    dims[ndim] = classes;
    PyArrayObject* made = zeros_array(ndim + 1, dims, NPY_INT64);
    if (made == nullptr) return nullptr;
    auto* to = static_cast<int64_t*>(PyArray_DATA(made));
    for (npy_intp i = 0; i < count; i++) to[i * classes + numbers[i]] = 1;
    return as_object(made);
}

KERNEL("gather").forward(gather_forward, Gather::names).gradient(gather_backward, SavedOfGather::names);
KERNEL("_gather_into").forward(gather_into_forward, GatherInto::names);
KERNEL("scatter").forward(scatter_forward, Scatter::names).gradient(scatter_backward, SavedOfScatter::names);
KERNEL("scatter_add")
    .forward(scatter_add_forward, ScatterAdd::names)
    .gradient(scatter_add_backward, SavedOfScatterAdd::names);
KERNEL("nn.functional.one_hot").forward(one_hot_forward, OneHot::names);

}  // namespace

}  // namespace rushlight
