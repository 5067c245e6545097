"""Distances between the rows of matrices."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.numbers import dtypes
from rushlight.ops.machine.declare import Op, op
from rushlight.ops.machine.rules import FULL, MATCH
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import LEADING

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor

INF = math.inf
MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
# from this many rows on torch takes euclidean distances from a product of matrices
MANY_ROWS = 25
# elements in a block of differences: a few megabytes, which stay in the cache
BLOCK = 1 << 18


def pairs(make):
    x, y = make.floats(3, 4), make.floats(5, 4)
    return [
        *[case(x, y, p) for p in (0.5, 1, 1.5, 2, 3, INF)],
        *[corner(x, x.copy(), p) for p in (0, 1, 2, 3)],
        case(make.floats(30, 3), make.floats(2, 3)),
        case(make.floats(2, 1, 3, 4), make.floats(5, 2, 4)),
        case(x, y, compute_mode="donot_use_mm_for_euclid_dist"),
        case(x.astype("float64"), y.astype("float64"), compute_mode="use_mm_for_euclid_dist"),
        case(make.floats(0, 4), y),
        case(make.floats(2, 0), make.floats(3, 0)),
        case(x, y, compute_mode="quickly"),
        case(x, make.floats(5, 3)),
        case(x, y[0]),
        case(x, y, -1),
        case(x, make.ints(5, 4)),
    ]


def POINTS(op: Op, arrays: list) -> np.dtype:
    """Like MATCH, after what torch refuses of either operand."""
    for name, each in zip(("X1", "X2"), arrays, strict=False):
        if each.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {each.ndim}D")
    columns = arrays[0].shape[-1], arrays[1].shape[-1]
    if columns[0] != columns[1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {columns[0]} X2: {columns[1]}; each row is a point"
        )
    for name, each in zip(("X1", "X2"), arrays, strict=False):
        kind = dtypes.from_numpy(each.dtype)
        if not kind.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {kind.scalar}")
    return MATCH(op, arrays)


@op(
    dtype=POINTS,
    batch=LEADING,
    method=False,
    node=lambda x1, x2, p, compute_mode: node_name(x1, x2, p, compute_mode),
    samples=cases(pairs),
)
def cdist(x1: Tensor, x2: Tensor, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Distance of each row of `x1` from each row of `x2`: from (..., P, M) and (..., R, M) to (..., P, R).

    >>> torch.cdist(torch.tensor([[0.0, 0.0], [3.0, 0.0]]), torch.tensor([[0.0, 4.0]]))
    tensor([[4.],
            [5.]])
    """
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode: choose one of {', '.join(MODES)}")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}: the last "
            "dimension holds the coordinates"
        )
    if not p >= 0:
        raise RuntimeError(f"cdist only supports non-negative p values, not {p}")
    if by_product(x1, x2, p, compute_mode):
        squares = [np.add.reduce(each * each, -1) for each in (x1, x2)]
        found = squares[0][..., :, None] + squares[1][..., None, :] - 2 * (x1 @ x2.swapaxes(-1, -2))
        return np.sqrt(np.maximum(found, 0))
    return in_blocks(x1, x2, p)


def by_product(x1, x2, p, compute_mode) -> bool:
    """Whether the squares come from a product of matrices: many times faster, and off by a rounding of the squares."""
    if p != 2 or compute_mode == MODES[2] or not x1.shape[-1]:
        return False
    return compute_mode == MODES[1] or x1.shape[-2] > MANY_ROWS or x2.shape[-2] > MANY_ROWS


def node_name(x1, x2, p, compute_mode) -> str:
    return "ViewBackward0" if by_product(x1, x2, p, compute_mode) else "CdistBackward0"


def in_blocks(x1: np.ndarray, x2: np.ndarray, p: float) -> np.ndarray:
    """The distances from differences, a block of rows at a time."""
    rows, width = x1.shape[-2], max(x2.size, 1)
    step = max(1, BLOCK // width)
    blocks = [
        length(x1[..., start : start + step, None, :] - x2[..., None, :, :], p)
        for start in range(0, max(rows, 1), step)
    ]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, -2)


def length(difference: np.ndarray, p: float) -> np.ndarray:
    """The p-norm along the last dimension; for p = 0 the number of coordinates that differ."""
    if p == 2:
        if difference.dtype in FULL:
            return np.sqrt(np.vecdot(difference, difference))
        return np.sqrt(np.add.reduce(difference * difference, -1))
    size = np.abs(difference)
    if p == 0:
        # NaN, which neither differs nor is equal, stays
        return np.add.reduce(np.minimum(np.ceil(size), 1), -1)
    if p == INF:
        return np.maximum.reduce(size, -1, initial=0)
    return np.add.reduce(size**p, -1) ** (1 / p) if p != 1 else np.add.reduce(size, -1)


def slope(difference: Tensor, distance: Tensor, p: float) -> Tensor:
    """The derivative of a distance by each coordinate; zero between equal points and along equal coordinates."""
    if p == 0:
        return difference * 0
    if p == 1:
        return difference.sign()
    if p == INF:
        return difference.sign() * (difference.abs() == distance)
    apart = distance != 0
    if p == 2:
        return difference / distance.where(apart, 1) * apart
    size = difference.abs()
    power = size.where(size != 0, 1) ** (p - 1) * (size != 0)
    return difference.sign() * power / distance.where(apart, 1) ** (p - 1) * apart


def pull(grad, x1, x2, result, p):
    """What each pair contributes to the gradient of the first of the two: (..., P, R, M)."""
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    return grad.unsqueeze(-1) * slope(difference, result.unsqueeze(-1), p)


def pulled(grad, x1, x2, result, p, compute_mode):
    """What the points of `x2` contribute to the gradient of each point of `x1`, a block of these at a time."""
    if by_product(x1, x2, p, compute_mode):
        same = result == 0
        shares = (grad / result.masked_fill(same, 1)).masked_fill(same, 0)
        return x1 * shares.sum(-1, True) - shares @ x2
    rows = max(1, BLOCK // max(x2.numel(), 1))
    blocks = zip(grad.split(rows, -2), x1.split(rows, -2), result.split(rows, -2), strict=True)
    found = [pull(part, points, x2, distances, p).sum(-2) for part, points, distances in blocks]
    return found[0] if len(found) == 1 else cat(found, -2)


def cat(parts, dim):
    from rushlight.ops.shape.joining import cat as join

    return join(parts, dim)


cdist.gradient(
    x1=lambda grad, x1, x2, result, p, compute_mode: pulled(grad, x1, x2, result, p, compute_mode),
    x2=lambda grad, x1, x2, result, p, compute_mode: pulled(grad.mT, x2, x1, result.mT, p, compute_mode),
)


@op(
    dtype=MATCH,
    method=False,
    aliases=["nn.functional.pdist"],
    samples=cases(
        lambda make: [
            *[case(make.floats(5, 3), p) for p in (0.5, 1, 1.5, 2, 3, INF)],
            case(make.floats(4, 2, dtype="float64")),
            case(make.floats(1, 2)),
            corner(np.ones((3, 2), "float32")),
            corner(make.floats(3, 2), 0),
            case(make.floats(3)),
            case(make.floats(3, 2), -1),
            case(make.ints(3, 2)),
        ]
    ),
)
def pdist(input: Tensor, p=2.0):
    """Distance of each row from each later row: (N, M) gives N (N - 1) / 2 numbers.

    >>> torch.pdist(torch.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 4.0]]))
    tensor([5., 4., 3.])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if input.dtype.kind != "f":
        raise RuntimeError(f"pdist only supports floating-point dtypes, not {dtypes.from_numpy(input.dtype).scalar}")
    if not p >= 0:
        raise RuntimeError(f"pdist only supports non-negative p values, not {p}")
    require_room((len(input) * (len(input) - 1) // 2,), input.itemsize)
    if len(input) < MANY_ROWS:
        first, second = pairs_of(len(input))
        return length(input.take(first, 0) - input.take(second, 0), p)
    return np.concatenate([length(input[row] - input[row + 1 :], p) for row in range(len(input) - 1)])


@functools.cache
def pairs_of(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of each pair among a few: NumPy takes 12 us to list them."""
    first, second = np.triu_indices(count, 1)
    return first, second


def pdist_gradient(grad, input, result, p):
    from rushlight.core.creation.ranges import triu_indices

    first, second = triu_indices(len(input), len(input), 1).unbind(0)
    if len(input) >= MANY_ROWS:
        # both halves of the square of all pairs
        whole = lambda values: (half := input.new_zeros((len(input),) * 2).index_put((first, second), values)) + half.mT
        return pulled(whole(grad), input, input, whole(result), p, MODES[1])
    difference = input.index_select(0, first) - input.index_select(0, second)
    pulls = grad.unsqueeze(-1) * slope(difference, result.unsqueeze(-1), p)
    return (input * 0).index_add(0, first, pulls).index_add(0, second, -pulls)


pdist.gradient(input=pdist_gradient)
