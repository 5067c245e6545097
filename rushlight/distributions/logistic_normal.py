"""The logistic-normal distribution: shares of a whole."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.independent import Independent
from rushlight.distributions.normal import Normal
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.vector_transforms import StickBreakingTransform


class LogisticNormal(TransformedDistribution):
    """Points of the simplex: normal numbers say how a stick is broken, and leave one more part than there are numbers.

    >>> torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3)).mode
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    base_dist: Independent

    def __init__(self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand((1,))
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> LogisticNormal:
        return self._expanded(LogisticNormal, batch_shape, _instance)

    @property
    def loc(self) -> Tensor:
        """The mean of the normal numbers."""
        return self.base_dist.base_dist.loc  # type: ignore[attr-defined]

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal numbers."""
        return self.base_dist.base_dist.scale  # type: ignore[attr-defined]


__all__ = ["LogisticNormal"]
