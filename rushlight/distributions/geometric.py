"""The geometric distribution: failures before the first success."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.filled import empty
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, outside
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.utils import broadcast_all, limits
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.ops.pointwise.exponential import xlog1py


class Geometric(ProbsOrLogits):
    """The number of trials that fail before one succeeds, each with probability `probs`.

    >>> torch.distributions.Geometric(torch.tensor(0.25)).mean
    tensor(3.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        validate_args: bool | None = None,
    ):
        self._take(probs, logits)
        super().__init__(self._param.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not constraints.positive.holds(self.probs):
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.detach()[value <= 0]}"
                f"{outside('probs', constraints.positive, value)}"
            )

    @property
    def mean(self) -> Tensor:
        return 1 / self.probs - 1

    @property
    def mode(self) -> Tensor:
        return zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1 / self.probs - 1) / self.probs

    def expand(self, batch_shape: Any, _instance: Any = None) -> Geometric:
        return self._expanded(Geometric, batch_shape, _instance)

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        kind = self.probs.dtype
        with no_grad():
            u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(limits(kind).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # torch's copy of the probabilities is laid out by rows
        value, probs = broadcast_all(value, self.probs)
        return xlog1py(value, (-probs).contiguous()) + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


__all__ = ["Geometric"]
