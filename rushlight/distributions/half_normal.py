"""The half-normal distribution: distances from 0."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.normal import Normal
from rushlight.distributions.number_transforms import AbsTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.special.special import erf, erfinv


@op(dtype=PROMOTE, layout=COMMON, name="_half_normal_share", node="SubBackward0", samples=None)
def share_below(distance, scale):
    """The share of normal numbers that are nearer, without the rounding of 2 F - 1."""
    return erf.op.body(distance / (scale * math.sqrt(2)))


def density(distance: Tensor, scale: Tensor) -> Tensor:
    """The density of the distance, times the scale."""
    return math.sqrt(2 / math.pi) * (-0.5 * (distance / scale) ** 2).exp()


share_below.gradient(
    distance=lambda grad, distance, scale: grad * density(distance, scale) / scale,
    scale=lambda grad, distance, scale: -grad * density(distance, scale) * distance / scale**2,
)


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
        return share_below(value - self.base_dist.loc, self.scale)

    def icdf(self, prob: Tensor) -> Tensor:
        return self.base_dist.loc + self.scale * math.sqrt(2) * erfinv(prob)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)


__all__ = ["HalfNormal"]
