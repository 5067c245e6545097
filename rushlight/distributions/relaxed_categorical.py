"""Relaxed one-hot distributions: nearly one-hot, and differentiable."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.number_transforms import ExpTransform
from rushlight.distributions.relaxed_bernoulli import as_temperature
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.utils import broadcast_all, clamp_probs
from rushlight.ops.random.sampling import rand


class ExpRelaxedCategorical(Distribution):
    """The logarithms of what RelaxedOneHotCategorical draws."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    # those whose exponentials sum to 1
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        self._categorical = Categorical(probs, logits, validate_args=validate_args)
        self.temperature = as_temperature(temperature, self._categorical._param)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> ExpRelaxedCategorical:
        made = self._expanded(ExpRelaxedCategorical, batch_shape, _instance)
        made.temperature = self.temperature
        made._categorical = self._categorical.expand(batch_shape)
        return made

    @property
    def param_shape(self) -> Size:
        """The shape of the parameters, classes last."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        """The log-probability of each class."""
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        return (self.logits / self.temperature).log_softmax(-1)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        uniform = clamp_probs(rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        noise = -(-uniform.log()).log()
        return ((self.logits + noise) / self.temperature).log_softmax(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        count = self._event_shape[-1]
        logits, value = broadcast_all(self.logits, value)
        score = (logits - value * self.temperature).log_softmax(-1).sum(-1)
        return score + (math.lgamma(count) + (count - 1) * self.temperature.log())


class RelaxedOneHotCategorical(TransformedDistribution):
    """Points of the simplex that a small `temperature` draws to its corners, with gradients for `probs`.

    Its mode is the exponential of the base's mode: the softmax of `logits / temperature`.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> RelaxedOneHotCategorical:
        return self._expanded(RelaxedOneHotCategorical, batch_shape, _instance)

    @property
    def temperature(self) -> Tensor:
        """How far from the corners points stay."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        """The log-probability of each class."""
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self.base_dist.probs


__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]
