"""The squashed normal distribution: actions of a policy, kept in their bounds by tanh."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from rushlight.core.creation.ranges import linspace
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.normal import Normal, log_density
from rushlight.distributions.number_transforms import log_slope_of_tanh
from rushlight.distributions.soft_transforms import SquashTransform
from rushlight.distributions.transform import UNSAID
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.utils import broadcast_all
from rushlight.ops.pointwise.hyperbolic import tanh

# a sum over a grid so wide and fine is exact to 1e-6 for scales up to 3, to 1e-3 for scales up to 10
WIDTH, POINTS = 8.0, 65


class SquashedNormal(TransformedDistribution):
    """The tanh of a normal number, stretched from `low` to `high`.

    >>> actions = torch.distributions.SquashedNormal(torch.tensor([30.0]), torch.tensor([1.0]), -2.0, 2.0)
    >>> actions.log_prob(actions.rsample()).isfinite()
    tensor([True])

    The log-probability of its last sample is exact, and so are its gradients, however saturated: the normal number is
    remembered. Any other value gets it from the inverse, and one at a bound that of the nearest number inside.
    `mode` is the squashed mean of the normal number; `mean`, `variance` and `entropy` are estimated by a sum over a
    fixed grid, without noise and with gradients.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    has_rsample = True
    base_dist: Normal

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        low: Tensor | float = -1.0,
        high: Tensor | float = 1.0,
        cache_size: int = UNSAID,
        validate_args: bool | None = None,
    ):
        self.loc, self.scale = broadcast_all(loc, scale)
        squash = SquashTransform(low, high, cache_size)
        if isinstance(squash.half, Tensor):
            self.loc, self.scale, _ = broadcast_all(self.loc, self.scale, squash.half)
        self.transforms = [squash]
        Distribution.__init__(self, self.loc.shape, validate_args=validate_args)
        self.base_dist = Normal(self.loc, self.scale, validate_args=False)

    def expand(self, batch_shape: Any, _instance: Any = None) -> SquashedNormal:
        return self._expanded(SquashedNormal, batch_shape, _instance)

    @property
    def _squash(self) -> Any:
        return self.transforms[0]

    @property
    def low(self) -> Tensor | float:
        """The lower bound."""
        return self._squash._bounds[0]

    @property
    def high(self) -> Tensor | float:
        """The upper bound."""
        return self._squash._bounds[1]

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return self._squash.codomain

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        squash = self._squash
        normal = squash._inv_call(value)
        return log_density(normal, self.loc, self.scale) - squash.log_abs_det_jacobian(normal, value)

    def _expected(self, function: Callable[[Tensor], Tensor]) -> Tensor:
        """The mean of a function of the normal number."""
        grid = linspace(-WIDTH, WIDTH, POINTS, dtype=self.loc.dtype)
        weights = (-grid * grid / 2).exp() * (2 * WIDTH / (POINTS - 1) / math.sqrt(2 * math.pi))
        return function(self.loc.unsqueeze(-1) + self.scale.unsqueeze(-1) * grid) @ weights

    @property
    def mean(self) -> Tensor:
        squash = self._squash
        return squash.center + squash.half * self._expected(tanh)

    @property
    def variance(self) -> Tensor:
        middle = self._expected(tanh).unsqueeze(-1)
        return self._squash.half**2 * self._expected(lambda normal: (normal.tanh() - middle) ** 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self._squash._log_half + self._expected(log_slope_of_tanh)


__all__ = ["SquashedNormal"]
