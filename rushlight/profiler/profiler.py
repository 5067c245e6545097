"""Profiles: when to record, for which steps of a loop, and what to do with what was recorded."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from rushlight.errors.warning import warn
from rushlight.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from rushlight.profiler.events import EventList, FunctionEvent, RecordScope, write_trace
from rushlight.profiler.recorder import Recorder, record_function


class ProfilerActivity(Enum):
    """What may be recorded; here that is the CPU."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(Enum):
    """What a profile does in a step of the program."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """What can be recorded here."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps are recorded: skip some, wait, warm up, record; then again, `repeat` times (0: always).

    >>> plan = torch.profiler.schedule(wait=1, warmup=1, active=2)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if not warmup:
        warn("Profiler won't be using warmup, this can skew profiler results", UserWarning)
    span = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if repeat and step // span >= repeat:
            return ProfilerAction.NONE
        place = step % span
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < span - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(step: int) -> ProfilerAction:
    """Record every step."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """For `on_trace_ready`: writes each trace to a file of its own in `dir_name`."""

    def write(profiler: Any) -> None:
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError("Can't create directory: " + dir_name) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        profiler.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}{ending}"))

    return write


class ExecutionTraceObserver:
    """Records graphs of executions in PyTorch; here traces hold all that is known, so it is refused when asked."""

    def register_callback(self, output_file_path: str) -> Any:
        """Refuse, and say what to use."""
        raise NotImplementedError("execution traces are not in Rushlight; use profile().export_chrome_trace(path)")


class _KinetoProfile:
    """A profile between `start` and `stop`, without steps."""

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ):
        self.activities = supported_activities() if activities is None else set(activities)
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.acc_events = acc_events
        self.metadata: dict[str, Any] = {}
        self.recorder: Recorder | None = None
        self.finished = EventList()
        self.handles: list = []

    def start(self) -> None:
        """Begin to record."""
        self.start_trace()

    def stop(self) -> None:
        """Stop recording."""
        self.stop_trace()

    def prepare_trace(self) -> None:
        """Nothing has to be prepared here."""

    def start_trace(self) -> None:
        """Begin to record: calls, nodes of backward, steps of optimizers."""
        self.recorder = Recorder(self.record_shapes)
        self.handles = watch_optimizers()
        self.recorder.__enter__()

    def stop_trace(self) -> None:
        """Stop recording, and keep what was seen."""
        if self.recorder is None:
            return
        self.recorder.__exit__(None, None, None)
        for each in self.handles:
            each.remove()
        found = EventList(self.recorder.events)
        self.finished = EventList([*self.finished, *found]) if self.acc_events else found
        self.recorder = None

    def events(self) -> EventList:
        """What was seen, one by one."""
        return self.finished

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """What was seen, summed up by name; with `group_by_stack_n=1` by the lines of the program too."""
        return self.finished.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace for chrome://tracing and Perfetto."""
        write_trace(path, self.finished, {"record_shapes": int(self.record_shapes), **self.metadata})

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write what flame graphs read."""
        self.finished.export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Refuse: memory is not followed over time."""
        raise NotImplementedError(
            "memory timelines are not in Rushlight; rushlight.memory.stats() tells what is in use"
        )

    def add_metadata(self, key: str, value: str) -> None:
        """Note something in the trace."""
        self.metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Note something in the trace that is JSON already."""
        import json

        self.metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Record, or do not, from now on."""
        if ProfilerActivity.CPU in set(activities) and self.recorder is not None:
            (self.recorder.__enter__ if enable else self.recorder.__exit__)()


class profile(_KinetoProfile):
    """Records what a program does between `with` and its end, or in the steps that a schedule names.

    >>> with torch.profiler.profile(record_shapes=True) as profiler:
    ...     y = torch.ones(2, 3) @ torch.ones(3, 4)
    >>> [(each.key, each.input_shapes) for each in profiler.events()][-1]
    ('aten::matmul', [[2, 3], [3, 4]])
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ):
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            acc_events=acc_events,
        )
        self.schedule = schedule or always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn: record_function | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin, with what the schedule says of the first step."""
        self.begin_step()

    def stop(self) -> None:
        """End, and hand over what was recorded last."""
        self.end_step(ProfilerAction.NONE)

    def step(self) -> None:
        """The next step of the program begins."""
        following = self.schedule(self.step_num + 1)
        self.end_step(following)
        self.step_num += 1
        self.current_action = following
        self.begin_step()

    def begin_step(self) -> None:
        if self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            if self.recorder is None:
                self.start_trace()
            if self.record_steps:
                self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
                self.step_rec_fn.__enter__()

    def end_step(self, following: ProfilerAction) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None
        if self.recorder is None:
            return
        if self.current_action is ProfilerAction.RECORD_AND_SAVE or following is ProfilerAction.NONE:
            self.stop_trace()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)


def watch_optimizers() -> list:
    """Name the steps of optimizers, as `Optimizer.step#Adam.step`."""
    running: list[record_function] = []

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        running.append(record_function(f"Optimizer.step#{type(optimizer).__name__}.step"))
        running[-1].__enter__()

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        if running:
            running.pop().__exit__(None, None, None)

    return [register_optimizer_step_pre_hook(before), register_optimizer_step_post_hook(after)]


__all__ = [
    "ExecutionTraceObserver",
    "FunctionEvent",
    "ProfilerAction",
    "ProfilerActivity",
    "RecordScope",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


_default_schedule_fn = always
