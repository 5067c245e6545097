"""The F distribution of Fisher and Snedecor: ratios of mean squares."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.functions import log_beta
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.utils import broadcast_all, limits
from rushlight.ops.pointwise.exponential import xlogy


class FisherSnedecor(Distribution):
    """The ratio of two mean squares of normal numbers, of `df1` and of `df2` of them.

    >>> torch.distributions.FisherSnedecor(torch.tensor(2.0), torch.tensor(4.0)).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        found = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        found[self.df1 <= 2] = math.nan
        return found

    @property
    def variance(self) -> Tensor:
        df1, df2 = self.df1, self.df2.masked_fill(self.df2 <= 4, math.nan)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def expand(self, batch_shape: Any, _instance: Any = None) -> FisherSnedecor:
        made = self._expanded(FisherSnedecor, batch_shape, _instance)
        made._gamma1, made._gamma2 = self._gamma1.expand(batch_shape), self._gamma2.expand(batch_shape)
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        return (above / below).clamp(min=limits(above.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        one, two, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        powers = one * ratio.log() + xlogy(one - 1, value) - (one + two) * (ratio * value).log1p()
        return powers - log_beta(one, two)

    def entropy(self) -> Tensor:
        one, two = self.df1 * 0.5, self.df2 * 0.5
        means = (1 - one) * one.digamma() - (1 + two) * two.digamma() + (one + two) * (one + two).digamma()
        return log_beta(one, two) + means - (self.df1 / self.df2).log()


__all__ = ["FisherSnedecor"]
