"""The way from all numbers into a region: `biject_to` and `transform_to`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.distributions import constraints, transforms
from rushlight.distributions.constraints import Constraint
from rushlight.distributions.transform import Transform


class ConstraintRegistry:
    """A transform for each kind of region; `register` adds one.

    >>> torch.distributions.transform_to(torch.distributions.constraints.positive)(torch.tensor(0.0))
    tensor(1.)
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable] = {}

    def register(self, constraint: Any, factory: Callable | None = None) -> Callable:
        """Say how the transform for a region, or for all of its class, is made; without `factory` this decorates it."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"Cannot transform {type(constraint).__name__} constraints: register a transform for them"
            )
        return factory(constraint)


# with an inverse and a slope, for densities of the unbounded numbers
biject_to = ConstraintRegistry()
# perhaps from more numbers than needed, for optimizers
transform_to = ConstraintRegistry()


def in_both(*regions: Any) -> Callable:
    """Register a factory for these regions in both registries."""

    def register(factory: Callable) -> Callable:
        for region in regions:
            biject_to.register(region, factory)
            transform_to.register(region, factory)
        return factory

    return register


@in_both(constraints.real)
def to_real(constraint: Any) -> Transform:
    return transforms.identity_transform


@in_both(constraints.greater_than, constraints.greater_than_eq)
def to_above(constraint: Any) -> Transform:
    exponential = transforms.ExpTransform()
    if is_number(constraint.lower_bound, 0):
        return exponential
    return transforms.ComposeTransform([exponential, transforms.AffineTransform(constraint.lower_bound, 1)])


@in_both(constraints.less_than)
def to_below(constraint: Any) -> Transform:
    shift = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


@in_both(constraints.interval, constraints.half_open_interval)
def to_between(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low, 0) and is_number(high, 1):
        return transforms.SigmoidTransform()
    stretch = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), stretch])


@in_both(constraints.corr_cholesky)
def to_roots_of_correlations(constraint: Any) -> Transform:
    return transforms.CorrCholeskyTransform()


@biject_to.register(constraints.simplex)
def onto_simplex(constraint: Any) -> Transform:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def to_simplex(constraint: Any) -> Transform:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def to_roots(constraint: Any) -> Transform:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_definite)
@transform_to.register(constraints.positive_semidefinite)
def to_positive_definite(constraint: Any) -> Transform:
    return transforms.PositiveDefiniteTransform()


def register_nests(registry: ConstraintRegistry) -> None:
    """Regions made of others take the transforms of those."""

    @registry.register(constraints.independent)
    def to_independent(constraint: Any) -> Transform:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def to_cat(constraint: Any) -> Transform:
        parts = [registry(each) for each in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    @registry.register(constraints.stack)
    def to_stack(constraint: Any) -> Transform:
        return transforms.StackTransform([registry(each) for each in constraint.cseq], constraint.dim)


register_nests(biject_to)
register_nests(transform_to)


def is_number(bound: Any, number: int) -> bool:
    """Whether a bound is this Python number; one in a tensor stands for a batch."""
    return isinstance(bound, (int, float)) and bound == number


__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
