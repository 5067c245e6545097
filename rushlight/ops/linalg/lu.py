"""LU factors: a matrix as a permutation, a lower and an upper triangle."""

from __future__ import annotations

import numpy as np

from rushlight.core.creation.filled import eye
from rushlight.ops.linalg.checks import require_kernel, require_success
from rushlight.ops.linalg.lapack import batch_of, each_matrix, lapack
from rushlight.ops.linalg.results import collected, written
from rushlight.ops.linalg.triangles import lower_triangle, solve_triangular, upper_triangle
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import all_numbers
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint
from rushlight.ops.shape.joining import cat

ZERO_PIVOT = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)

matrices = cases(
    lambda make: [
        case(make.floats(3, 3)),
        case(make.floats(4, 3)),
        case(make.floats(2, 3, 4)),
        case(make.complexes(3, 3)),
        case(make.floats(0, 3)),
        case(make.floats(0, 2, 2)),
        case(make.floats(3, 2, dtype="float64").T),
        corner(np.zeros((2, 2), "float32")),
        case(make.floats(3, 3), pivot=False),
        case(make.floats(3)),
        case(make.ints(2, 2)),
    ]
)


def require_factorable(A, pivot, name):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    require_kernel(A, "lu_cpu")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def factored(A):
    """L and U in one matrix, the rows that were swapped (counted from one), and LAPACK's infos."""
    if A.ndim == 2 and A.size:
        LU, pivots, info = lapack("getrf", A.dtype)(A)
        pivots += 1
        return LU, pivots, np.array(info, np.int32)
    batch, count = A.shape[:-2], min(A.shape[-2:])
    LU, pivots, info = np.empty(A.shape, A.dtype), np.empty((*batch, count), np.int32), np.zeros(batch, np.int32)
    if A.size:
        getrf = lapack("getrf", A.dtype)
        for place, matrix in each_matrix(A):
            LU[place], swaps, info[place] = getrf(matrix)
            pivots[place] = swaps + 1
    return LU, pivots, info


def substituted(LU, pivots, B, adjoint=False):
    """The solutions of A X = B, or of A's adjoint, from A's factors; infinite where a pivot is zero."""
    found = np.empty((*batch_of(LU, B), *B.shape[-2:]), LU.dtype)
    if found.size:
        getrs = lapack("getrs", LU.dtype)
        for place, matrix, swaps, right in each_matrix(LU, pivots[..., None], B):
            found[place], _ = getrs(matrix, swaps[:, 0] - 1, right, 2 if adjoint else 0)
    return found


def swapped_alone(pivots: np.ndarray, rows: int) -> np.ndarray:
    """The order of one matrix's rows after the swaps, by a list: 0.1 us each, where arrays take 20."""
    order = list(range(rows))
    for number, other in enumerate(pivots.tolist()):
        order[number], order[other - 1] = order[other - 1], order[number]
    return np.array(order, np.int64)


def swapped(pivots: np.ndarray, rows: int) -> np.ndarray:
    """The same for each matrix of a batch."""
    order = np.empty((*pivots.shape[:-1], rows), np.int64)
    order[...] = np.arange(rows)
    for number in range(pivots.shape[-1]):
        here, other = order[..., number : number + 1].copy(), pivots[..., number : number + 1].astype(np.int64) - 1
        order[..., number : number + 1] = np.take_along_axis(order, other, -1)
        np.put_along_axis(order, other, here, -1)
    return order


@op(dtype=SAME, batch=PLAIN, name="_permutation", samples=None)
def permutation(pivots, rows: int, dtype: np.dtype):
    """The matrix P of A = P L U, from the swaps."""
    if pivots.ndim == 1:
        found = np.zeros((rows, rows), dtype)
        found[swapped_alone(pivots, rows), np.arange(rows)] = 1
        return found
    order = swapped(pivots, rows)
    found = np.zeros((*order.shape, rows), dtype)
    np.put_along_axis(found, order[..., None, :], 1, -2)
    return found


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.lu_factor_ex",
    returns=("LU", "pivots", "info"),
    samples=matrices,
)
def lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """L and U in one matrix, the rows that were swapped, and where the first zero stands on U's diagonal.

    >>> LU, pivots, info = torch.linalg.lu_factor_ex(torch.ones(2, 2))
    >>> info  # U has a zero at its second place
    tensor(2, dtype=torch.int32)
    """
    require_factorable(A, pivot, "torch.lu_factor")
    found = factored(A)
    if check_errors:
        require_success(found[2], "torch.linalg.lu_factor_ex", ZERO_PIVOT, RuntimeError)
    return found


lu_factor_ex.gradient(A=lambda grad, LU, pivots: packed_gradient(grad, LU, pivots))


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.lu_factor",
    node="LinalgLuFactorExBackward0",
    returns=("LU", "pivots"),
    samples=matrices,
)
def lu_factor(A, *, pivot=True, out=None):
    """L and U in one matrix and the rows that were swapped, for `lu_solve`.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> LU
    tensor([[2.0000, 2.0000],
            [0.5000, 1.0000]])
    >>> pivots
    tensor([2, 2], dtype=torch.int32)
    """
    require_factorable(A, pivot, "torch.lu_factor")
    LU, pivots, info = factored(A)
    require_success(info, "torch.linalg.lu_factor", ZERO_PIVOT, RuntimeError)
    return LU, pivots


lu_factor.gradient(A=lambda grad, LU, pivots: packed_gradient(grad, LU, pivots))


def packed_gradient(grad, LU, pivots):
    size = min(LU.shape[-2:])
    lower, upper = grad[..., :size].tril(-1), grad[..., :size, :].triu()
    P = permutation(pivots, LU.shape[-2], LU._array.dtype)
    return lu_gradient(lower, upper, P, *lower_and_upper(LU))


def lower_and_upper(LU):
    """L, with ones on its diagonal, and U out of the matrix that holds both."""
    size = min(LU.shape[-2:])
    ones = eye(LU.shape[-2], size, dtype=LU.dtype)
    return LU[..., :size].tril(-1) + ones, LU[..., :size, :].triu()


def lu_gradient(lower, upper, P, L, U):
    """From the gradients of L and U; either may be None.

    With N = L^-1 P' dA U^-1 for a square A: dL = L tril(N, -1) and dU = triu(N) U. What stands below or beside the
    square part of A follows from its own rows or columns of A and from these.
    """
    rows, columns, size = L.shape[-2], U.shape[-1], min(L.shape[-2], U.shape[-1])
    zero = U.new_zeros(size, size)
    lower_part, upper_part = zero, zero
    top, bottom, left, beside = L[..., :size, :], L[..., size:, :], U[..., :size], U[..., size:]
    if lower is not None:
        lower_part = adjoint(top) @ lower[..., :size, :]
        if rows > size:
            upper_part = upper_part - adjoint(bottom) @ lower[..., size:, :]
    if upper is not None:
        upper_part = upper_part + upper[..., :size] @ adjoint(left)
        if columns > size:
            lower_part = lower_part - upper[..., size:] @ adjoint(beside)
    inner = lower_part.tril(-1) + upper_part.triu()
    found = solve_triangular(adjoint(left), inner, upper=False, left=False)
    found = solve_triangular(adjoint(top), found, upper=True, unitriangular=True)
    if columns > size:
        rest = inner.new_zeros(*inner.shape[:-1], columns - size) if upper is None else upper[..., size:]
        found = cat([found, solve_triangular(adjoint(top), rest, upper=True, unitriangular=True)], -1)
    if rows > size:
        rest = inner.new_zeros(*inner.shape[:-2], rows - size, size) if lower is None else lower[..., size:, :]
        found = cat([found, solve_triangular(adjoint(left), rest, upper=False, left=False)], -2)
    return P @ found


@op(dtype=SAME, batch=PLAIN, name="_lu", node="LinalgLuBackward0", returns=("L", "U", "pivots"), samples=None)
def lu_parts(A, pivot: bool):
    """L and U, and the rows that were swapped."""
    require_factorable(A, pivot, "linalg.lu")
    LU, pivots, _ = factored(A)
    return *separated(LU), pivots


lu_parts.gradient(
    A=lambda grads, L, U, pivots: lu_gradient(
        grads[0], grads[1], permutation(pivots, L.shape[-2], L._array.dtype), L, U
    )
)


def separated(LU):
    size = min(LU.shape[-2:])
    lower = lower_triangle(LU[..., :size])
    places = np.arange(size)
    lower[..., places, places] = 1
    return lower, upper_triangle(LU[..., :size, :])


@composed(name="linalg.lu", samples=matrices)
def linalg_lu(A, *, pivot=True, out=None):
    """A permutation P, a lower triangle L with ones on its diagonal and an upper one U, whose product is A.

    >>> P, L, U = torch.linalg.lu(torch.tensor([[1.0, 2.0], [2.0, 2.0]]))
    >>> U
    tensor([[2., 2.],
            [0., 1.]])
    >>> torch.equal(P @ L @ U, torch.tensor([[1.0, 2.0], [2.0, 2.0]]))
    True
    """
    L, U, pivots = lu_parts(A, pivot)
    P = permutation(pivots, A.shape[-2], A._array.dtype)
    return collected("linalg.lu", ("P", "L", "U"), (P, L, U), out)


@composed(samples=cases(lambda make: [case(make.floats(3, 3)), case(make.floats(2, 3, 3), get_infos=True)]))
def lu(A, pivot=True, get_infos=False, out=None):
    """L and U in one matrix and the rows that were swapped, with infos if asked: `linalg.lu_factor_ex`.

    >>> LU, pivots = torch.tensor([[4.0, 2.0], [2.0, 3.0]]).lu()
    >>> LU
    tensor([[4.0000, 2.0000],
            [0.5000, 2.0000]])
    """
    found = lu_factor_ex(A, pivot=pivot)
    return written("lu", found if get_infos else (found.LU, found.pivots), out)


def packed(make):
    found = []
    for matrix in (make.floats(3, 3), make.floats(2, 3, 4), make.floats(4, 3), make.complexes(2, 2)):
        LU, pivots, _ = factored(matrix)
        found.append(case(LU, pivots))
    return [
        *found,
        case(*found[0].args, unpack_data=False),
        case(*found[0].args, unpack_pivots=False),
        case(found[0].args[0], make.floats(3)),
        case(found[0].args[0], np.array([1, 2, 9], "int32")),
    ]


@composed(method=False, samples=cases(packed))
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """The permutation, L and U out of what `lu_factor` returns; what is not asked for is an empty tensor.

    >>> A = torch.tensor([[0.0, 2.0], [1.0, 3.0]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> P
    tensor([[0., 1.],
            [1., 0.]])
    """
    if unpack_pivots and LU_pivots.dtype.name != "int32":
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype. "
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    pivots, rows = all_numbers(LU_pivots), LU_data.shape[-2]
    if unpack_pivots and pivots.size and not 1 <= pivots.min() <= pivots.max() <= rows:
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive. Did you properly pass the "
            "result of lu_factor?"
        )
    P, L, U = (LU_data.new_empty(0) for _ in range(3))
    if unpack_pivots:
        P = permutation(LU_pivots, rows, LU_data._array.dtype)
    if unpack_data:
        L, U = lower_and_upper(LU_data)
    return collected("lu_unpack", ("P", "L", "U"), (P, L, U), out)
