"""The categorical distribution: one of K classes."""

from __future__ import annotations

import functools
import math
from typing import Any, ClassVar

import numpy as np

from rushlight.core.creation.filled import full
from rushlight.core.creation.ranges import arange
from rushlight.core.numbers import dtypes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor, new_tuple, wrap
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import lazy_property, limits, logits_to_probs, probs_to_logits
from rushlight.native import shortcut
from rushlight.ops.indexing.gathering import gather, gather_into
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import ROWS
from rushlight.ops.machine.rules import FLOAT, PROMOTE, SAME
from rushlight.ops.random.sampling import multinomial


@op(dtype=FLOAT, name="_normalized_logits", node="SubBackward0", samples=None)
def normalized(input):
    """Logits less the logarithm of the sum of their exponentials: what remains is log-probabilities."""
    largest = np.maximum.reduce(input, -1, keepdims=True)
    # a row of infinities has no largest finite one, and needs none
    finite = LARGEST[input.itemsize]
    largest = np.minimum(np.maximum(largest, -finite), finite)
    total = np.add.reduce(np.exp(input - largest), -1, keepdims=True)
    return input - (np.log(total) + largest)


normalized.gradient(input=lambda grad, result: grad - result.exp() * grad.sum(-1, keepdim=True))

LARGEST = {4: 3.4028234663852886e38, 8: 1.7976931348623157e308}  # by the bytes of a number


@op(dtype=PROMOTE, name="_entropy", node="NegBackward0", samples=None)
def entropy_of(logits, probs):
    """The expected negative log-probability; one op in place of four."""
    # a class of probability 0 adds nothing: its logit is kept finite
    return -np.add.reduce(np.maximum(logits, -LARGEST[logits.itemsize]) * probs, -1)


entropy_of.gradient(
    logits=lambda grad, logits, probs: -grad.unsqueeze(-1) * probs * (logits >= limits(logits.dtype).min),
    probs=lambda grad, logits: -grad.unsqueeze(-1) * logits.clamp(min=limits(logits.dtype).min),
)


@op(dtype=SAME, layout=ROWS, operands=["input"], name="_chosen", node="SqueezeBackward1", samples=None)
def chosen(input, index):
    """The element of each row that the index names."""
    return gather.op.body(input, -1, index[..., None])[..., 0]


chosen.gradient(
    input=lambda grad, input_shape, index: gather_into(grad.unsqueeze(-1), -1, index.unsqueeze(-1), input_shape)
)


@shortcut
def drawn(probs: Tensor, count: int, shape: tuple[int, ...]) -> Tensor:
    """Classes drawn by each row of probabilities, `count` times: a tensor of this shape, rows last."""
    rows = probs._array.reshape(-1, probs._array.shape[-1])
    made = multinomial(wrap(rows), count, True)
    # the tensor is new: its array may still take another shape
    made._array = made._array.T.reshape(shape)
    return made


# a region takes 2 us to make
classes = functools.cache(lambda count: constraints.integer_interval(0, count - 1))


class Categorical(Distribution):
    """A class from 0 to K-1, by `probs` or `logits` along the last dimension.

    >>> torch.distributions.Categorical(torch.tensor([0.25, 0.75])).mode
    tensor(1)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.simplex,
        "logits": constraints.real_vector,
    }
    has_enumerate_support = True

    def __init__(self, probs: Tensor | None = None, logits: Tensor | None = None, validate_args: bool | None = None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        elif logits is not None:
            if logits.dim() < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = self._param = normalized(logits)
        shape = self._param._array.shape
        self._num_events = shape[-1]
        batch_shape = NO_SHAPE if len(shape) == 1 else new_tuple(Size, shape[:-1])
        super().__init__(batch_shape, validate_args=validate_args)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameters, classes last."""
        return self._param.shape

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return classes(self._num_events)

    @property
    def mean(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Categorical:
        made = self._expanded(Categorical, batch_shape, _instance)
        made._param = made.__dict__["logits" if "logits" in made.__dict__ else "probs"]
        made._num_events = self._num_events
        return made

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return drawn(self.probs, math.prod(sample_shape), self._extended_shape(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        index, logits = value if value.dtype is dtypes.int64 else value.long(), self.logits
        if index._array.shape != logits._array.shape[:-1]:
            shape = np.broadcast_shapes(index._array.shape, self._batch_shape)
            index, logits = index.expand(shape), logits.expand((*shape, self._num_events))
        return chosen(logits, index)

    def entropy(self) -> Tensor:
        return entropy_of(self.logits, self.probs)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = arange(self._num_events).view((-1, *([1] * len(self._batch_shape))))
        return values.expand((-1, *self._batch_shape)) if expand else values


__all__ = ["Categorical"]
