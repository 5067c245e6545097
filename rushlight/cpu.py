"""torch.cpu: the one device, asked as torch asks its GPUs."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import names_of

__all__ = ["current_device", "device_count", "is_available", "set_device", "synchronize"]


def is_available() -> bool:
    """Whether there is a CPU: yes."""
    return True


def device_count() -> int:
    """The number of CPUs that hold tensors: one."""
    return 1


def current_device() -> str:
    """The device that is used: the CPU."""
    return "cpu"


def set_device(device: Any) -> None:
    """Does nothing: there is one CPU. torch does the same."""


def synchronize(device: Any = None) -> None:
    """Waits for nothing: every operation is done when it returns. torch does the same."""


__getattr__ = names_of("rushlight.cpu")
