"""Independent: some of the batch dimensions count as part of a value."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import sum_rightmost


class Independent(Distribution):
    """A distribution whose last batch dimensions belong to a value: its log-probabilities are added up over them.

    >>> rows = torch.distributions.Independent(torch.distributions.Normal(torch.zeros(2, 3), 1.0), 1)
    >>> rows.log_prob(torch.zeros(2, 3))
    tensor([-2.7568, -2.7568])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ):
        batch_shape = base_distribution.batch_shape
        kept = len(batch_shape) - reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(batch_shape)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        event_shape = (*batch_shape[kept:], *base_distribution.event_shape)
        super().__init__(batch_shape[:kept], event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Independent:
        made = self._expanded(Independent, batch_shape, _instance)
        own = self._event_shape[: self.reinterpreted_batch_ndims]
        made.base_dist = self.base_dist.expand(Size((*batch_shape, *own)))
        made.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        return made

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        region, dims = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(region, dims) if dims else region

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


__all__ = ["Independent"]
