"""torch.monitor: counters and events that one process reports to its own handlers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

__all__ = [
    "Aggregation",
    "Event",
    "EventHandlerHandle",
    "Stat",
    "log_event",
    "register_event_handler",
    "unregister_event_handler",
]

data_value_t = str | int | float | bool


class Aggregation(enum.Enum):
    """How the numbers of a window are put together."""

    VALUE = 0
    MEAN = 1
    COUNT = 2
    SUM = 3
    MAX = 4
    MIN = 5


@dataclass
class Event:
    """Something that happened: a name, a time, and what there is to say of it."""

    name: str
    timestamp: datetime
    data: Mapping[str, data_value_t] = field(default_factory=dict)


class EventHandlerHandle:
    """What `register_event_handler` returns, to be given to `unregister_event_handler`."""

    def __init__(self, handler: Callable[[Event], None]):
        self.handler = handler


_handlers: list[EventHandlerHandle] = []


def register_event_handler(callback: Callable[[Event], None]) -> EventHandlerHandle:
    """Call a function for each event from now on.

    >>> handle = torch.monitor.register_event_handler(print)
    >>> torch.monitor.unregister_event_handler(handle)
    """
    _handlers.append(EventHandlerHandle(callback))
    return _handlers[-1]


def unregister_event_handler(handler: EventHandlerHandle) -> None:
    """Call the function no more."""
    _handlers.remove(handler)


def log_event(event: Event) -> None:
    """Give an event to all handlers."""
    for each in list(_handlers):
        each.handler(event)


class Stat:
    """Numbers that are added up; `get` tells the sums of the window that was last full."""

    def __init__(self, name: str, aggregations: list[Aggregation], window_size: int, max_samples: int | None = None):
        self.name = name
        self.aggregations = list(aggregations)
        self.limit = window_size if max_samples is None else max_samples
        self.values: list[float] = []
        self.last: list[float] = []

    @property
    def count(self) -> int:
        """How many numbers the window has by now."""
        return len(self.values)

    def add(self, v: float) -> None:
        """Take a number into the window."""
        self.values.append(v)
        if len(self.values) >= self.limit:
            self.last, self.values = self.values, []

    def get(self) -> dict[Aggregation, float]:
        """What became of the last window."""
        found = self.last
        ways: dict[Aggregation, Callable[[], float]] = {
            Aggregation.VALUE: lambda: found[-1] if found else 0.0,
            Aggregation.MEAN: lambda: sum(found) / len(found) if found else 0.0,
            Aggregation.COUNT: lambda: float(len(found)),
            Aggregation.SUM: lambda: float(sum(found)),
            Aggregation.MAX: lambda: max(found, default=0.0),
            Aggregation.MIN: lambda: min(found, default=0.0),
        }
        return {each: ways[each]() for each in self.aggregations}
