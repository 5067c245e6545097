"""The inverse gamma distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.number_transforms import PowerTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution


class InverseGamma(TransformedDistribution):
    """1 / x of a gamma-distributed x.

    >>> torch.distributions.InverseGamma(torch.tensor(3.0), torch.tensor(4.0)).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> InverseGamma:
        return self._expanded(InverseGamma, batch_shape, _instance)

    @property
    def concentration(self) -> Tensor:
        """The concentration of x."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of x."""
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        return (self.rate / (self.concentration - 1)).where(self.concentration > 1, math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        shape = self.concentration
        found = self.rate.pow(2) / ((shape - 1).pow(2) * (shape - 2))
        return found.where(shape > 2, math.inf)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape + self.rate.log() + shape.lgamma() - (1 + shape) * shape.digamma()


__all__ = ["InverseGamma"]
