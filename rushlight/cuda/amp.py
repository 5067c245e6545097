"""torch.cuda.amp, the old names of torch.amp: without a GPU both are switched off, with a warning as in torch."""

from __future__ import annotations

from typing import Any

from rushlight import amp
from rushlight.core.numbers import dtypes
from rushlight.errors.warning import warn

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

custom_fwd, custom_bwd = amp.custom_fwd, amp.custom_bwd


def say_old(name: str) -> None:
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
    )


class autocast(amp.autocast):
    """`torch.amp.autocast('cuda')` under its old name."""

    def __init__(self, enabled: bool = True, dtype: dtypes.dtype = dtypes.float16, cache_enabled: bool | None = True):
        say_old("autocast")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """`torch.amp.GradScaler('cuda')` under its old name."""

    def __init__(self, *arguments: Any, **options: Any):
        say_old("GradScaler")
        super().__init__("cuda", *arguments, **options)
