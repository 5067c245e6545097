"""torch.cuda.amp, the old names of torch.amp: without a GPU both are switched off, with a warning as in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import amp
from rushlight.core.numbers import dtypes
from rushlight.cuda.amp import common
from rushlight.errors.warning import warn

__all__ = ["GradScaler", "autocast", "common", "custom_bwd", "custom_fwd"]


def say_old(name: str) -> None:
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cuda', args...)` instead.",
        FutureWarning,
    )


def say_moved(name: str) -> None:
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. "
        f"Please use `torch.amp.{name}(args..., device_type='cuda')` instead.",
        FutureWarning,
    )


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: dtypes.dtype | None = None) -> Callable:
    """`torch.amp.custom_fwd` for GPUs under its old name."""
    say_moved("custom_fwd")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable) -> Callable:
    """`torch.amp.custom_bwd` for GPUs under its old name."""
    say_moved("custom_bwd")
    return amp.custom_bwd(bwd, device_type="cuda")


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
