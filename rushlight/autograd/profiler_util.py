"""The events of the profiler, under the module name that programs import them from."""

from __future__ import annotations

from rushlight.profiler.events import EventList, FunctionEvent, FunctionEventAvg, Interval

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]
