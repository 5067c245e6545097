"""Relaxed Bernoulli distributions: nearly 0 or 1, and differentiable."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.number_transforms import SigmoidTransform
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.utils import broadcast_all, probs_to_logits
from rushlight.nn.functional import softplus
from rushlight.ops.random.sampling import rand


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The logits of what RelaxedBernoulli draws: numbers that a sigmoid takes near 0 or 1."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        self._take(probs, logits)
        self.temperature = as_temperature(temperature, self._param)
        super().__init__(self._param.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> LogitRelaxedBernoulli:
        made = self._expanded(LogitRelaxedBernoulli, batch_shape, _instance)
        made.temperature = self.temperature
        return made

    @property
    def mode(self) -> Tensor:
        return self.logits / self.temperature

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        noise = probs_to_logits(rand(self._extended_shape(sample_shape), dtype=self._param.dtype), is_binary=True)
        return (noise + self.logits) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        distance = logits - value * self.temperature
        return self.temperature.log() + distance - 2 * softplus(distance)


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between 0 and 1 that a small `temperature` draws to the ends, with gradients for `probs`.

    Its mode is the sigmoid of the base's mode, `logits / temperature`.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        base = LogitRelaxedBernoulli(temperature, probs, logits)  # torch checks these in any case
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> RelaxedBernoulli:
        return self._expanded(RelaxedBernoulli, batch_shape, _instance)

    @property
    def temperature(self) -> Tensor:
        """How far from 0 and 1 numbers stay."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The logit of the probability of 1."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self.base_dist.probs


def as_temperature(temperature: Tensor | float, beside: Tensor) -> Tensor:
    """A temperature as a tensor; a number takes the dtype of the parameters."""
    return temperature if isinstance(temperature, Tensor) else beside.new_tensor(temperature)


__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]
