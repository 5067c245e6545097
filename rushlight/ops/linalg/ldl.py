"""LDL: a symmetric matrix that need not be definite, as triangles around a block diagonal."""

from __future__ import annotations

import numpy as np

from rushlight.ops.linalg.checks import (
    no_info,
    require_inexact,
    require_kernel,
    require_same_dtype,
    require_square,
    require_success,
    scalar,
)
from rushlight.ops.linalg.lapack import batch_of, each_matrix, lapack
from rushlight.ops.linalg.triangles import require_equations
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import cases, corner
from rushlight.ops.machine.transforms.words import FILLED, PLAIN

SINGULAR = (
    "The factorization has been completed, but the block {} of D is exactly zero: it cannot be used to solve equations."
)


def symmetric(make):
    one, pair = make.floats(2, 3, 3), make.complexes(3, 3)
    return [
        corner(make.spd(3, 3)),
        corner(one + one.swapaxes(-1, -2)),
        corner(pair + pair.T),
        corner(pair + pair.conj().T, hermitian=True),
        corner(make.spd(2, 2).astype("float64"), hermitian=True),
        corner(make.floats(0, 0)),
        corner(make.floats(0, 2, 2)),
        corner(make.floats(2, 3)),
        corner(make.floats(3)),
        corner(make.ints(2, 2)),
    ]


def halves(A, hermitian, name):
    """L and D in one matrix, LAPACK's record of the swaps and its infos."""
    require_square(A, name)
    require_inexact(A, name, "ldl_factor_kernel_cpu")
    found, pivots, info = A.copy(), np.zeros(A.shape[:-1], np.int32), no_info(A)
    if A.size:
        factor = lapack("hetrf" if hermitian and A.dtype.kind == "c" else "sytrf", A.dtype)
        for place, matrix in each_matrix(A):
            found[place], pivots[place], info[place] = factor(matrix, lower=True)
    return np.tril(found), pivots, info


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.ldl_factor_ex",
    returns=("LD", "pivots", "info"),
    samples=cases(symmetric),
    underivable="linalg_ldl_factor_ex",
)
def ldl_factor_ex(input, *, hermitian=False, check_errors=False, out=None):
    """L and D in one matrix, the swaps, and where D has a zero block; reads the lower triangle.

    >>> torch.linalg.ldl_factor_ex(torch.zeros(2, 2)).info
    tensor(1, dtype=torch.int32)
    """
    found = halves(input, hermitian, "torch.linalg.ldl_factor_ex")
    if check_errors:
        require_success(found[2], "torch.linalg.ldl_factor_ex", SINGULAR)
    return found


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.ldl_factor",
    returns=("LD", "pivots"),
    samples=cases(symmetric),
    underivable="linalg_ldl_factor_ex",
)
def ldl_factor(input, *, hermitian=False, out=None):
    """L and D of a symmetric, or Hermitian, matrix in one, and the swaps, for `ldl_solve`.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[2.0, 1.0], [1.0, -1.0]]))
    >>> LD.diagonal()
    tensor([ 2.0000, -1.5000])
    """
    LD, pivots, info = halves(input, hermitian, "torch.linalg.ldl_factor_ex")
    require_success(info, "torch.linalg.ldl_factor", SINGULAR)
    return LD, pivots


def equations(make):
    LD, pivots, _ = halves(make.spd(3, 3), False, "")
    pair = make.complexes(2, 3, 3)
    return [
        corner(LD, pivots, make.floats(3, 2)),
        corner(*halves(pair + pair.conj().swapaxes(-1, -2), True, "")[:2], make.complexes(2, 3, 1), hermitian=True),
        corner(*halves(pair + pair.swapaxes(-1, -2), False, "")[:2], make.complexes(2, 3, 1)),
        corner(LD, pivots, make.floats(2, 2)),
        corner(LD, pivots, make.floats(3)),
        corner(LD, pivots.astype("int64"), make.floats(3, 1)),
        corner(LD, pivots.astype("float32"), make.floats(3, 1)),
    ]


@op(
    dtype=SAME,
    batch=FILLED,
    layout=COLUMNS,
    name="linalg.ldl_solve",
    samples=cases(equations),
    underivable="linalg_ldl_solve",
)
def ldl_solve(LD, pivots, B, *, hermitian=False, out=None):
    """The solution of A X = B from what `ldl_factor(A)` returns.

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[2.0, 1.0], [1.0, -1.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[3.0], [0.0]]))
    tensor([[1.],
            [1.]])
    """
    name = "torch.linalg.ldl_solve"
    require_square(LD, name)
    if B.ndim < 2:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [-1, 0], but got -2): {name} takes a matrix B: give "
            "b.unsqueeze(-1)"
        )
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar(pivots)}")
    # LAPACK reads and writes where they point; those of blocks of two are negative
    if pivots.shape != LD.shape[:-1] or (
        pivots.size and not 1 <= np.abs(pivots).min() <= np.abs(pivots).max() <= LD.shape[-1]
    ):
        raise RuntimeError(
            f"{name}: Expected pivots as ldl_factor returns them: one for each row, none beyond the last"
        )
    require_same_dtype(LD, B, name, ("LD", "B"))
    require_kernel(LD, "ldl_solve_kernel_cpu")
    require_equations(LD, B, True, name)
    found = np.empty((*batch_of(LD, B), *B.shape[-2:]), LD.dtype)
    if found.size:
        solve = lapack("hetrs" if hermitian and LD.dtype.kind == "c" else "sytrs", LD.dtype)
        for place, matrix, swaps, right in each_matrix(LD, pivots[..., None], B):
            found[place], _ = solve(matrix, swaps[:, 0], right, lower=True)
    return found
