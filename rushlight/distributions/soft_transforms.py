"""Transforms that bend gently: into bounds, above one, or below one."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.number_transforms import equal, log_slope_of_tanh
from rushlight.distributions.transform import UNSAID, Bijection
from rushlight.distributions.utils import broadcast_all, limits
from rushlight.nn.functional import logsigmoid, softplus, softsign


class SoftsignTransform(Bijection):
    """y = x / (1 + |x|): saturates far more slowly than tanh, so that its inverse stays good."""

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    sign = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftsignTransform)

    def _call(self, x: Tensor) -> Tensor:
        return softsign(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y / (1 - y.abs())

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -2 * x.abs().log1p()


class Bounded(Bijection):
    """A transform with bounds, each a number or a tensor of constants."""

    domain = constraints.real
    sign = 1

    def __init__(self, bounds: tuple, cache_size: int = UNSAID):
        super().__init__(cache_size)
        self._bounds = bounds

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return False
        return all(equal(one, two) for one, two in zip(self._bounds, other._bounds, strict=True))

    def _parameters(self) -> list[Tensor]:
        return [each for each in self._bounds if isinstance(each, Tensor)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(str(each) for each in self._bounds)})"


class SoftlowerTransform(Bounded):
    """y = low + s * softplus((x - low) / s): x itself well above `low`, `low` far below it.

    The width s of the bend is `hinge_softness`.
    """

    def __init__(self, low: Tensor | float, hinge_softness: float = 1.0, cache_size: int = UNSAID):
        super().__init__((low, hinge_softness), cache_size)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def codomain(self) -> Any:
        return constraints.greater_than(self._bounds[0])

    def _call(self, x: Tensor) -> Tensor:
        low, softness = self._bounds
        return low + softness * softplus((x - low) / softness)

    def _inverse(self, y: Tensor) -> Tensor:
        low, softness = self._bounds
        return y + softness * log_rest((y - low) / softness)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        low, softness = self._bounds
        return logsigmoid((x - low) / softness)


class SoftupperTransform(Bounded):
    """y = high - s * softplus((high - x) / s): x itself well below `high`, `high` far above it."""

    def __init__(self, high: Tensor | float, hinge_softness: float = 1.0, cache_size: int = UNSAID):
        super().__init__((high, hinge_softness), cache_size)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def codomain(self) -> Any:
        return constraints.less_than(self._bounds[0])

    def _call(self, x: Tensor) -> Tensor:
        high, softness = self._bounds
        return high - softness * softplus((high - x) / softness)

    def _inverse(self, y: Tensor) -> Tensor:
        high, softness = self._bounds
        return y - softness * log_rest((high - y) / softness)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        high, softness = self._bounds
        return logsigmoid((high - x) / softness)


class SoftclipTransform(Bounded):
    """x between the bounds, and bent towards them over a width of `hinge_softness`."""

    def __init__(
        self, low: Tensor | float, high: Tensor | float, hinge_softness: float = 1.0, cache_size: int = UNSAID
    ):
        super().__init__((low, high, hinge_softness), cache_size)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def codomain(self) -> Any:
        return constraints.interval(*self._bounds[:2])

    def _call(self, x: Tensor) -> Tensor:
        low, high, softness = self._bounds
        return low + softness * (softplus((x - low) / softness) - softplus((x - high) / softness))

    def _inverse(self, y: Tensor) -> Tensor:
        low, high, softness = self._bounds
        return y + softness * (log_rest((y - low) / softness) - log_rest((high - y) / softness))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        low, high, softness = self._bounds
        width = (high - low) / softness
        span = log_rest(width) if isinstance(width, Tensor) else math.log(-math.expm1(-width))
        return logsigmoid((x - low) / softness) + logsigmoid((high - x) / softness) + span


class SquashTransform(Bounded):
    """The tanh of x, stretched from `low` to `high`: what keeps actions in their bounds.

    A value at a bound itself has no inverse in numbers; it gets that of the nearest number inside.
    """

    def __init__(self, low: Tensor | float = -1.0, high: Tensor | float = 1.0, cache_size: int = UNSAID):
        if isinstance(low, Tensor) or isinstance(high, Tensor):
            low, high = broadcast_all(low, high)
        super().__init__((low, high), cache_size)
        self.center, self.half = (high + low) / 2, (high - low) / 2

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def codomain(self) -> Any:
        return constraints.interval(*self._bounds)

    def _call(self, x: Tensor) -> Tensor:
        y = x.tanh() * self.half
        if not isinstance(self.center, Tensor) and self.center == 0:
            return y
        # the sum may round to a number just outside
        return (y + self.center).clamp(*self._bounds)

    def _inverse(self, y: Tensor) -> Tensor:
        nearest = 1 - limits(y.dtype).eps / 2
        return ((y - self.center) / self.half).clamp(-nearest, nearest).atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return log_slope_of_tanh(x) + self._log_half

    @property
    def _log_half(self) -> Any:
        return self.half.log() if isinstance(self.half, Tensor) else math.log(self.half)


def log_rest(distance: Tensor) -> Tensor:
    """log(1 - exp(-distance)), without cancellation near 0."""
    return (-distance).expm1().neg().log()
