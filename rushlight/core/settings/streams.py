"""Streams and events on the CPU, where work is done when a call returns: there is nothing to wait for."""

from __future__ import annotations

import time
from typing import Any

from rushlight.core.settings.device import device as Device

__all__ = ["Event", "Stream"]


class Stream:
    """The order of work on a device; on the CPU there is one, and it is empty.

    >>> torch.Stream()
    torch.Stream device_type=cpu, device_index=-1, stream_id=0
    """

    def __init__(self, device: Any = None, *, priority: int = 0):
        self.device = Device("cpu") if device is None else Device(device)
        self.stream_id = 0

    def query(self) -> bool:
        """Whether all work is done: yes."""
        return True

    def synchronize(self) -> None:
        """Waits for nothing: work is done when a call returns."""

    def wait_event(self, event: Event) -> None:
        """Waits for nothing: what came before the event is done."""

    def wait_stream(self, stream: Stream) -> None:
        """Waits for nothing: what was given to the other one is done."""

    def record_event(self, event: Event | None = None) -> Event:
        """An event after all work so far."""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self) -> int:
        return hash((self.device.type, self.stream_id))

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device.type}, device_index=-1, stream_id={self.stream_id}"


class Event:
    """A point in the order of work, which can be timed.

    >>> torch.Event().query()
    True
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ):
        self.device = Device("cpu") if device is None else Device(device)
        self.enable_timing = enable_timing
        self.at: float | None = None
        self.event_id = 0

    def record(self, stream: Stream | None = None) -> None:
        """Note the time."""
        self.at = time.perf_counter()

    def query(self) -> bool:
        """Whether what came before is done: yes."""
        return True

    def synchronize(self) -> None:
        """Waits for nothing: work is done when a call returns."""

    def wait(self, stream: Stream | None = None) -> None:
        """Waits for nothing: work is done when a call returns."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two events that were recorded with `enable_timing=True`."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self.at is None or end_event.at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event.at - self.at) * 1000

    def __repr__(self) -> str:
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id={self.event_id}"
