"""The von Mises distribution: angles around a direction."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from rushlight.core.memory.layout import common_strides
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import broadcast_all, lazy_property
from rushlight.ops.machine.declare import Op, op
from rushlight.ops.machine.layouts import restrided
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.random import implicit
from rushlight.ops.random.sampling import rand
from rushlight.ops.special.special import i0e, i1e


def AS_CONCENTRATION(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order of the concentration, on which the proposals depend."""
    return restrided(result, common_strides(result.shape, [arrays[1]]))


@op(dtype=PROMOTE, layout=AS_CONCENTRATION, name="_von_mises_angles", samples=None)
def angles(loc, concentration, shape: tuple):
    """Angles by rejection (Best and Fisher, 1979), which follow the parameters along their quantiles."""
    loc, kappa = loc.astype(np.float64), concentration.astype(np.float64)
    tau = 1 + np.sqrt(1 + 4 * kappa**2)
    rho = (tau - np.sqrt(2 * tau)) / (2 * kappa)
    envelope = np.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
    # NaN would never be accepted, nor would anything where the envelope is as narrow as rounding: the direction is it
    done = np.broadcast_to(np.isnan(loc) | ~(envelope > 1), shape)
    found = np.broadcast_to(np.where(np.isnan(loc + kappa), np.nan, 0.0), shape)
    while not done.all():
        u1, u2, u3 = rand((3, *shape), dtype=dtypes.float64)._array
        z = np.cos(math.pi * u1)
        f = (1 + envelope * z) / (envelope + z)
        c = kappa * (envelope - f)
        accepted = (c * (2 - c) - u2 > 0) | (np.log(c / u2) + 1 - c >= 0)
        found = np.where(accepted, np.sign(u3 - 0.5) * np.arccos(f), found)
        done = done | accepted
    return (found + math.pi + loc) % (2 * math.pi) - math.pi


@op(dtype=PROMOTE, name="_von_mises_slope", samples=None)
def angle_slope(angle, concentration):
    """How fast an angle, measured from the direction, grows with the concentration."""
    arrays = np.broadcast_arrays(angle, concentration)
    found = implicit.von_mises_slope(*[each.astype("d").ravel() for each in arrays])
    return found.astype(angle.dtype).reshape(arrays[0].shape)


angles.gradient(
    loc=lambda grad: grad,
    concentration=lambda grad, loc, concentration, result: grad * angle_slope(result - loc, concentration),
)


class VonMises(Distribution):
    """Angles from -pi to pi around `loc`; a large `concentration` makes them normal with the variance 1 over it.

    >>> torch.distributions.VonMises(torch.tensor(0.0), torch.tensor(1.0)).log_prob(torch.tensor(0.0))
    tensor(-1.0738)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Tensor | float, concentration: Tensor | float, validate_args: bool | None = None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance: what is missing from 1 to the length of the mean vector."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    def expand(self, batch_shape: Any, _instance: Any = None) -> VonMises:
        return self._expanded(VonMises, batch_shape, _instance)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        found = angles(self.loc, self.concentration, tuple(self._extended_shape(sample_shape)))
        return found.to(self.loc.dtype)  # whatever that of the concentration

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        # exponentially scaled Bessel functions neither overflow nor cancel against the cosine
        drop = 2 * ((value - self.loc) / 2).sin().pow(2)
        return -(self.concentration * drop) - self._log_scaled_total()

    def _log_scaled_total(self) -> Tensor:
        return math.log(2 * math.pi) + i0e(self.concentration).log()

    def entropy(self) -> Tensor:
        return self._log_scaled_total() + self.concentration * self.variance


__all__ = ["VonMises"]
