"""Constraints made of others: one for each part of a value, or one for all components of a mixture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.naming import make_own
from rushlight.distributions.constraints import Constraint
from rushlight.ops.shape.joining import cat as joined
from rushlight.ops.shape.joining import stack as stacked


class _Parted(Constraint):
    """A region for each part along `dim`."""

    def __init__(self, cseq: Iterable[Constraint], dim: int = 0):
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(each, Constraint) for each in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(each.is_discrete for each in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(each.event_dim for each in self.cseq)

    def require_dim(self, value: Tensor) -> None:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Parted):
    """Parts of the given lengths one after another."""

    def __init__(self, cseq: Iterable[Constraint], dim: int = 0, lengths: Sequence[int] | None = None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Tensor:
        self.require_dim(value)
        starts = [sum(self.lengths[:place]) for place in range(len(self.lengths))]
        parts = zip(self.cseq, starts, self.lengths, strict=True)
        return joined([each.check(value.narrow(self.dim, start, length)) for each, start, length in parts], self.dim)


class _Stack(_Parted):
    """Parts of size 1, whose dimension they do not see."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = super().event_dim
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Tensor) -> Tensor:
        self.require_dim(value)
        return stacked(
            [each.check(part) for each, part in zip(self.cseq, value.unbind(self.dim), strict=False)], self.dim
        )


class MixtureSameFamilyConstraint(Constraint):
    """Where all components of a mixture have their support."""

    def __init__(self, base_constraint: Constraint):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return found.reshape((*found.shape[: value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


cat = _Cat
stack = _Stack


for _kind in (_Cat, _Stack):
    make_own(_kind, "__init__")
