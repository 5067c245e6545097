"""Transforms made of others: one after another, over more dimensions, or one for each part."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.transform import UNSAID, Bijection, Transform
from rushlight.distributions.utils import lazy_property, sum_rightmost
from rushlight.distributions.vector_transforms import require_dims
from rushlight.ops.shape.joining import cat, stack


def told(part: Transform, cache_size: int) -> Transform:
    """A part that remembers, or one that does not unless a program has told it to."""
    return part.with_cache(cache_size) if cache_size or part._cache_size is UNSAID else part


class ComposeTransform(Transform):
    """The `parts`, one after another; they remember, each for itself, and `cache_size` tells all of them to."""

    def __init__(self, parts: list[Transform], cache_size: int = UNSAID):
        super().__init__(cache_size)
        self.parts = parts if cache_size is UNSAID else [told(each, cache_size) for each in parts]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            before = part.domain.event_dim
            dims = max(dims + before - part.codomain.event_dim, before)
        return over_more(self.parts[0].domain, dims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            after = part.codomain.event_dim
            dims = max(dims + after - part.domain.event_dim, after)
        return over_more(self.parts[-1].codomain, dims)

    @lazy_property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        return functools.reduce(operator.mul, [part.sign for part in self.parts], 1)

    @property
    def inv(self) -> Transform:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Transform:
        return ComposeTransform(self.parts, cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def _recall(self, made: Tensor, forward: bool) -> Tensor | None:
        found: Tensor | None = made
        for part in reversed(self.parts) if forward else self.parts:
            found = None if found is None else part._recall(found, forward)
        return found

    def _parameters(self) -> list[Tensor]:
        return [each for part in self.parts for each in part._parameters()]

    def _values(self, x: Tensor, y: Tensor) -> list[Tensor]:
        """What goes in and out of the parts on the way from `x` to `y`: remembered, or computed again."""
        values = [y]
        for part in reversed(self.parts):
            found = part._recall(values[0], True)
            if found is None:
                break
            values.insert(0, found)
        if len(values) > len(self.parts) and values[0] is x:
            return values
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        return [*values, y]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return x.new_zeros(x.shape)
        values, dims, terms = self._values(x, y), self.domain.event_dim, []
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Any) -> Size:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Size:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        parts = ",\n    ".join([repr(part) for part in self.parts])
        return f"{type(self).__name__}(\n    {parts}\n)"


def over_more(region: Any, dims: int) -> Any:
    """A region for values of this many dimensions, of which its own may be fewer."""
    return constraints.independent(region, dims - region.event_dim) if dims > region.event_dim else region


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last batch dimensions count as part of a value: their slopes are added up."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = UNSAID):
        # as in torch, what the base was told counts no more
        if cache_size is not UNSAID or base_transform._cache_size:
            base_transform = base_transform.with_cache(cache_size)
        super().__init__(base_transform._cache_size)
        self.base_transform = base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        return self.base_transform.sign

    def __call__(self, x: Tensor) -> Tensor:
        require_dims(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        require_dims(y.shape, self.codomain.event_dim)
        return self.base_transform._inv_call(y)

    def _recall(self, made: Tensor, forward: bool) -> Tensor | None:
        return self.base_transform._recall(made, forward)

    def _parameters(self) -> Any:
        return self.base_transform._parameters()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Size:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Bijection):
    """The last dimensions in another shape, with the same elements."""

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = UNSAID):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Size:
        return reshaped(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Size:
        return reshaped(shape, self.out_shape, self.in_shape)


def reshaped(shape: Any, old: Size, new: Size) -> Size:
    """A shape that ends in `old`, ending in `new`."""
    require_dims(shape, len(old))
    cut = len(shape) - len(old)
    if tuple(shape[cut:]) != old:
        raise ValueError(f"Shape mismatch: expected {Size(shape[cut:])} but got {old}")
    return Size((*shape[:cut], *new))


class Parted(Transform):
    """A transform for each part of a value along `dim`."""

    def __init__(self, tseq: Iterable[Transform], dim: int, cache_size: int):
        self.transforms, self.dim = list(tseq), dim
        if not all(isinstance(each, Transform) for each in self.transforms):
            raise AssertionError("All elements of tseq must be Transform instances")
        # parts are new tensors each time: it is the whole that can be remembered
        super().__init__(cache_size if cache_size is not UNSAID or self.bijective else 0)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(each.bijective for each in self.transforms)

    def _parameters(self) -> list[Tensor]:
        return [each for part in self.transforms for each in part._parameters()]

    def _parts(self, value: Tensor) -> Sequence[Tensor]:
        """The parts of a value."""
        raise NotImplementedError

    def _require_size(self, value: Tensor, name: str, size: int) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")
        if value.size(self.dim) != size:
            raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal length {size}")

    def _each(self, function: Callable, *values: Tensor) -> list[Tensor]:
        parts = [self._parts(value) for value in values]
        return [function(part, *those) for part, *those in zip(self.transforms, *parts, strict=True)]


class CatTransform(Parted):
    """A transform for each of several parts of the given lengths, one after another along `dim`."""

    def __init__(
        self,
        tseq: Iterable[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = UNSAID,
    ):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> int:
        return max(each.event_dim for each in self.transforms)

    @lazy_property
    def length(self) -> int:
        """The sum of all lengths."""
        return sum(self.lengths)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)

    def _parts(self, value: Tensor) -> Sequence[Tensor]:
        self._require_size(value, "x", self.length)
        return value.split(self.lengths, self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return cat(self._each(lambda part, x: part(x), x), self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return cat(self._each(lambda part, y: part._inv_call(y), y), self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        def slope(part: Transform, x: Tensor, y: Tensor) -> Tensor:
            return sum_rightmost(part.log_abs_det_jacobian(x, y), self.event_dim - part.event_dim)

        terms = self._each(slope, x, y)
        # the dimension of the parts, counted from the end of the result; there is none if it was added up
        dim = (self.dim if self.dim < 0 else self.dim - x.dim()) + self.event_dim
        return cat(terms, dim) if dim < 0 else functools.reduce(operator.add, terms)


class StackTransform(Parted):
    """A transform for each index along `dim`."""

    def __init__(self, tseq: Iterable[Transform], dim: int = 0, cache_size: int = UNSAID):
        super().__init__(tseq, dim, cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return constraints.stack([each.codomain for each in self.transforms], self.dim)

    def _parts(self, value: Tensor) -> Sequence[Tensor]:
        self._require_size(value, "x", len(self.transforms))
        return value.unbind(self.dim)

    def _call(self, x: Tensor) -> Tensor:
        return stack(self._each(lambda part, x: part(x), x), self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return stack(self._each(lambda part, y: part._inv_call(y), y), self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = stack(self._each(lambda part, x, y: part.log_abs_det_jacobian(x, y), x, y), self.dim)
        # along the last dimension, all parts together are one value
        return sum_rightmost(terms, self.domain.event_dim - max(part.event_dim for part in self.transforms))


class CumulativeDistributionTransform(Bijection):
    """y = the probability of values up to x under a distribution."""

    codomain = constraints.unit_interval
    sign = 1

    def __init__(self, distribution: Distribution, cache_size: int = UNSAID):
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        return self.distribution.support

    def _parameters(self) -> list[Tensor]:
        return tensors_of(self.distribution)

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)


def tensors_of(distribution: Distribution) -> list[Tensor]:
    """The tensors that a distribution, or those it is made of, hold."""
    found: list[Tensor] = []
    for each in vars(distribution).values():
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, Distribution):
            found += tensors_of(each)
        elif isinstance(each, list):
            found += [tensor for part in each if isinstance(part, Transform) for tensor in part._parameters()]
    return found
