// Gathering and scattering: elements whose position along one dimension a tensor gives. See ops/gathering.py and
// ops/scattering.py. Positions are int64; one out of range declines, and Python words the error.
#include "gathering.h"

#include <cstring>

#include "arrays.h"
#include "call.h"
#include "copies.h"
#include "parts.h"
#include "views.h"

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
    npy_intp extent = 0;        // of the whole along `dim`
    PyArrayObject* index;
    npy_intp whole[NPY_MAXDIMS];  // byte strides of the whole, 0 along `dim`
    npy_intp step = 0;            // the one along `dim`
    npy_intp part[NPY_MAXDIMS];

    explicit Along(PyArrayObject* positions) : ndim(PyArray_NDIM(positions)), index(positions) {}

    // False where the shapes do not fit each other.
    bool set_whole(PyObject* place, int dims_count, const npy_intp* dims, const npy_intp* strides) {
        if (dims_count != ndim || ndim == 0 || !read_dim(place, ndim, dim)) return false;
        for (int d = 0; d < ndim; d++) {
            if (d != dim && PyArray_DIM(index, d) > dims[d]) return false;
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
    if (input == nullptr || !is_index(index) || !is_ordered(index) || !is_movable(input)) return nullptr;
    Along along(index);
    if (!along.set_whole(dim, input)) return nullptr;
    PyArrayObject* made = new_array(PyArray_NDIM(index), PyArray_DIMS(index), PyArray_TYPE(input));
    if (made == nullptr) return nullptr;
    along.set_part(made);
    if (along.extent == 0 || !take(along, input, made)) Py_CLEAR(made);
    return made;
}

}  // namespace

PyArrayObject* gathered_into(PyArrayObject* values, PyObject* dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    if (values == nullptr || count < 1 || !is_index(index) || !is_addable(values)) return nullptr;
    if (!PyArray_SAMESHAPE(values, index)) return nullptr;
    Ref made = Ref::steal(as_object(zeros_array(count, sizes, PyArray_TYPE(values))));
    Along along(index);
    if (!made || !along.set_whole(dim, made.array())) return nullptr;
    along.set_part(values);
    if (!along.is_inside()) return nullptr;
    add(along, made.array(), values);
    return reinterpret_cast<PyArrayObject*>(made.release());
}

namespace {

PyObject* gather_forward(Call& call) { return as_object(gathered(call.array(0), call[1], call.array(2))); }

bool gather_backward(Gradient& gradient) {
    gradient.found[0] = gathered_into(gradient.grad(), gradient.option(1), gradient.array(2), gradient.option(0));
    return gradient.found[0] != nullptr;
}

// _gather_into(input, dim, index, shape)
PyObject* gather_into_forward(Call& call) {
    return as_object(gathered_into(call.array(0), call[1], call.array(2), call[3]));
}

// ---- scatter

// Whether an in-place call would read what it has written.
bool reads_target(const Call& call, PyArrayObject* index, PyArrayObject* source) {
    return call.out != nullptr &&
           (may_overlap(call.out, index) || (source != nullptr && may_overlap(call.out, source)));
}

// The array to write to: a copy of the input, or what an in-place call brings; a new reference.
PyArrayObject* target_of(Call& call) {
    if (call.out == nullptr) return packed_copy(call.array(0));
    Py_INCREF(call.out);
    return call.out;
}

// scatter(input, dim, index, src=None, *, value=None, reduce=None)
PyObject* scatter_forward(Call& call) {
    PyArrayObject *input = call.array(0), *index = call.array(2);
    PyObject* value = call[3] != Py_None ? call[3] : call[4];
    PyArrayObject* source = is_tensor(value) ? as_tensor(value)->array : nullptr;
    if (!is_index(index) || call[5] != Py_None || !is_movable(input)) return nullptr;
    Along along(index);
    alignas(8) char element[8];
    if (!along.set_whole(call[1], input)) return nullptr;
    if (source == nullptr) {
        if (!read_element(value, input, element)) return nullptr;
        std::fill_n(along.part, along.ndim, 0);
    } else {
        if (PyArray_DESCR(source) != PyArray_DESCR(input) || PyArray_NDIM(source) != along.ndim) return nullptr;
        for (int d = 0; d < along.ndim; d++) {
            if (PyArray_DIM(index, d) > PyArray_DIM(source, d)) return nullptr;
        }
        along.set_part(source);
    }
    if (reads_target(call, index, source) || !along.is_inside()) return nullptr;
    PyArrayObject* made = target_of(call);
    if (made == nullptr) return nullptr;
    along.set_whole(call[1], made);
    put(along, made, source == nullptr ? element : PyArray_BYTES(source));
    return as_object(made);
}

// scatter_add(input, dim, index, src)
PyObject* scatter_add_forward(Call& call) {
    PyArrayObject *input = call.array(0), *index = call.array(2), *source = call.array(3);
    if (!is_index(index) || source == nullptr || !is_addable(input) || !is_addable(source)) return nullptr;
    Along along(index);
    if (PyArray_TYPE(source) != PyArray_TYPE(input) || PyArray_NDIM(source) != along.ndim) return nullptr;
    if (!along.set_whole(call[1], input)) return nullptr;
    for (int d = 0; d < along.ndim; d++) {
        if (PyArray_DIM(index, d) > PyArray_DIM(source, d)) return nullptr;
    }
    along.set_part(source);
    if (reads_target(call, index, source) || !along.is_inside()) return nullptr;
    PyArrayObject* made = target_of(call);
    if (made == nullptr) return nullptr;
    along.set_whole(call[1], made);
    add(along, made, source);
    return as_object(made);
}

// What was written receives; the part of the source that was not used is left to Python.
bool source_gradient(Gradient& gradient, int place, PyObject* dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    if (!is_index(index) || count != PyArray_NDIM(index) || !PyArray_CompareLists(sizes, PyArray_DIMS(index), count)) {
        return false;
    }
    gradient.found[place] = gathered(gradient.grad(), dim, index);
    return gradient.found[place] != nullptr;
}

bool scatter_backward(Gradient& gradient) {
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(1);
    if (gradient.option(2) != Py_None || !is_index(index) || !is_movable(grad)) return false;
    int input = gradient.place_of(0), source = gradient.place_of(3);
    if (source >= 0 && !source_gradient(gradient, source, gradient.option(0), index, gradient.option(3))) return false;
    if (input < 0) return true;
    Along along(index);
    PyArrayObject* made = packed_copy(grad);
    gradient.found[input] = made;
    if (made == nullptr || !along.set_whole(gradient.option(0), made)) return false;
    constexpr char zero[16] = {};
    std::fill_n(along.part, along.ndim, 0);
    if (!along.is_inside()) return false;
    put(along, made, zero);
    return true;
}

bool scatter_add_backward(Gradient& gradient) {
    int input = gradient.place_of(0), source = gradient.place_of(3);
    if (source >= 0 &&
        !source_gradient(gradient, source, gradient.option(0), gradient.array(1), gradient.option(2))) {
        return false;
    }
    if (input >= 0) {
        Py_INCREF(gradient.grad());
        gradient.found[input] = gradient.grad();
    }
    return true;
}

// nn.functional.one_hot(input, num_classes=-1)
PyObject* one_hot_forward(Call& call) {
    PyArrayObject* input = call.array(0);
    npy_intp classes;
    int ndim = is_index(input) ? PyArray_NDIM(input) : NPY_MAXDIMS;
    if (ndim == NPY_MAXDIMS || !PyArray_IS_C_CONTIGUOUS(input) || !read_index(call[1], classes)) return nullptr;
    auto* numbers = static_cast<const int64_t*>(PyArray_DATA(input));
    npy_intp count = PyArray_SIZE(input);
    uint64_t largest = 0;  // a negative number is huge
    for (npy_intp i = 0; i < count; i++) largest = std::max(largest, static_cast<uint64_t>(numbers[i]));
    if (classes == -1 && largest < NPY_MAX_INTP) classes = static_cast<npy_intp>(largest) + 1;
    if (classes <= 0 || largest >= static_cast<uint64_t>(classes)) return nullptr;
    npy_intp dims[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(input), ndim, dims);
    dims[ndim] = classes;
    PyArrayObject* made = zeros_array(ndim + 1, dims, NPY_INT64);
    if (made == nullptr) return nullptr;
    auto* to = static_cast<int64_t*>(PyArray_DATA(made));
    for (npy_intp i = 0; i < count; i++) to[i * classes + numbers[i]] = 1;
    return as_object(made);
}

}  // namespace

void register_gathering() {
    add_kernel({"gather", gather_forward, gather_backward, {"input_shape", "dim", "index"}});
    add_kernel({"_gather_into", gather_into_forward});
    add_kernel({"scatter", scatter_forward, scatter_backward, {"dim", "index", "reduce", "src_shape"}});
    add_kernel({"scatter_add", scatter_add_forward, scatter_add_backward, {"dim", "index", "src_shape"}});
    add_kernel({"nn.functional.one_hot", one_hot_forward});
}

}  // namespace rushlight
