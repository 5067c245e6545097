"""The half-normal distribution: distances from 0."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.likeness import zeros_like
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.normal import Normal
from rushlight.distributions.number_transforms import AbsTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution


class HalfNormal(TransformedDistribution):
    """|x| of a normal x around 0 with the scale `scale`.

    >>> torch.distributions.HalfNormal(torch.tensor(1.0)).cdf(torch.tensor(1.0))
    tensor(0.6827)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Normal

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> HalfNormal:
        return self._expanded(HalfNormal, batch_shape, _instance)

    @property
    def scale(self) -> Tensor:
        """The scale of x."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (self.base_dist.log_prob(value) + math.log(2)).where(value >= 0, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return (value / (self.scale * math.sqrt(2))).erf()

    def icdf(self, prob: Tensor) -> Tensor:
        return self.scale * math.sqrt(2) * prob.erfinv()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


__all__ = ["HalfNormal"]
