"""torch.backends.cudnn: flags of a library for GPUs, which may be set and read; there is none to obey them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.surface.lazy import names_of

enabled = True
benchmark = False
benchmark_limit: int | None = None
deterministic = False
allow_tf32 = True
fp32_precision = "none"


def is_available() -> bool:
    """Whether the library is there: never."""
    return False


def version() -> int | None:
    """The version of the library: None, it is not there."""
    return None


def is_acceptable(tensor: Any) -> bool:
    """Whether the library would take a tensor: never."""
    return False


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple:
    """Set the flags that are not None; returns those before."""
    names = ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32", "fp32_precision")
    given = (_enabled, _benchmark, _benchmark_limit, _deterministic, _allow_tf32, _fp32_precision)
    before = tuple(globals()[name] for name in names)
    globals().update({name: value for name, value in zip(names, given, strict=True) if value is not None})
    return before


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Other flags inside a with statement."""
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision)
    try:
        yield
    finally:
        set_flags(*before)


__all__ = ["flags", "is_acceptable", "is_available", "set_flags", "version"]

__getattr__ = names_of("rushlight.backends.cudnn")
