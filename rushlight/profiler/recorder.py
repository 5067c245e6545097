"""The recorder: notes every call between its start and its stop on its thread, and every node of a backward."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

from rushlight.autograd.steps import Step
from rushlight.core.object.tensor import Tensor
from rushlight.errors.location import user_line
from rushlight.overrides import TorchFunctionMode, resolve_name
from rushlight.profiler.events import FunctionEvent, RecordScope


class Active(threading.local):
    """The recorders that run in this thread, for `record_function`."""

    def __init__(self) -> None:
        self.recorders: list[Recorder] = []


active = Active()
# what asks for a gradient: the nodes that it runs are timed too
BACKWARD = {"backward", "grad"}


class Recorder(TorchFunctionMode):
    """A mode in which each call becomes an event with its time, shapes and line."""

    def __init__(self, shapes: bool = False):
        super().__init__()
        self.shapes = shapes
        self.began = time.perf_counter()
        self.events: list[FunctionEvent] = []
        self.open: list[FunctionEvent] = []

    def __enter__(self) -> Recorder:
        active.recorders.append(self)
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        active.recorders.remove(self)

    def now(self) -> float:
        return (time.perf_counter() - self.began) * 1e6

    def start(self, name: str, scope: RecordScope, shapes: list, place: Any = None) -> FunctionEvent:
        event = FunctionEvent(len(self.events) + 1, name, 0.0, scope, shapes, place)
        if self.open:
            event.cpu_parent = self.open[-1]
            self.open[-1].cpu_children.append(event)
        self.events.append(event)
        self.open.append(event)
        event.time_range.start = self.now()
        return event

    def stop(self, event: FunctionEvent) -> None:
        """The event is over, and so is whatever an exception left open inside."""
        end = self.now()
        while self.open:
            each = self.open.pop()
            each.time_range.end = end
            if each is event:
                return

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in ("__get__", "__set__"):
            return func(*args, **kwargs)
        name = name_of(func)
        event = self.start(f"aten::{name}", RecordScope.FUNCTION, self.shapes_of(args), user_line())
        try:
            with watched_nodes(self, args) if name in BACKWARD else nothing:
                return func(*args, **kwargs)
        finally:
            self.stop(event)

    def shapes_of(self, args: tuple) -> list:
        if not self.shapes:
            return []
        return [list(each.shape) if isinstance(each, Tensor) else [] for each in args]


class Nothing:
    """A context in which nothing is done."""

    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...


nothing = Nothing()


@functools.cache
def name_of(func: Callable) -> str:
    """A function as the tables name it: `torch.nn.functional.relu` is relu, `Tensor.__add__` add."""
    name = str(resolve_name(func) or getattr(func, "__name__", "call")).rpartition(".")[2]
    return name.strip("_") or name


class watched_nodes:
    """Inside, every node behind the given tensors is an event while it runs backwards."""

    def __init__(self, recorder: Recorder, roots: tuple):
        self.recorder = recorder
        self.roots = [each for each in flat(roots) if isinstance(each, Tensor)]
        self.handles: list = []

    def __enter__(self) -> None:
        stack = [each.grad_fn for each in self.roots if each.grad_fn is not None]
        seen = set(stack)
        while stack:
            node = stack.pop()
            if not isinstance(node, Step):  # which runs as a part of its owner
                self.watch(node)
            for each, _ in node.next_functions:
                # a leaf's node is no event: what it takes is in its neighbour's time
                if each is not None and each not in seen and not hasattr(each, "variable"):
                    seen.add(each)
                    stack.append(each)

    def watch(self, node: Any) -> None:
        recorder, name, running = self.recorder, node.name(), []
        place = getattr(node, "place", None)

        def before(grads: Any) -> None:
            shapes = recorder.shapes_of(tuple(grads))
            running.append(recorder.start(name, RecordScope.BACKWARD_FUNCTION, shapes, place))

        def after(found: Any, grads: Any) -> None:
            if running:
                recorder.stop(running.pop())

        self.handles += [node.register_prehook(before), node.register_hook(after)]

    def __exit__(self, *exception: object) -> None:
        for each in self.handles:
            each.remove()


def flat(values: Any) -> list:
    """The elements of nested lists and tuples."""
    if isinstance(values, (list, tuple)):
        return [each for value in values for each in flat(value)]
    return [values]


class record_function:
    """Names a block, or every call of a function, in the profiler's table.

    >>> from torch.profiler import profile, record_function
    >>> with profile() as profiler:
    ...     with record_function("forward"):
    ...         y = torch.ones(3).sum()
    >>> [each.key for each in profiler.events()]
    ['forward', 'aten::ones', 'aten::sum']
    """

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args
        self.running: list[tuple[Recorder, FunctionEvent]] = []

    def __enter__(self) -> record_function:
        for each in active.recorders:
            self.running.append((each, each.start(self.name, RecordScope.USER_SCOPE, [], user_line())))
        return self

    def __exit__(self, *exception: object) -> None:
        while self.running:
            recorder, event = self.running.pop()
            recorder.stop(event)

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return named
