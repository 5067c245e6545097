"""QR: a matrix as an orthogonal one times an upper triangle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rushlight.ops.linalg.checks import require_inexact, require_matrices
from rushlight.ops.linalg.lapack import WIDE, numpy_loop
from rushlight.ops.linalg.results import collected
from rushlight.ops.linalg.triangles import solve_triangular, upper_triangle
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint
from rushlight.ops.shape.joining import cat


def matrices(make):
    return [
        case(make.floats(4, 3)),
        case(make.floats(3, 4)),
        case(make.floats(2, 3, 3, dtype="float64")),
        corner(make.complexes(3, 2)),
        case(make.floats(0, 3)),
        case(make.floats(3, 0)),
        case(make.floats(0, 2, 2)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
    ]


def modes(make):
    return [
        *matrices(make),
        corner(make.floats(4, 3), "complete"),
        case(make.floats(3, 4), "complete"),
        corner(make.floats(4, 3), mode="r"),
        case(make.floats(4, 3), mode="full"),
    ]


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, name="linalg.qr", returns=("Q", "R"), samples=cases(modes))
def linalg_qr(A, mode="reduced", *, out=None):
    """Q with orthonormal columns and an upper triangle R, whose product is A; Q is square if `mode` is 'complete'.

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> Q, R = torch.linalg.qr(A)
    >>> torch.allclose(Q @ R, A), torch.allclose(Q.mT @ Q, torch.eye(2), atol=1e-6)
    (True, True)
    """
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    require_matrices(A, "linalg.qr")
    require_inexact(A, "linalg.qr", "geqrf_cpu")
    if mode == "reduced" and A.size and (reflections := numpy_loop("qr_r_raw")):
        return reduced(A, reflections)
    found = np.linalg.qr(A, mode)
    return (np.empty(0, A.dtype), found) if mode == "r" else tuple(found)


def reduced(A: np.ndarray, reflections: Callable) -> tuple[np.ndarray, np.ndarray]:
    """As `np.linalg.qr` computes them, without its checks."""
    vectors = A.astype(WIDE[A.dtype.char])
    with np.errstate(all="ignore"):
        Q = numpy_loop("qr_reduced")(vectors, reflections(vectors))
    R = upper_triangle(vectors[..., : Q.shape[-1], :])
    return Q.astype(A.dtype, copy=False), R.astype(A.dtype, copy=False)


def qr_gradient(grads, Q, R, mode):
    """Of a wide matrix the first columns make Q and a square R, the others follow from their own columns of R."""
    outer, upper = grads
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to require gradients"
        )
    rows, columns = Q.shape[-2], R.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols: use mode='reduced'"
        )
    if outer is None and upper is None:
        return None
    if columns <= rows:
        return tall_gradient(outer, upper, Q, R)
    square, rest = R[..., :rows], None
    if upper is not None:
        # A's other columns are Q times R's: they turn with Q
        product = Q @ R[..., rows:] @ adjoint(upper[..., rows:])
        outer = product if outer is None else outer + product
        rest = Q @ upper[..., rows:]
    first = tall_gradient(outer, None if upper is None else upper[..., :rows], Q, square)
    rest = first.new_zeros(*first.shape[:-1], columns - rows) if rest is None else rest
    return cat([first, rest], -1)


def tall_gradient(outer, upper, Q, R):
    """From d(Q'Q) = 0 and dR triangular: (gQ + Q S) R^-H with S Hermitian, its lower half that of R gR' - gQ' Q."""
    inner = 0
    if upper is not None:
        inner = R @ adjoint(upper)
    if outer is not None:
        inner = inner - adjoint(outer) @ Q
    lower = inner.tril(-1)
    diagonal = inner.diagonal(0, -2, -1)
    if inner.is_complex():
        diagonal = diagonal.real.to(inner.dtype)
    found = Q @ (lower + adjoint(lower) + diagonal.diag_embed())
    found = found if outer is None else found + outer
    return solve_triangular(adjoint(R), found, upper=False, left=False)


linalg_qr.gradient(A=qr_gradient)


@composed(samples=cases(lambda make: [*matrices(make), corner(make.floats(4, 3), False)]))
def qr(input, some=True, *, out=None):
    """Q with orthonormal columns and an upper triangle R, whose product is the input; `linalg.qr` replaces it.

    >>> Q, R = torch.qr(torch.ones(4, 2))
    >>> Q.shape, R.shape
    (torch.Size([4, 2]), torch.Size([2, 2]))
    """
    return collected("qr", ("Q", "R"), linalg_qr(input, "reduced" if some else "complete"), out)
