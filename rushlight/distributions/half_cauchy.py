"""The half-Cauchy distribution: distances from 0, some of them enormous."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from rushlight.core.creation.creation import as_tensor
from rushlight.core.creation.filled import full
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.cauchy import Cauchy
from rushlight.distributions.number_transforms import AbsTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.pointwise.trigonometric import tan


@op(dtype=PROMOTE, layout=COMMON, name="_half_cauchy_share", node="SubBackward0", samples=None)
def share_below(distance, scale):
    """The share of Cauchy numbers that are nearer, without the rounding of 2 F - 1."""
    return np.arctan(distance / scale) * (2 / math.pi)


share_below.gradient(
    # by way of the ratio: the square of a large scale is infinite
    distance=lambda grad, distance, scale: grad * (2 / math.pi) / (scale * (1 + (distance / scale) ** 2)),
    scale=lambda grad, distance, scale: (
        -grad * (2 / math.pi) * (distance / scale) / (scale * (1 + (distance / scale) ** 2))
    ),
)


class HalfCauchy(TransformedDistribution):
    """|x| of a Cauchy number x around 0 with the scale `scale`.

    >>> torch.distributions.HalfCauchy(torch.tensor(1.0)).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Cauchy

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> HalfCauchy:
        return self._expanded(HalfCauchy, batch_shape, _instance)

    @property
    def scale(self) -> Tensor:
        """The scale of x."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return full(self.scale.shape, math.inf, dtype=self.scale.dtype)

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value = as_tensor(value, dtype=self.scale.dtype)
        return (self.base_dist.log_prob(value) + math.log(2)).where(value >= 0, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return share_below(value - self.base_dist.loc, self.scale)

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.loc + self.scale * tan(prob * (math.pi / 2))

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


__all__ = ["HalfCauchy"]
