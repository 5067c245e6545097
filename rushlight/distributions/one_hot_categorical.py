"""The categorical distribution over one-hot vectors."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.creation.filled import eye
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.ops.sequences.embedding import one_hot


class OneHotCategorical(Distribution):
    """A vector with a one for the class that was drawn, by `probs` or `logits` along the last dimension.

    >>> torch.distributions.OneHotCategorical(torch.tensor([0.25, 0.75])).mode
    tensor([0., 1.])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def probs(self) -> Tensor:
        """The probability of each class."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The log-probability of each class."""
        return self._categorical.logits

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def param_shape(self) -> Size:
        """The shape of the parameters, classes last."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        return self._vector(self._categorical.mode)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def _vector(self, index: Tensor) -> Tensor:
        return one_hot(index, self._event_shape[0]).to(self._param.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> OneHotCategorical:
        made = self._get_checked_instance(OneHotCategorical, _instance)
        made._categorical = self._categorical.expand(batch_shape)
        Distribution.__init__(made, Size(batch_shape), self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self._vector(self._categorical.sample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.argmax(-1))

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = self._event_shape[0]
        values = eye(count, dtype=self._param.dtype).view((count, *([1] * len(self._batch_shape)), count))
        return values.expand((count, *self._batch_shape, count)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot samples that have the gradients of the probabilities (Bengio and others, 2013)."""

    has_rsample = True

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]
