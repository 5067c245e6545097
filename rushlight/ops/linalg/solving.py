"""Solving: linear equations with square matrices, from the matrix or from its factors."""

from __future__ import annotations

import numpy as np

from rushlight.errors.explained import explained
from rushlight.ops.linalg.checks import (
    no_info,
    require_inexact,
    require_kernel,
    require_matrices,
    require_same_dtype,
    require_square,
    require_success,
    scalar,
)
from rushlight.ops.linalg.lapack import LARGE, batch_of, each_matrix, flipped, lapack, unchecked
from rushlight.ops.linalg.lu import factored, lower_and_upper, permutation, substituted
from rushlight.ops.linalg.triangles import require_equations
from rushlight.ops.machine.declare import Op, composed, op
from rushlight.ops.machine.layouts import COLUMNS, ROWS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, joined
from rushlight.ops.machine.transforms.words import FILLED
from rushlight.ops.products.products import adjoint

SINGULAR = "The solver failed because the input matrix is singular."


def equations(make):
    A, batch = make.spd(3, 3), make.spd(2, 3, 3)
    return [
        case(A, make.floats(3, 2)),
        case(A, make.floats(3)),
        case(A, make.floats(4, 3, 2)),
        case(A, make.floats(2, 3), left=False),
        case(batch, make.floats(3)),
        case(batch, make.floats(2, 3)),
        case(batch, make.floats(4, 1, 3, 2)),
        case(make.complexes(2, 2), make.complexes(2, 3)),
        case(make.floats(0, 0), make.floats(0, 2)),
        case(make.floats(0, 2, 2), make.floats(0, 2, 2)),
        case(A, make.floats(2, 3)),
        case(A, make.floats(3), left=False),
        case(A, make.floats(3, 2, dtype="float64")),
        case(make.ints(2, 2), make.ints(2)),
        case(make.floats(2, 3), make.floats(2)),
    ]


singular = cases(lambda make: [case(np.zeros((2, 2), "float32"), make.floats(2))])


def SOLVED(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """Column by column as A X = B is solved; X A = B is its transpose."""
    return (COLUMNS if arrays[op.positions["left"]] else ROWS)(op, arrays, result)


@op(
    dtype=SAME,
    batch=FILLED,
    layout=SOLVED,
    name="linalg.solve_ex",
    returns=("result", "info"),
    samples=cases(equations),
)
def solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """The solution of A X = B, and the position of the first zero pivot, counted from one: 0 where all is well.

    >>> x, info = torch.linalg.solve_ex(torch.zeros(2, 2), torch.ones(2))
    >>> info
    tensor(1, dtype=torch.int32)
    """
    found, info = solutions(A, B, left)
    if check_errors:
        require_success(info, "torch.linalg.solve_ex", SINGULAR)
    return found, info


@op(
    dtype=SAME,
    batch=FILLED,
    layout=SOLVED,
    name="linalg.solve",
    node="LinalgSolveExBackward0",
    samples=joined(cases(equations), singular),
)
def solve(A, B, *, left=True, out=None):
    """The solution of A X = B, or of X A = B, for square matrices A and a matrix or vector B.

    >>> A = torch.tensor([[1.0, 1.0], [1.0, -1.0]])  # x + y = 5, x - y = 1
    >>> torch.linalg.solve(A, torch.tensor([5.0, 1.0]))
    tensor([3., 2.])
    """
    found, info = solutions(A, B, left)
    require_success(info, "torch.linalg.solve", SINGULAR)
    return found


def solutions(A, B, left):
    """The solutions, infinite for singular matrices, and LAPACK's infos."""
    name = "linalg.solve"
    if A.dtype.kind in "biu":
        require_inexact(A, name, "lu_cpu")
    require_same_dtype(A, B, name)
    require_square(A, name)
    require_inexact(A, name, "lu_cpu")
    vector = is_vector(A.shape, B.shape)
    if vector:
        B = B[..., None]
    require_matrices(B, name, "B")
    require_equations(A, B, left, name)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not supported for left=False")
    if not left:
        A, B = A.swapaxes(-1, -2), B.swapaxes(-1, -2)
    try:
        large = A.shape[-1] >= LARGE
        found, info = solved(A, B) if large else unchecked("solve", np.linalg.solve, A, B)[0], no_info(A)
    except np.linalg.LinAlgError:
        LU, pivots, info = factored(A)
        found = substituted(LU, pivots, B)
    return (found[..., 0] if vector else found if left else found.swapaxes(-1, -2)), info


def solved(A, B):
    """The solutions by LAPACK itself, half of the time that NumPy's function takes."""
    shape = (*batch_of(A, B), *B.shape[-2:])
    found = np.empty((*shape[:-2], shape[-1], shape[-2]), A.dtype).swapaxes(-1, -2)
    if found.size:
        gesv = lapack("gesv", A.dtype)
        for place, matrix, right in each_matrix(A, B):
            _, _, found[place], singular = gesv(matrix, right)
            if singular:
                raise np.linalg.LinAlgError
    return found


def is_vector(matrix, shape):
    """Whether the right side is one vector, or one vector for each matrix."""
    return len(shape) == 1 or shape == matrix[:-1]


def matrix_gradient(grad, A, result, left):
    back = right_gradient(grad, A, left)
    if is_vector(tuple(A.shape), tuple(result.shape)):
        return -back.unsqueeze(-1) @ adjoint(result.unsqueeze(-1))
    return -(back @ adjoint(result)) if left else -(adjoint(result) @ back)


def right_gradient(grad, A, left):
    return solve_ex(adjoint(A), grad, left=left).result


# torch's node keeps the solution whichever side is asked for: one that was written to is refused
for each in (solve, solve_ex):
    each.gradient(A=matrix_gradient, B=lambda grad, A, result, left: right_gradient(grad, A, left))


def factors(make):
    found = []
    for matrix, right in (
        (make.floats(3, 3), make.floats(3, 2)),
        (make.floats(2, 3, 3), make.floats(3, 2)),
        (make.complexes(2, 2), make.complexes(2, 2)),
        (make.floats(0, 0), make.floats(0, 2)),
    ):
        LU, pivots, _ = factored(matrix)
        found.append((LU, pivots, right))
    LU, pivots, right = found[0]
    return [
        *[case(*each) for each in found],
        case(LU, pivots, right, adjoint=True),
        case(LU, pivots, right.T, left=False),
        case(*found[2], left=False, adjoint=True),
        case(LU, pivots, right.T),
        case(LU, pivots.astype("int64"), right),
        case(LU, pivots - 3, right),
        case(LU, pivots[:2], right),
    ]


@op(dtype=SAME, batch=FILLED, layout=SOLVED, name="linalg.lu_solve", samples=cases(factors))
def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """The solution of A X = B, of X A = B, or of these for A's adjoint, from what `lu_factor(A)` returns.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 1.0], [1.0, -1.0]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[5.0], [1.0]]))
    tensor([[3.],
            [2.]])
    """
    name = "linalg.lu_solve"
    if pivots.dtype != np.int32:
        words = f"{name}: pivots should be a Tensor of scalar type torch.int32. Got {scalar(pivots)}"
        raise explained(RuntimeError, words, fix="convert them: pivots.int()")
    require_square(LU, name)
    require_matrices(B, name, "B")
    require_same_dtype(LU, B, name, ("LU", "B"))
    require_kernel(LU, "lu_cpu")
    require_equations(LU, B, left, name)
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix: give both as "
            "lu_factor returned them"
        )
    # LAPACK reads and writes where they point
    if pivots.size and not 1 <= pivots.min() <= pivots.max() <= LU.shape[-1]:
        raise RuntimeError(
            "Pivots given to lu_solve must all be greater or equal to 1, and smaller or equal to LU.size(-2). Did "
            "you properly pass the result of lu_factor?"
        )
    return substituted(LU, pivots, B, adjoint) if left else flipped(substituted(LU, pivots, flipped(B), not adjoint))


mirrored = adjoint  # where an option has the name


def factor_gradient(grad, LU, pivots, result, left, adjoint):
    """Through A = P L U: the gradient of A in the lower triangle times U', in the upper one times L'."""
    back = linalg_lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint)
    one, two = (back, result) if left != adjoint else (result, back)
    matrix = -(one @ mirrored(two)) if left else -(mirrored(one) @ two)
    L, U = lower_and_upper(LU)
    inner = permutation(pivots, LU.shape[-1], LU._array.dtype).transpose(-2, -1) @ matrix
    return (inner @ mirrored(U)).tril(-1) + (mirrored(L) @ inner).triu()


linalg_lu_solve.gradient(
    LU=factor_gradient,
    B=lambda grad, LU, pivots, left, adjoint: linalg_lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint),
)


@composed(samples=cases(lambda make: [case(each.args[2], *each.args[:2]) for each in factors(make)[:4]]))
def lu_solve(input, LU_data, LU_pivots, *, out=None):
    """The solution of A X = B from what `lu_factor(A)` returns: `linalg.lu_solve`, the right side first.

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[0.0, 2.0], [4.0, 0.0]]))
    >>> torch.lu_solve(torch.tensor([[2.0], [4.0]]), LU, pivots)
    tensor([[1.],
            [1.]])
    """
    return linalg_lu_solve(LU_data, LU_pivots, input, out=out)
