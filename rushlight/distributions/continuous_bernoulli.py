"""The continuous Bernoulli distribution: numbers between 0 and 1 with an exponential density."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from rushlight.core.numbers.promotion import result_type
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.probs_or_logits import ProbsOrLogits
from rushlight.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits
from rushlight.nn.functional import binary_cross_entropy_with_logits
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COMMON, by_first
from rushlight.ops.machine.rules import FLOAT, PROMOTE
from rushlight.ops.random.sampling import rand

# log(sinh(x / 2) / (x / 2)) as a series in x**2, from its first power on
SERIES = (1 / 24, -1 / 2880, 1 / 181440, -1 / 9676800, 1 / 479001600, -691 / 15692092416000, 1 / 1046139494400)


@op(dtype=FLOAT, layout=COMMON, name="_log_sinhc", samples=None)
def log_sinhc(x, order: int = 0):
    """log(sinh(x / 2) / (x / 2)) or its derivative of the given order, up to the third.

    It is the logarithm of the integral of exp((value - 1/2) x): its derivatives are the mean and the variance.
    """
    x = x.astype(np.float64)
    small = np.abs(x) < 0.5
    return np.where(small, near(np.where(small, x, 0), order), far(np.where(small, 1, x), order))


def near(x: np.ndarray, order: int) -> np.ndarray:
    """The series, derived term by term: what is left is even, or x times an even one."""
    powers = range(2, 2 * len(SERIES) + 1, 2)
    terms = [term * math.perm(power, order) for term, power in zip(SERIES, powers, strict=True) if power >= order]
    square = x * x
    total = np.full_like(x, terms[-1])
    for term in terms[-2::-1]:
        total = total * square + term
    if order == 0:
        return total * square
    return total * x if order % 2 else total


def far(x: np.ndarray, order: int) -> np.ndarray:
    """The same in closed form, which cancels for small x."""
    size = np.abs(x)
    # sinh and cosh of half the size, without the factor that overflows: exp(size / 2)
    sinh, cosh, decay = -np.expm1(-size) / 2, (1 + np.exp(-size)) / 2, np.exp(-size)
    if order == 0:
        return size / 2 + np.log(2 * sinh / size)
    if order == 1:
        return np.sign(x) * (0.5 * cosh / sinh - 1 / size)
    if order == 2:
        return 1 / size**2 - decay / (4 * sinh**2)
    return np.sign(x) * (decay * cosh / (4 * sinh**3) - 2 / size**3)


log_sinhc.gradient(x=lambda grad, x, order: grad * log_sinhc(x, order + 1))


@op(dtype=FLOAT, layout=COMMON, name="_continuous_bernoulli_mean", node="WhereBackward0", samples=None)
def mean_of(logits):
    """The mean of a distribution with these logits."""
    return 0.5 + log_sinhc.op.body(logits, 1)


@op(dtype=FLOAT, layout=COMMON, name="_continuous_bernoulli_variance", node="WhereBackward0", samples=None)
def variance_of(logits):
    """The variance of a distribution with these logits."""
    return log_sinhc.op.body(logits, 2)


mean_of.gradient(logits=lambda grad, logits: grad * log_sinhc(logits, 2))
variance_of.gradient(logits=lambda grad, logits: grad * log_sinhc(logits, 3))


@op(dtype=PROMOTE, layout=by_first(1), name="_continuous_bernoulli_log_prob", node="AddBackward0", samples=None)
def log_density(value, logits):
    """The logarithm of the density; in float64 inside, since its two parts may be large."""
    bound, wide = steepest(logits.dtype), logits.astype(np.float64)
    near = np.clip(wide, -bound, bound)
    # what the bound leaves out, the logarithm of a Bernoulli probability has in full
    beyond = np.where(wide == near, 0, value * (wide - near)) - (np.logaddexp(0, wide) - np.logaddexp(0, near))
    return (value - 0.5) * near - log_sinhc.op.body(near) + beyond


def slope(grad: Tensor, value: Tensor, logits: Tensor) -> Tensor:
    """For the logits: beyond the bound the factor that makes the density integrate to 1 stays."""
    bound = steepest(logits._array.dtype)
    return grad * (value - 0.5 - log_sinhc(logits, 1)).where(logits.abs() <= bound, value - logits.sigmoid())


log_density.gradient(value=lambda grad, logits: grad * logits, logits=slope)


def steepest(kind: np.dtype) -> float:
    """The largest logits that count; as in torch, those of the largest probability below 1."""
    return -math.log(np.finfo(kind).eps) if kind.kind == "f" else math.inf


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """Numbers between 0 and 1 whose density grows as (probs / (1 - probs))**value (Loaiza-Ganem and Cunningham, 2019).

    `lims` is there for programs that give it: nothing is unstable around probs 0.5 here.

    >>> torch.distributions.ContinuousBernoulli(torch.tensor(0.5)).variance
    tensor(0.0833)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ):
        self._take(probs, logits)
        if probs is not None:
            if validate_args is not None and not constraints.unit_interval.holds(self.probs):
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.shape, validate_args=validate_args)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    @property
    def _bounded(self) -> Tensor:
        """The logits as far as they count."""
        probs = self.probs  # torch's moments come from these: they are shown from then on, logits are not
        logits = self.logits if "logits" in self.__dict__ else probs_to_logits(probs, is_binary=True)
        bound = steepest(logits._array.dtype)
        return logits.clamp(-bound, bound)

    @property
    def mean(self) -> Tensor:
        return mean_of(self._bounded)

    @property
    def mode(self) -> Tensor:
        """The end where the density is higher, and NaN where it is flat."""
        logits = self._bounded
        return ((logits.sign() + 1) / 2).masked_fill(logits == 0, math.nan)

    @property
    def variance(self) -> Tensor:
        return variance_of(self._bounded)

    def expand(self, batch_shape: Any, _instance: Any = None) -> ContinuousBernoulli:
        made = self._expanded(ContinuousBernoulli, batch_shape, _instance)
        made._lims = self._lims
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self._param.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits = self.logits
        if value.dtype is not logits.dtype:
            wide, value = broadcast_all(logits, value)
            if not value.is_floating_point():
                binary_cross_entropy_with_logits(wide, value)  # which refuses it, as in torch
            kind = result_type(value, logits)
            logits, value = logits.to(kind), value.to(kind)
        return log_density(value, logits)

    def _from_the_mode(self) -> tuple[Tensor, Tensor, Tensor]:
        """Whether the density grows, where it is flat, and the slope of its logarithm, downwards."""
        logits = self._bounded
        slope = -logits.abs()
        flat = slope == 0
        return logits > 0, flat, slope.masked_fill(flat, -1.0)

    def cdf(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        grows, flat, slope = self._from_the_mode()
        value = value.to(result_type(1 - value, slope)).clamp(0, 1)
        distance = (1 - value).where(grows, value)
        found = (slope * distance).expm1() / slope.expm1()
        found = value.where(flat, (1 - found).where(grows, found))
        return value.detach().where((value <= 0) | (value >= 1), found)

    def icdf(self, value: Tensor) -> Tensor:
        grows, flat, slope = self._from_the_mode()
        value = value + (slope * 0)  # in the dtype of both: a value without dimensions has none of its own
        share = (1 - value).where(grows, value)
        distance = (share * slope.expm1()).log1p() / slope
        return value.where(flat, (1 - distance).where(grows, distance))

    def entropy(self) -> Tensor:
        logits = self._bounded
        return log_sinhc(logits) - logits * log_sinhc(logits, 1)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return log_sinhc(x) + 0.5 * x


__all__ = ["ContinuousBernoulli"]
