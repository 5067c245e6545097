"""The older profiler of `torch.autograd`: the one of `torch.profiler` under the names it had."""

from __future__ import annotations

from typing import Any

from rushlight.autograd import profiler_util as profiler_util
from rushlight.profiler import kineto_available
from rushlight.profiler.events import DeviceType, EventList, FunctionEvent, FunctionEventAvg
from rushlight.profiler.profiler import ProfilerActivity, _KinetoProfile
from rushlight.profiler.recorder import active, record_function


class profile(_KinetoProfile):
    """Records what a program does inside `with`.

    >>> with torch.autograd.profiler.profile() as profiler:
    ...     y = torch.ones(3).exp()
    >>> [each.key for each in profiler.function_events]
    ['aten::ones', 'aten::exp']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ):
        super().__init__(record_shapes=record_shapes, with_stack=with_stack, acc_events=acc_events)
        self.enabled = enabled

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.enabled:
            self.stop()

    @property
    def function_events(self) -> EventList:
        """What was seen, one by one."""
        return self.finished

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, each moment counted once."""
        return self.finished.self_cpu_time_total

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events."""
        return self.finished.total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """The table of what was seen, one by one."""
        return self.finished.table(sort_by, row_limit, **options)

    def __str__(self) -> str:
        return self.finished.table()


class emit_nvtx:
    """Marks for NVIDIA's profiler in PyTorch; refused where it is switched on."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False):
        self.enabled = enabled

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            raise RuntimeError("NVTX functions not installed. Rushlight runs on the CPU: use torch.profiler.profile()")
        return self

    def __exit__(self, *exception: object) -> None: ...


class emit_itt(emit_nvtx):
    """Marks for Intel's profiler in PyTorch; refused where it is switched on."""


def _profiler_enabled() -> bool:
    """Whether operations are being recorded."""
    return bool(active.recorders)


__all__ = [
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerActivity",
    "emit_itt",
    "emit_nvtx",
    "kineto_available",
    "profile",
    "record_function",
]
