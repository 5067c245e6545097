"""TransformedDistribution: what becomes of a distribution whose values go through transforms."""

from __future__ import annotations

import functools
import operator
from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.independent import Independent
from rushlight.distributions.nested_transforms import ComposeTransform
from rushlight.distributions.transform import Transform
from rushlight.distributions.utils import sum_rightmost


class TransformedDistribution(Distribution):
    """The distribution of `t(x)` for the values x of another one; several transforms are applied one after another.

    >>> base = torch.distributions.Normal(torch.tensor(0.0), torch.tensor(10.0))
    >>> squashed = torch.distributions.TransformedDistribution(base, torch.distributions.TanhTransform())
    >>> squashed.log_prob(squashed.rsample()).isfinite()
    tensor(True)

    The log-probability of its own last sample needs no inverse: the transforms remember it.
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | list[Any],
        validate_args: bool | None = None,
    ):
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(each, Transform) for each in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        dims_before, dims_after = whole.domain.event_dim, whole.codomain.event_dim
        shape = Size((*base_distribution.batch_shape, *base_distribution.event_shape))
        base_dims = len(base_distribution.event_shape)
        if len(shape) < dims_before:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {dims_before}, but got {shape}."
            )
        made_shape = Size(whole.forward_shape(shape))
        # parameters of transforms may have a larger batch than the base
        wanted = Size(whole.inverse_shape(made_shape))
        if wanted != shape:
            base_distribution = base_distribution.expand(wanted[: len(wanted) - base_dims])
        if dims_before > base_dims:
            base_distribution = Independent(base_distribution, dims_before - base_dims)
        self.base_dist = base_distribution
        cut = len(made_shape) - max(dims_after, base_dims + dims_after - dims_before)
        super().__init__(made_shape[:cut], made_shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> TransformedDistribution:
        return self._expanded(TransformedDistribution, batch_shape, _instance)

    def _expanded(self, cls: type, batch_shape: Any, _instance: Any = None) -> Any:
        made = super()._expanded(cls, batch_shape, _instance)
        shape = Size((*batch_shape, *self._event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        made.base_dist = self.base_dist.expand(Size(shape[: len(shape) - len(self.base_dist.event_shape)]))
        made.transforms = self.transforms
        return made

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        region = self.transforms[-1].codomain
        more = len(self._event_shape) - region.event_dim
        return constraints.independent(region, more) if more > 0 else region

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def mode(self) -> Tensor:
        """The transformed mode of the base: the usual greedy choice, though the density may be highest elsewhere."""
        return self._transformed(self.base_dist.mode)

    def _transformed(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        with no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        dims = len(self._event_shape)
        found: Tensor | float = 0.0
        for transform in reversed(self.transforms):
            before = transform._inv_call(value)
            own = transform.domain.event_dim
            dims += own - transform.codomain.event_dim
            found = found - sum_rightmost(transform.log_abs_det_jacobian(before, value), dims - own)
            value = before
        # the base comes last: torch's node is that of a sum, in the order of the first slope in memory
        return found + sum_rightmost(self.base_dist.log_prob(value), dims - len(self.base_dist.event_shape))

    def _rising(self, probability: Tensor) -> Tensor:
        """A probability of the base as one of ours, or back: where transforms fall, it counts from the other end."""
        sign = functools.reduce(operator.mul, [transform.sign for transform in self.transforms], 1)
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._rising(value)))


__all__ = ["TransformedDistribution"]
