// Diagonals: triangles of matrices, and the matrix of a vector. See ops/shape/diagonals.py.
#include "ops/diagonals.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"
#include "seam/guard.h"

namespace rushlight {

namespace {

// Write zeros beyond a diagonal of C-contiguous matrices, or before it. The elements that stay are copied from `from`,
// unless that is the same memory.
void cut_triangles(char* to, const char* from, npy_intp matrices, npy_intp rows, npy_intp row_bytes, npy_intp itemsize,
                   npy_intp diagonal, bool lower) {
    for (npy_intp i = 0; i < matrices * rows; i++, to += row_bytes, from += row_bytes) {
        npy_intp reach = (i % rows + diagonal + (lower ? 1 : 0)) * itemsize;
        npy_intp border = std::clamp<npy_intp>(reach, 0, row_bytes);
        npy_intp kept = lower ? 0 : border, cleared = lower ? border : 0;
        npy_intp kept_bytes = lower ? border : row_bytes - border;
        if (to != from) std::memcpy(to + kept, from + kept, kept_bytes);
        std::memset(to + cleared, 0, row_bytes - kept_bytes);
    }
}

constexpr npy_intp FAR = npy_intp{1} << 20;  // diagonals up to here need no look at sizes

// The triangle of matrices in new memory; nullptr where Python must look.
PyArrayObject* triangle(PyArrayObject* array, npy_intp diagonal, bool below) {
    int ndim = PyArray_NDIM(array);
    DECLINE_IF(diagonal < -FAR || diagonal > FAR);
    bool dense = PyArray_IS_C_CONTIGUOUS(array);
    PyArrayObject* found = made(dense ? new_array(ndim, PyArray_DIMS(array), PyArray_TYPE(array)) : packed_copy(array));
    npy_intp rows = PyArray_DIM(array, ndim - 2), itemsize = PyArray_ITEMSIZE(array);
    npy_intp row_bytes = PyArray_DIM(array, ndim - 1) * itemsize;
    const char* from = PyArray_BYTES(dense ? array : found);
    cut_triangles(PyArray_BYTES(found), from, PyArray_SIZE(array) / rows * itemsize / row_bytes, rows, row_bytes,
                  itemsize, diagonal, below);
    return found;
}

// Zeros in rows of any step: beyond the diagonal where the lower triangle stays, before it where the upper one does.
void clear_rows(char* to, npy_intp rows, npy_intp row_step, npy_intp columns, npy_intp step, npy_intp itemsize,
                npy_intp diagonal, bool lower) {
    for (npy_intp i = 0; i < rows; i++, to += row_step) {
        npy_intp border = std::clamp<npy_intp>(i + diagonal + (lower ? 1 : 0), 0, columns);
        npy_intp first = lower ? border : 0, count = lower ? columns - border : border;
        if (step == itemsize) {
            std::memset(to + first * step, 0, count * itemsize);
            continue;
        }
        for (npy_intp j = first; j < first + count; j++) std::memset(to + j * step, 0, itemsize);
    }
}

// clear_triangle(array, diagonal, lower): whether the other triangle was filled with zeros in place.
PyObject* clear_triangle(PyObject*, PyObject* arguments) {
    PyObject* given;
    Py_ssize_t diagonal;
    int below;
    if (!PyArg_ParseTuple(arguments, "O!np", &PyArray_Type, &given, &diagonal, &below)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(given);
    int ndim = PyArray_NDIM(array);
    if (!PyArray_CheckExact(given) || ndim < 2 || !is_movable(array) || !PyArray_ISWRITEABLE(array) ||
        PyArray_SIZE(array) == 0 || diagonal < -FAR || diagonal > FAR) {
        Py_RETURN_FALSE;
    }
    const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    npy_intp rows = dims[ndim - 2], columns = dims[ndim - 1], down = strides[ndim - 2], along = strides[ndim - 1];
    // along memory, whichever way that is
    bool turned = std::abs(along) > std::abs(down);
    if (turned) {
        std::swap(rows, columns);
        std::swap(down, along);
        diagonal = -diagonal;
    }
    npy_intp at[NPY_MAXDIMS] = {};
    for (char* to = PyArray_BYTES(array);;) {
        clear_rows(to, rows, down, columns, along, PyArray_ITEMSIZE(array), diagonal, (below != 0) != turned);
        int d = ndim - 3;
        for (; d >= 0; d--) {
            to += strides[d];
            if (++at[d] < dims[d]) break;
            to -= strides[d] * dims[d];
            at[d] = 0;
        }
        if (d < 0) Py_RETURN_TRUE;
    }
}

NAMES(Triangle, input, diagonal);
NAMES(SavedOfTriangle, diagonal);

// The kernel's data points to one of these: which triangle stays.
constexpr bool lower = true, upper = false;

bool is_lower(const OpInfo& op) { return *static_cast<const bool*>(op.kernel->data); }

bool triangle_forward(Call& call) {
    return call.give(triangle(call.array(Triangle::input), call.integer(Triangle::diagonal), is_lower(*call.op)));
}

bool triangle_backward(Gradient& gradient) {
    bool below = is_lower(*gradient.plan->op);
    return gradient.give(triangle(gradient.grad(), gradient.integer(SavedOfTriangle::diagonal), below));
}

NAMES(Matrix, input, offset);
NAMES(SavedOfMatrix, offset);

bool matrix_forward(Call& call) {
    PyArrayObject* input = call.array(Matrix::input);
    npy_intp offset = call.integer(Matrix::offset);
    DECLINE_IF(offset < -FAR || offset > FAR);
    npy_intp side = PyArray_SIZE(input) + std::abs(offset), dims[] = {side, side};
    npy_intp itemsize = PyArray_ITEMSIZE(input), step = (side + 1) * itemsize;
    npy_intp start = (offset < 0 ? -offset * side : offset) * itemsize;
    copy_to(PyArray_BYTES(call.make_zeros(2, dims, PyArray_TYPE(input))) + start, &step, input);
    return true;
}

bool matrix_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    npy_intp offset = gradient.integer(SavedOfMatrix::offset);
    npy_intp count = PyArray_DIM(grad, 0) - std::abs(offset);
    npy_intp step = PyArray_STRIDE(grad, 0) + PyArray_STRIDE(grad, 1);
    npy_intp start = offset < 0 ? -offset * PyArray_STRIDE(grad, 0) : offset * PyArray_STRIDE(grad, 1);
    DECLINE_IF(count < 1);
    return gradient.give(view_of(grad, 1, &count, &step, start));
}

NAMES(Diag, input, diagonal, out);

// diag(input, diagonal=0, *, out=None) of a vector
PyObject* diag_route(Call& call) {
    static Inner matrix("_diagonal_matrix");
    return matrix(call[Diag::input], call[Diag::diagonal]);
}

NAMES(Diagonal, input, offset, dim1, dim2);

// The elements whose places along two dims differ by `offset`, as a new last dim; one that is empty is Python's.
bool diagonal_forward(Call& call) {
    PyArrayObject* array = call.array(Diagonal::input);
    int first = call.dim(Diagonal::dim1), second = call.dim(Diagonal::dim2);
    npy_intp offset = call.integer(Diagonal::offset);
    DECLINE_IF(first == second);
    Geometry geometry(array);
    npy_intp rows = geometry.dims[first], columns = geometry.dims[second];
    DECLINE_IF(offset <= -rows || offset >= columns);
    npy_intp down = geometry.strides[first], along = geometry.strides[second];
    npy_intp count = std::min(rows - std::max<npy_intp>(-offset, 0), columns - std::max<npy_intp>(offset, 0));
    geometry.remove(std::max(first, second));
    geometry.remove(std::min(first, second));
    geometry.insert(geometry.ndim, count, down + along);
    return call.give(geometry.of(array, offset < 0 ? -offset * down : offset * along));
}

KERNEL("tril")
    .forward(triangle_forward, Triangle::names)
    .takes(tensor(Triangle::input).movable().rank_from(2).filled().dense(), integer(Triangle::diagonal))
    .gradient(triangle_backward, SavedOfTriangle::names)
    .given(tensor(GRADIENT).movable().rank_from(2).filled(), integer(SavedOfTriangle::diagonal))
    .with(&lower);
KERNEL("triu").as("tril").with(&upper);
KERNEL("_diagonal_matrix")
    .forward(matrix_forward, Matrix::names)
    .takes(tensor(Matrix::input).movable().rank(1).filled(), integer(Matrix::offset))
    .gradient(matrix_backward, SavedOfMatrix::names)
    .given(tensor(GRADIENT).rank(2), integer(SavedOfMatrix::offset));
KERNEL("diag")
    .route(diag_route, Diag::names)
    .takes(tensor(Diag::input).rank(1), integer(Diag::diagonal), none(Diag::out));
KERNEL("diagonal")
    .forward(diagonal_forward, Diagonal::names)
    .takes(tensor(Diagonal::input).rank_from(2).filled(), dim(Diagonal::dim1, Diagonal::input),
           dim(Diagonal::dim2, Diagonal::input), integer(Diagonal::offset));

}  // namespace

PyMethodDef triangle_methods[] = {
    {"clear_triangle", guarded<clear_triangle>, METH_VARARGS, "Zeros on one side of a diagonal, in place."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace rushlight
