"""The binomial distribution: successes among a number of trials."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.ranges import arange
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.functions import log_beta
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.ops.pointwise.activations import logsigmoid
from rushlight.ops.random.variates import binomial


class Binomial(ProbsOrLogits):
    """How many of `total_count` trials succeed, each with probability `probs`.

    >>> torch.distributions.Binomial(10, torch.tensor(0.5)).variance
    tensor(2.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Binomial:
        return self._expanded(Binomial, batch_shape, _instance)

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # (1 - p)^n (p / (1 - p))^k
        powers = value * self.logits + self.total_count * logsigmoid(-self.logits)
        # less the logarithm of 1 over the number of ways to choose k of n
        return powers - ((self.total_count + 1).log() + log_beta(self.total_count - value + 1, value + 1))

    def entropy(self) -> Tensor:
        self._one_count("entropy")
        weights = self.log_prob(self.enumerate_support(False))
        return -(weights.exp() * weights).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(1 + self._one_count("enumerate_support"), dtype=self._param.dtype)
        values = values.view((-1, *([1] * len(self._batch_shape))))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def _one_count(self, method: str) -> int:
        """The number of trials, which has to be the same for the whole batch."""
        count = int(self.total_count.max())
        if self.total_count.min() != count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return count


__all__ = ["Binomial"]
