"""The chi-squared distribution: sums of squared normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.gamma import Gamma


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers.

    >>> torch.distributions.Chi2(torch.tensor(3.0)).mean
    tensor(3.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2

    def expand(self, batch_shape: Any, _instance: Any = None) -> Chi2:
        made = self._get_checked_instance(Chi2, _instance)
        made.concentration, made.rate = self.concentration.expand(batch_shape), self.rate.expand(batch_shape)
        return self._expanded(Chi2, batch_shape, made)


__all__ = ["Chi2"]
