"""The Gumbel distribution: the largest of many numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.likeness import full_like
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.number_transforms import AffineTransform, ExpTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import broadcast_all, euler_constant, limits


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
            AffineTransform(self.loc, -self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Gumbel:
        return self._expanded(Gumbel, batch_shape, _instance)

    def _depth(self, value: Tensor) -> Tensor:
        """How far below `loc` a value lies, in units of the scale."""
        return (self.loc - value) / self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        depth = self._depth(value)
        return depth - depth.exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._depth(value).exp().neg().exp()

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc - self.scale * value.log().neg().log()

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
