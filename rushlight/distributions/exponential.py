"""The exponential distribution: waiting times for an event."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from rushlight.core.creation.filled import empty
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.utils import broadcast_all
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import FLOAT
from rushlight.ops.pointwise.exponential import log1p


@op(dtype=FLOAT, layout=COMMON, name="_exponential_share", node="RsubBackward1", samples=None)
def share_below(times):
    """1 - exp(-x), which loses no digits for small x."""
    return -np.expm1(-times)


share_below.gradient(times=lambda grad, times: grad * (-times).exp())


class Exponential(ExponentialFamily):
    """The time between events, `rate` of which are expected per unit of time.

    >>> torch.distributions.Exponential(torch.tensor(4.0)).mean
    tensor(0.2500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.pow(-2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Exponential:
        return self._expanded(Exponential, batch_shape, _instance)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return empty(self._extended_shape(sample_shape), dtype=self.rate.dtype).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return share_below(self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        return -log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1 - self.rate.log()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return -(-x).log()


__all__ = ["Exponential"]
