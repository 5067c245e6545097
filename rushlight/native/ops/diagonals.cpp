// Diagonals: triangles of matrices, and the matrix of a vector. See ops/shape/diagonals.py.
#include <algorithm>
#include <cstring>

#include "loops/copy.h"
#include "memory/arrays.h"
#include "ops/views.h"
#include "seam/call.h"

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

// The triangle in new memory; nullptr where Python must look.
PyArrayObject* triangle(PyArrayObject* array, PyObject* named, bool lower) {
    constexpr npy_intp FAR = npy_intp{1} << 40;
    npy_intp diagonal;
    int ndim = PyArray_NDIM(array);
    DECLINE_IF(ndim < 2 || !is_movable(array) || PyArray_SIZE(array) == 0);
    DECLINE_IF(!read_index(named, diagonal) || diagonal < -FAR || diagonal > FAR);
    bool dense = PyArray_IS_C_CONTIGUOUS(array);
    PyArrayObject* made = dense ? new_array(ndim, PyArray_DIMS(array), PyArray_TYPE(array)) : packed_copy(array);
    if (made == nullptr) return nullptr;
    npy_intp rows = PyArray_DIM(array, ndim - 2), itemsize = PyArray_ITEMSIZE(array);
    npy_intp row_bytes = PyArray_DIM(array, ndim - 1) * itemsize;
    const char* from = PyArray_BYTES(dense ? array : made);
    cut_triangles(PyArray_BYTES(made), from, PyArray_SIZE(array) / rows * itemsize / row_bytes, rows, row_bytes,
                  itemsize, diagonal, lower);
    return made;
}

NAMES(Triangle, input, diagonal);
NAMES(SavedOfTriangle, diagonal);

template <bool lower>
PyObject* triangle_forward(Call& call) {
    PyArrayObject* input = call.array(Triangle::input);
    DECLINE_IF(!PyArray_IS_C_CONTIGUOUS(input));
    return as_object(triangle(input, call[Triangle::diagonal], lower));
}

template <bool lower>
bool triangle_backward(Gradient& gradient) {
    gradient.found[0] = triangle(gradient.grad(), gradient.option(SavedOfTriangle::diagonal), lower);
    return gradient.found[0] != nullptr;
}

NAMES(Matrix, input, offset);
NAMES(SavedOfMatrix, offset);

PyObject* matrix_forward(Call& call) {
    PyArrayObject* input = call.array(Matrix::input);
    constexpr npy_intp FAR = npy_intp{1} << 20;
    npy_intp offset;
    DECLINE_IF(PyArray_NDIM(input) != 1 || !is_movable(input) || PyArray_SIZE(input) == 0);
    DECLINE_IF(!read_index(call[Matrix::offset], offset) || offset < -FAR || offset > FAR);
    npy_intp side = PyArray_SIZE(input) + std::abs(offset), dims[] = {side, side};
    PyArrayObject* made = zeros_array(2, dims, PyArray_TYPE(input));
    if (made == nullptr) return nullptr;
    npy_intp itemsize = PyArray_ITEMSIZE(input), step = (side + 1) * itemsize;
    npy_intp start = (offset < 0 ? -offset * side : offset) * itemsize;
    copy_to(PyArray_BYTES(made) + start, &step, input);
    return as_object(made);
}

bool matrix_backward(Gradient& gradient) {
    PyArrayObject* grad = gradient.grad();
    npy_intp offset;
    DECLINE_IF(PyArray_NDIM(grad) != 2 || !read_index(gradient.option(SavedOfMatrix::offset), offset));
    npy_intp count = PyArray_DIM(grad, 0) - std::abs(offset);
    npy_intp step = PyArray_STRIDE(grad, 0) + PyArray_STRIDE(grad, 1);
    npy_intp start = offset < 0 ? -offset * PyArray_STRIDE(grad, 0) : offset * PyArray_STRIDE(grad, 1);
    DECLINE_IF(count < 1);
    gradient.found[0] = view_of(grad, 1, &count, &step, start);
    return gradient.found[0] != nullptr;
}

NAMES(Diag, input, diagonal, out);

// diag(input, diagonal=0, *, out=None) of a vector
PyObject* diag_route(Call& call) {
    static Function* matrix = find_function("_diagonal_matrix");
    PyArrayObject* input = call.array(Diag::input);
    DECLINE_IF(matrix == nullptr || call[Diag::out] != Py_None);
    DECLINE_IF(!PyLong_CheckExact(call[Diag::diagonal]));
    DECLINE_IF(input == nullptr || PyArray_NDIM(input) != 1);
    PyObject* args[] = {call[Diag::input], call[Diag::diagonal]};
    return call_native(matrix, args, 2, nullptr);
}

KERNEL("tril")
    .forward(triangle_forward<true>, Triangle::names)
    .gradient(triangle_backward<true>, SavedOfTriangle::names);
KERNEL("triu")
    .forward(triangle_forward<false>, Triangle::names)
    .gradient(triangle_backward<false>, SavedOfTriangle::names);
KERNEL("_diagonal_matrix").forward(matrix_forward, Matrix::names).gradient(matrix_backward, SavedOfMatrix::names);
KERNEL("diag").route(diag_route, Diag::names);

}  // namespace

}  // namespace rushlight
