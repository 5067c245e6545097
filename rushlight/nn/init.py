"""Initialisers: first values for parameters, drawn in torch's order, so that a seed gives torch's weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.likeness import empty_like
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor
from rushlight.core.random import random
from rushlight.core.random.random import Generator
from rushlight.core.surface.overriding import overridable
from rushlight.errors.warning import warn
from rushlight.ops.machine.inplace import written
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.pointwise.where import choose

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

LINEAR = {"linear", "sigmoid"} | {f"conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3)}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights before a nonlinearity should be larger; `param` is leaky_relu's slope.

    >>> torch.nn.init.calculate_gain("relu")
    1.4142135623730951
    """
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is None:
        param = 0.01
    if isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + param**2))


@overridable
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers between `a` and `b`, all equally likely."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@overridable
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers from a normal distribution."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers from a normal distribution, cut off below `a` and above `b`."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )

    inside = normal_share((b - mean) / std) - normal_share((a - mean) / std)
    with no_grad():
        if inside > 0.3:
            if tensor.is_meta:
                return tensor  # no number could be outside
            return draw_until_inside(tensor, mean, std, a, b, generator)
        return draw_below_curve(tensor, mean, std, a, b, generator)


def normal_share(x: float) -> float:
    """How much of the normal distribution lies below x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def draw_until_inside(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Normal numbers, drawn again where they fall outside; torch draws all of them again and keeps what it needs."""
    low, high = tensor.new_tensor([a, b]).tolist()
    kept = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (kept < low) | (kept > high)
        if not outside.any():
            return tensor if kept is tensor else tensor.copy_(kept)
        kept = choose(outside, empty_like(kept).normal_(mean, std, generator=generator), kept)


def draw_below_curve(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Uniform numbers, drawn again where a random height lies above the curve of the normal distribution."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    waiting = None
    while waiting is None or waiting.any():
        drawn = empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(drawn if waiting is None else choose(waiting, drawn, tensor))
        curve = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        above = empty_like(tensor).uniform_(generator=generator).log_() > curve
        waiting = above if waiting is None else waiting & above
    return tensor


@overridable
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one number."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Make a matrix the identity, as far as it goes."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    tensor._array[...] = np.eye(*tensor.shape)
    written(tensor)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Make the weight of a convolution one that hands its channels on unchanged, as far as there are outputs."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *kernel = tensor.shape
    if outputs % groups:
        raise ValueError("dim 0 must be divisible by groups")
    middle = tuple(size // 2 for size in kernel)
    per_group = outputs // groups
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(per_group, inputs)):
                tensor[(group * per_group + channel, channel, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into, and out of, one unit of a layer with this weight."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    field = math.prod(kernel)
    return inputs * field, outputs * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers of the size that keeps the variance both forward and backward (Glorot)."""
    bound = math.sqrt(3.0) * xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers of the size that keeps the variance both forward and backward (Glorot)."""
    return normal_(tensor, 0.0, xavier_std(tensor, gain), generator)


def xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


@overridable
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with uniform numbers of the size that keeps the variance through a rectifier (He).

    `a` is the slope of leaky_relu; `mode` keeps the variance forward (`"fan_in"`) or backward (`"fan_out"`).
    """
    if 0 in tensor.shape:
        return nothing_to_do(tensor)
    bound = math.sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with normal numbers of the size that keeps the variance through a rectifier (He)."""
    if 0 in tensor.shape:
        return nothing_to_do(tensor)
    return normal_(tensor, 0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def nothing_to_do(tensor: Tensor) -> Tensor:
    warn("Initializing zero-element tensors is a no-op")
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a matrix of orthonormal rows or columns; all dimensions but the first count as columns."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    drawn = normal_(tensor.new_empty((rows, tensor.numel() // rows)), 0, 1, generator)._array
    if drawn.dtype in HALF:
        raise refuse("geqrf_cpu", drawn)
    if drawn.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead: "
            "orthogonal_ draws real matrices only"
        )
    wide = rows < drawn.shape[1]
    q, r = np.linalg.qr(drawn.T if wide else drawn)
    q *= np.sign(r.diagonal())  # the one decomposition with a positive diagonal: uniform among all
    with no_grad():
        tensor.view(drawn.shape).copy_(tensor.new_tensor(q.T if wide else q))
        return tensor.mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normal numbers, and the given part of each column with zeros."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0, std, generator)
    for column in range(columns):
        # torch draws these from the default generator
        tensor._array[random.permutation(rows)[:zeros], column] = 0
        written(tensor)
    return tensor


def deprecated(function: Callable) -> Callable:
    """torch's older name of an initialiser, without the underscore."""
    name = function.__name__

    def older(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning)
        return function(*args, **kwargs)

    older.__name__, older.__doc__ = name[:-1], f"The older name of `{name}`."
    return older


uniform = deprecated(uniform_)
normal = deprecated(normal_)
constant = deprecated(constant_)
eye = deprecated(eye_)
dirac = deprecated(dirac_)
xavier_uniform = deprecated(xavier_uniform_)
xavier_normal = deprecated(xavier_normal_)
kaiming_uniform = deprecated(kaiming_uniform_)
kaiming_normal = deprecated(kaiming_normal_)
orthogonal = deprecated(orthogonal_)
sparse = deprecated(sparse_)

# packages call these inner ones too
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
