"""torch.utils._device: where tensors are made by default: on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.settings.device import check_device
from rushlight.core.surface.lazy import names_of
from rushlight.utils._contextlib import context_decorator

__all__ = ["device_decorator", "set_device"]

CURRENT_DEVICE = None


def device_decorator(device: Any, func: Callable) -> Callable:
    """The function, run with a device as the default."""
    return context_decorator(lambda: device, func)


def set_device(device: Any) -> Callable[[Callable], Callable]:
    """Decorate a function that is to run with a device as the default, which is the CPU."""
    check_device(device)
    return lambda func: func


__getattr__ = names_of("rushlight.utils._device")
