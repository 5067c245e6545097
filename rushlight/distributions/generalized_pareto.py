"""The generalized Pareto distribution: what exceeds a high threshold."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import broadcast_all
from rushlight.ops.random.sampling import rand


class GeneralizedPareto(Distribution):
    """Numbers from `loc` on; a positive `concentration` makes their tail heavy, a negative one gives them an end.

    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, end.where(self.concentration < 0, math.inf))

    @property
    def mean(self) -> Tensor:
        found = self.loc + self.scale / (1 - self.concentration)
        return found.masked_fill(self.concentration >= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        found = self.scale.pow(2) / ((1 - self.concentration).pow(2) * (1 - 2 * self.concentration))
        return found.masked_fill(self.concentration >= 0.5, math.nan)

    def expand(self, batch_shape: Any, _instance: Any = None) -> GeneralizedPareto:
        return self._expanded(GeneralizedPareto, batch_shape, _instance)

    def _nonzero(self) -> tuple[Tensor, Tensor]:
        """Where the concentration is as good as zero, and the concentration with ones in those places."""
        zero = self.concentration.abs() <= 1e-8
        return zero, self.concentration.masked_fill(zero, 1.0)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        zero, shape = self._nonzero()
        distance, order = (value - self.loc) / self.scale, 1 / shape + 1
        # at order 0 the density is flat up to its end, where the logarithm is infinite
        decay = (order * (shape * distance).log1p()).masked_fill(order == 0, 0.0)
        return -self.scale.log() - distance.where(zero, decay)

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values above `value`."""
        if self._validate_args:
            self._validate_sample(value)
        zero, shape = self._nonzero()
        distance = (value - self.loc) / self.scale
        return -distance.where(zero, (shape * distance).log1p() / shape)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability of values up to `value`."""
        return (-self.log_survival_function(value).expm1()).log()

    def cdf(self, value: Tensor) -> Tensor:
        return -self.log_survival_function(value).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        zero, shape = self._nonzero()
        log_rest = (-value).log1p()
        return self.loc + self.scale * (-log_rest).where(zero, (-shape * log_rest).expm1() / shape)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1


__all__ = ["GeneralizedPareto"]
