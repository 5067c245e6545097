"""The negative binomial distribution: successes before a number of failures."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.functions import log_beta
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.utils import lazy_property
from rushlight.ops.pointwise.activations import logsigmoid
from rushlight.ops.random.variates import poisson


class NegativeBinomial(ProbsOrLogits):
    """How many trials succeed before `total_count` of them fail, each with probability `probs` of success.

    >>> torch.distributions.NegativeBinomial(4, torch.tensor(0.5)).mean
    tensor(4.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.logits.exp()

    @property
    def mode(self) -> Tensor:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self) -> Tensor:
        return self.mean / (-self.logits).sigmoid()

    def expand(self, batch_shape: Any, _instance: Any = None) -> NegativeBinomial:
        return self._expanded(NegativeBinomial, batch_shape, _instance)

    @lazy_property
    def _gamma(self) -> Gamma:
        """The rates of the Poisson numbers that successes are."""
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        with no_grad():
            return poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        powers = self.total_count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        trials = self.total_count + value
        orders = log_beta(self.total_count, value + 1) + trials.abs().log()
        return powers - orders.masked_fill(trials == 0, 0.0)


__all__ = ["NegativeBinomial"]
