"""The Pareto distribution: few have much."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.number_transforms import AffineTransform, ExpTransform
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.utils import broadcast_all


class Pareto(TransformedDistribution):
    """Numbers from `scale` on; the part above x falls as the `alpha`-th power of 1 / x.

    >>> torch.distributions.Pareto(torch.tensor(1.0), torch.tensor(3.0)).mean
    tensor(1.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(0.0, self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Pareto:
        return self._expanded(Pareto, batch_shape, _instance)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        # infinite up to an alpha of 1
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


__all__ = ["Pareto"]
