"""Constraints: the regions that parameters and values of distributions must lie in."""

from __future__ import annotations

from typing import Any

from rushlight.core.tensor import Tensor


class Constraint:
    """A region; `check` tells for each value (of `event_dim` dimensions) whether it is inside."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Whether each value lies in the region."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return type(self).__name__[1:] + "()"


class _Dependent(Constraint):
    """A region that depends on other parameters; it cannot be checked alone."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0):
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property whose value is the region, for supports that depend on parameters."""

    def __init__(self, fn: Any = None, *, is_discrete: bool = False, event_dim: int = 0):
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn: Any) -> _DependentProperty:
        return _DependentProperty(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


class _IndependentConstraint(Constraint):
    """The same region for every element of events of more dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int):
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value)
        if found.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = found.dim() - self.reinterpreted_batch_ndims
        return found.reshape((*found.shape[:kept], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """Every number but NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _Bounded(Constraint):
    """Between bounds, of which either may be missing."""

    def __init__(self, lower_bound: Any = None, upper_bound: Any = None):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def __repr__(self) -> str:
        bounds = {"lower_bound": self.lower_bound, "upper_bound": self.upper_bound}
        shown = ", ".join(f"{name}={value}" for name, value in bounds.items() if value is not None)
        return f"{type(self).__name__[1:]}({shown})"


class _IntegerInterval(_Bounded):
    """Whole numbers from the lower to the upper bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Bounded):
    """Whole numbers from the lower bound on."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _GreaterThan(_Bounded):
    """Above the lower bound."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound < value


class _GreaterThanEq(_Bounded):
    """The lower bound and above."""

    def check(self, value: Tensor) -> Tensor:
        return self.lower_bound <= value


class _LessThan(_Bounded):
    """Below the upper bound."""

    def __init__(self, upper_bound: Any):
        super().__init__(None, upper_bound)

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(_Bounded):
    """From the lower to the upper bound, both included."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Bounded):
    """From the lower bound to below the upper one."""

    def check(self, value: Tensor) -> Tensor:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _Simplex(Constraint):
    """Numbers from 0 on along the last dimension that sum to 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


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
