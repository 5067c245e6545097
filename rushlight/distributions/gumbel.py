"""The Gumbel distribution: the largest of many numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from rushlight.core.creation.creation import as_tensor
from rushlight.core.creation.likeness import full_like
from rushlight.core.memory.layout import common_strides, empty_like_array
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.number_transforms import AffineTransform, ExpTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import broadcast_all, euler_constant, limits
from rushlight.ops.machine.declare import Op, op
from rushlight.ops.machine.layouts import restrided
from rushlight.ops.machine.rules import PROMOTE


def AS_SCALE(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order of the scale: torch multiplies by the sign of its transform last."""
    distance, scale = arrays
    if distance.flags.c_contiguous and scale.flags.c_contiguous:
        return result
    return restrided(result, common_strides(result.shape, [empty_like_array(scale), distance]))


@op(dtype=PROMOTE, layout=AS_SCALE, name="_gumbel_share", node="AddBackward0", samples=None)
def share_below(distance, scale):
    """exp(-exp(-x)), exact in both tails."""
    return np.exp(-np.exp(-distance / scale))


def density(distance: Tensor, scale: Tensor) -> Tensor:
    """The density, times the scale."""
    depth = -distance / scale
    return (depth - depth.exp()).exp()


share_below.gradient(
    distance=lambda grad, distance, scale: grad * density(distance, scale) / scale,
    scale=lambda grad, distance, scale: -grad * density(distance, scale) * distance / scale**2,
)


class Gumbel(TransformedDistribution):
    """The limit of the maximum of many numbers, with its mode at `loc` and spread by `scale`.

    >>> torch.distributions.Gumbel(torch.tensor(0.0), torch.tensor(1.0)).mean
    tensor(0.5772)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info = limits(self.loc.dtype)
        low, high = full_like(self.loc, info.tiny), full_like(self.loc, 1 - info.eps)
        # loc - scale * log(-log(u)) of a uniform u
        transforms = [
            ExpTransform().inv,
            AffineTransform(0.0, -1.0),
            ExpTransform().inv,
            AffineTransform(loc, -self.scale),  # as it was given: a number asks for no gradient
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Gumbel:
        return self._expanded(Gumbel, batch_shape, _instance)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        depth = (self.loc - value) / self.scale
        return depth - depth.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        found = share_below(value - self.loc, self.scale)
        if self._validate_args and found.isnan().any():
            self._validate_sample(value)
        return found

    def icdf(self, value: Tensor) -> Tensor:
        value = as_tensor(value, dtype=None if isinstance(value, Tensor) else self.loc.dtype)
        return self.loc + -self.scale * value.log().neg().log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)


__all__ = ["Gumbel"]
