"""The pseudoinverse of a matrix, by singular values."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.linalg.singular import decomposed
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import FULL, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint


@composed(
    name="linalg.pinv",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(4, 2)),
            case(make.floats(2, 3, 3)),
            case(make.floats(0, 3)),
            corner(make.spd(3, 3), hermitian=True),
            corner(make.floats(4, 3), rtol=0.1),
            corner(make.floats(4, 3), atol=0.5),
            case(make.complexes(3, 2)),
            case(make.floats(3)),
            case(make.ints(3, 3)),
            case(make.floats(3, 3, dtype="float16")),
            case(np.full((3, 3), np.nan, "float32")),
        ]
    ),
)
def pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The pseudoinverse: for least squares, `pinv(a) @ b` solves `a @ x = b`.

    >>> torch.linalg.pinv(torch.tensor([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000],
            [0.0000, 0.0000]])
    """
    if input.ndim < 2 or input._array.dtype not in FULL:
        raise RuntimeError(
            f"linalg.pinv({input.dtype.scalar}{{{list(input.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types"
        )
    if rtol is None:
        rtol = rcond
    if rtol is None:
        eps = np.finfo(input._array.real.dtype).eps
        rtol = 0.0 if atol is not None else max(input.shape[-2:]) * float(eps)
    limits = [each._array if isinstance(each, Tensor) else each for each in (atol or 0.0, rtol)]
    found = pseudoinverse(input, *limits, hermitian)
    return write_composed("linalg.pinv", found, out)


@op(name="_pseudoinverse", dtype=SAME, batch=PLAIN, node="LinalgPinvBackward0", samples=None)
def pseudoinverse(input, atol: float, rtol: float, hermitian: bool):
    """The pseudoinverse without singular values below the larger of `atol` and `rtol` times the largest."""
    if not input.size:
        return np.zeros((*input.shape[:-2], input.shape[-1], input.shape[-2]), input.dtype)
    if hermitian:
        # as torch does: only the lower triangle is read
        values, left = np.linalg.eigh(input, "L")
        right, sizes = left.conj().swapaxes(-1, -2), np.abs(values)
    else:
        left, values, right = decomposed(input, False)
        sizes = values
    limit = np.maximum(np.asarray(atol)[..., None], np.asarray(rtol)[..., None] * sizes.max(-1, keepdims=True))
    inverse = np.where(sizes > limit, 1 / np.where(sizes > limit, values, 1), 0).astype(values.dtype)
    return (right.conj().swapaxes(-1, -2) * inverse[..., None, :]) @ left.conj().swapaxes(-1, -2)


# from d(P) = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P
pseudoinverse.gradient(input=lambda grad, input, result: pseudoinverse_gradient(grad, input, result))


def pseudoinverse_gradient(grad, matrix, inverse):
    flipped, back = adjoint(grad), adjoint(inverse)
    # (I - A P) X = X - A (P X)
    rest = flipped @ inverse @ back
    other = back @ inverse @ flipped
    return rest - matrix @ (inverse @ rest) + other - (other @ inverse) @ matrix - back @ grad @ back


@composed(samples=cases(lambda make: [case(make.floats(3, 4)), case(make.floats(2, 4, 2))]))
def pinverse(input, rcond=1e-15):
    """The pseudoinverse of a matrix; `linalg.pinv` under its old name.

    >>> torch.pinverse(torch.tensor([[1.0], [1.0]]))
    tensor([[0.5000, 0.5000]])
    """
    return pinv(input, rcond)
