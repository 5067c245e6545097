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

PyObject* reshaped(PyArrayObject* array, npy_intp* sizes, int count) {
    npy_intp total = PyArray_SIZE(array);
    DECLINE_IF(total == 0);
    DECLINE_IF(!infer(sizes, count, total));
    npy_intp strides[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(array);
    // the step along a last dim of size 1 is the one that new dims of size 1 get
    if (!PyArray_IS_C_CONTIGUOUS(array) || (ndim > 0 && PyArray_DIM(array, ndim - 1) == 1)) {
        DECLINE_IF(!find_strides(array, sizes, count, strides));
        return as_object(view_of(array, count, sizes, strides));
    }
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int i = count - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i];
    }
    return as_object(view_of(array, count, sizes, strides));
}

NAMES(InShape, input, shape);
NAMES(SavedOfView, input_shape);

PyObject* view_forward(Call& call) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(call[InShape::shape], sizes);
    DECLINE_IF(count < 0);
    return reshaped(call.array(InShape::input), sizes, count);
}

// The gradient of a view that kept the order of elements: the same in the input's shape.
bool view_backward(Gradient& gradient) {
    npy_intp sizes[NPY_MAXDIMS];
    int count = read_sizes(gradient.option(SavedOfView::input_shape), sizes);
    DECLINE_IF(count < 0);
    PyArrayObject* grad = gradient.grad();
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(reshaped(grad, sizes, count));
    if (gradient.found[0] == nullptr && !PyArray_IS_C_CONTIGUOUS(grad)) {
        Ref packed = Ref::steal(as_object(packed_copy(grad)));
        if (!packed) return false;
        gradient.found[0] = reinterpret_cast<PyArrayObject*>(reshaped(packed.array(), sizes, count));
    }
    return gradient.found[0] != nullptr;
}

PyObject* call_view(PyObject* input, PyObject* shape) {
    static Function* inner = find_function("_view");
    DECLINE_IF(inner == nullptr);
    PyObject* args[] = {input, shape};
    return call_native(inner, args, 2, nullptr);
}

NAMES(View, input, shape, size, dtype);

// view(input, *shape, size=None, dtype=None)
PyObject* view_route(Call& call) {
    DECLINE_IF(call[View::size] != Py_None || call[View::dtype] != Py_None);
    DECLINE_IF(call.array(View::input) == nullptr);
    return call_view(call[View::input], call[View::shape]);
}

NAMES(Reshape, input, shape_, shape);

// reshape(input, *shape_, shape=None)
PyObject* reshape_route(Call& call) {
    static Function* alias = find_function("_reshape_alias");
    PyObject *input = call[Reshape::input], *sizes = call[Reshape::shape_];
    PyArrayObject* array = call.array(Reshape::input);
    DECLINE_IF(call[Reshape::shape] != Py_None);
    DECLINE_IF(array == nullptr || alias == nullptr);
    if (PyArray_IS_C_CONTIGUOUS(array)) return call_view(input, sizes);
    PyObject* args[] = {input, sizes};
    return call_native(alias, args, 2, nullptr);
}

NAMES(Flatten, input, start_dim, end_dim);

// flatten(input, start_dim=0, end_dim=-1)
PyObject* flatten_route(Call& call) {
    PyArrayObject* array = call.array(Flatten::input);
    DECLINE_IF(array == nullptr);
    int ndim = PyArray_NDIM(array), first, last;
    DECLINE_IF(ndim == 0 || !PyArray_IS_C_CONTIGUOUS(array));
    DECLINE_IF(!read_dim(call[Flatten::start_dim], ndim, first) || !read_dim(call[Flatten::end_dim], ndim, last));
    DECLINE_IF(first > last);
    if (first == last) return Py_NewRef(call[Flatten::input]);
    npy_intp sizes[NPY_MAXDIMS];
    int count = 0;
    for (int d = 0; d < ndim; d++) {
        if (d > first && d <= last) {
            sizes[count - 1] *= PyArray_DIM(array, d);
        } else {
            sizes[count++] = PyArray_DIM(array, d);
        }
    }
    Ref shape = Ref::steal(PyArray_IntTupleFromIntp(count, sizes));
    return shape ? call_view(call[Flatten::input], shape.get()) : nullptr;
}

PyObject* swapped(PyArrayObject* array, PyObject* one, PyObject* other) {
    int first, second, ndim = PyArray_NDIM(array);
    DECLINE_IF(PyArray_SIZE(array) == 0 || ndim == 0);
    DECLINE_IF(!read_dim(one, ndim, first) || !read_dim(other, ndim, second));
    Geometry geometry(array);
    geometry.swap(first, second);
    return geometry.of(array);
}

NAMES(Transpose, input, dim0, dim1);
NAMES(SavedOfTranspose, dim0, dim1);

PyObject* transpose_forward(Call& call) {
    return swapped(call.array(Transpose::input), call[Transpose::dim0], call[Transpose::dim1]);
}

bool transpose_backward(Gradient& gradient) {
    PyObject* found =
        swapped(gradient.grad(), gradient.option(SavedOfTranspose::dim0), gradient.option(SavedOfTranspose::dim1));
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(found);
    return found != nullptr;
}

PyObject* turned(PyArrayObject* array) {
    DECLINE_IF(PyArray_SIZE(array) == 0 || PyArray_NDIM(array) > 2);
    Geometry geometry(array);
    if (geometry.ndim == 2) geometry.swap(0, 1);
    return geometry.of(array);
}

NAMES(Turn, input);

PyObject* t_forward(Call& call) { return turned(call.array(Turn::input)); }

bool t_backward(Gradient& gradient) {
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(turned(gradient.grad()));
    return gradient.found[0] != nullptr;
}

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

PyObject* permuted(PyArrayObject* array, PyObject* dims, bool back) {
    int order[NPY_MAXDIMS];
    DECLINE_IF(PyArray_SIZE(array) == 0);
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

PyObject* permute_forward(Call& call) { return permuted(call.array(Permute::input), call[Permute::dims], false); }

bool permute_backward(Gradient& gradient) {
    PyObject* found = permuted(gradient.grad(), gradient.option(SavedOfPermute::dims), true);
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(found);
    return found != nullptr;
}

NAMES(AtDim, input, dim);
NAMES(SavedOfUnsqueeze, dim);

PyObject* unsqueeze_forward(Call& call) {
    PyArrayObject* array = call.array(AtDim::input);
    int dim, ndim = PyArray_NDIM(array);
    DECLINE_IF(PyArray_SIZE(array) == 0 || ndim == NPY_MAXDIMS);
    DECLINE_IF(!read_dim(call[AtDim::dim], ndim + 1, dim));
    Geometry geometry(array);
    std::copy_backward(geometry.dims + dim, geometry.dims + ndim, geometry.dims + ndim + 1);
    std::copy_backward(geometry.strides + dim, geometry.strides + ndim, geometry.strides + ndim + 1);
    geometry.dims[dim] = 1;
    geometry.strides[dim] = dim < ndim ? PyArray_DIM(array, dim) * PyArray_STRIDE(array, dim) : PyArray_ITEMSIZE(array);
    geometry.ndim++;
    return geometry.of(array);
}

bool unsqueeze_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    int dim;
    DECLINE_IF(PyArray_SIZE(grad) == 0);
    DECLINE_IF(!read_dim(gradient.option(SavedOfUnsqueeze::dim), PyArray_NDIM(grad), dim));
    Geometry geometry(grad);
    geometry.remove(dim);
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(geometry.of(grad));
    return gradient.found[0] != nullptr;
}

PyObject* squeeze_forward(Call& call) {
    PyArrayObject* array = call.array(AtDim::input);
    PyObject* dim = call[AtDim::dim];
    int only = -1, ndim = PyArray_NDIM(array);
    DECLINE_IF(PyArray_SIZE(array) == 0 || ndim == 0);
    DECLINE_IF(dim != Py_None && !read_dim(dim, ndim, only));
    Geometry geometry(array);
    for (int d = ndim - 1; d >= 0; d--) {
        if (geometry.dims[d] == 1 && (only < 0 || d == only)) geometry.remove(d);
    }
    return geometry.of(array);
}

NAMES(Select, input, dim, index);

PyObject* select_forward(Call& call) {
    PyArrayObject* array = call.array(Select::input);
    int dim, ndim = PyArray_NDIM(array);
    npy_intp index;
    DECLINE_IF(PyArray_SIZE(array) == 0 || ndim == 0);
    DECLINE_IF(!read_dim(call[Select::dim], ndim, dim) || !read_index(call[Select::index], index));
    npy_intp extent = PyArray_DIM(array, dim);
    DECLINE_IF(index < -extent || index >= extent);
    if (index < 0) index += extent;
    Geometry geometry(array);
    npy_intp offset = index * geometry.strides[dim];
    geometry.remove(dim);
    return geometry.of(array, offset);
}

NAMES(Expand, input, size);

PyObject* expand_forward(Call& call) {
    PyArrayObject* array = call.array(Expand::input);
    npy_intp sizes[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    int count = read_sizes(call[Expand::size], sizes), extra = count - PyArray_NDIM(array);
    DECLINE_IF(count < 0 || extra < 0);
    DECLINE_IF(PyArray_SIZE(array) == 0);
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
    return as_object(view_of(array, count, sizes, strides));
}

// Windows of a size, `step` apart, whose elements make a new last dimension; false where Python must look.
bool make_windows(Geometry& geometry, PyObject* dimension, npy_intp size, npy_intp step) {
    int dim, ndim = geometry.ndim;
    DECLINE_IF(ndim == 0 || ndim == NPY_MAXDIMS || !read_dim(dimension, ndim, dim));
    DECLINE_IF(size < 1 || step < 1 || size > geometry.dims[dim] || step > geometry.dims[dim]);
    geometry.dims[ndim] = size;
    geometry.strides[ndim] = geometry.strides[dim];
    geometry.dims[dim] = (geometry.dims[dim] - size) / step + 1;
    geometry.strides[dim] *= step;
    geometry.ndim++;
    return true;
}

NAMES(Unfold, input, dimension, size, step);
NAMES(SavedOfUnfold, input_shape, dimension, size, step);

PyObject* unfold_forward(Call& call) {
    PyArrayObject* array = call.array(Unfold::input);
    npy_intp size, step;
    Geometry windows(array);
    DECLINE_IF(PyArray_SIZE(array) == 0);
    DECLINE_IF(!read_index(call[Unfold::size], size) || !read_index(call[Unfold::step], step));
    return make_windows(windows, call[Unfold::dimension], size, step) ? windows.of(array) : nullptr;
}

bool unfold_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    npy_intp sizes[NPY_MAXDIMS], size, step;
    int count = read_sizes(gradient.option(SavedOfUnfold::input_shape), sizes);
    DECLINE_IF(count < 1 || !is_movable(grad));
    DECLINE_IF(!read_index(gradient.option(SavedOfUnfold::size), size));
    DECLINE_IF(!read_index(gradient.option(SavedOfUnfold::step), step));
    // windows that share elements
    DECLINE_IF(step < size);
    Ref made = Ref::steal(as_object(zeros_array(count, sizes, PyArray_TYPE(grad))));
    if (!made) return false;
    Geometry windows(made.array());
    if (!make_windows(windows, gradient.option(SavedOfUnfold::dimension), size, step)) return false;
    DECLINE_IF(windows.ndim != PyArray_NDIM(grad));
    DECLINE_IF(!PyArray_CompareLists(windows.dims, PyArray_DIMS(grad), windows.ndim));
    copy_to(PyArray_BYTES(made.array()), windows.strides, grad);
    gradient.found[0] = reinterpret_cast<PyArrayObject*>(made.release());
    return true;
}

// The engine sums the gradient down to the input's shape.
bool pass_backward(Gradient& gradient) {
    Py_INCREF(gradient.grad());
    gradient.found[0] = gradient.grad();
    return true;
}

KERNEL("_view").forward(view_forward, InShape::names).gradient(view_backward, SavedOfView::names);
KERNEL("_reshape_alias").forward(view_forward, InShape::names).gradient(view_backward, SavedOfView::names);
KERNEL("_reshaped_copy").gradient(view_backward, SavedOfView::names);
KERNEL("unsqueeze").forward(unsqueeze_forward, AtDim::names).gradient(unsqueeze_backward, SavedOfUnsqueeze::names);
KERNEL("squeeze").forward(squeeze_forward, AtDim::names).gradient(view_backward, SavedOfView::names);
KERNEL("transpose").forward(transpose_forward, Transpose::names).gradient(transpose_backward, SavedOfTranspose::names);
KERNEL("t").forward(t_forward, Turn::names).gradient(t_backward);
KERNEL("permute").forward(permute_forward, Permute::names).gradient(permute_backward, SavedOfPermute::names);
KERNEL("select").forward(select_forward, Select::names);
KERNEL("unfold").forward(unfold_forward, Unfold::names).gradient(unfold_backward, SavedOfUnfold::names);
KERNEL("expand").forward(expand_forward, Expand::names).gradient(pass_backward);
KERNEL("view").route(view_route, View::names);
KERNEL("reshape").route(reshape_route, Reshape::names);
KERNEL("flatten").route(flatten_route, Flatten::names);

}  // namespace

}  // namespace rushlight
