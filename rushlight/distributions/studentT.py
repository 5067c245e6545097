"""Student's distribution: normal numbers divided by an estimate of their deviation."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.functions import log_beta
from rushlight.distributions.utils import broadcast_all
from rushlight.ops.random.sampling import randn


class StudentT(Distribution):
    """Student's distribution with `df` degrees of freedom around `loc`; the fewer, the heavier its tails.

    >>> torch.distributions.StudentT(torch.tensor(4.0)).variance
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        # where there is none, a number of degrees that keeps the gradient finite
        df = self.df.masked_fill(self.df <= 2, 3.0)
        found = df * self.scale.pow(2) / (df - 2)
        found[self.df <= 2] = math.inf
        found[self.df <= 1] = math.nan
        return found

    def expand(self, batch_shape: Any, _instance: Any = None) -> StudentT:
        made = self._expanded(StudentT, batch_shape, _instance)
        made._chi2 = self._chi2.expand(batch_shape)
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        noise = randn(self._extended_shape(sample_shape), dtype=self.df.dtype)
        return self.loc + self.scale * (noise * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = (value - self.loc) / self.scale
        return -0.5 * (self.df + 1) * (distance.pow(2) / self.df).log1p() - self._log_normalization()

    def _log_normalization(self) -> Tensor:
        half = 0.5 * self.df  # a float, also where the degrees of freedom are integers
        return self.scale.log() + 0.5 * self.df.log() + log_beta(half, half.new_tensor(0.5))

    def entropy(self) -> Tensor:
        half = 0.5 * (self.df + 1)
        return self._log_normalization() + half * (half.digamma() - (0.5 * self.df).digamma())


__all__ = ["StudentT"]
