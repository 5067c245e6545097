"""Events: what the profiler saw, one by one or summed up by name, as tables and as traces for a browser."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from rushlight.errors.location import Location, describe


class DeviceType(Enum):
    """Where an event took place."""

    CPU = 0
    CUDA = 1


class RecordScope(Enum):
    """What kind of thing an event is."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    USER_SCOPE = 7


class Interval:
    """From when to when, in microseconds since the profile began."""

    def __init__(self, start: float, end: float):
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """How long it took."""
        return self.end - self.start


class Timed:
    """What single events and sums of events answer alike; times are microseconds."""

    key: str
    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    device_type = DeviceType.CPU
    use_device = None
    is_async = is_remote = is_legacy = False
    node_id = -1
    device_time = device_time_total = self_device_time_total = 0.0
    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    cpu_memory_usage = self_cpu_memory_usage = 0
    device_memory_usage = self_device_memory_usage = 0
    flops = 0

    @property
    def cpu_time(self) -> float:
        """The mean of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """The mean of one call, in words."""
        return duration(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The whole time, in words."""
        return duration(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The time without that of events inside, in words."""
        return duration(self.self_cpu_time_total)


class FunctionEvent(Timed):
    """One call, or one block that the program named."""

    count = 1

    def __init__(self, id: int, name: str, start: float, scope: RecordScope, shapes: list, place: Location | None):
        self.id = id
        self.name = self.trace_name = self.key = name
        self.time_range = Interval(start, start)
        self.scope = scope
        self.input_shapes = shapes
        self.place = place
        self.thread = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.is_user_annotation = scope is RecordScope.USER_SCOPE
        self.sequence_nr = -1

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """How long it took, with everything inside."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """How long it took without the events inside."""
        return self.cpu_time_total - sum(each.cpu_time_total for each in self.cpu_children)

    @property
    def stack(self) -> list[str]:
        """The user's line that made the call."""
        return [] if self.place is None else [describe(self.place)]

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[each.id for each in self.cpu_children]} input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(Timed):
    """All events of one name, or of one name and shape or line, summed up."""

    def __init__(self, key: str):
        self.key = key
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.input_shapes: Any = ""
        self.stack: list[str] = []
        self.scope = RecordScope.FUNCTION
        self.is_user_annotation = False

    def add(self, other: Timed) -> FunctionEventAvg:
        """Count one more event, or the events of another sum."""
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        return self

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} input_shapes={self.input_shapes}>"
        )


class EventList(list):
    """Events, or sums of them, that can be shown as a table and written as a trace."""

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each moment counted once."""
        return sum(each.self_cpu_time_total for each in self)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Sums by name, on request for each shape of inputs or each line of the program."""
        found: dict[tuple, FunctionEventAvg] = {}
        for event in self:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            lines = tuple(event.stack[:group_by_stack_n])
            key = event.key, shapes, lines
            if key not in found:
                total = found[key] = FunctionEventAvg(event.key)
                total.scope, total.is_user_annotation = event.scope, event.is_user_annotation
                total.stack = list(lines)
                if group_by_input_shape:
                    total.input_shapes = event.input_shapes
            found[key].add(event)
        return EventList(found.values())

    def total_average(self) -> FunctionEventAvg:
        """The sum of all."""
        total = FunctionEventAvg("Total")
        for each in self:
            total.add(each)
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table: share, time of its own, time with what is inside, mean and number of calls."""
        from rushlight.profiler.table import table

        rows = EventList(each for each in self if not (top_level_events_only and getattr(each, "cpu_parent", None)))
        widths = {"Name": max_name_column_width, "Input Shapes": max_shapes_column_width}
        widths["Source Location"] = max_src_column_width
        return table(rows, self.self_cpu_time_total, sort_by, row_limit, header, widths, time_unit)

    def export_chrome_trace(self, path: Any) -> None:
        """Write the events for chrome://tracing and Perfetto."""
        write_trace(path, self, {})

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line for each line of the program with its microseconds, as flame graphs read them."""
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError(f"metric should be one of: {self.supported_export_stacks_metrics()}")
        lines = [f"{each.stack[0]};{each.key} {int(getattr(each, metric))}\n" for each in self if each.stack]
        with open(path, "w") as file:
            file.writelines(lines)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` can count."""
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def __str__(self) -> str:
        return self.table()


def duration(microseconds: float, unit: str | None = None) -> str:
    """A time in the unit that suits it, or in the one that is asked for."""
    for name, size in (("s", 1e6), ("ms", 1e3)):
        if unit == name or (unit is None and microseconds >= size):
            return f"{microseconds / size:.3f}{name}"
    return f"{microseconds:.3f}us"


def write_trace(path: Any, events: Iterable[FunctionEvent], metadata: dict) -> None:
    """Write a trace in the format of chrome://tracing; gzipped where the name ends with .gz."""
    import gzip

    process = os.getpid()
    named = {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "python"}}
    trace = {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "host_name": socket.gethostname(),
        **metadata,
        "traceEvents": [named, *(trace_event(each, process) for each in events)],
    }
    opened: Callable = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "wt") as file:
        json.dump(trace, file)


def trace_event(event: FunctionEvent, process: int) -> dict:
    """One event, with its shapes and the user's line among what a click on it shows."""
    kinds = {RecordScope.USER_SCOPE: "user_annotation", RecordScope.BACKWARD_FUNCTION: "backward"}
    shown: dict[str, Any] = {"External id": event.id}
    if event.input_shapes:
        shown["Input Dims"] = event.input_shapes
    if event.stack:
        shown["Line"] = event.stack[0]
    return {
        "ph": "X",
        "cat": kinds.get(event.scope, "cpu_op"),
        "name": event.name,
        "pid": process,
        "tid": event.thread,
        "ts": event.time_range.start,
        "dur": event.time_range.elapsed_us(),
        "args": shown,
    }
