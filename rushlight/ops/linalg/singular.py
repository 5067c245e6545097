"""Singular values: a matrix as a rotation, a stretch along the axes and another rotation."""

from __future__ import annotations

import numpy as np

from rushlight.errors.kinds import LinAlgError
from rushlight.ops.linalg.checks import require_inexact, require_matrices
from rushlight.ops.linalg.lapack import unchecked
from rushlight.ops.linalg.results import collected
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import is_followed, is_lifted
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint


def matrices(make):
    return [
        case(make.floats(4, 3)),
        case(make.floats(2, 3, 3)),
        corner(make.floats(3, 4, dtype="float64").T),
        corner(make.complexes(3, 2)),
        case(make.floats(0, 3)),
        case(make.floats(3, 0)),
        case(make.floats(0, 2, 2)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
        case(np.full((2, 2), np.nan, "float32")),
    ]


def decompositions(make):
    # beyond the singular values the vectors are free
    _, *others = matrices(make)
    return [
        *others,
        corner(make.floats(4, 3)),
        corner(make.floats(2, 4)),
        case(make.floats(4, 3), full_matrices=False),
        case(make.floats(2, 4), full_matrices=False),
    ]


def decomposed(A, full_matrices, vectors=True):
    require_matrices(A, "linalg.svd")
    require_inexact(A, "linalg.svd", "linalg_svd_cpu")
    try:
        loop = "svd" if not vectors else "svd_f" if full_matrices else "svd_s"
        found = unchecked(loop, lambda A: np.linalg.svd(A, full_matrices, vectors), A)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite values: find "
            "out with isfinite()"
        ) from None
    return found if vectors else found[0]


def refuse_driver(driver, name):
    if driver is not None:
        raise RuntimeError(
            f"torch.linalg.{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@op(dtype=SAME, batch=PLAIN, layout=COLUMNS, name="linalg.svd", returns=("U", "S", "Vh"), samples=cases(decompositions))
def linalg_svd(A, full_matrices=True, *, driver=None, out=None):
    """U, S and Vh with A = U diag(S) Vh, the singular values S in descending order.

    >>> A = torch.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> U, S, Vh = torch.linalg.svd(A)
    >>> S
    tensor([1.6180, 0.6180])
    >>> torch.allclose(U @ torch.diag(S) @ Vh, A, atol=1e-6)
    True
    """
    refuse_driver(driver, "svd")
    return decomposed(A, full_matrices)


linalg_svd.gradient(A=lambda grads, U, S, Vh: svd_gradient(*grads, U, S, Vh))


def svd_gradient(left, values, right, U, S, Vh):
    """From the gradients of U, S and Vh; any may be None. For U and Vh singular values must differ."""
    size = S.shape[-1]
    U, Vh = U[..., :size], Vh[..., :size, :]
    if left is None and right is None:
        return None if values is None else (U * values.unsqueeze(-2)) @ Vh
    squares = S * S
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    gaps = gaps.masked_fill(gaps == 0, float("inf"))
    inner = 0 if values is None else values.diag_embed()
    phase = 0
    if left is not None:
        left = left[..., :size]
        turned = skew(adjoint(U) @ left)
        phase = phase + turned.diagonal(0, -2, -1)
        inner = inner + turned / gaps * S.unsqueeze(-2)
        if turned.is_complex():
            inner = inner + (turned.diagonal(0, -2, -1) / (2 * S)).diag_embed()
    if right is not None:
        right = right[..., :size, :]
        turned = skew(Vh @ adjoint(right))
        phase = phase + turned.diagonal(0, -2, -1)
        inner = inner + S.unsqueeze(-1) * (turned / gaps)
    require_no_phase(phase, "svd_backward: The singular vectors")
    found = U @ inner @ Vh
    if left is not None and U.shape[-2] > size:
        scaled = left / S.unsqueeze(-2)
        found = found + (scaled - U @ (adjoint(U) @ scaled)) @ Vh
    if right is not None and Vh.shape[-1] > size:
        scaled = right / S.unsqueeze(-1)
        found = found + U @ (scaled - scaled @ adjoint(Vh) @ Vh)
    return found


def skew(matrix):
    return matrix - adjoint(matrix)


def require_no_phase(phase, words):
    """Complex vectors are free to turn by a phase: what depends on it has no gradient."""
    if is_lifted(phase):
        # its numbers stand for a direction, or for many samples
        return
    if phase.is_complex() and phase._array.size and abs(phase._array.imag).max() > 1e-2:
        raise RuntimeError(
            f"{words} in the complex case are specified up to multiplication by e^{{i phi}}. The specified loss "
            "function depends on this phase term, making it ill-defined: use abs() of them, or products in which the "
            "phase cancels"
        )


@op(dtype=SAME, batch=PLAIN, name="_singular_values", samples=None)
def singular_values(A):
    return decomposed(A, False, False)


@composed(name="linalg.svdvals", samples=cases(matrices))
def svdvals(A, *, driver=None, out=None):
    """The singular values of a matrix, in descending order.

    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, -4.5]]))
    tensor([4.5000, 3.0000])
    """
    refuse_driver(driver, "svdvals")
    # without a gradient the vectors are not needed: a third of the time
    found = linalg_svd(A, False).S if is_followed(A) else singular_values(A)
    return write_composed("linalg.svdvals", found, out)


@composed(
    samples=cases(
        lambda make: [
            *matrices(make)[:9],
            corner(make.floats(4, 2), False),
            case(make.floats(4, 2), compute_uv=False),
        ]
    )
)
def svd(input, some=True, compute_uv=True, *, out=None):
    """U, S and V with A = U diag(S) V'; zeros for U and V without `compute_uv`. `linalg.svd` replaces it.

    >>> U, S, V = torch.svd(torch.ones(3, 2))
    >>> U.shape, V.shape
    (torch.Size([3, 2]), torch.Size([2, 2]))
    """
    if input.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.ndim} dimensions instead"
        )
    if compute_uv:
        U, S, Vh = linalg_svd(input, not some)
        V = adjoint(Vh)
    else:
        U, V = (input.new_zeros(*input.shape[:-2], size, size) for size in input.shape[-2:])
        S = svdvals(input)
    return collected("svd", ("U", "S", "V"), (U, S, V), out)
