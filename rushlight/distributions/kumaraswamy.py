"""The Kumaraswamy distribution: like Beta, with simple formulas."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.creation.likeness import ones_like, zeros_like
from rushlight.core.numbers.promotion import promote_types
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.functions import log_beta
from rushlight.distributions.number_transforms import AffineTransform, PowerTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import broadcast_all, euler_constant
from rushlight.ops.pointwise.exponential import xlogy
from rushlight.ops.pointwise.where import where


class Kumaraswamy(TransformedDistribution):
    """Numbers from 0 to 1; x ** `concentration1` is the smallest part in `concentration0`, were that a whole number.

    >>> torch.distributions.Kumaraswamy(torch.tensor(1.0), torch.tensor(3.0)).mean
    tensor(0.2500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = zeros_like(self.concentration0), ones_like(self.concentration0)
        transforms = [
            PowerTransform(self.concentration0.reciprocal()),
            AffineTransform(1.0, -1.0),
            PowerTransform(self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Kumaraswamy:
        return self._expanded(Kumaraswamy, batch_shape, _instance)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        one, zero = self.concentration1, self.concentration0
        if value.dtype is not zero.dtype:
            # in torch the uniform base has a weight for each value in the dtype of its parameters
            value = value.to(promote_types(value.dtype, zero.dtype))
        # 1 - value ** one, without cancellation near 1
        rest = -(one * value.log()).expm1()
        return xlogy(one - 1, value) + (one.log() + zero.log()) + xlogy(zero - 1, rest)

    def _moment(self, order: int) -> Tensor:
        one, zero = self.concentration1, self.concentration0
        return zero * log_beta(1 + order / one, zero).exp()

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """NaN where the density has no single peak inside: a concentration below 1, or both 1."""
        one, inverse = self.concentration1, self.concentration0.reciprocal()
        outside = (one < 1) | (inverse > 1)
        # numbers with a peak stand in for those without: through a NaN the gradient would not be 0
        one, inverse = where(outside, 2.0, one), where(outside, 0.5, inverse)
        found = (inverse * (one - 1) / (one - inverse)).log() / one
        return found.masked_fill_(outside, math.nan).exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        one, zero = self.concentration1, self.concentration0
        harmonic = (zero + 1).digamma() + euler_constant
        return (1 - zero.reciprocal()) + (1 - one.reciprocal()) * harmonic - one.log() - zero.log()


__all__ = ["Kumaraswamy"]
