"""The Cholesky factor: the square root of a positive definite matrix as a triangle."""

from __future__ import annotations

import numpy as np

from rushlight.ops.linalg.checks import (
    no_info,
    require_inexact,
    require_kernel,
    require_same_dtype,
    require_square,
    require_success,
)
from rushlight.ops.linalg.inverses import SINGULAR
from rushlight.ops.linalg.lapack import LARGE, PREFIXES, each_matrix, flipped, lapack, unchecked
from rushlight.ops.linalg.triangles import require_equations, solve_triangular, substitution
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import cases, corner
from rushlight.ops.machine.transforms.words import LEADING, PLAIN
from rushlight.ops.products.products import adjoint

INDEFINITE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)


def definite(make):
    # one triangle is read, and the gradient is that of a symmetric matrix: differences would not see it so
    root = make.complexes(3, 3)
    return [
        corner(make.spd(3, 3)),
        corner(make.spd(3, 3), upper=True),
        corner(make.spd(2, 3, 3).astype("float64")),
        corner(make.spd(3, 3) + np.triu(make.floats(3, 3), 1)),
        corner(root @ root.conj().T + np.eye(3, dtype="complex64")),
        corner(make.floats(0, 0)),
        corner(make.floats(0, 3, 3)),
        corner(-make.spd(2, 2)),
        corner(np.stack([np.eye(2, dtype="float32"), -np.eye(2, dtype="float32")])),
        corner(make.floats(2, 3)),
        corner(make.floats(3)),
        corner(make.ints(2, 2)),
    ]


def roots(A, upper):
    """The factors, and LAPACK's infos; where there is no factor, what LAPACK had done by then."""
    if upper:
        found, info = roots(flipped(A), False)
        return flipped(found), info
    try:
        large = A.size and A.shape[-1] >= LARGE and A.dtype.char in PREFIXES
        found, info = one_by_one(A) if large else (*unchecked("cholesky_lo", np.linalg.cholesky, A), no_info(A))
    except np.linalg.LinAlgError:
        found, info = one_by_one(A)
    if found.size and np.count_nonzero((last := found[..., -1, -1]) != last):
        # a number that is none is not positive
        missing = np.isnan(np.diagonal(found, axis1=-2, axis2=-1)) & (info == 0)[..., None]
        info = np.where(missing.any(-1), missing.argmax(-1) + 1, info).astype(info.dtype)
    return found, info


def one_by_one(A):
    """The factors as LAPACK finds them, a fifth of the time that NumPy takes for large ones, column by column."""
    found, info = np.empty_like(A.swapaxes(-1, -2), order="C").swapaxes(-1, -2), no_info(A)
    potrf = lapack("potrf", A.dtype)
    for place, matrix in each_matrix(A):
        found[place], info[place] = potrf(matrix, lower=True)
    return found, info


def root_gradient(grad, root, upper):
    """The gradient of a symmetric matrix: with L^-1 dA L^-H = M, dL is L times M's half below the diagonal."""
    if upper:
        root, grad = adjoint(root), adjoint(grad)
    inner = (adjoint(root) @ grad).tril()
    inner = solve_triangular(adjoint(root), inner + adjoint(inner.tril(-1)), upper=True)
    return 0.5 * solve_triangular(root, inner, upper=False, left=False)


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, name="linalg.cholesky_ex", returns=("L", "info"), samples=cases(definite))
def cholesky_ex(input, *, upper=False, check_errors=False, out=None):
    """The factor, and the order of the first leading minor that is not positive: 0 where all is well.

    >>> L, info = torch.linalg.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    >>> info  # the minor of order 2 is -3
    tensor(2, dtype=torch.int32)
    """
    require_square(input, "linalg.cholesky")
    require_inexact(input, "linalg.cholesky", "cholesky_cpu")
    found, info = roots(input, upper)
    if check_errors:
        require_success(info, "linalg.cholesky_ex", INDEFINITE)
    return found, info


cholesky_ex.gradient(input=lambda grad, L, upper: root_gradient(grad, L, upper))


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.cholesky",
    node="LinalgCholeskyExBackward0",
    samples=cases(definite),
)
def linalg_cholesky(input, *, upper=False, out=None):
    """The lower triangle L with L L' = A, or the upper one U with U' U = A, of a positive definite matrix.

    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    require_square(input, "linalg.cholesky")
    require_inexact(input, "linalg.cholesky", "cholesky_cpu")
    found, info = roots(input, upper)
    require_success(info, "linalg.cholesky", INDEFINITE)
    return found


linalg_cholesky.gradient(input=lambda grad, result, upper: root_gradient(grad, result, upper))


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, samples=cases(definite))
def cholesky(input, upper=False, *, out=None):
    """The triangle L with L L' = A of a positive definite matrix; `linalg.cholesky` replaces it.

    >>> torch.cholesky(torch.tensor([[9.0, 3.0], [3.0, 2.0]]), upper=True)
    tensor([[3., 1.],
            [0., 1.]])
    """
    require_square(input, "cholesky")
    require_kernel(input, "cholesky_cpu")
    found, info = roots(input, upper)
    require_success(info, "cholesky", INDEFINITE)
    return found


cholesky.gradient(input=lambda grad, result, upper: root_gradient(grad, result, upper))


def triangles(make):
    lower = np.tril(make.floats(3, 3)) + 3 * np.eye(3, dtype="float32")
    batch = np.tril(make.floats(2, 3, 3)) + 3 * np.eye(3, dtype="float32")
    return [lower, batch, np.tril(make.complexes(2, 2), -1) + 3 * np.eye(2, dtype="complex64"), make.floats(0, 0)]


def factors(make):
    # as in torch the gradient does not stop at the triangle
    lower, *others = triangles(make)
    return [
        corner(lower),
        corner(lower.T, True),
        *[corner(each) for each in others],
        corner(make.floats(2, 3)),
        corner(make.floats(3)),
        corner(make.ints(2, 2)),
    ]


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, samples=cases(factors))
def cholesky_inverse(input, upper=False, *, out=None):
    """The inverse of the positive definite matrix whose Cholesky factor is given.

    >>> L = torch.tensor([[1.0, 0.0], [1.0, 1.0]])  # of [[1, 1], [1, 2]]
    >>> torch.cholesky_inverse(L)
    tensor([[ 2., -1.],
            [-1.,  1.]])
    """
    require_square(input, "cholesky_inverse")
    require_kernel(input, "cholesky_inverse_out_cpu")
    require_success(first_zero(input), "cholesky_inverse", SINGULAR)
    root = flipped(input) if upper else input
    inverse = substitution(root, np.eye(root.shape[-1], dtype=root.dtype), False)
    return flipped(inverse) @ inverse


def first_zero(triangle):
    """The number of the first zero on the diagonal of each triangle, as LAPACK counts; 0 where there is none."""
    zeros = triangle.diagonal(0, -2, -1) == 0
    return np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0) if np.count_nonzero(zeros) else no_info(triangle)


def inverse_gradient(grad, input, result, upper):
    inner = result @ (grad + adjoint(grad)) @ result
    return -(input @ inner) if upper else -(inner @ input)


cholesky_inverse.gradient(input=inverse_gradient)


def equations(make):
    lower, batch, pairs, nothing = triangles(make)
    return [
        corner(make.floats(3, 2), lower),
        corner(make.floats(3, 2), lower.T, True),
        corner(make.floats(4, 1, 3, 2), batch),
        corner(make.complexes(2, 2), pairs),
        corner(make.floats(0, 2), nothing),
        corner(make.floats(2, 2), lower),
        corner(make.floats(3), lower),
        corner(make.ints(2, 2), make.ints(2, 2)),
    ]


@op(dtype=SAME, batch=LEADING, layout=COLUMNS, samples=cases(equations))
def cholesky_solve(input, input2, upper=False, *, out=None):
    """The solution X of A X = B for the positive definite matrix A whose Cholesky factor is given second.

    >>> L = torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.cholesky_solve(torch.tensor([[8.0], [12.0]]), L)
    tensor([[1.],
            [2.]])
    """
    for label, each in (("b", input), ("u", input2)):
        if each.ndim < 2:
            raise RuntimeError(f"{label} should have at least 2 dimensions, but has {each.ndim} dimensions instead")
    require_square(input2, "")
    require_same_dtype(input, input2, labels=("b", "A"))
    require_kernel(input, "cholesky_solve_cpu")
    require_equations(input2, input, True, "cholesky_solve")
    root = flipped(input2) if upper else input2
    return substitution(flipped(root), substitution(root, input, False), True)


def root_of_equations_gradient(grad, input2, result, upper):
    product = cholesky_solve(grad, input2, upper) @ adjoint(result)
    product = product + adjoint(product)
    return -(input2 @ product) if upper else -(product @ input2)


cholesky_solve.gradient(
    input=lambda grad, input2, upper: cholesky_solve(grad, input2, upper),
    input2=root_of_equations_gradient,
)
