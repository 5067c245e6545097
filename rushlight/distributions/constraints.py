"""Constraints: the regions that parameters and values of distributions must lie in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.naming import make_own
from rushlight.native import extension, shortcut


class Constraint:
    """A region; `check` tells of each value (of `event_dim` dimensions) whether it is inside.

    Ours say so on arrays (`inside`); a program's own region may define `check` instead.
    """

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Whether each value lies in the region."""
        return wrap(np.asarray(self.inside(value._array)))

    def inside(self, array: np.ndarray) -> Any:
        """Whether each value of an array lies in the region."""
        raise NotImplementedError

    @shortcut
    def holds(self, value: Tensor) -> bool:
        """Whether all values lie in the region."""
        if type(self).check is Constraint.check:
            # half of what `check(value).all()` costs: nothing is wrapped
            return bool(np.logical_and.reduce(self.inside(value._array), None))
        return bool(self.check(value).all())

    def __repr__(self) -> str:
        return type(self).__name__[1:] + "()"


class _Dependent(Constraint):
    """A region that depends on other parameters: it cannot be checked alone."""

    def __init__(self, *, is_discrete: bool | None = None, event_dim: int | None = None):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        if self._is_discrete is None:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        if self._event_dim is None:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: bool | None = None, event_dim: int | None = None) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is None else is_discrete,
            event_dim=self._event_dim if event_dim is None else event_dim,
        )

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property whose value is the region, for supports that depend on parameters.

    >>> from torch.distributions import constraints
    >>> @constraints.dependent_property(is_discrete=False, event_dim=0)
    ... def support(self):
    ...     return constraints.interval(self.low, self.high)
    """

    def __init__(self, fn: Callable | None = None, *, is_discrete: bool | None = None, event_dim: int | None = None):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


class _IndependentConstraint(Constraint):
    """The same region for every element of events of more dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        if not isinstance(reinterpreted_batch_ndims, int) or reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be an int >= 0, got {reinterpreted_batch_ndims!r}")
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value)
        kept = found.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return found.reshape((*found.shape[:kept], -1)).all(-1)

    @shortcut
    def holds(self, value: Tensor) -> bool:
        # torch cannot tell how many elements an event of an empty batch has: `check` says so
        if value._array.ndim < self.event_dim or not value._array.size:
            return bool(self.check(value).all())
        return self.base_constraint.holds(value)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def inside(self, array: np.ndarray) -> Any:
        return (array == 0) | (array == 1)


class _Real(Constraint):
    """Every number but NaN."""

    def inside(self, array: np.ndarray) -> Any:
        return array == array  # false for NaN


class _Bounded(Constraint):
    """A region with bounds, which may be tensors."""

    def __init__(self, **bounds: Any):
        self.__dict__.update(bounds)
        self.named = bounds
        self.bounds = [each._array if isinstance(each, Tensor) else each for each in bounds.values()]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value}" for name, value in self.named.items())
        return f"{type(self).__name__[1:]}({shown})"


class _Above(_Bounded):
    def __init__(self, lower_bound: Any):
        super().__init__(lower_bound=lower_bound)


class _Below(_Bounded):
    def __init__(self, upper_bound: Any):
        super().__init__(upper_bound=upper_bound)


class _Between(_Bounded):
    def __init__(self, lower_bound: Any, upper_bound: Any):
        super().__init__(lower_bound=lower_bound, upper_bound=upper_bound)


class _IntegerInterval(_Between):
    """Whole numbers from the lower to the upper bound."""

    is_discrete = True

    def inside(self, array: np.ndarray) -> Any:
        low, high = self.bounds
        return whole(array, (low <= array) & (array <= high))


class _IntegerGreaterThan(_Above):
    """Whole numbers from the lower bound on."""

    is_discrete = True

    def inside(self, array: np.ndarray) -> Any:
        return whole(array, array >= self.bounds[0])


class _IntegerLessThan(_Below):
    """Whole numbers up to the upper bound."""

    is_discrete = True

    def inside(self, array: np.ndarray) -> Any:
        return whole(array, array <= self.bounds[0])


class _GreaterThan(_Above):
    """Above the lower bound."""

    def inside(self, array: np.ndarray) -> Any:
        return array > self.bounds[0]


class _GreaterThanEq(_Above):
    """The lower bound and above."""

    def inside(self, array: np.ndarray) -> Any:
        return array >= self.bounds[0]


class _LessThan(_Below):
    """Below the upper bound."""

    def inside(self, array: np.ndarray) -> Any:
        return array < self.bounds[0]


class _Interval(_Between):
    """From the lower to the upper bound, both included."""

    def inside(self, array: np.ndarray) -> Any:
        low, high = self.bounds
        return (low <= array) & (array <= high)


class _HalfOpenInterval(_Between):
    """From the lower bound to below the upper one."""

    def inside(self, array: np.ndarray) -> Any:
        low, high = self.bounds
        return (low <= array) & (array < high)


for _kind in (_IntegerInterval, _IntegerGreaterThan, _IntegerLessThan, _GreaterThan, _GreaterThanEq, _LessThan):
    make_own(_kind, "__init__")
make_own(_Interval, "__init__")
make_own(_HalfOpenInterval, "__init__")


class _Simplex(Constraint):
    """Numbers from 0 on along the last dimension that sum to 1."""

    event_dim = 1

    def inside(self, array: np.ndarray) -> Any:
        nearly_one = np.abs(np.add.reduce(array, -1) - 1) < 1e-6
        return np.logical_and.reduce(array >= 0, -1) & nearly_one


class _OneHot(Constraint):
    """Zeros along the last dimension, but for a single one."""

    is_discrete = True
    event_dim = 1

    def inside(self, array: np.ndarray) -> Any:
        flags = np.logical_and.reduce((array == 0) | (array == 1), -1)
        return flags & (np.add.reduce(array, -1) == 1)


class _Multinomial(Constraint):
    """Numbers from 0 on along the last dimension that sum to the upper bound at most."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any):
        self.upper_bound = upper_bound

    def inside(self, array: np.ndarray) -> Any:
        bound = self.upper_bound._array if isinstance(self.upper_bound, Tensor) else self.upper_bound
        return np.logical_and.reduce(array >= 0, -1) & (np.add.reduce(array, -1) <= bound)


def whole(array: np.ndarray, found: Any) -> Any:
    """Those of `found` that are whole numbers."""
    return found if array.dtype.kind in "iub" else found & (np.floor(array) == array) & (np.abs(array) < np.inf)


if extension is not None:
    extension.connect_regions(sys.modules[__name__])


def is_dependent(constraint: Any) -> bool:
    """Whether a region depends on other parameters."""
    return isinstance(constraint, _Dependent)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
one_hot = _OneHot()
multinomial = _Multinomial

if TYPE_CHECKING:
    from rushlight.distributions.matrix_constraints import (
        corr_cholesky,
        lower_cholesky,
        lower_triangular,
        positive_definite,
        positive_semidefinite,
        square,
        symmetric,
    )
    from rushlight.distributions.parted_constraints import MixtureSameFamilyConstraint, cat, stack

MATRICES = """corr_cholesky lower_cholesky lower_triangular positive_definite positive_semidefinite square symmetric
    _CorrCholesky _LowerCholesky _LowerTriangular _PositiveDefinite _PositiveSemidefinite _Square _Symmetric"""
PARTS = "MixtureSameFamilyConstraint cat stack _Cat _Stack"
# those that need linear algebra or joining are loaded when they are asked for
__getattr__ = names_of(
    "rushlight.distributions.constraints",
    elsewhere=dict.fromkeys(MATRICES.split(), "distributions.matrix_constraints")
    | dict.fromkeys(PARTS.split(), "distributions.parted_constraints"),
)

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]
