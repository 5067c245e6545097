"""The Weibull distribution: lifetimes of things that age."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.creation.likeness import ones_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.number_transforms import AffineTransform, PowerTransform
from rushlight.distributions.transform import Transform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.utils import broadcast_all, euler_constant, lazy_property
from rushlight.ops.pointwise.exponential import xlogy


class Weibull(TransformedDistribution):
    """`scale` times the 1/`concentration`-th power of an exponential number.

    >>> torch.distributions.Weibull(torch.tensor(2.0), torch.tensor(1.0)).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    support = constraints.positive

    def __init__(self, scale: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._transforms(), validate_args=validate_args)

    def _transforms(self) -> list[Transform]:
        """From an exponential number to one of this distribution."""
        return [PowerTransform(self.concentration_reciprocal), AffineTransform(0.0, self.scale)]

    @lazy_property
    def concentration_reciprocal(self) -> Tensor:
        """1 / concentration."""
        return self.concentration.reciprocal()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Weibull:
        made = self._expanded(Weibull, batch_shape, _instance)
        # of the parameters as they are now: a number of a wider dtype counts for more once it has a shape
        made.concentration_reciprocal = made.concentration.reciprocal()
        made.transforms = made._transforms()
        return made

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        power, relative = self.concentration, value / self.scale
        times = relative.pow(power)
        if self._validate_args:
            self.base_dist._validate_sample(times)  # NaN where value and scale are infinite
        # what torch's transforms would subtract first, in its order in memory
        found = 0.0 - self.scale.log().expand(relative.shape)
        return found + (power.log() + xlogy(power - 1, relative) - times)

    @property
    def mean(self) -> Tensor:
        return self.scale * (1 + self.concentration_reciprocal).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        # with a concentration of 1 and below, densities rise all the way to 0
        part = (1 - self.concentration_reciprocal).clamp(min=0)
        return self.scale * part**self.concentration_reciprocal

    @property
    def variance(self) -> Tensor:
        inverse = self.concentration_reciprocal
        moments = (1 + 2 * inverse).lgamma().exp() - (2 * (1 + inverse).lgamma()).exp()
        return self.scale.pow(2) * moments

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1


__all__ = ["Weibull"]
