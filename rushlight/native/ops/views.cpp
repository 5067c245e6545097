// Views: ops that change how memory is read, and nothing in it. Empty arrays, whose strides NumPy forgets, decline.
#include "ops/views.h"

#include <algorithm>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "seam/call.h"

namespace rushlight {

PyArrayObject* view_of(PyArrayObject* array, int ndim, const npy_intp* dims, const npy_intp* strides, npy_intp offset) {
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    int flags = PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE;
    auto* view = reinterpret_cast<PyArrayObject*>(
        PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, dims, strides, PyArray_BYTES(array) + offset, flags, nullptr));
    if (view == nullptr) return nullptr;
    Py_INCREF(array);
    if (PyArray_SetBaseObject(view, reinterpret_cast<PyObject*>(array)) < 0) Py_CLEAR(view);
    return view;
}

bool read_index(PyObject* object, npy_intp& value) {
    if (object == nullptr || !PyLong_CheckExact(object)) return false;
    int overflow;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
}

bool read_dim(PyObject* object, int ndim, int& dim) {
    npy_intp given;
    int limit = ndim > 0 ? ndim : 1;
    if (!read_index(object, given) || given < -limit || given >= limit) return false;
    dim = static_cast<int>(given < 0 ? given + limit : given);
    return true;
}

int read_sizes(PyObject* object, npy_intp* sizes) {
    if (object == nullptr || (!PyTuple_Check(object) && !PyList_CheckExact(object))) return -1;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    if (count > NPY_MAXDIMS) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!read_index(PySequence_Fast_GET_ITEM(object, i), sizes[i])) return -1;
    }
    return static_cast<int>(count);
}

namespace {

// The sizes with a -1 replaced by what is left; false where they do not fit.
bool infer(npy_intp* sizes, int count, npy_intp total) {
    int missing = -1;
    npy_intp rest = 1;
    for (int i = 0; i < count; i++) {
        if (sizes[i] == -1 && missing < 0) {
            missing = i;
        } else if (sizes[i] < 0 || __builtin_mul_overflow(rest, sizes[i], &rest)) {
            return false;
        }
    }
    if (missing < 0) return rest == total;
    if (rest == 0 || total % rest != 0) return false;
    sizes[missing] = total / rest;
    return true;
}

// The byte strides of a view with other sizes; false where elements would have to move. Dimensions that are one run of
// memory, from the last one on, are split up among the new ones.
bool find_strides(PyArrayObject* array, const npy_intp* sizes, int count, npy_intp* strides) {
    const npy_intp *old = PyArray_STRIDES(array), *dims = PyArray_DIMS(array);
    int place = count - 1;
    npy_intp run = 1;
    for (int d = PyArray_NDIM(array) - 1, last = d; d >= 0; d--) {
        run *= dims[d];
        if (d > 0 && (dims[d - 1] == 1 || old[d - 1] == run * old[last])) continue;
        npy_intp filled = 1;
        for (; place >= 0 && (filled < run || sizes[place] == 1); place--) {
            strides[place] = filled * old[last];
            filled *= sizes[place];
        }
        if (filled != run) return false;
        last = d - 1;
        run = 1;
    }
    return place < 0;
}

PyArrayObject* reshaped(PyArrayObject* array, npy_intp* sizes, int count) {
    DECLINE_IF(!infer(sizes, count, PyArray_SIZE(array)));
    npy_intp strides[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array);
    // the step along a last dim of size 1 is the one that new dims of size 1 get
    if (!PyArray_IS_C_CONTIGUOUS(array) || (ndim > 0 && PyArray_DIM(array, ndim - 1) == 1)) {
        DECLINE_IF(!find_strides(array, sizes, count, strides));
        return view_of(array, count, sizes, strides);
    }
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int i = count - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return view_of(array, count, sizes, strides);
}

NAMES(InShape, input, shape);
NAMES(SavedOfView, input_shape);

bool view_forward(Call& call) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(call[InShape::shape], sizes);
    DECLINE_IF(count < 0);
    return call.give(reshaped(call.array(InShape::input), sizes, count));
}

// The gradient of a view that kept the order of elements: the same in the input's shape.
bool view_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfView::input_shape), sizes);
    DECLINE_IF(count < 0);
    PyArrayObject* grad = gradient.grad();
    if (gradient.give(reshaped(grad, sizes, count))) return true;
    // where memory has failed, a second try would succeed beside the error
    if (PyErr_Occurred() || PyArray_IS_C_CONTIGUOUS(grad)) return false;
    Ref straight = in_c_order(grad);
    return straight && gradient.give(reshaped(straight.array(), sizes, count));
}

Inner view_op("_view"), alias_op("_reshape_alias");

NAMES(View, input, shape, size, dtype);

// view(input, *shape, size=None, dtype=None)
PyObject* view_route(Call& call) { return view_op(call[View::input], call[View::shape]); }

NAMES(Reshape, input, shape_, shape);

// reshape(input, *shape_, shape=None)
PyObject* reshape_route(Call& call) {
    bool dense = PyArray_IS_C_CONTIGUOUS(call.array(Reshape::input));
    return (dense ? view_op : alias_op)(call[Reshape::input], call[Reshape::shape_]);
}

NAMES(Flatten, input, start_dim, end_dim);

// flatten(input, start_dim=0, end_dim=-1)
PyObject* flatten_route(Call& call) {
    PyArrayObject* array = call.array(Flatten::input);
    int first = call.dim(Flatten::start_dim), last = call.dim(Flatten::end_dim);
    DECLINE_IF(first > last || !is_any_tensor(call[Flatten::input]));
    if (first == last) return Py_NewRef(call[Flatten::input]);
    npy_intp sizes[NPY_MAXDIMS];
    int count = 0;
    for (int d = 0; d < PyArray_NDIM(array); d++) {
        if (d > first && d <= last) {
            sizes[count - 1] *= PyArray_DIM(array, d);
        } else {
            sizes[count++] = PyArray_DIM(array, d);
        }
    }
    Ref shape = Ref::steal(PyArray_IntTupleFromIntp(count, sizes));
    return shape ? view_op(call[Flatten::input], shape.get()) : nullptr;
}

PyArrayObject* swapped(PyArrayObject* array, int one, int other) {
    Geometry geometry(array);
    geometry.swap(one, other);
    return geometry.of(array);
}

NAMES(Transpose, input, dim0, dim1);
NAMES(SavedOfTranspose, dim0, dim1);

bool transpose_forward(Call& call) {
    return call.give(swapped(call.array(Transpose::input), call.dim(Transpose::dim0), call.dim(Transpose::dim1)));
}

bool transpose_backward(Gradient& gradient) {
    using Saved = SavedOfTranspose;
    return gradient.give(swapped(gradient.grad(), gradient.dim(Saved::dim0), gradient.dim(Saved::dim1)));
}

// Two dims changed over, if there are two.
PyArrayObject* turned(PyArrayObject* array) {
    return PyArray_NDIM(array) < 2 ? Geometry(array).of(array) : swapped(array, 0, 1);
}

NAMES(Turn, input);

bool t_forward(Call& call) { return call.give(turned(call.array(Turn::input))); }

bool t_backward(Gradient& gradient) { return gradient.give(turned(gradient.grad())); }

// The order of dimensions, counted from the front; false where it is none.
bool read_order(PyObject* object, int ndim, int* order) {
    npy_intp given[NPY_MAXDIMS];
    if (read_sizes(object, given) != ndim) return false;
    bool seen[NPY_MAXDIMS] = {};
    for (int i = 0; i < ndim; i++) {
        if (given[i] < -ndim || given[i] >= ndim) return false;
        order[i] = static_cast<int>(given[i] < 0 ? given[i] + ndim : given[i]);
        if (seen[order[i]]) return false;
        seen[order[i]] = true;
    }
    return true;
}

PyArrayObject* permuted(PyArrayObject* array, PyObject* dims, bool back) {
    int order[NPY_MAXDIMS];
    DECLINE_IF(!read_order(dims, PyArray_NDIM(array), order));
    Geometry geometry(array);
    for (int i = 0; i < geometry.ndim; i++) {
        int to = back ? order[i] : i, from = back ? i : order[i];
        geometry.dims[to] = PyArray_DIM(array, from);
        geometry.strides[to] = PyArray_STRIDE(array, from);
    }
    return geometry.of(array);
}

NAMES(Permute, input, dims);
NAMES(SavedOfPermute, dims);

bool permute_forward(Call& call) { return call.give(permuted(call.array(Permute::input), call[Permute::dims], false)); }

bool permute_backward(Gradient& gradient) {
    return gradient.give(permuted(gradient.grad(), gradient.option(SavedOfPermute::dims), true));
}

NAMES(AtDim, input, dim);
NAMES(SavedOfUnsqueeze, dim);

bool unsqueeze_forward(Call& call) {
    PyArrayObject* array = call.array(AtDim::input);
    int dim, ndim = PyArray_NDIM(array);
    DECLINE_IF(!read_dim(call[AtDim::dim], ndim + 1, dim));
    Geometry geometry(array);
    geometry.insert_single(dim, PyArray_ITEMSIZE(array));
    return call.give(geometry.of(array));
}

bool unsqueeze_backward(Gradient& gradient) {
    Geometry geometry(gradient.grad());
    geometry.remove(gradient.dim(SavedOfUnsqueeze::dim));
    return gradient.give(geometry.of(gradient.grad()));
}

bool squeeze_forward(Call& call) {
    PyArrayObject* array = call.array(AtDim::input);
    PyObject* dim = call[AtDim::dim];
    int only = -1, ndim = PyArray_NDIM(array);
    DECLINE_IF(dim != Py_None && !read_dim(dim, ndim, only));
    Geometry geometry(array);
    for (int d = ndim - 1; d >= 0; d--) {
        if (geometry.dims[d] == 1 && (only < 0 || d == only)) geometry.remove(d);
    }
    return call.give(geometry.of(array));
}

NAMES(SavedOfSqueeze, dim, input_shape);

bool squeeze_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfSqueeze::input_shape), sizes), only = -1;
    PyObject* dim = gradient.option(SavedOfSqueeze::dim);
    DECLINE_IF(count < 0 || dim == nullptr || (dim != Py_None && !read_dim(dim, count, only)));
    Geometry geometry(gradient.grad());
    for (int d = 0; d < count; d++) {
        if (sizes[d] == 1 && (only < 0 || d == only)) geometry.insert_single(d, PyArray_ITEMSIZE(gradient.grad()));
    }
    return gradient.give(geometry.of(gradient.grad()));
}

NAMES(Select, input, dim, index);

bool select_forward(Call& call) {
    PyArrayObject* array = call.array(Select::input);
    int dim = call.dim(Select::dim);
    npy_intp index = call.integer(Select::index), extent = PyArray_DIM(array, dim);
    DECLINE_IF(index < -extent || index >= extent);
    if (index < 0) index += extent;
    Geometry geometry(array);
    npy_intp offset = index * geometry.strides[dim];
    geometry.remove(dim);
    return call.give(geometry.of(array, offset));
}

NAMES(Expand, input, size);

bool expand_forward(Call& call) {
    PyArrayObject* array = call.array(Expand::input);
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    int count = read_sizes(call[Expand::size], sizes), extra = count - PyArray_NDIM(array);
    DECLINE_IF(count < 0 || extra < 0);
    for (int i = count - 1; i >= 0; i--) {
        npy_intp have = i >= extra ? PyArray_DIM(array, i - extra) : 1;
        // all strides of a number are 0, also along dimensions of size 1
        npy_intp step = i >= extra       ? PyArray_STRIDE(array, i - extra)
                        : i == count - 1 ? 0
                                         : sizes[i + 1] * strides[i + 1];
        if (i >= extra && sizes[i] == -1) sizes[i] = have;
        DECLINE_IF(sizes[i] != have && (have != 1 || sizes[i] <= 0));
        strides[i] = sizes[i] == have ? step : 0;
    }
    return call.give(view_of(array, count, sizes, strides));
}

// Windows of a size, `step` apart, whose elements make a new last dimension; false where Python must look.
bool make_windows(Geometry& geometry, int dim, npy_intp size, npy_intp step) {
    DECLINE_IF(size < 1 || step < 1 || size > geometry.dims[dim] || step > geometry.dims[dim]);
    geometry.insert(geometry.ndim, size, geometry.strides[dim]);
    geometry.dims[dim] = (geometry.dims[dim] - size) / step + 1;
    geometry.strides[dim] *= step;
    return true;
}

NAMES(Unfold, input, dimension, size, step);
NAMES(SavedOfUnfold, input_shape, dimension, size, step);

bool unfold_forward(Call& call) {
    PyArrayObject* array = call.array(Unfold::input);
    Geometry windows(array);
    return make_windows(windows, call.dim(Unfold::dimension), call.integer(Unfold::size), call.integer(Unfold::step)) &&
           call.give(windows.of(array));
}

bool unfold_backward(Gradient& gradient) {
    using Saved = SavedOfUnfold;
    PyArrayObject* grad = gradient.grad();
    npy_intp sizes[NPY_MAXDIMS], size = gradient.integer(Saved::size), step = gradient.integer(Saved::step);
    int dim, count = read_sizes(gradient.option(Saved::input_shape), sizes);
    DECLINE_IF(count < 1 || !read_dim(gradient.option(Saved::dimension), count, dim));
    // windows that share elements
    DECLINE_IF(step < size);
    PyArrayObject* whole = gradient.make_zeros(count, sizes, PyArray_TYPE(grad));
    Geometry windows(whole);
    if (!make_windows(windows, dim, size, step)) return false;
    DECLINE_IF(windows.ndim != PyArray_NDIM(grad));
    DECLINE_IF(!PyArray_CompareLists(windows.dims, PyArray_DIMS(grad), windows.ndim));
    copy_to(PyArray_BYTES(whole), windows.strides, grad);
    return true;
}

NAMES(StridedView, input, memory, geometry);

constexpr npy_intp FARTHEST = npy_intp{1} << 48;  // steps up to here can be counted in bytes

// The memory of a storage, seen with sizes, steps and an offset in elements; what is empty or lies outside is Python's.
bool strided_view_forward(Call& call) {
    PyObject *given = call[StridedView::memory], *geometry = call[StridedView::geometry];
    DECLINE_IF(call.needs != 0);  // a geometry is saved by Python
    DECLINE_IF(!PyArray_CheckExact(given) || !PyTuple_CheckExact(geometry) || PyTuple_GET_SIZE(geometry) != 3);
    auto* memory = reinterpret_cast<PyArrayObject*>(given);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(memory));
    DECLINE_IF(PyArray_DESCR(memory) != PyArray_DESCR(call.array(StridedView::input)));
    npy_intp sizes[NPY_MAXDIMS], steps[NPY_MAXDIMS], offset, itemsize = PyArray_ITEMSIZE(memory);
    int count = read_sizes(PyTuple_GET_ITEM(geometry, 0), sizes);
    DECLINE_IF(count < 0 || read_sizes(PyTuple_GET_ITEM(geometry, 1), steps) != count);
    DECLINE_IF(!read_index(PyTuple_GET_ITEM(geometry, 2), offset) || offset < 0);
    npy_intp last = offset;
    for (int i = 0; i < count; i++) {
        npy_intp way;
        DECLINE_IF(steps[i] > FARTHEST);
        DECLINE_IF(sizes[i] < 1 || steps[i] < 0 || __builtin_mul_overflow(sizes[i] - 1, steps[i], &way));
        DECLINE_IF(__builtin_add_overflow(last, way, &last));
    }
    DECLINE_IF(last >= PyArray_SIZE(memory));
    for (int i = 0; i < count; i++) steps[i] *= itemsize;
    return call.give(view_of(memory, count, sizes, steps, offset * itemsize));
}

NAMES(MoveDim, input, source, destination);

// Dimensions, one or several, counted from the front; how many, or -1.
int read_places(PyObject* object, int ndim, int* places) {
    npy_intp given[NPY_MAXDIMS];
    int count = read_index(object, given[0]) ? 1 : read_sizes(object, given);
    for (int i = 0; i < count; i++) {
        if (given[i] < -ndim || given[i] >= ndim) return -1;
        places[i] = static_cast<int>(given[i] < 0 ? given[i] + ndim : given[i]);
    }
    return count;
}

// movedim(input, source, destination): an order of dimensions for permute.
PyObject* movedim_route(Call& call) {
    static Inner permute("permute");
    int ndim = PyArray_NDIM(call.array(MoveDim::input)), from[NPY_MAXDIMS], to[NPY_MAXDIMS];
    int count = read_places(call[MoveDim::source], ndim, from);
    DECLINE_IF(count < 0 || count > ndim || read_places(call[MoveDim::destination], ndim, to) != count);
    npy_intp order[NPY_MAXDIMS];
    bool taken[NPY_MAXDIMS] = {};
    std::fill_n(order, ndim, -1);
    for (int i = 0; i < count; i++) {
        DECLINE_IF(taken[from[i]] || order[to[i]] >= 0);
        taken[from[i]] = true;
        order[to[i]] = from[i];
    }
    for (int place = 0, rest = 0; place < ndim; place++) {
        if (order[place] >= 0) continue;
        while (taken[rest]) rest++;
        order[place] = rest++;
    }
    Ref dims = Ref::steal(PyArray_IntTupleFromIntp(ndim, order));
    return dims ? permute(call[MoveDim::input], dims.get()) : nullptr;
}

// The engine sums the gradient down to the input's shape.
bool pass_backward(Gradient& gradient) { return gradient.pass_on(); }

// Of empty arrays NumPy forgets the strides.
constexpr TensorWant seen = tensor(InShape::input).filled(), seen_grad = tensor(GRADIENT).filled();

KERNEL("_view")
    .forward(view_forward, InShape::names)
    .takes(seen)
    .gradient(view_backward, SavedOfView::names)
    .given(seen_grad);
KERNEL("_reshape_alias").as("_view");
KERNEL("_reshaped_copy").gradient(view_backward, SavedOfView::names).given(seen_grad);
KERNEL("unsqueeze")
    .forward(unsqueeze_forward, AtDim::names)
    .takes(seen.rank(0, NPY_MAXDIMS - 1))
    .gradient(unsqueeze_backward, SavedOfUnsqueeze::names)
    .given(seen_grad, dim(SavedOfUnsqueeze::dim, GRADIENT));
KERNEL("squeeze")
    .forward(squeeze_forward, AtDim::names)
    .takes(seen.rank_from(1))
    .gradient(squeeze_backward, SavedOfSqueeze::names)
    .given(seen_grad);
KERNEL("transpose")
    .forward(transpose_forward, Transpose::names)
    .takes(seen.rank_from(1), dim(Transpose::dim0, Transpose::input), dim(Transpose::dim1, Transpose::input))
    .gradient(transpose_backward, SavedOfTranspose::names)
    .given(seen_grad.rank_from(1), dim(SavedOfTranspose::dim0, GRADIENT), dim(SavedOfTranspose::dim1, GRADIENT));
KERNEL("t").forward(t_forward, Turn::names).takes(seen.rank(0, 2)).gradient(t_backward).given(seen_grad.rank(0, 2));
KERNEL("permute")
    .forward(permute_forward, Permute::names)
    .takes(seen)
    .gradient(permute_backward, SavedOfPermute::names)
    .given(seen_grad);
KERNEL("select")
    .forward(select_forward, Select::names)
    .takes(seen.rank_from(1), dim(Select::dim, Select::input), integer(Select::index));
KERNEL("unfold")
    .forward(unfold_forward, Unfold::names)
    .takes(seen.rank(1, NPY_MAXDIMS - 1), dim(Unfold::dimension, Unfold::input), integer(Unfold::size),
           integer(Unfold::step))
    .gradient(unfold_backward, SavedOfUnfold::names)
    .given(tensor(GRADIENT).movable(), integer(SavedOfUnfold::size), integer(SavedOfUnfold::step));
KERNEL("expand")
    .forward(expand_forward, Expand::names)
    .takes(seen)
    .gradient(pass_backward)
    .given(tensor(GRADIENT).rank_from(1));
KERNEL("view").route(view_route, View::names).takes(tensor(View::input), none(View::size), none(View::dtype));
KERNEL("reshape").route(reshape_route, Reshape::names).takes(tensor(Reshape::input), none(Reshape::shape));
KERNEL("_strided_view").forward(strided_view_forward, StridedView::names).takes(seen);
KERNEL("movedim").route(movedim_route, MoveDim::names).takes(tensor(MoveDim::input).rank_from(1).filled());
KERNEL("flatten")
    .route(flatten_route, Flatten::names)
    .takes(tensor(Flatten::input).rank_from(1).dense(), dim(Flatten::start_dim, Flatten::input),
           dim(Flatten::end_dim, Flatten::input));

}  // namespace

}  // namespace rushlight
