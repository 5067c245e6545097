"""Hooks on several gradients: one call when all of them have arrived, or when the first has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

from rushlight.autograd import engine
from rushlight.autograd.graph import Node, edge_of
from rushlight.autograd.handles import RemovableHandle
from rushlight.core.object.tensor import Tensor


class _MultiHandle(RemovableHandle):
    """Removes the hooks of all the tensors."""

    def __init__(self, handles: tuple[RemovableHandle, ...]):
        self.handles = handles

    def remove(self) -> None:
        for each in self.handles:
            each.remove()

    def __getstate__(self) -> tuple:
        return self.handles

    def __setstate__(self, state: tuple) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Any], None],
    *,
    mode: Literal["all", "any"] = "all",
) -> RemovableHandle:
    """Call `fn(grads)` when the gradients of all tensors are known, or with `mode="any"` `fn(grad)` at the first.

    Gradients that a backward does not compute are None. The call comes once in each backward.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    tensors = tuple(tensors)
    engine.watch()
    if mode == "any":
        # the first of those that can arrive
        tensors = tuple(each for each in tensors if each.requires_grad)
    elif any(edge_of(each) is None for each in tensors):
        # not even a view that requires grad does, if it was made while nothing was recorded
        raise AssertionError("Expected gradient function to be set: a tensor has no place in the graph")
    arrivals = (All if mode == "all" else First)(tensors, fn)
    return _MultiHandle(tuple(each.register_hook(arrivals.hook(place)) for place, each in enumerate(tensors)))


class First:
    """Calls the hook at the first gradient of each backward."""

    def __init__(self, tensors: tuple[Tensor, ...], fn: Callable[[Any], None]):
        self.edges = [edge_of(each) for each in tensors]
        self.fn = fn
        self.lock = threading.Lock()
        # for each backward that is under way: what has arrived
        self.arrived: dict[int, Any] = {}
        self.last: Any = None

    def hook(self, place: int) -> Callable[[Tensor], None]:
        def arrive(grad: Tensor) -> None:
            self.arrive(place, grad)

        return arrive

    def arrive(self, place: int, grad: Tensor) -> None:
        task = engine.running.task
        with self.lock:
            if self.last is task:
                return
            self.last = task
        self.fn(grad)


class All(First):
    """Calls the hook when every gradient that a backward computes is there."""

    def arrive(self, place: int, grad: Tensor) -> None:
        task = engine.running.task
        with self.lock:
            if id(task) not in self.arrived:
                # the task is kept with its grads: its id is then nobody else's
                self.arrived[id(task)] = (task, [None] * len(self.edges), self.expected(task))
            _, grads, missing = self.arrived[id(task)]
            grads[place] = grad
            if missing > 1:
                self.arrived[id(task)] = (task, grads, missing - 1)
            else:
                del self.arrived[id(task)]
        if missing == 1:
            self.fn(grads)

    def expected(self, task: tuple | None) -> int:
        """How many gradients this backward computes; a single root, which it begins with, counts for none in torch."""
        assert task is not None
        given, inputs, accumulating = task
        roots = [target for target, _, _ in given]
        met = reached(roots)
        if inputs is not None:
            wanted = {id(target) for target, _ in inputs}
            asked = [id(each) in wanted & met for each in self.edges if is_end(each)]
            if any(asked) and not accumulating:
                raise RuntimeError(
                    "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
                    "This is currently not supported: use backward(), or put the hook on tensors that are no leaves."
                )
            met &= engine.reaching(roots, wanted) | wanted
        if len(roots) == 1:
            met.discard(id(roots[0]))
        return sum([id(each) in met for each in self.edges])


def is_end(edge: Tensor | Node | None) -> bool:
    """Whether no gradient goes on from there: a leaf, or a view of a tensor that records nothing."""
    return not isinstance(edge, Node) or all(each is None for each in edge.edges)


def reached(roots: list) -> set[int]:
    """The ids of all nodes and leaves behind the roots."""
    met: set[int] = set()
    stack = list(roots)
    while stack:
        each = stack.pop()
        if each is not None and id(each) not in met:
            met.add(id(each))
            if isinstance(each, Node):
                stack.extend(each.edges)
    return met
