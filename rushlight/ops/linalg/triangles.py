"""Triangles: equations whose matrix is triangular, solved by substitution."""

from __future__ import annotations

import numpy as np

from rushlight.native import extension
from rushlight.ops.linalg.checks import require_kernel, require_matrices, require_same_dtype, require_square
from rushlight.ops.linalg.lapack import batch_of, blas, each_matrix
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import LEADING
from rushlight.ops.products.products import adjoint

# above this NumPy's elimination costs more than a call of BLAS for each matrix
SMALL = 32


def upper_triangle(A: np.ndarray) -> np.ndarray:
    """A copy with zeros below the diagonal; `np.triu` takes 6 us."""
    found = A.copy()
    cleared = extension is not None and extension.clear_triangle(found, 0, False)
    return found if cleared else np.triu(A)


def lower_triangle(A: np.ndarray) -> np.ndarray:
    """The same with zeros on the diagonal and above it."""
    found = A.copy()
    cleared = extension is not None and extension.clear_triangle(found, -1, True)
    return found if cleared else np.tril(A, -1)


def substitution(A, B, upper, unitriangular=False):
    """The solution of A X = B; only one triangle of A is read."""
    if A.ndim + B.ndim == 4 and A.size and B.size:
        return blas("trsm", A.dtype)(1, A, B, lower=not upper, diag=unitriangular)
    count = A.shape[-1]
    if count <= SMALL and A.ndim + B.ndim > 4:
        matrix = np.triu(A, int(unitriangular)) if upper else np.tril(A, -int(unitriangular))
        if unitriangular:
            matrix[..., range(count), range(count)] = 1
        if matrix.diagonal(0, -2, -1).all():
            return np.linalg.solve(matrix, B)
    found = np.empty((*batch_of(A, B), *B.shape[-2:]), A.dtype)
    if found.size:
        trsm = blas("trsm", A.dtype)
        for place, matrix, right in each_matrix(A, B):
            found[place] = trsm(1, matrix, right, lower=not upper, diag=unitriangular)
    return found


def require_equations(A, B, left, name):
    """Shapes that fit: A X = B, or X A = B."""
    if B.shape[-2 if left else -1] != A.shape[-1]:
        if name == "cholesky_solve":
            raise RuntimeError(
                f"Incompatible matrix sizes for cholesky_solve: each A matrix is {A.shape[-2]} by {A.shape[-1]} "
                f"but each b matrix is {B.shape[-2]} by {B.shape[-1]}"
            )
        shapes = f"{A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]}"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} ({shapes})"
        )


def equations(make):
    lower = np.tril(make.floats(3, 3)) + 2 * np.eye(3, dtype="float32")
    batch = np.tril(make.floats(2, 3, 3)) + 2 * np.eye(3, dtype="float32")
    return [
        case(lower, make.floats(3, 2), upper=False),
        case(lower.T, make.floats(3, 2), upper=True),
        case(lower, make.floats(2, 3), upper=False, left=False),
        case(lower + make.floats(3, 3), make.floats(3, 2), upper=True, unitriangular=True),
        case(batch, make.floats(3, 2), upper=False),
        case(batch, make.floats(2, 3, 2), upper=False, unitriangular=True),
        case(batch, make.floats(4, 1, 2, 3), upper=False, left=False),
        case(make.complexes(2, 2), make.complexes(2, 2), upper=True),
        corner(np.zeros((2, 2), "float32"), make.floats(2, 1), upper=True),
        case(make.floats(0, 0), make.floats(0, 2), upper=True),
        case(make.floats(0, 2, 2), make.floats(0, 2, 2), upper=True),
        case(lower, make.floats(2, 2), upper=True),
        case(lower, make.floats(3), upper=True),
        case(lower, make.floats(3, 2, dtype="float64"), upper=True),
        case(make.ints(2, 2), make.ints(2, 2), upper=True),
    ]


@op(dtype=SAME, batch=LEADING, layout=COLUMNS, name="linalg.solve_triangular", samples=cases(equations))
def solve_triangular(input, B, *, upper: bool, left=True, unitriangular=False, out=None):
    """The solution of A X = B, or of X A = B, for a triangular matrix A, of which the other half is not read.

    >>> A = torch.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[4.0], [5.0]]), upper=False)
    tensor([[2.],
            [3.]])
    """
    name = "linalg.solve_triangular"
    require_square(input, name)
    require_matrices(B, name, "B")
    require_kernel(input, "triangular_solve_cpu")
    if B.dtype.kind != input.dtype.kind:
        require_same_dtype(input, B, name)
    B = B.astype(input.dtype, copy=False)
    require_equations(input, B, left, name)
    if left:
        return substitution(input, B, upper, unitriangular)
    found = substitution(input.swapaxes(-1, -2), B.swapaxes(-1, -2), not upper, unitriangular)
    return found.swapaxes(-1, -2)


def triangle_gradient(grad, matrix, result, upper, left, unitriangular):
    """The gradient of the triangular matrix: zero where it was not read."""
    back = solve_triangular(adjoint(matrix), grad, upper=not upper, left=left, unitriangular=unitriangular)
    product = -(back @ adjoint(result)) if left else -(adjoint(result) @ back)
    return product.triu(int(unitriangular)) if upper else product.tril(-int(unitriangular))


solve_triangular.gradient(
    input=lambda grad, input, result, upper, left, unitriangular: triangle_gradient(
        grad, input, result, upper, left, unitriangular
    ),
    B=lambda grad, input, upper, left, unitriangular: solve_triangular(
        adjoint(input), grad, upper=not upper, left=left, unitriangular=unitriangular
    ),
)


def old_equations(make):
    return [
        case(make.floats(3, 2), make.spd(3, 3)),
        case(make.floats(3, 2), make.spd(3, 3), False),
        case(make.floats(3, 2), make.spd(3, 3), True, True),
        case(make.floats(2, 3, 2), make.spd(3, 3), False, True, True),
        case(make.complexes(2, 2), make.complexes(2, 2), transpose=True),
        case(make.floats(3), make.spd(3, 3)),
        case(make.floats(3, 2), make.floats(3, 2)),
    ]


@op(dtype=SAME, batch=LEADING, layout=COLUMNS, returns=("solution", "cloned_coefficient"), samples=cases(old_equations))
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    """The solution X of A X = B for a triangular A, and a copy of A; `linalg.solve_triangular` replaces it.

    >>> A = torch.tensor([[1.0, 1.0], [0.0, 2.0]])
    >>> torch.triangular_solve(torch.tensor([[3.0], [4.0]]), A).solution
    tensor([[1.],
            [2.]])
    """
    for label, each in (("b", input), ("A", A)):
        if each.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {label} to have at least 2 dimensions, but it has {each.ndim} "
                "dimensions instead"
            )
    require_square(A, "")
    require_same_dtype(input, A, labels=("b", "A"))
    require_kernel(A, "triangular_solve_cpu")
    require_equations(A, input, True, "triangular_solve")
    turned = A.swapaxes(-1, -2) if transpose else A
    found = substitution(turned, input, upper != transpose, unitriangular)
    spread = A if A.ndim == found.ndim == 2 else np.broadcast_to(A, found.shape[:-2] + A.shape[-2:])
    return found, spread.copy()


def coefficient_gradient(grads, A, solution, upper, transpose, unitriangular):
    grad, copied = grads
    if grad is None:
        return copied
    turned = A.transpose(-2, -1) if transpose else A
    found = triangle_gradient(grad, turned, solution, upper != transpose, True, unitriangular)
    found = found.transpose(-2, -1) if transpose else found
    return found if copied is None else found + copied


def right_side_gradient(grad, A, upper, transpose, unitriangular):
    if grad is None:
        return None
    turned = A.transpose(-2, -1) if transpose else A
    return solve_triangular(adjoint(turned), grad, upper=upper == transpose, unitriangular=unitriangular)


triangular_solve.gradient(input=right_side_gradient, A=coefficient_gradient)
