"""Determinants, and their logarithms."""

from __future__ import annotations

import numpy as np

from rushlight.core.creation.filled import eye
from rushlight.core.numbers import dtypes
from rushlight.ops.linalg.checks import require_inexact, require_square
from rushlight.ops.linalg.inverses import inv_ex, inverses
from rushlight.ops.linalg.results import collected
from rushlight.ops.linalg.singular import linalg_svd
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner, corners, joined
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint


def squares(make):
    # the determinant of others that are singular is rounding, which differs from machine to machine
    singular = np.zeros((3, 3), "float32")
    return [
        case(make.floats(3, 3)),
        case(make.spd(2, 3, 3)),
        case(make.complexes(3, 3)),
        case(make.floats(1, 1)),
        case(make.floats(0, 0)),
        case(make.floats(0, 2, 2)),
        case(make.floats(3, 3, dtype="float64").T),
        corner(singular),
        case(make.floats(2, 3)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
    ]


@op(dtype=SAME, batch=PLAIN, name="linalg.det", samples=cases(squares))
def linalg_det(A, *, out=None):
    """The determinant of a square matrix.

    >>> torch.linalg.det(torch.tensor([[3.0, 1.0], [1.0, 2.0]]))
    tensor(5.)
    """
    require_square(A, "linalg.det")
    require_inexact(A, "linalg.det", "lu_cpu")
    return np.linalg.det(A)


# `result` is saved, as in torch: a determinant that is written to has no backward
linalg_det.gradient(A=lambda grad, A, result: grad[..., None, None] * conjugate(cofactors(A)))


@op(dtype=SAME, batch=PLAIN, name="_cofactors", samples=None)
def cofactors(A):
    """The derivative of the determinant by each element; of a singular matrix too."""
    try:
        inverse = inverses(A)[0]
        if np.isfinite(inverse).all():
            size = np.linalg.det(A)[..., None, None]
            # of a determinant that is too large torch has no derivative either
            return np.where(np.isfinite(size), size * inverse, np.nan).swapaxes(-1, -2)
    except np.linalg.LinAlgError:
        pass
    left, values, right = np.linalg.svd(A)
    others = np.where(np.eye(A.shape[-1], dtype=bool), 1, values[..., None, :]).prod(-1)
    turned = (np.linalg.det(left) * np.linalg.det(right))[..., None, None]
    return turned * ((left * others[..., None, :]) @ right).conj()


def cofactor_gradient(grad, A):
    """Exact for singular matrices: between singular vectors, the second derivatives of a diagonal matrix's determinant.

    These are the products of all singular values but two, for two elements of the diagonal, and their negatives, for
    two elements across it.
    """
    U, S, Vh = linalg_svd(A)
    same = eye(A.shape[-1], dtype=dtypes.bool_)
    left_out = same[:, None, :] | same[None, :, :]
    products = S[..., None, None, :].masked_fill(left_out, 1).prod(-1).masked_fill(same, 0).to(A.dtype)
    turned = (linalg_det(U) * linalg_det(Vh))[..., None, None]
    inner = conjugate(turned * (adjoint(U) @ conjugate(grad) @ adjoint(Vh)))
    straight = (products @ inner.diagonal(0, -2, -1).unsqueeze(-1)).squeeze(-1).diag_embed()
    return U @ (straight - products * inner.transpose(-2, -1)) @ Vh


cofactors.gradient(A=cofactor_gradient)


@op(dtype=SAME, batch=PLAIN, name="linalg.slogdet", returns=("sign", "logabsdet"), samples=cases(squares))
def linalg_slogdet(A, *, out=None):
    """The sign of the determinant, of length one if complex, and the logarithm of its absolute value.

    >>> torch.linalg.slogdet(-1e20 * torch.eye(3))  # the determinant itself overflows
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(138.1551))
    """
    require_square(A, "linalg.slogdet")
    require_inexact(A, "linalg.slogdet")
    return tuple(np.linalg.slogdet(A))


def slogdet_gradient(grads, A, sign):
    """From d(log det) = tr(A^-1 dA): its real part moves the logarithm, its imaginary part turns the sign."""
    turned, grad = grads
    if turned is not None and A.is_complex():
        angle = (conjugate(turned) * sign).imag
        grad = -1j * angle if grad is None else grad - 1j * angle
    return None if grad is None else grad[..., None, None] * adjoint(inv_ex(A).inverse)


linalg_slogdet.gradient(A=slogdet_gradient)


@composed(samples=cases(squares))
def det(input):
    """The determinant of a square matrix: `linalg.det`.

    >>> torch.det(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    tensor(-1.)
    """
    return linalg_det(input)


@composed(samples=cases(squares))
def slogdet(input, *, out=None):
    """The sign and the logarithm of the absolute value of the determinant: `linalg.slogdet`.

    >>> torch.slogdet(torch.diag(torch.tensor([1.0, -3.0]))).sign
    tensor(-1.)
    """
    return collected("slogdet", ("sign", "logabsdet"), linalg_slogdet(input), out)


@composed(
    samples=joined(
        cases(lambda make: [case(make.spd(2, 3, 3)), case(make.complexes(3, 3))]),
        corners(cases(squares)),
    )
)
def logdet(input):
    """The logarithm of the determinant; NaN where that is negative.

    >>> torch.logdet(torch.diag(torch.tensor([2.0, 3.0])))
    tensor(1.7918)
    """
    require_square(input._array, "logdet")
    require_inexact(input._array, "logdet")
    sign, size = linalg_slogdet(input)
    return sign.log() + size if input.is_complex() else size.where(sign != -1, float("nan"))
