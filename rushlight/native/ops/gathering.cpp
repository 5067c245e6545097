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
    bool set_whole(int place, PyArrayObject* array) {
        const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
        DECLINE_IF(PyArray_NDIM(array) != ndim);
        dim = place;
        for (int d = 0; d < ndim; d++) {
            DECLINE_IF(d != dim && PyArray_DIM(index, d) > dims[d]);
            whole[d] = d == dim ? 0 : strides[d];
        }
        extent = dims[dim];
        step = strides[dim];
        return true;
    }
    void set_part(PyArrayObject* array) { std::copy_n(PyArray_STRIDES(array), ndim, part); }
    // False where the part, which may be larger than the index, does not cover it.
    bool set_large_part(PyArrayObject* array) {
        DECLINE_IF(PyArray_NDIM(array) != ndim);
        for (int d = 0; d < ndim; d++) {
            DECLINE_IF(PyArray_DIM(index, d) > PyArray_DIM(array, d));
        }
        set_part(array);
        return true;
    }
    // One element for all.
    void set_single() { std::fill_n(part, ndim, 0); }

    bool is_inside() const {
        const auto size = static_cast<uint64_t>(extent);
        uint64_t outside = 0;
        walk([&](npy_intp, npy_intp, const char* positions, npy_intp stride, npy_intp count) {
            const auto* own = reinterpret_cast<const uint64_t*>(positions);
            if (stride == sizeof(int64_t)) {
                for (npy_intp i = 0; i < count; i++) outside |= own[i] >= size;
                return;
            }
            if (stride == 0) count = 1;
            for (npy_intp i = 0; i < count; i++, positions += stride) {
                outside |= *reinterpret_cast<const uint64_t*>(positions) >= size;
            }
        });
        return outside == 0;
    }

    // Call move(whole, part) with the byte offsets of each pair of elements of `size` bytes, in the order of the index.
    template <npy_intp size, class Move>
    void each(Move move) const {
        rows<size>(
            [&](int64_t position, npy_intp to, npy_intp from, npy_intp apart) { move(to + position * apart, from); });
    }

    // The same, with the checks of is_inside on the way: a position that is out of range reads the first place.
    template <npy_intp size, class Move>
    bool each_inside(Move move) const {
        uint64_t outside = 0;
        rows<size>([&](int64_t position, npy_intp to, npy_intp from, npy_intp apart) {
            bool inside = static_cast<uint64_t>(position) < static_cast<uint64_t>(extent);
            outside |= !inside;
            move(to + (inside ? position : 0) * apart, from);
        });
        return outside == 0;
    }

private:
    // The last dimension along which the index has several elements: a column of them is one row.
    int innermost() const {
        int d = ndim - 1;
        while (d > 0 && PyArray_DIM(index, d) == 1) d--;
        return d;
    }

    // Call move(position, whole, part, step) for each element. Most rows are contiguous ones along `dim`, or of one
    // position that was spread over them: steps that are known then take half of the time, and a tenth.
    template <npy_intp size, class Move>
    void rows(Move move) const {
        int last = innermost();
        npy_intp whole_step = whole[last], part_step = part[last], apart = step;
        walk([&](npy_intp to, npy_intp from, const char* positions, npy_intp stride, npy_intp count) {
            if (stride == sizeof(int64_t) && whole_step == 0 && part_step == size && apart == size) {
                const auto* own = reinterpret_cast<const int64_t*>(positions);
                for (npy_intp i = 0; i < count; i++) move(own[i], to, from + i * size, size);
                return;
            }
            if (stride == 0 && whole_step == size && part_step == size) {
                const int64_t position = *reinterpret_cast<const int64_t*>(positions);
                for (npy_intp i = 0; i < count; i++) move(position, to + i * size, from + i * size, apart);
                return;
            }
            for (npy_intp i = 0; i < count; i++, positions += stride, to += whole_step, from += part_step) {
                move(*reinterpret_cast<const int64_t*>(positions), to, from, apart);
            }
        });
    }

    // Row by row of the index.
    template <class Row>
    void walk(Row row) const {
        npy_intp at[NPY_MAXDIMS] = {}, to = 0, from = 0;
        const char* positions = PyArray_BYTES(index);
        int last = innermost();
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
    return along.each_inside<sizeof(T)>(
        [=](npy_intp from, npy_intp to) { std::memcpy(part + to, whole + from, sizeof(T)); });
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
    along.each<sizeof(T)>([=](npy_intp to, npy_intp from) { std::memcpy(whole + to, part + from, sizeof(T)); });
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
    along.each<sizeof(T)>([=](npy_intp to, npy_intp from) {
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
PyArrayObject* gathered(PyArrayObject* input, int dim, PyArrayObject* index) {
    Along along(index);
    if (!along.set_whole(dim, input)) return nullptr;
    Ref found = Ref::steal(as_object(made(new_array(PyArray_NDIM(index), PyArray_DIMS(index), PyArray_TYPE(input)))));
    along.set_part(found.array());
    if (along.extent > 0 && take(along, input, found.array())) return found.release_array();
    return declined("a position is out of range");
}

}  // namespace

bool reads_target(const Call& call, PyArrayObject* index, PyArrayObject* source) {
    return call.out != nullptr &&
           (may_overlap(call.out, index) || (source != nullptr && may_overlap(call.out, source)));
}

PyArrayObject* target_of(Call& call, PyArrayObject* input) {
    Ref target =
        call.out != nullptr ? Ref::borrow(as_object(call.out)) : Ref::steal(as_object(made(packed_copy(input))));
    PyArrayObject* array = target.array();
    call.give(std::move(target));
    return array;
}

bool add_gathered(PyArrayObject* whole, PyArrayObject* values, int dim, PyArrayObject* index) {
    DECLINE_IF(!have_same_shape(values, index));
    Along along(index);
    if (!along.set_whole(dim, whole)) return false;
    along.set_part(values);
    DECLINE_IF(!along.is_inside());
    add(along, whole, values);
    return true;
}

namespace {

NAMES(Gather, input, dim, index);
NAMES(SavedOfGather, input_shape, dim, index);

bool gather_forward(Call& call) {
    return call.give(gathered(call.array(Gather::input), call.dim(Gather::dim), call.array(Gather::index)));
}

bool gather_backward(Gradient& gradient) {
    using Saved = SavedOfGather;
    return gather_into(gradient, gradient.grad(), gradient.option(Saved::dim), gradient.array(Saved::index),
                       gradient.option(Saved::input_shape));
}

NAMES(GatherInto, input, dim, index, shape);

bool gather_into_forward(Call& call) {
    return gather_into(call, call.array(GatherInto::input), call[GatherInto::dim], call.array(GatherInto::index),
                       call[GatherInto::shape]);
}

// ---- scatter

NAMES(Scatter, input, dim, index, src, value, reduce);
NAMES(SavedOfScatter, dim, index, reduce, src_shape);

// scatter(input, dim, index, src=None, *, value=None, reduce=None)
bool scatter_forward(Call& call) {
    PyArrayObject *input = call.array(Scatter::input), *index = call.array(Scatter::index);
    int dim = call.dim(Scatter::dim);
    PyObject* value = call[Scatter::src] != Py_None ? call[Scatter::src] : call[Scatter::value];
    PyArrayObject* source = is_tensor(value) ? as_tensor(value)->array : nullptr;
    Along along(index);
    alignas(8) char element[8];
    if (!along.set_whole(dim, input)) return false;
    if (source == nullptr) {
        DECLINE_IF(!read_element(value, input, element));
        along.set_single();
    } else {
        DECLINE_IF(PyArray_DESCR(source) != PyArray_DESCR(input));
        if (!along.set_large_part(source)) return false;
    }
    DECLINE_IF(reads_target(call, index, source) || !along.is_inside());
    PyArrayObject* target = target_of(call, input);
    along.set_whole(dim, target);
    put(along, target, source == nullptr ? element : PyArray_BYTES(source));
    return true;
}

NAMES(ScatterAdd, input, dim, index, src);
NAMES(SavedOfScatterAdd, dim, index, src_shape);

bool scatter_add_forward(Call& call) {
    PyArrayObject *input = call.array(ScatterAdd::input), *index = call.array(ScatterAdd::index);
    PyArrayObject* source = call.array(ScatterAdd::src);
    int dim = call.dim(ScatterAdd::dim);
    Along along(index);
    if (!along.set_whole(dim, input) || !along.set_large_part(source)) return false;
    DECLINE_IF(reads_target(call, index, source) || !along.is_inside());
    PyArrayObject* target = target_of(call, input);
    along.set_whole(dim, target);
    add(along, target, source);
    return true;
}

// What was written receives; the part of the source that was not used is left to Python.
PyArrayObject* source_gradient(PyArrayObject* grad, int dim, PyArrayObject* index, PyObject* shape) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(shape, sizes);
    DECLINE_IF(count != PyArray_NDIM(index) || !PyArray_CompareLists(sizes, PyArray_DIMS(index), count));
    return gathered(grad, dim, index);
}

// What was written over does not receive.
PyArrayObject* input_gradient(PyArrayObject* grad, int dim, PyArrayObject* index) {
    Along along(index);
    constexpr char zero[16] = {};
    Ref found = Ref::steal(as_object(made(packed_copy(grad))));
    if (!along.set_whole(dim, found.array())) return nullptr;
    along.set_single();
    DECLINE_IF(!along.is_inside());
    put(along, found.array(), zero);
    return found.release_array();
}

bool scatter_backward(Gradient& gradient) {
    using Saved = SavedOfScatter;
    PyArrayObject *grad = gradient.grad(), *index = gradient.array(Saved::index);
    int dim = gradient.dim(Saved::dim);
    auto of_source = [&] { return source_gradient(grad, dim, index, gradient.option(Saved::src_shape)); };
    return gradient.fill(Scatter::src, of_source) &&
           gradient.fill(Scatter::input, [&] { return input_gradient(grad, dim, index); });
}

bool scatter_add_backward(Gradient& gradient) {
    using Saved = SavedOfScatterAdd;
    return gradient.fill(ScatterAdd::src, [&] {
        return source_gradient(gradient.grad(), gradient.dim(Saved::dim), gradient.array(Saved::index),
                               gradient.option(Saved::src_shape));
    }) && gradient.pass_on(ScatterAdd::input);
}

NAMES(OneHot, input, num_classes);

// nn.functional.one_hot(input, num_classes=-1)
bool one_hot_forward(Call& call) {
    PyArrayObject* input = call.array(OneHot::input);
    npy_intp classes = call.integer(OneHot::num_classes), count = PyArray_SIZE(input);
    auto* numbers = elements<const int64_t>(input);
    uint64_t largest = 0;  // a negative number is huge
    for (npy_intp i = 0; i < count; i++) largest = std::max(largest, static_cast<uint64_t>(numbers[i]));
    if (classes == -1 && largest < NPY_MAX_INTP) classes = static_cast<npy_intp>(largest) + 1;
    DECLINE_IF(classes <= 0 || largest >= static_cast<uint64_t>(classes));
    Geometry shape(input);
    shape.insert(shape.ndim, classes, 0);
    auto* to = elements<int64_t>(call.make_zeros(shape.ndim, shape.dims, NPY_INT64));
    for (npy_intp i = 0; i < count; i++) to[i * classes + numbers[i]] = 1;
    return true;
}

// Positions are there, and are int64.
constexpr TensorWant positions = tensor(Gather::index).integers().rank_from(1).filled();

KERNEL("gather")
    .forward(gather_forward, Gather::names)
    .takes(tensor(Gather::input).movable(), positions, dim(Gather::dim, Gather::index))
    .gradient(gather_backward, SavedOfGather::names)
    .given(tensor(GRADIENT).floats(), tensor(SavedOfGather::index).integers().rank_from(1).filled());
KERNEL("_gather_into")
    .forward(gather_into_forward, GatherInto::names)
    .takes(tensor(GatherInto::input).floats(), positions);
KERNEL("scatter")
    .forward(scatter_forward, Scatter::names)
    .takes(tensor(Scatter::input).movable(), positions, dim(Scatter::dim, Scatter::index), none(Scatter::reduce))
    .gradient(scatter_backward, SavedOfScatter::names)
    .given(tensor(GRADIENT).movable(), tensor(SavedOfScatter::index).integers().rank_from(1).filled(),
           dim(SavedOfScatter::dim, SavedOfScatter::index), none(SavedOfScatter::reduce));
KERNEL("scatter_add")
    .forward(scatter_add_forward, ScatterAdd::names)
    .takes(tensor(ScatterAdd::input).floats(), positions, dim(ScatterAdd::dim, ScatterAdd::index),
           tensor(ScatterAdd::src).like(ScatterAdd::input).floats())
    .gradient(scatter_add_backward, SavedOfScatterAdd::names)
    .given(tensor(GRADIENT).movable(), tensor(SavedOfScatterAdd::index).integers().rank_from(1).filled(),
           dim(SavedOfScatterAdd::dim, SavedOfScatterAdd::index));
KERNEL("nn.functional.one_hot")
    .forward(one_hot_forward, OneHot::names)
    .takes(tensor(OneHot::input).integers().rank(0, NPY_MAXDIMS - 1).filled().dense(), integer(OneHot::num_classes));

}  // namespace

}  // namespace rushlight
