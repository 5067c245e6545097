"""torch.accelerator on a machine that computes on its CPU: there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.surface.lazy import names_of

REFUSED = """
current_device_index current_device_idx current_stream empty_cache get_device_capability get_memory_info
max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats
reset_peak_memory_stats set_device_idx set_device_index set_stream synchronize
"""


def is_available() -> bool:
    """Whether tensors can be made on an accelerator: never."""
    return False


def device_count() -> int:
    """The number of accelerators: none."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The accelerator of this machine: None."""


def refused(name: str) -> Callable:
    """A function that torch refuses without an accelerator."""

    def function(*arguments: Any, **options: Any) -> NoReturn:
        raise RuntimeError(
            "Cannot access accelerator device when none is available. Rushlight runs on the CPU: ask "
            f"torch.accelerator.is_available() before {name}"
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refused, as in torch without an accelerator."
    return function


class device_index:
    """An accelerator to work on inside a with statement: refused unless it is None."""

    def __init__(self, device: int | None):
        self.index = device

    def __enter__(self) -> None:
        if self.index is not None:
            globals()["set_device_index"](self.index)

    def __exit__(self, *exception: object) -> None:
        return None


for _name in REFUSED.split():
    globals()[_name] = refused(_name)

__all__ = ["current_accelerator", "device_count", "device_index", "is_available", *REFUSED.split()]

__getattr__ = names_of("rushlight.accelerator")
