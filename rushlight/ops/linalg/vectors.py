"""Vectors: products along one dimension, and all powers of a vector's elements."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.refusals import no_kernel
from rushlight.ops.linalg.checks import require_same_dtype
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis as counted
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.norms import require_inexact
from rushlight.ops.shape.joining import cat

# of each of three elements the one after it and the one before it, in a circle
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
# elements up to which picking them costs less than the calls for each of the three
FEW = 1024


def triples(make):
    return [
        case(make.floats(3), make.floats(3)),
        case(make.floats(2, 3), make.floats(2, 3)),
        case(make.floats(4, 1, 3), make.floats(1, 5, 3)),
        case(make.floats(3, 2).T, make.floats(2, 3)),
        case(make.complexes(3), make.complexes(3)),
        case(make.ints(2, 3), make.ints(2, 3)),
        case(make.floats(0, 3), make.floats(0, 3)),
        case(make.floats(3, dtype="float16"), make.floats(3, dtype="float16")),
        case(make.floats(3, 2), make.floats(3, 2), dim=0),
        case(make.floats(2, 3), make.floats(3)),
        case(make.floats(2, 2), make.floats(2, 2)),
        case(make.floats(2, 3), make.floats(2, 3), dim=2),
        case(make.floats(3), make.floats(3, dtype="float64")),
        case(make.bools(3), make.bools(3)),
    ]


@op(dtype=MATCH, batch=ALONG, name="linalg.cross", samples=cases(triples))
def linalg_cross(input, other, *, dim=-1, out=None):
    """The cross product of vectors of three elements along `dim`.

    >>> x, y = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0])
    >>> torch.linalg.cross(x, y)
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    place = counted(dim, input.ndim)
    if input.shape[place] != 3 or other.shape[place] != 3:
        lengths = [each.shape[place] for each in (input, other)]
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {lengths[0]} and {lengths[1]}"
        )
    if input.dtype.kind == "b":
        raise no_kernel("cross", "Bool", fix="convert it first: x.int()")
    if input.size <= FEW:
        return input.take(NEXT, place) * other.take(LAST, place) - input.take(LAST, place) * other.take(NEXT, place)
    shape = input.shape if input.shape == other.shape else np.broadcast_shapes(input.shape, other.shape)
    found = np.empty(shape, input.dtype)
    lines, one, two = found.swapaxes(0, place), input.swapaxes(0, place), other.swapaxes(0, place)
    for line, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        part = lines[line : line + 1]
        np.multiply(one[a : a + 1], two[b : b + 1], part)
        part -= one[b] * two[a]
    return found


linalg_cross.gradient(
    input=lambda grad, other, dim: linalg_cross(conjugate(other).expand_as(grad), grad, dim=dim),
    other=lambda grad, input, dim: linalg_cross(grad, conjugate(input).expand_as(grad), dim=dim),
)


@composed(samples=cases(lambda make: [*triples(make), case(make.floats(3, 2), make.floats(3, 2), axis=0)]))
def cross(input, other, dim=None, *, axis=None, out=None):
    """The cross product of vectors of three elements, along `dim` or the first dimension of that size.

    >>> torch.cross(torch.tensor([[1], [2], [3]]), torch.tensor([[4], [5], [6]]), dim=0).flatten()
    tensor([-3,  6, -3])
    """
    dim = axis if dim is None else dim
    if dim is None:
        warnings.warn(
            "Using torch.cross without specifying the dim arg is deprecated: pass dim, or call torch.linalg.cross, "
            "which takes the last dimension.",
            UserWarning,
            stacklevel=3,
        )
        if 3 not in input.shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = input.shape.index(3)
    return linalg_cross(input, other, dim=dim, out=out)


@composed(
    name="linalg.vecdot",
    samples=cases(
        lambda make: [
            case(make.floats(3), make.floats(3)),
            case(make.floats(2, 3), make.floats(3)),
            case(make.floats(2, 3), make.floats(2, 3), dim=0),
            case(make.floats(2, 3), make.floats(2, 3), axis=0),
            case(make.complexes(2, 3), make.complexes(2, 3)),
            case(make.floats(0, 3), make.floats(0, 3)),
            case(make.floats(3, dtype="float16"), make.floats(3, dtype="float16")),
            case(make.floats(3), make.floats(3, dtype="float64")),
            case(make.ints(3), make.ints(3)),
        ]
    ),
)
def vecdot(x, y, *, dim=-1, axis=None, out=None):
    """The sum of products of two vectors' elements along `dim`, those of the first conjugated.

    >>> torch.linalg.vecdot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([10.0, 1.0]))
    tensor([12., 34.])
    """
    require_inexact(x._array, "linalg.vecdot")
    require_same_dtype(x._array, y._array, "linalg.vecdot", ("x", "y"))
    if x.ndim == y.ndim == 1:
        # torch does not look at the dimension of two vectors
        return write_composed("linalg.vecdot", x.vdot(y), out)
    return write_composed("linalg.vecdot", (conjugate(x) * y).sum(dim if axis is None else axis), out)


@composed(
    name="linalg.vander",
    samples=cases(
        lambda make: [
            case(make.floats(4)),
            case(make.floats(2, 3), N=5),
            case(make.complexes(3)),
            case(make.ints(4), N=2),
            case(make.floats(0), N=3),
            case(make.floats(), N=3),
            case(make.floats(3), N=1),
            case(make.floats(1)),
            case(make.bools(3)),
        ]
    ),
)
def vander(x, N=None):
    """The powers of each element from 0 to N - 1, along a new last dimension.

    >>> torch.linalg.vander(torch.tensor([2, 3]), N=4)
    tensor([[ 1,  2,  4,  8],
            [ 1,  3,  9, 27]])
    """
    if x.dtype in (dtypes.bool_, dtypes.float16, dtypes.bfloat16):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype.scalar}"
        )
    x = x if x.ndim else x.unsqueeze(0)
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    return powers(x, count)


def powers(x, count):
    """The powers of each element below `count`, of which there are at least two."""
    column = x.unsqueeze(-1)
    later = column.expand(*column.shape[:-1], count - 1).cumprod(-1)
    return cat([later.new_ones(column.shape), later], -1)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3), make.floats(3)),
            case(make.floats(2, 3), make.floats(4, 5, 3)),
            case(make.floats(2, 3), make.floats(3)),
            case(make.floats(), make.floats(2, 3)),
            case(make.floats(2, 0), make.floats(3, 0)),
            case(make.complexes(2, 3), make.complexes(3)),
            case(make.ints(2, 3), make.ints(3)),
            case(make.floats(3), make.floats(4)),
            case(make.floats(3), make.floats(3, dtype="float64")),
            case(make.bools(3), make.bools(3)),
        ]
    )
)
def inner(input, other, *, out=None):
    """The products of all vectors along the last dimension of one tensor and all of the other.

    >>> torch.inner(torch.tensor([[1, 0], [0, 1], [1, 1]]), torch.tensor([5, 7]))
    tensor([ 5,  7, 12])
    """
    if not input.ndim or not other.ndim:
        return write_composed("inner", input * other, out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    if input.dtype is not other.dtype:
        words = f"both inputs should have same dtype. Got {input.dtype} and {other.dtype}"
        raise explained(RuntimeError, words, fix=one_dtype(input.dtype, other.dtype))
    if input.dtype is dtypes.bool_:
        raise no_kernel("dot", "Bool")
    if input.ndim == other.ndim == 1:
        return write_composed("inner", input.dot(other).view(()), out)
    rows, columns = (each.flatten(0, -2) if each.ndim > 1 else each.unsqueeze(0) for each in (input, other))
    found = (rows @ columns.transpose(0, 1)).reshape(*input.shape[:-1], *other.shape[:-1])
    return write_composed("inner", found, out)
