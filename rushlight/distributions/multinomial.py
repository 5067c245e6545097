"""The multinomial distribution: how many of a number of draws fall into each class."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.filled import zeros
from rushlight.core.creation.likeness import ones_like
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.ops.sequences.embedding import one_hot


class Multinomial(Distribution):
    """How many of `total_count` draws fall into each of K classes, by `probs` or `logits` along the last dimension.

    >>> torch.distributions.Multinomial(8, torch.tensor([0.25, 0.75])).mean
    tensor([2., 6.])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The log-probability of each class."""
        return self._categorical.logits

    @property
    def param_shape(self) -> Size:
        """The shape of the parameters, classes last."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def mode(self) -> Tensor:
        """The likeliest counts: each further draw goes where the probability per count is largest."""
        with no_grad():
            # no class has fewer than its mean, rounded down; rounding errors may only leave more to hand out
            counts = (self.mean * (1 - 1e-6)).floor()
            while (left := self.total_count - counts.sum(-1, keepdim=True)).any():
                best = one_hot((self.probs / (counts + 1)).argmax(-1), self._event_shape[0])
                counts = counts + best * (left > 0)
            return counts

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Multinomial:
        made = self._get_checked_instance(Multinomial, _instance)
        made.total_count, made._categorical = self.total_count, self._categorical.expand(batch_shape)
        Distribution.__init__(made, Size(batch_shape), self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        classes = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = zeros(self._extended_shape(sample_shape), dtype=classes.dtype)
        return counts.scatter_add_(-1, classes, ones_like(classes)).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # a class that is impossible and did not occur adds nothing
        weighted = (self.logits * value).masked_fill((value == 0) & (self.logits == -math.inf), 0.0)
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + weighted.sum(-1)

    def entropy(self) -> Tensor:
        # the number of draws in a class is binomial
        counts = Binomial(self.total_count, probs=self.probs)
        support = counts.enumerate_support(expand=False)[1:]
        repeated = (counts.log_prob(support).exp() * (support + 1).lgamma()).sum((0, -1))
        return self.total_count * self._categorical.entropy() - math.lgamma(self.total_count + 1) + repeated


__all__ = ["Multinomial"]
