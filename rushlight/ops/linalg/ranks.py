"""Ranks and condition numbers: how much of a matrix is left, told by its singular values."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.memory.deferred import resolved
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.linalg.checks import require_square
from rushlight.ops.linalg.eigenvalues import eigvalsh
from rushlight.ops.linalg.inverses import inv_ex
from rushlight.ops.linalg.singular import svdvals
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import FULL
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.reductions.norms import matrix_norm

INF = math.inf


def matrices(make):
    return [
        case(make.floats(3, 4)),
        case(make.floats(2, 3, 2) @ make.floats(2, 2, 3)),
        case(make.spd(3, 3), hermitian=True),
        case(make.floats(3, 3), 1.5),
        case(make.floats(3, 3), tol=np.array([0.5, 2.0], "float32")),
        case(make.floats(3, 3), atol=1.0),
        case(make.floats(3, 3), rtol=0.3),
        case(make.floats(2, 3, 3), atol=np.array([0.5, 2.0], "float32")),
        case(make.complexes(3, 3)),
        case(make.floats(0, 3)),
        case(make.floats(0, 3, 3)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
    ]


@composed(name="linalg.matrix_rank", samples=cases(matrices))
def matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values are larger than `atol` and than `rtol` times the largest of them.

    >>> torch.linalg.matrix_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    if input.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if input._array.dtype not in FULL:
        raise RuntimeError(f"This function doesn't handle types other than float and double. Got {input.dtype.scalar}")
    for name, each in (("tol", tol), ("atol", atol), ("rtol", rtol)):
        if isinstance(each, Tensor) and each.is_complex():
            raise RuntimeError(
                f"torch.linalg.matrix_rank: {name} tensor of complex type is not supported. Got {each.dtype.scalar}"
            )
    matrix = input.detach()
    values = eigvalsh(matrix).abs() if hermitian else svdvals(matrix)
    sizes = values._array
    if rtol is None:
        given = tol is not None or atol is not None
        rtol = 0.0 if given else max(input.shape[-2:]) * float(np.finfo(sizes.dtype).eps)
    if any([isinstance(each, Tensor) and is_mapped(each) for each in (values, tol, atol, rtol)]):
        return rank_of_samples(values, tol if atol is None else atol, rtol)
    floor = limit(tol if atol is None else atol)
    largest = sizes.max(-1, keepdims=True) if sizes.shape[-1] else np.zeros((*sizes.shape[:-1], 1))
    rank = (sizes > np.maximum(floor, limit(rtol) * largest)).sum(-1)
    return write_composed("linalg.matrix_rank", wrap(np.asarray(rank, np.int64)), out)


def rank_of_samples(values, floor, rtol):
    """The same inside of `vmap`."""
    if not values.shape[-1]:
        return values.sum(-1).long()
    floor, rtol = [each.unsqueeze(-1) if isinstance(each, Tensor) else each for each in (floor, rtol)]
    least = values.amax(-1, True) * rtol
    if floor is not None:
        least = least.maximum(floor) if isinstance(floor, Tensor) else least.clamp(min=floor)
    return (values > least).sum(-1)


def limit(value):
    """A tolerance, a number or one for each matrix of a batch, beside singular values."""
    given = 0.0 if value is None else resolved(value._array) if isinstance(value, Tensor) else value
    return np.asarray(given)[..., None]


@composed(
    name="linalg.cond",
    samples=cases(
        lambda make: [
            *[case(make.floats(3, 3), p) for p in (None, 2, -2, "fro", "nuc", 1, -1, INF, -INF)],
            case(make.floats(4, 3)),
            case(make.floats(2, 3, 3), 1),
            case(make.complexes(2, 2)),
            corner(np.zeros((2, 2), "float32"), 1),
            case(make.floats(0, 0)),
            case(make.floats(0, 3, 3), 1),
            case(make.floats(4, 3), 1),
            case(make.floats(3, 3), 3),
            case(make.floats(3)),
            case(make.ints(2, 2)),
        ]
    ),
)
def cond(input, p=None, *, out=None):
    """The condition number: the norm `p` of a matrix times that of its inverse; infinite if there is none.

    >>> torch.linalg.cond(torch.diag(torch.tensor([100.0, 0.3])))
    tensor(333.3333)
    """
    if input.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in (None, 2, -2, "fro", "nuc", 1, -1, INF, -INF):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not input.numel():
        found = input.new_zeros(input.shape[:-2]).abs()
    elif p in (None, 2, -2):
        values = svdvals(input)
        largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.shape[-1] - 1, 1)
        found = (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
    else:
        require_square(input._array, f"linalg.cond(ord={p})")
        inverse, info = inv_ex(input)
        if p == "nuc":
            # where there is no inverse its norm is infinite, but the decomposition would not take that
            singular = info > 0
            other = matrix_norm(inverse.masked_fill(singular[..., None, None], 0), p)
            found = matrix_norm(input, p) * other.masked_fill(singular, INF)
        else:
            found = (matrix_norm(input, p) * matrix_norm(inverse, p)).nan_to_num(INF, INF, -INF)
    return write_composed("linalg.cond", found, out)
