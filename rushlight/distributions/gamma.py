"""The gamma distribution: waiting times for several events."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.creation.creation import as_tensor
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import broadcast_all, limits
from rushlight.ops.pointwise.exponential import xlogy
from rushlight.ops.random.variates import standard_gamma
from rushlight.ops.special.special import igamma


class Gamma(ExponentialFamily):
    """The time until `concentration` events have happened, `rate` of which are expected per unit of time.

    >>> torch.distributions.Gamma(torch.tensor(3.0), torch.tensor(2.0)).mean
    tensor(1.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Tensor | float, rate: Tensor | float, validate_args: bool | None = None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.pow(2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Gamma:
        return self._expanded(Gamma, batch_shape, _instance)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        drawn = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        # never 0, whose logarithm is infinite; the gradient stays that of the quotient
        drawn.data.clamp_(min=limits(drawn.dtype).tiny)
        return drawn

    def log_prob(self, value: Tensor) -> Tensor:
        value = as_tensor(value, dtype=self.rate.dtype)
        if self._validate_args:
            self._validate_sample(value)
        shape, scaled = self.concentration, self.rate * value
        return xlogy(shape, self.rate) + xlogy(shape - 1, value) - scaled - shape.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return igamma(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - self.rate.log() + shape.lgamma() + (1 - shape) * shape.digamma()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return (x + 1).lgamma() - (x + 1) * (-y).log()


__all__ = ["Gamma"]
