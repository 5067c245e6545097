"""torch.cpu.amp, the old names of torch.amp for the CPU."""

from __future__ import annotations

from typing import Any

from rushlight import amp
from rushlight.core.numbers import dtypes
from rushlight.errors.warning import warn

__all__ = ["GradScaler", "autocast"]


def say_old(name: str) -> None:
    warn(
        f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead.",
        FutureWarning,
    )


class autocast(amp.autocast):
    """`torch.amp.autocast('cpu')` under its old name."""

    def __init__(self, enabled: bool = True, dtype: dtypes.dtype = dtypes.bfloat16, cache_enabled: bool = True):
        say_old("autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler('cpu')` under its old name."""

    def __init__(self, *arguments: Any, **options: Any):
        say_old("GradScaler")
        super().__init__("cpu", *arguments, **options)
