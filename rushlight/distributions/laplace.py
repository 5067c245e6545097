"""The Laplace distribution: exponential on both sides."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.creation.filled import empty
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import broadcast_all, limits


class Laplace(Distribution):
    """Numbers around `loc`, at distances that are exponential with the mean `scale`.

    >>> torch.distributions.Laplace(torch.tensor(0.0), torch.tensor(1.0)).entropy()
    tensor(1.6931)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Laplace:
        return self._expanded(Laplace, batch_shape, _instance)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        kind = self.loc.dtype
        u = empty(self._extended_shape(sample_shape), dtype=kind).uniform_(limits(kind).eps - 1, 1)
        return self.loc - self.scale * (u.sign() * (-u.abs()).log1p())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = value - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        side = value - 0.5
        return self.loc - self.scale * side.sign() * (-2 * side.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()


__all__ = ["Laplace"]
