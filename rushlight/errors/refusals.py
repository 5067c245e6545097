"""Refusals that many ops share: sizes that do not broadcast, and dtypes that torch has no kernel for."""

from __future__ import annotations

from collections.abc import Sequence

from rushlight.errors.explained import KERNEL, SHAPES, explained
from rushlight.errors.fixes import broadcasting, conversion


def misfit(
    one: Sequence[int], two: Sequence[int], names: tuple[str, str] = ("a", "b"), fix: str | None = None
) -> RuntimeError | None:
    """The error of two shapes that do not broadcast, with what a user calls the tensors; None if they do."""
    for back, (a, b) in enumerate(zip(reversed(one), reversed(two), strict=False)):
        if a != b and 1 not in (a, b):
            return sizes_differ(a, b, max(len(one), len(two)) - 1 - back, fix or broadcasting(one, two, names))
    return None


def sizes_differ(a: int, b: int, dim: int, fix: str) -> RuntimeError:
    """The error of two sizes in one dimension, neither of which is 1."""
    return explained(
        RuntimeError,
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}",
        fix=fix,
        names=("a", "b"),
        stage=SHAPES,
    )


def no_kernel(kernel: str, scalar: str, fix: str | None = None) -> NotImplementedError:
    """The error of a dtype, by torch's other name for it, that a kernel does not take."""
    return explained(
        NotImplementedError,
        f"\"{kernel}\" not implemented for '{scalar}'",
        fix=fix or conversion(scalar),
        stage=KERNEL,
        refused=(kernel, scalar),
    )
