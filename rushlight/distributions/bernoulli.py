"""The Bernoulli distribution: 0 or 1."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.ranges import arange
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.utils import broadcast_all
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import by_first
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.random.sampling import bernoulli


@op(dtype=PROMOTE, layout=by_first(1), name="_bernoulli_log_prob", node="NegBackward0", samples=None)
def log_probability(value, logits):
    """The log-probability of `value`; one op in place of two, and without overflow."""
    return -((1 - value) * logits - np.minimum(logits, 0) + np.log1p(np.exp(-np.abs(logits))))


log_probability.gradient(
    logits=lambda grad, logits, value: grad * (value - logits.sigmoid()),
    value=lambda grad, logits: grad * logits,
)


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """1 with probability `probs`, else 0.

    >>> torch.distributions.Bernoulli(torch.tensor(0.25)).variance
    tensor(0.1875)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        found = (self.probs >= 0.5).to(self.probs.dtype)
        return found.masked_fill_(self.probs == 0.5, math.nan)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Bernoulli:
        return self._expanded(Bernoulli, batch_shape, _instance)

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        shape, probs = self._extended_shape(sample_shape), self.probs
        with no_grad():
            return bernoulli(probs if shape == self._batch_shape else probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits = self.logits
        if not isinstance(value, Tensor) or value.dtype is not logits.dtype:
            logits, value = broadcast_all(logits, value)
            return -binary_cross_entropy_with_logits(logits, value, reduction="none")
        return log_probability(value, logits)

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(2, dtype=self._param.dtype).view((-1, *([1] * len(self._batch_shape))))
        return values.expand((-1, *self._batch_shape)) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.probs.logit(),)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.exp().log1p()


__all__ = ["Bernoulli"]
