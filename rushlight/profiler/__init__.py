"""The profiler: how long each operation took, on which line of the program, forwards and backwards."""

from __future__ import annotations

from rushlight.profiler.events import DeviceType, RecordScope
from rushlight.profiler.profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    ProfilerActivity,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)
from rushlight.profiler.recorder import record_function


def kineto_available() -> bool:
    """Whether operations can be traced, as with PyTorch's own library: always."""
    return True


__all__ = [
    "DeviceType",
    "ExecutionTraceObserver",
    "ProfilerAction",
    "ProfilerActivity",
    "RecordScope",
    "_KinetoProfile",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
