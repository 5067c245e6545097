"""Losses of a regression: how far numbers are from those that they should be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.numbers.promotion import can_cast, compute_dtype
from rushlight.core.object.tensor import Tensor
from rushlight.errors.fixes import targets
from rushlight.errors.warning import warn
from rushlight.ops.losses.loss_reduction import Steps, legacy, reduced, reduced_tensor, share, unknown
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import require_floats
from rushlight.ops.machine.rules import PROMOTE, UNROUNDED
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.shape.broadcasting import broadcast_tensors

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# from here on a sum is split
MANY = 16384


def pairs(make, *options, mixes=True):
    """Samples of an input and a target, with each of the reductions and of the options; `mixes` says that there is a
    gradient where they have two dtypes."""
    x, y = make.floats(3, 4), make.floats(3, 4)
    return [
        *[case(x, y, reduction=each) for each in ("mean", "sum", "none")],
        *[case(x, y, **each) for each in options],
        case(make.floats(), make.floats()),
        case(make.floats(0, 3), make.floats(0, 3)),
        case(make.floats(4, 3).T, y),
        case(make.floats(3, dtype="float64"), make.floats(3)),
        case(make.floats(3, dtype="float16"), make.floats(3, dtype="float16")),
        (case if mixes else corner)(make.floats(3), make.ints(3)),
        case(make.ints(3), make.ints(3)),
        case(x, y, reduction="other"),
        case(x, make.floats(3)),
    ]


def matched(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Input and target in one shape; torch warns where they had two."""
    if input._array.shape == target._array.shape:
        return input, target
    warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size.\n  "
        f"fix: {targets(input.shape, target.shape)}"
    )
    return broadcast_tensors(input, target)


def weighted(values: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """Values times their weights; the mean is over the weights."""
    if weight.shape != values.shape:
        raise ValueError("Weights and input must have the same size.")
    values = values * weight
    return values.sum() / weight.sum() if reduction == "mean" else reduced_tensor(values, reduction)


@op(dtype=UNROUNDED, name="_mse_loss", samples=None)
def squares(input, target, reduction: str):
    """Squared differences; in half precision each of them is rounded, and may be infinite."""
    require_floats("mse_cpu", input)
    step = Steps(input)
    difference = step(step.wide(input) - step.wide(target))
    if reduction == "none" or input.dtype in dtypes.HALF:
        return reduced(step(difference * difference), reduction)
    total = square_sum(difference.reshape(-1))
    if reduction == "mean":
        return total / difference.size
    if reduction == "sum":
        return total
    raise unknown(reduction)


def square_sum(flat: np.ndarray) -> np.floating:
    """The product of a vector with itself, in a quarter of the time of squares and their sum."""
    if flat.size < MANY:
        return flat.dot(flat)
    # BLAS loses 15 units in the last place over a million numbers, rows of 1024 and the sum of theirs none
    whole = flat.size - flat.size % 1024
    rows, rest = flat[:whole].reshape(-1, 1024), flat[whole:]
    return np.add.reduce(np.vecdot(rows, rows)) + rest.dot(rest)


squares.gradient(
    input=lambda grad, input, target, reduction: difference_share(grad, input, target, reduction),
    target=lambda grad, input, target, reduction: difference_share(grad, target, input, reduction),
)


squares.made_of(lambda input, target, reduction: reduced_tensor((input - target).square(), reduction))


@op(dtype=PROMOTE, name="_difference_share", samples=None)
def difference_share(outer, input, target, reduction: str):
    """The gradient of squares: twice the difference, for a mean divided by the count. One op: three take 5 us more."""
    return (input - target) * (outer * (2 / (input.size or 1) if reduction == "mean" else 2))


difference_share.gradient(
    outer=lambda grad, input, target, reduction: (input - target) * share(grad, reduction, input.numel(), 2.0),
    input=lambda grad, outer, reduction, input_shape: grad * share(outer, reduction, math.prod(input_shape), 2.0),
    target=lambda grad, outer, reduction, input_shape: grad * -share(outer, reduction, math.prod(input_shape), 2.0),
)
difference_share.made_of(
    lambda outer, input, target, reduction: (input - target) * share(outer, reduction, input.numel(), 2.0)
)


@composed(name="nn.functional.mse_loss", samples=cases(pairs))
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Mean of the squared differences.

    >>> torch.nn.functional.mse_loss(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
    tensor(2.)
    """
    reduction = legacy(size_average, reduce, reduction)
    input, target = matched(input, target)
    if weight is not None:
        return weighted((input - target) ** 2, weight, reduction)
    return squares(input, target, reduction)


def DISTANCE(op: Op, arrays: list) -> np.dtype:
    """Like UNROUNDED, and complex numbers give a real result."""
    kind = UNROUNDED(op, arrays)
    return dtypes.from_numpy(kind).to_real().numpy if kind.kind == "c" else kind


@op(
    dtype=DISTANCE,
    name="_l1_loss",
    samples=None,
    node=lambda reduction: {"mean": "MeanBackward0", "sum": "SumBackward0"}.get(reduction, "AbsBackward0"),
)
def distances(input, target, reduction: str):
    """Absolute differences."""
    if reduction == "mean" and input.dtype not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: "
            f"{dtypes.from_numpy(input.dtype).scalar}; convert it first, for example with .float()"
        )
    step = Steps(input)
    return reduced(np.abs(step(step.wide(input) - step.wide(target))), reduction)


distances.made_of(lambda input, target, reduction: reduced_tensor((input - target).abs(), reduction))
distances.gradient(
    input=lambda grad, input, target, reduction: (input - target).sgn() * share(grad, reduction, input.numel()),
    target=lambda grad, input, target, reduction: (target - input).sgn() * share(grad, reduction, input.numel()),
)


@composed(
    name="nn.functional.l1_loss",
    samples=cases(lambda make: [*pairs(make), case(make.complexes(3), make.complexes(3))]),
)
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Mean of the absolute differences.

    >>> F.l1_loss(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 4.0, 7.0]))
    tensor(2.)
    """
    reduction = legacy(size_average, reduce, reduction)
    input, target = matched(input, target)
    if weight is not None:
        return weighted((input - target).abs(), weight, reduction)
    return distances(input, target, reduction)


@op(dtype=UNROUNDED, name="_smooth_l1_loss", node="SmoothL1LossBackward0", samples=None)
def smooth_distances(input, target, reduction: str, beta: float):
    """Absolute differences, rounded off to a parabola below `beta`."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    require_floats("smooth_l1_cpu", input)
    # torch rounds each step in float16, and the last one in bfloat16; for `huber_distances` it is the other way round
    if input.dtype in dtypes.HALF and input.dtype != np.float16:
        return reduced(rounded_once(smoothed, input, target, beta), reduction)
    return reduced(smoothed(input, target, beta, Steps(input)), reduction)


def smoothed(input: np.ndarray, target: np.ndarray, beta: float, step: Steps) -> np.ndarray:
    """d * d / (2 beta) below beta, d - beta / 2 above it, for the absolute value d of each difference."""
    size = np.absolute(step(step.wide(input) - step.wide(target)))
    bend, half = step.number(beta), step.number(0.5)
    curved = step(step(step(half * size) * size) / bend)
    return np.where(size < bend, curved, step(size - step.number(half * bend)))


def rounded_once(formula: Callable, input: np.ndarray, target: np.ndarray, bend: float) -> np.ndarray:
    """What a formula gives for differences in half precision that no step before the last has rounded."""
    wide = [by_float32(each, compute_dtype(input.dtype)) for each in (input, target)]
    return by_float32(formula(*wide, bend, Steps(wide[0])), input.dtype)


def rounded_off(input: np.ndarray, target: np.ndarray, bend: float, step: Steps) -> np.ndarray:
    """d * d / 2 below the bend, bend * (d - bend / 2) above it, for the absolute value d of each difference."""
    size = np.absolute(step(step.wide(input) - step.wide(target)))
    curved = np.minimum(size, step.number(bend))
    return step(curved * step(size - step(step.number(0.5) * curved)))


def rounded_off_tensor(difference: Tensor, bend: float) -> Tensor:
    """As `rounded_off`, of ops."""
    size = difference.abs()
    curved = size.clamp(max=bend)
    return curved * (size - 0.5 * curved)


smooth_distances.made_of(
    lambda input, target, reduction, beta: reduced_tensor(rounded_off_tensor(input - target, beta) / beta, reduction)
)
smooth_distances.gradient(
    input=lambda grad, input, target, reduction, beta: (
        ((input - target) / beta).clamp(-1, 1) * share(grad, reduction, input.numel())
    ),
    target=lambda grad, input, target, reduction, beta: (
        ((target - input) / beta).clamp(-1, 1) * share(grad, reduction, input.numel())
    ),
)


@composed(name="nn.functional.smooth_l1_loss", samples=cases(lambda make: pairs(make, {"beta": 0.5}, {"beta": 0})))
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Mean of the absolute differences, each rounded off to d * d / (2 beta) where it is below `beta`.

    >>> F.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    reduction = legacy(size_average, reduce, reduction)
    input, target = matched(input, target)
    if beta == 0:
        return distances(input, target, reduction)
    return smooth_distances(input, target, reduction, beta)


def KIND_OF_INPUT(op: Op, arrays: list) -> np.dtype:
    """Like UNROUNDED, and the result has the dtype of the input."""
    own, kind = arrays[0].dtype, UNROUNDED(op, arrays)
    have, want = dtypes.from_numpy(kind), dtypes.from_numpy(own)
    if not can_cast(have, want):
        raise RuntimeError(
            f"result type {have.scalar} can't be cast to the desired output type {want.scalar}: write input.float()"
        )
    return own


@op(dtype=KIND_OF_INPUT, name="_huber_loss", samples=None)
def huber_distances(input, target, reduction: str, delta: float):
    """Half the squared differences, straightened out above `delta`."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    require_floats("huber_cpu", input)
    if input.dtype == np.float16:
        return reduced(rounded_once(rounded_off, input, target, delta), reduction)
    return reduced(rounded_off(input, target, delta, Steps(input)), reduction)


huber_distances.made_of(
    lambda input, target, reduction, delta: reduced_tensor(rounded_off_tensor(input - target, delta), reduction)
)
huber_distances.gradient(
    input=lambda grad, input, target, reduction, delta: huber_slope(grad, input, target, reduction, delta),
    target=lambda grad, input, target, reduction, delta: huber_slope(grad, target, input, reduction, delta),
)


def huber_slope(grad: Tensor, one: Tensor, other: Tensor, reduction: str, delta: float) -> Tensor:
    if one.dtype is not other.dtype:
        # torch computes this loss of two dtypes, but no gradient of it
        raise RuntimeError(
            f"Found dtype {other.dtype.scalar} but expected {one.dtype.scalar}: convert the input or the target"
        )
    return (one - other).clamp(-delta, delta) * share(grad, reduction, one.numel())


@composed(
    name="nn.functional.huber_loss", samples=cases(lambda make: pairs(make, {"delta": 0.5}, {"delta": 0}, mixes=False))
)
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Mean of d * d / 2 for differences d below `delta`, of delta * (d - delta / 2) for larger ones.

    >>> F.huber_loss(torch.tensor([1.0, 10.0]), torch.zeros(2), delta=2.0, reduction="none")
    tensor([ 0.5000, 18.0000])
    """
    input, target = matched(input, target)
    if weight is None:
        return huber_distances(input, target, reduction, delta)
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced_tensor(huber_distances(input, target, "none", delta) * weight, reduction)
