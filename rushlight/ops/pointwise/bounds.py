"""Bounds: the larger or smaller of two tensors, and values kept between limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import KERNEL, explained
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.kinds import refuse, require_fitting
from rushlight.ops.machine.rules import PROMOTE, promoted
from rushlight.ops.machine.samples import binary, case, cases
from rushlight.ops.pointwise.where import choose

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def refuse_complex(name: str, input: np.ndarray) -> None:
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name} not implemented for complex tensors. They have no order; compare abs() instead.")


def bounded(choice: np.ufunc, input: np.ndarray, other: Any, out: np.ndarray | None = None) -> np.ndarray:
    """What `np.maximum` and its kin choose; of two zeros the first one with its sign, where NumPy leaves it open."""
    zeros = (input == 0) & (other == 0) if input.dtype.kind == "f" else None
    if zeros is None or not zeros.any():
        return choice(input, other, out=out)
    result = np.where(zeros, input, choice(input, other))
    if out is None:
        return result
    out[...] = result
    return out


@op(dtype=PROMOTE, samples=binary(numbers=False), inplace=False)
def maximum(input: Tensor, other: Tensor, *, out=None):
    """The larger of two elements; NaN if one of them is.

    >>> torch.maximum(torch.tensor([1.0, 4.0, 2.0]), torch.tensor([3.0, 2.0, math.nan]))
    tensor([3., 4., nan])
    """
    refuse_complex("maximum", input)
    return bounded(np.maximum, input, other, out)


# where the two are equal each gets half
maximum.gradient(
    input=lambda grad, input, other: choose(input < other, 0, choose(input == other, grad / 2, grad)),
    other=lambda grad, input, other: choose(input > other, 0, choose(input == other, grad / 2, grad)),
)


@op(dtype=PROMOTE, samples=binary(numbers=False), inplace=False)
def minimum(input: Tensor, other: Tensor, *, out=None):
    """The smaller of two elements; NaN if one of them is.

    >>> torch.minimum(torch.tensor([1, 4, 2]), torch.tensor([3, 2, 2]))
    tensor([1, 2, 2])
    """
    refuse_complex("minimum", input)
    return bounded(np.minimum, input, other, out)


minimum.gradient(
    input=lambda grad, input, other: choose(input > other, 0, choose(input == other, grad / 2, grad)),
    other=lambda grad, input, other: choose(input < other, 0, choose(input == other, grad / 2, grad)),
)


@op(dtype=PROMOTE, samples=binary(numbers=False), inplace=False)
def fmax(input: Tensor, other: Tensor, *, out=None):
    """The larger of two elements; a NaN loses against a number.

    >>> torch.fmax(torch.tensor([1.0, math.nan]), torch.tensor([math.nan, math.nan]))
    tensor([1., nan])
    """
    refuse_complex("fmax", input)
    return bounded(np.fmax, input, other, out)


fmax.gradient(
    input=lambda grad, input, other: choose((input >= other) | other.isnan(), grad, 0),
    other=lambda grad, input, other: choose((input >= other) | other.isnan(), 0, grad),
)


@op(dtype=PROMOTE, samples=binary(numbers=False), inplace=False)
def fmin(input: Tensor, other: Tensor, *, out=None):
    """The smaller of two elements; a NaN loses against a number.

    >>> torch.fmin(torch.tensor([1.0, math.nan]), torch.tensor([-2.0, 5.0]))
    tensor([-2.,  5.])
    """
    refuse_complex("fmin", input)
    return bounded(np.fmin, input, other, out)


fmin.gradient(
    input=lambda grad, input, other: choose((input <= other) | other.isnan(), grad, 0),
    other=lambda grad, input, other: choose((input <= other) | other.isnan(), 0, grad),
)


bounds = cases(
    lambda make: [
        case(make.floats(3, 4), -0.5, 0.5),
        case(make.floats(3, 4), min=0.25),
        case(make.floats(3, 4), max=0.25),
        case(make.floats(4), 1, -1),
        case(make.floats(3, 4), make.floats(4), make.floats(3, 1)),
        case(make.floats(3, 4), max=make.floats()),
        case(make.floats(4, dtype="float16"), min=0.1),
        case(make.floats(4), make.floats(4, dtype="float64")),
        case(make.ints(5), -2, 2),
        case(make.ints(5), 0.5),
        case(make.ints(5), make.ints(5), make.ints(5, dtype="int32")),
        case(make.bools(4), 0, 1),
        case(make.bools(4), False, True),
        case(make.floats(0, 3), 0),
        case(make.floats(4, 2).T, 0),
        case(make.floats(), 0),
        case(make.floats(4)),
        case(make.floats(4), make.floats(4), 1),
        case(make.complexes(4), 0),
    ],
    pointwise=True,
)


def BOUNDED(op: Op, arrays: list) -> np.dtype:
    """Like PROMOTE; bounds that are numbers have to fit the dtype, and what is bounded has an order."""
    if arrays[0].dtype.kind == "c" and (op.name == "clamp" or type(arrays[1]) is not np.ndarray):
        raise NotImplementedError("clamp is not supported for complex types: they have no order")
    for bound in arrays[1 : len(op.operands)]:
        if type(bound) is complex:
            refuse_complex_bound(op, arrays[0], bound)
        if type(bound) in (float, int) and abs(bound) > SMALLEST_LIMIT:
            kind = promoted(op, arrays)[1]
            if kind in dtypes.DIFFERENTIABLE:
                require_fitting(bound, kind)
    return PROMOTE(op, arrays)


def refuse_complex_bound(op: Op, input: np.ndarray, bound: complex) -> None:
    if input.dtype not in dtypes.DIFFERENTIABLE or op.name != "clamp":
        raise NotImplementedError(f"clamp is not supported for complex types: {bound} has no order")
    words = f"value cannot be converted to type double without overflow: {bound} is no real number"
    raise explained(RuntimeError, words, stage=KERNEL)


# the largest number of half precision
SMALLEST_LIMIT = 65504.0


@op(
    dtype=BOUNDED,
    samples=bounds,
    aliases=["clip"],
    node=lambda min, max: f"ClampBackward{0 if isinstance(min, Tensor) or isinstance(max, Tensor) else 1}",
)
def clamp(input: Tensor, min: Tensor | float = None, max: Tensor | float = None, *, out=None):
    """Each element moved between `min` and `max`, which are numbers or tensors; either may be left out.

    >>> torch.clamp(torch.tensor([-1.0, 0.5, 2.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if min is None:
        return at_most(input, max, out)
    if max is None:
        return at_least(input, min, out)
    if (type(min) is np.ndarray) != (type(max) is np.ndarray):
        raise TypeError(
            "clamp() received an invalid combination of arguments: `min` and `max` must be both tensors or both numbers"
        )
    if input.dtype.kind in "bc":
        raise refuse("clamp_cpu" if type(min) is np.ndarray else "clamp_scalar_cpu", input)
    return bounded(np.minimum, bounded(np.maximum, input, min), max, out)


clamp.gradient(
    input=lambda grad, input, min, max: choose(inside(input, min, max), grad, 0),
    min=lambda grad, input, min, max: choose(input < min if max is None else (input < min) & (min < max), grad, 0),
    max=lambda grad, input, min, max: choose(input > max if min is None else (input > max) | (max < min), grad, 0),
)


def at_least(input: np.ndarray, min: Any, out: np.ndarray | None) -> np.ndarray:
    """The larger of the two; bools are bounded by bool tensors only."""
    if input.dtype.kind in "bc":
        refuse_bound("maximum_cpu", "clamp_min_scalar_cpu", input, min)
    return bounded(np.maximum, input, min, out)


def at_most(input: np.ndarray, max: Any, out: np.ndarray | None) -> np.ndarray:
    """The smaller of the two, likewise."""
    if input.dtype.kind in "bc":
        refuse_bound("minimum_cpu", "clamp_max_scalar_cpu", input, max)
    return bounded(np.minimum, input, max, out)


def refuse_bound(kernel: str, scalar_kernel: str, input: np.ndarray, bound: Any) -> None:
    """Refuse bounds for what has no order: torch has a kernel for tensors and one for numbers."""
    if type(bound) is not np.ndarray:
        raise refuse(scalar_kernel, input)
    if input.dtype.kind == "c":
        raise refuse(kernel, input)


def inside(input: Tensor, min: Any, max: Any) -> Tensor:
    """Which elements the bounds left alone; the bounds themselves belong to the inside."""
    if min is None:
        return input <= max
    return input >= min if max is None else (input >= min) & (input <= max)


lower = cases(
    lambda make: [
        case(make.floats(3, 4), 0.5),
        case(make.floats(3, 4), make.floats(4)),
        case(make.ints(4), 1),
        case(make.ints(4), 0.5),
        case(make.bools(4), 1),
        case(make.floats(4, dtype="float16"), 0.1),
        case(make.floats(0), 0),
        case(make.complexes(4), 0),
    ],
    pointwise=True,
)


@op(dtype=BOUNDED, samples=lower, node=lambda min: f"ClampMinBackward{1 if isinstance(min, Tensor) else 0}")
def clamp_min(input: Tensor, min, *, out=None):
    """Each element, but at least `min`.

    >>> torch.clamp_min(torch.tensor([-3, 0, 7]), 0)
    tensor([0, 0, 7])
    """
    return at_least(input, min, out)


clamp_min.gradient(
    input=lambda grad, input, min: choose(input >= min, grad, 0),
    min=lambda grad, input, min: choose(input < min, grad, 0),
)


@op(dtype=BOUNDED, samples=lower, node=lambda max: f"ClampMaxBackward{1 if isinstance(max, Tensor) else 0}")
def clamp_max(input: Tensor, max, *, out=None):
    """Each element, but at most `max`.

    >>> torch.clamp_max(torch.tensor([0.5, 2.0, 30.0]), 1.0)
    tensor([0.5000, 1.0000, 1.0000])
    """
    return at_most(input, max, out)


clamp_max.gradient(
    input=lambda grad, input, max: choose(input <= max, grad, 0),
    max=lambda grad, input, max: choose(input > max, grad, 0),
)
