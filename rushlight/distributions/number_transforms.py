"""Transforms of single numbers: each element by itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.creation.likeness import full_like
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.transform import UNSAID, Bijection, Transform
from rushlight.distributions.utils import broadcast_all, lazy_property, limits, sum_rightmost
from rushlight.nn.functional import softplus
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import FLOAT
from rushlight.ops.pointwise.hyperbolic import atanh
from rushlight.ops.shape.broadcasting import broadcast_shapes

LOG_2, LOG_4 = math.log(2), math.log(4)


@op(dtype=FLOAT, name="_log_slope_of_tanh", node="MulBackward0", samples=None)
def log_slope_of_tanh(input):
    """The logarithm of 1 - tanh(x)^2, which rounds to 0 from 10 on: its logarithm does not."""
    distance = np.abs(input)
    return 2 * (LOG_2 - distance - np.log1p(np.exp(-2 * distance)))


log_slope_of_tanh.gradient(input=lambda grad, input: -2 * grad * input.tanh())


class ExpTransform(Bijection):
    """y = exp(x)."""

    domain = constraints.real
    codomain = constraints.positive
    sign = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExpTransform)

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Bijection):
    """y = x ** exponent, for positive x."""

    domain = constraints.positive
    codomain = constraints.positive

    def __init__(self, exponent: Tensor | float, cache_size: int = UNSAID):
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self) -> Tensor:
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and equal(self.exponent, other.exponent)

    def _parameters(self) -> tuple[Tensor]:
        return (self.exponent,)

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.exponent.abs().log() + (self.exponent - 1) * x.log()

    def forward_shape(self, shape: Any) -> Size:
        return broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def clipped_sigmoid(x: Tensor) -> Tensor:
    """The sigmoid, kept away from 0 and 1 by as little as the dtype can tell."""
    info = limits(x.dtype)
    return x.sigmoid().clamp(min=info.tiny, max=1 - info.eps)


class SigmoidTransform(Bijection):
    """y = 1 / (1 + exp(-x))."""

    domain = constraints.real
    codomain = constraints.unit_interval
    sign = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SigmoidTransform)

    def _call(self, x: Tensor) -> Tensor:
        return clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        info = limits(y.dtype)
        y = y.clamp(min=info.tiny, max=1 - info.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return log_slope_of_tanh(x / 2) - LOG_4


class SoftplusTransform(Bijection):
    """y = log(1 + exp(x))."""

    domain = constraints.real
    codomain = constraints.positive
    sign = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftplusTransform)

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -softplus(-x)


class TanhTransform(Bijection):
    """y = tanh(x).

    >>> squash = torch.distributions.transforms.TanhTransform()
    >>> x = torch.tensor(20.0)
    >>> squash.inv(squash(x))
    tensor(20.)
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    sign = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TanhTransform)

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return atanh(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return log_slope_of_tanh(x)


class AbsTransform(Transform):
    """y = |x|; of the two ways back the positive one is taken."""

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Bijection):
    """y = loc + scale * x; values have `event_dim` dimensions."""

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = UNSAID):
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    @property
    def sign(self) -> Any:
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and equal(self.loc, other.loc) and equal(self.scale, other.scale)

    def _parameters(self) -> list[Tensor]:
        return [each for each in (self.loc, self.scale) if isinstance(each, Tensor)]

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if isinstance(self.scale, Tensor):
            found = self.scale.abs().log().expand(x.shape)
        else:
            # x may be a sample of integers, which the memory has kept
            kind = x.dtype if x.is_floating_point() else y.dtype
            found = full_like(x, math.log(abs(self.scale)), dtype=kind)
        return sum_rightmost(found, self._event_dim)

    def forward_shape(self, shape: Any) -> Size:
        return broadcast_shapes(shape, *[each.shape for each in self._parameters()])

    inverse_shape = forward_shape


def equal(one: Any, other: Any) -> bool:
    """Whether two parameters, tensors or numbers, are the same in all elements."""
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return bool((one == other).all())
    return one == other
