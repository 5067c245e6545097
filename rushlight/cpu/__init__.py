"""torch.cpu: the one device, asked as torch asks its GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rushlight.core.settings.streams import Event, Stream
from rushlight.core.surface.lazy import names_of

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "current_device",
    "current_stream",
    "device_count",
    "get_capabilities",
    "is_available",
    "is_initialized",
    "set_device",
    "stream",
    "synchronize",
]


def is_available() -> bool:
    """Whether there is a CPU: yes."""
    return True


def device_count() -> int:
    """The number of CPUs that hold tensors: one."""
    return 1


def current_device() -> str:
    """The device that is used: the CPU."""
    return "cpu"


def get_capabilities() -> Mapping[str, Any]:
    """What the processor can do: its name, cores and caches, and whether it has AVX2 and so on.

    >>> torch.cpu.get_capabilities()["num_sockets"] >= 1
    True
    """
    from rushlight.cpu.capabilities import capabilities

    return capabilities()


def set_device(device: Any) -> None:
    """Does nothing: there is one CPU. torch does the same."""


def is_initialized() -> bool:
    """Whether the CPU is in use: yes."""
    return True


def current_stream(device: Any = None) -> Stream:
    """The order of work on the CPU, which is empty."""
    return Stream()


class StreamContext:
    """A with statement around work on a stream."""

    def __init__(self, stream: Any):
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None


def stream(stream: Any) -> StreamContext:
    """Work on a stream inside a with statement; on the CPU it makes no difference."""
    return StreamContext(stream)


def synchronize(device: Any = None) -> None:
    """Waits for nothing: every operation is done when it returns. torch does the same."""


__getattr__ = names_of("rushlight.cpu", ["amp"])
