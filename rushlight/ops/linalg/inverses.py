"""Inverses of square matrices."""

from __future__ import annotations

import numpy as np

from rushlight.ops.linalg.checks import no_info, require_inexact, require_square, require_success
from rushlight.ops.linalg.lapack import LARGE, PREFIXES, each_matrix, lapack, unchecked
from rushlight.ops.linalg.lu import factored, substituted
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."

squares = cases(
    lambda make: [
        case(make.spd(3, 3)),
        case(make.floats(3, 3) + 3 * np.eye(3, dtype="float32")),
        case(make.spd(2, 3, 3)),
        case(make.floats(0, 0)),
        case(make.floats(0, 3, 3)),
        case(make.complexes(2, 2)),
        case(make.spd(3, 3).astype("float64").T),
        corner(np.zeros((2, 2), "float32")),
        case(make.floats(2, 3)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
        case(make.floats(2, 2, dtype="float16")),
    ]
)


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, name="linalg.inv_ex", returns=("inverse", "info"), samples=squares)
def inv_ex(A, *, check_errors=False, out=None):
    """Inverses, and for each the position of the first zero pivot, counted from one: 0 where all is well.

    >>> inverse, info = torch.linalg.inv_ex(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    >>> info
    tensor(2, dtype=torch.int32)
    """
    inverse, info = inverses(A)
    if check_errors:
        require_success(info, "linalg.inv_ex", SINGULAR)
    return inverse, info


inv_ex.gradient(A=lambda grad, inverse: -adjoint(inverse) @ grad @ adjoint(inverse))


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, name="linalg.inv", node="LinalgInvExBackward0", samples=squares)
def inv(A, *, out=None):
    """The inverse of a square matrix; an error if there is none.

    >>> torch.linalg.inv(torch.tensor([[1.0, 1.0], [0.0, 2.0]]))
    tensor([[ 1.0000, -0.5000],
            [ 0.0000,  0.5000]])
    """
    inverse, info = inverses(A)
    require_success(info, "linalg.inv", SINGULAR)
    return inverse


inv.gradient(A=lambda grad, result: -adjoint(result) @ grad @ adjoint(result))


def inverses(A):
    """The inverses, with infinities where there is none, and LAPACK's infos."""
    require_square(A, "linalg.inv")
    require_inexact(A, "linalg.inv")
    found = inverted(A) if A.shape[-1] >= LARGE else None
    try:
        return unchecked("inv", np.linalg.inv, A)[0] if found is None else found, no_info(A)
    except np.linalg.LinAlgError:
        LU, pivots, info = factored(A)
        return substituted(LU, pivots, np.eye(A.shape[-1], dtype=A.dtype)), info


def inverted(A):
    """The inverses from LU factors, a third of the time that NumPy's takes; None if there is one without."""
    if not A.size or A.dtype.char not in PREFIXES:
        return None
    getrf, getri, work = lapack("getrf", A.dtype), lapack("getri", A.dtype), 64 * A.shape[-1]
    # columns in a row, as LAPACK has them and torch returns them
    found = np.empty_like(A.swapaxes(-1, -2), order="C").swapaxes(-1, -2)
    for place, matrix in each_matrix(A):
        LU, swaps, singular = getrf(matrix)
        if singular:
            return None
        found[place], _ = getri(LU, swaps, lwork=work, overwrite_lu=1)
    return found


@composed(samples=squares)
def inverse(input, *, out=None):
    """The inverse of a square matrix: `linalg.inv`.

    >>> torch.tensor([[2.0, 0.0], [0.0, 4.0]]).inverse()
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inv(input, out=out)
