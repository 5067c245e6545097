"""Least squares: solutions of equations that have too many or too few rows."""

from __future__ import annotations

import numpy as np

from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.linalg.checks import require_success, scalar
from rushlight.ops.linalg.lapack import LARGE, batch_of, each_matrix, flipped, lapack
from rushlight.ops.linalg.pseudoinverse import pinv, pseudoinverse_gradient
from rushlight.ops.linalg.results import collected
from rushlight.ops.linalg.solving import is_vector
from rushlight.ops.linalg.triangles import substitution
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import FULL, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.products.products import adjoint

DRIVERS = ("gels", "gelsy", "gelsd", "gelss")
FIELDS = ("solution", "residuals", "rank", "singular_values")
RANK_DEFICIENT = (
    "The least squares solution could not be computed because the input matrix does not have full rank "
    "(error code: {})."
)


def equations(make):
    tall, wide = make.floats(4, 3), make.floats(2, 4)
    return [
        case(tall, make.floats(4, 2)),
        case(wide, make.floats(2, 3)),
        case(make.floats(3, 3), make.floats(3, 1)),
        *[case(tall, make.floats(4, 2), driver=each) for each in DRIVERS],
        *[case(wide, make.floats(2, 2), driver=each) for each in DRIVERS],
        case(make.floats(2, 4, 3), make.floats(2, 4, 2), driver="gelsd"),
        case(make.floats(2, 4, 3), make.floats(1, 4, 2), driver="gels"),
        case(make.floats(2, 4, 3), make.floats(2, 4), driver="gelsd"),
        case(tall, make.floats(4), driver="gelsd"),
        corner(tall, make.floats(4, 2), 0.5, driver="gelsd"),
        case(make.complexes(3, 2), make.complexes(3, 1), driver="gelss"),
        case(make.floats(0, 3), make.floats(0, 2)),
        case(make.floats(3, 0), make.floats(3, 2), driver="gelsd"),
        case(make.floats(0, 4, 3), make.floats(0, 4, 2), driver="gelsd"),
        corner(np.array([[0, 1], [0, 2], [0, 3]], "float32"), make.floats(3, 1), driver="gels"),
        case(tall, make.floats(3, 2)),
        case(tall, make.floats(4, 2), driver="qr"),
        case(tall, make.floats(4, 2, dtype="float64")),
        case(tall, make.floats(4, 1, 1)),
        case(make.floats(3), make.floats(3)),
        case(make.ints(2, 2), make.ints(2, 2)),
    ]


@composed(name="linalg.lstsq", samples=cases(equations))
def lstsq(input, b, rcond=None, *, driver=None, out=None):
    """The shortest X that brings A X nearest to B; residuals, ranks and singular values as the driver has them.

    >>> points = torch.tensor([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])  # x and 1
    >>> slope_and_start = torch.linalg.lstsq(points, torch.tensor([[1.0], [3.0], [5.0]])).solution
    >>> torch.allclose(slope_and_start, torch.tensor([[2.0], [1.0]]), atol=1e-5)
    True
    """
    driver = "gelsy" if driver is None else driver
    if driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    solution, residuals, rank, values = least_squares(input, b, rcond, driver)
    return collected("linalg.lstsq", FIELDS, (solution, residuals, rank, values.detach()), out)


def require_equations(A, B):
    name = "torch.linalg.lstsq"
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.ndim < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A.dtype != B.dtype:
        raise explained(
            RuntimeError,
            f"{name}: Expected input and other to have the same dtype, but got input's dtype {scalar(A)} and other's "
            f"dtype {scalar(B)}",
            fix=one_dtype(A.dtype, B.dtype),
        )
    if A.dtype not in FULL:
        raise RuntimeError(f"This function doesn't handle types other than float and double. Got {scalar(A)}")
    if not 0 <= A.ndim - B.ndim <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    size = -1 if A.ndim > B.ndim else -2
    if A.shape[-2] != B.shape[size]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size({size})")


@op(dtype=SAME, name="_least_squares", node="LinalgLstsqBackward0", returns=FIELDS, samples=None)
def least_squares(A, B, rcond: float, driver: str):
    """The solution and, where the driver has them, residuals, ranks and singular values; empty otherwise."""
    require_equations(A, B)
    vector = is_vector(A.shape, B.shape)
    B = B[..., None] if vector else B
    (rows, columns), batch = A.shape[-2:], batch_of(A, B)
    # what is known of each matrix alone has the matrices' own batch
    own = tuple([slice(0, 1) if size == 1 else slice(None) for size in A.shape[:-2]])
    if batch:
        A, B = (np.broadcast_to(each, batch + each.shape[-2:]) for each in (A, B))
    rank, values = np.empty(0, np.int64), np.empty(0, A.real.dtype)
    if driver == "gels":
        solution = by_triangle(A, B)
    else:
        rcond = max(rows, columns) * float(np.finfo(A.dtype).eps) if rcond is None else rcond
        if driver == "gelsy" and min(rows, columns) >= LARGE:
            solution, rank = by_pivots(A, B, rcond)
        else:
            solution, rank, sizes = by_singular_values(A, B, rcond)
            values = values if driver == "gelsy" else sizes
    residuals = np.empty(0, A.real.dtype)
    if rows > columns and driver != "gelsy" and (rank == columns).all():
        residuals = np.ascontiguousarray((np.abs(A @ solution - B) ** 2).sum(-2))
    return (
        solution[..., 0] if vector else in_columns(solution, max(rows, columns)),
        residuals,
        np.asarray(rank if driver == "gels" else rank[own], order="C"),
        np.asarray(values[own] if values.ndim > 1 else values, order="C"),
    )


def in_columns(solution, rows):
    """The solution column by column, at the head of as many rows as LAPACK needs to work in."""
    whole = np.empty((*solution.shape[:-2], solution.shape[-1], rows), solution.dtype).swapaxes(-1, -2)
    found = whole[..., : solution.shape[-2], :]
    found[...] = solution
    return found


def by_triangle(A, B):
    """Solutions for matrices of full rank, or all zero, from their QR decomposition or that of their adjoints."""
    wide = A.shape[-2] < A.shape[-1]
    Q, R = np.linalg.qr(flipped(A) if wide else A)
    nothing = (A == 0).all((-2, -1))
    zeros = (R.diagonal(0, -2, -1) == 0) & ~nothing[..., None]
    require_success(np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0), "torch.linalg.lstsq", RANK_DEFICIENT)
    found = Q @ substitution(flipped(R), B, False) if wide else substitution(R, flipped(Q) @ B, True)
    return np.where(nothing[..., None, None], 0, found).astype(A.dtype)


def by_pivots(A, B, rcond):
    """Solutions of least norm and the ranks, from QR with pivoting: a sixth of the time of singular values."""
    (rows, columns), count = A.shape[-2:], B.shape[-1]
    solution = np.empty((*A.shape[:-2], columns, count), A.dtype)
    rank = np.empty(A.shape[:-2], np.int64)
    solve, room = lapack("gelsy", A.dtype), lapack("gelsy_lwork", A.dtype)
    work = int(room(rows, columns, count, rcond)[0].real)
    for place, matrix, given in each_matrix(A, B):
        # the solution comes back in the place of what was given
        whole = np.zeros((max(rows, columns), count), A.dtype, "F")
        whole[:rows] = given
        _, found, _, rank[place], _ = solve(matrix, whole, np.zeros(columns, np.int32), rcond, work, overwrite_b=True)
        solution[place] = found[:columns]
    return solution, rank


def by_singular_values(A, B, rcond):
    """Solutions of least norm, the ranks and the singular values; those below `rcond` times the largest are zero."""
    if not A.size:
        sizes = np.zeros((*A.shape[:-2], min(A.shape[-2:])), A.real.dtype)
        solution = np.zeros((*A.shape[:-2], A.shape[-1], B.shape[-1]), A.dtype)
        return solution, np.zeros(A.shape[:-2], np.int64), sizes
    left, sizes, right = np.linalg.svd(A, full_matrices=False)
    kept = sizes > rcond * sizes[..., :1]
    inverse = np.where(kept, 1 / np.where(kept, sizes, 1), 0).astype(sizes.dtype)
    return flipped(right) @ (inverse[..., None] * (flipped(left) @ B)), kept.sum(-1), sizes


def least_squares_gradients(grads, A, B, solution):
    """Those of A and B: the solution is the pseudoinverse of A times B, and does not move the residuals."""
    grad, squares = grads[0], grads[1]
    if squares is not None and not squares.numel():
        squares = None
    if grad is None and squares is None:
        return None, None
    vector = is_vector(tuple(A.shape), tuple(B.shape))
    if vector:
        B, solution = B.unsqueeze(-1), solution.unsqueeze(-1)
    into_A, into_B = 0, 0
    if grad is not None:
        grad = grad.unsqueeze(-1) if vector else grad
        inverse = pinv(A)
        into_A = pseudoinverse_gradient(grad @ adjoint(B), A, inverse)
        into_B = adjoint(inverse) @ grad
    if squares is not None:
        scaled = 2 * (A @ solution - B) * squares.unsqueeze(-2)
        into_A = into_A + scaled @ adjoint(solution)
        into_B = into_B - scaled
    return into_A, into_B.squeeze(-1) if vector else into_B


least_squares.gradient(
    A=lambda grads, A, B, solution: least_squares_gradients(grads, A, B, solution)[0],
    B=lambda grads, A, B, solution: least_squares_gradients(grads, A, B, solution)[1],
)
