"""Accumulation and graph reuse: gradients that are not cleared, and graphs that serve twice or are never let go."""

from __future__ import annotations

import gc
import weakref
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor import sources
from rushlight.doctor.catalogue import check
from rushlight.doctor.checksums import checksum
from rushlight.doctor.events import Backward, BackwardStarting, GradientRead, ModuleLeft, Raised, Stepping
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.lives import CLEAN, TAINTED, USED
from rushlight.doctor.names import listed, variable
from rushlight.doctor.places import line_of, on_line, same_line
from rushlight.doctor.trace import Record, tensors_in
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

OFTEN = 3
# so many losses in a row must have stayed alive, and the last few may still be in use
ALIVE, IN_USE = 5, 3
SECOND_BACKWARD = "Trying to backward through the graph a second time"


@check("zero-grad-missing", tier=1, severity=ERROR, on=(Stepping, Backward, BackwardStarting, GradientRead))
def zero_grad_missing(watch: Watch, event: Stepping | Backward | BackwardStarting | GradientRead) -> Iterator[Finding]:
    """A step uses a gradient to which backward() added after an earlier step had used it."""
    if isinstance(event, Stepping):
        yield from tainted(watch, event.optimizer.parameters, event.place)
    elif isinstance(event, Backward):
        # the closure of a step: what is added here is used by it
        for life in watch.lives.optimizers:
            if life.in_step and event.fills:
                yield from tainted(watch, life.parameters, life.step_place)
    elif isinstance(event, GradientRead):
        read = watch.lives.of_parameter(event.tensor)
        if not read.owned and read.gradient != CLEAN and read.when_read is None:
            read.when_read = checksum(event.tensor._array)
    elif event.backward.fills:
        yield from stepped_by_hand(watch, event.backward)


def stepped_by_hand(watch: Watch, event: Backward) -> Iterator[Finding]:
    """Programs without an optimizer: a leaf that has moved after its gradient was read has made a step."""
    moved = []
    for leaf in event.leaves:
        life = watch.lives.of_parameter(leaf)
        if life.when_read is not None and life.gradient != CLEAN and checksum(leaf._array) != life.when_read:
            moved.append(leaf)
    yield from tainted(watch, moved, None)
    for leaf in moved:
        watch.lives.of_parameter(leaf).gradient = USED


def tainted(watch: Watch, parameters: list[Tensor], step: Location | None) -> Iterator[Finding]:
    """The finding, once this was so three times."""
    lives = [(each, watch.lives.of_parameter(each)) for each in parameters]
    found = [each for each, life in lives if life.gradient == TAINTED and each._grad is not None]
    if not found:
        return
    life = watch.lives.of_parameter(found[0])
    backward = None if life.last_backward is None else life.last_backward.place
    counts = watch.memory["zero-grad-missing"]
    key = None if backward is None else line_of(backward)
    # the backwards of one step count once
    last, times = counts.get(key, (-1, 0))
    if last != life.reached:
        counts[key] = life.reached, times + 1
    if counts[key][1] < OFTEN:
        return
    step = step or life.used_at
    names = watch.names.all(found)
    yield Finding(
        f"backward() adds to gradients that step(){on_line(step)} has used before: {listed(names)} move"
        f"{'s' * (len(names) == 1)} along the sum of all gradients so far.",
        "Clear them in every round: `optimizer.zero_grad()` before `loss.backward()`."
        if step is not None
        else "Clear them in every round: `w.grad = None` before `loss.backward()`.",
        backward,
        names,
        related=[] if step is None else [("the step that uses them", step)],
    )


class Twice:
    """A backward that met a node whose values an earlier one had freed."""

    def __init__(self, watch: Watch, event: Backward):
        self.place = event.place
        self.node: Any = None
        self.first: Location | None = None
        self.is_newer = False
        for node in event.nodes():
            # it frees nodes itself until it meets the one
            before = node.freed is not None and node.freed[1] < event.newest
            if before and (self.node is None or node.number > self.node.number):
                self.node = node
        if self.node is not None:
            self.first, number = self.node.freed
            self.is_newer = max(each.number for each in event.nodes()) > number

    @property
    def is_carried(self) -> bool:
        """One line runs backward in every round, and reaches what an earlier round has computed."""
        return self.is_newer and same_line(self.first, self.place)


def second_backward(watch: Watch, event: Raised) -> Twice | None:
    if watch.running is None or not str(event.error).startswith(SECOND_BACKWARD):
        return None
    found = Twice(watch, watch.running)
    return None if found.node is None else found


@check("graph-backward-twice", tier=1, severity=ERROR, on=Raised)
def graph_backward_twice(watch: Watch, event: Raised) -> Iterator[Finding]:
    """Two backward calls go through the same nodes, and the first one has freed them."""
    twice = second_backward(watch, event)
    if twice is None or twice.is_carried:
        return
    name = type(twice.node).__name__.removesuffix("Backward0")
    place = twice.node.place
    if same_line(twice.first, twice.place):
        words = f"backward() runs again through a loss that was computed once: it freed `{name}`{on_line(place)}."
        fix = "Compute the loss anew before each backward()."
    elif twice.is_newer:
        words = f"This loss goes through `{name}`{on_line(place)}, which the backward{on_line(twice.first)} has freed."
        fix = "Give the first loss a detached value (`fake.detach()`), or compute the value again for the second."
    else:
        words = f"The backward{on_line(twice.first)} has freed `{name}`{on_line(place)}, which this one needs too."
        fix = "Add the losses and call backward once: `(a + b).backward()`; or `retain_graph=True` in the first."
    yield Finding(
        words,
        fix,
        twice.place,
        related=[("the first backward", twice.first), ("what both need", place)],
    )


@check("graph-grows", tier=1, severity=ERROR, on=(Raised, Backward, ModuleLeft))
def graph_grows(watch: Watch, event: Raised | Backward | ModuleLeft) -> Iterator[Finding]:
    """A value is carried from step to step with its graph."""
    memory = watch.memory["graph-grows"]
    if isinstance(event, ModuleLeft):
        if event.depth == 0:
            note_results(watch, event, memory)
    elif isinstance(event, Raised):
        twice = second_backward(watch, event)
        explained = watch.memory["param-nonleaf"].get("told")
        if twice is not None and twice.is_carried and watch.running is not None and not explained:
            yield grown(watch, watch.running, memory, twice.node.place)
    elif event.fills:
        yield from retained(watch, event, memory)
        memory["record"] = watch.trace.current[-1].number if watch.trace.current else memory.get("record", 0)


def note_results(watch: Watch, event: ModuleLeft, memory: dict) -> None:
    """What a model gives is known by the line that called the model, not by lines inside of it."""
    results = memory.setdefault("results", {})
    if len(results) > 200:
        results.clear()
    for each in tensors_in(event.result):
        if each.requires_grad:
            results[watch.trace.of(each).number] = event.place


def retained(watch: Watch, event: Backward, memory: dict) -> Iterator[Finding]:
    """`retain_graph=True` hides the error: the part of the graph that is older than the last backward grows."""
    before = memory.get("newest", 0)
    if not event.kwargs.get("retain_graph"):
        memory["row"] = 0
        return
    numbers = [each.number for each in event.nodes()]
    old = sum(each <= before for each in numbers) if before else 0
    grows = old > memory.get("old", 0) and same_line(event.place, memory.get("place"))
    memory["row"] = memory.get("row", 0) + 1 if grows else 0
    memory["old"], memory["newest"], memory["place"] = old, max(numbers, default=before), event.place
    if memory["row"] >= OFTEN:
        yield grown(watch, event, memory, None)


def grown(watch: Watch, event: Backward, memory: dict, fallback: Location | None) -> Finding:
    carried = carried_by(event.records, memory.get("record", 0))
    place, name = fallback, None
    if carried is not None:
        place = memory.get("results", {}).get(carried.number, carried.place)
        tensor = None if carried.tensor is None else carried.tensor()
        name = None if tensor is None else variable(tensor)
    what = f"`{name}`" if name else "A value of this line"
    return Finding(
        f"{what} still carries the graph of earlier rounds into the backward{on_line(event.place)}: each one reaches "
        "back to the first.",
        f"Cut it between the rounds: `{name or 'h'} = {name or 'h'}.detach()`; of numbers for a log keep `.item()`.",
        place,
        related=[("the backward that reaches back", event.place)],
    )


def carried_by(roots: list[Record], boundary: int) -> Record | None:
    """The newest value from before the last backward that what came after it was computed from."""
    seen: set[int] = set()
    stack = list(roots)
    best: Record | None = None
    while stack:
        record = stack.pop()
        if record.number in seen or not record.live:
            continue
        seen.add(record.number)
        if record.number > boundary:
            stack.extend(record.inputs)
        elif record.name != "leaf" and (best is None or record.number > best.number):
            best = record
    return best


class Lost:
    """The losses of one line, as far as they still live: their nodes and themselves."""

    def __init__(self) -> None:
        self.nodes: deque[weakref.ref] = deque(maxlen=ALIVE + IN_USE)
        self.tensors: deque[weakref.ref] = deque(maxlen=ALIVE + IN_USE)
        self.numbers: deque[int] = deque(maxlen=ALIVE + IN_USE)
        self.collected = 0

    def stays(self) -> bool:
        old = list(self.nodes)[:ALIVE]
        return len(self.nodes) == ALIVE + IN_USE and all(each() is not None for each in old)


@check("graph-kept-alive", tier=1, severity=WARNING, on=Backward)
def graph_kept_alive(watch: Watch, event: Backward) -> Iterator[Finding]:
    """Something keeps the graph of every step alive, and memory grows."""
    root = event.roots[0] if len(event.roots) == 1 else None
    if root is None or root.grad_fn is None or event.place is None or not event.fills:
        return
    key = line_of(event.place)
    lost = watch.memory["graph-kept-alive"].setdefault(key, Lost())
    if lost.collected < OFTEN and lost.stays():
        # circles of references die later, by themselves
        gc.collect()
        lost.collected += 1
        if lost.stays():
            yield keeper(watch, event, root, lost)
            lost.collected = OFTEN
    lost.nodes.append(weakref.ref(root.grad_fn))
    lost.tensors.append(weakref.ref(root))
    lost.numbers.append(event.records[0].number)


def keeper(watch: Watch, event: Backward, root: Tensor, lost: Lost) -> Finding:
    """The finding at the line that keeps: what computes with the loss, or stores it."""
    name = variable(root) or "loss"
    place, words = line_of_sum(watch, lost), "adds up losses with their graphs"
    is_held = all(each() is not None for each in list(lost.tensors)[:ALIVE])
    if is_held or place is None:
        assert event.place is not None
        path = event.place[0].co_filename
        names = sources.names_of(lambda each: each is root) or {name}
        lines = sources.lines_that_store(path, names)
        if lines:
            line = sources.nearest_after(lines, event.place, None)
            assert line is not None
            place, words = sources.place_of_line(path, line, event.place), "stores losses with their graphs"
    return Finding(
        f"This line {words}: those of every step stay in memory."
        if place is not None
        else "The graph of every step stays in memory: something holds on to the loss.",
        f"Keep the number: `{name}.item()`, or `{name}.detach()`.",
        place or event.place,
        related=[("the backward of each step", event.place)],
        sure="certain" if place is not None else "likely",
    )


def line_of_sum(watch: Watch, lost: Lost) -> Location | None:
    """A line of the last rounds that computed something with a graph from a loss."""
    for step in reversed(watch.trace.steps):
        for record in step:
            if record.live and any(each.number in lost.numbers for each in record.inputs):
                return record.place
    return None
