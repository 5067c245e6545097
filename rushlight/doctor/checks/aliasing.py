"""In-place and aliasing: memory that is written while backward needs it, or that two things share by mistake."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor import sources
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import ArraysJoined, Backward, BackwardStarting, Call, Loaded, Raised, StateTaken
from rushlight.doctor.finding import ERROR, Finding
from rushlight.doctor.observer.memory import Guarded, Write, bounds_of
from rushlight.doctor.places import line_of, on_line
from rushlight.errors.explained import words_of
from rushlight.errors.location import Location
from rushlight.nn.modules.module import Module

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# so many values on the same memory are no accident
MANY = 8
# so often must shared memory have been written to while values were stored
OFTEN = 3


@check("inplace-saved", tier=1, severity=ERROR, on=Raised)
def inplace_saved(watch: Watch, event: Raised) -> Iterator[Finding]:
    """A value that backward needs was changed in place."""
    words = words_of(event.error)
    if words is None or "modified by an inplace operation" not in words:
        return
    places = [each for each in words.lines if isinstance(each, tuple)]
    saved = next((each for each in places if each[0].startswith("saved for")), ("", None))
    changed = next((each[1] for each in places if each[0] == "changed at"), None)
    name = saved[0].removeprefix("saved for ").removesuffix(" at").removesuffix("Backward0")
    yield Finding(
        f"This line changes in place what `{name}`{on_line(saved[1])} has saved for the backward"
        f"{on_line(event.place)}.",
        (words.fix or "Write the change out of place.").strip(),
        changed or event.place,
        related=[("saved here", saved[1]), ("needed by this backward", event.place)],
    )


def saved_tensors(node: Any) -> Iterable[Tensor]:
    """The tensors that a node keeps for its formulas."""
    looked_at = node.looked_at if node.freed is None else None
    kept = [] if looked_at is None else looked_at[0]
    for each in [*kept, *[one.value for one in getattr(node, "_kept_values", None) or ()]]:
        if isinstance(each, Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from (one for one in each if isinstance(one, Tensor))


def overlaps(tensor: Tensor, bounds: tuple[int, int]) -> bool:
    if not isinstance(tensor._array, np.ndarray) or not tensor._array.size:
        return False
    first, last = bounds_of(tensor._array)
    return first < bounds[1] and bounds[0] < last


def needed_by(event: Backward, bounds: tuple[int, int], number: int) -> Any:
    """A node of a backward, not newer than a number, that has saved what lies in some memory."""
    for node in event.nodes():
        if node.number <= number and any(overlaps(each, bounds) for each in saved_tensors(node)):
            return node
    return None


@check("inplace-data", tier=1, severity=ERROR, on=BackwardStarting)
def inplace_data(watch: Watch, event: BackwardStarting) -> Iterator[Finding]:
    """A write through `.data` has changed what backward needs, and nothing raised."""
    writes: list[Write] = list(watch.observer.memory.writes)
    if not writes:
        return
    oldest = min((each.number for each in event.backward.nodes()), default=0)
    for write in writes:
        # a write from before the graph has changed nothing that it saved
        node = needed_by(event.backward, write.bounds, write.number) if write.number > oldest else None
        if node is not None:
            name = type(node).__name__.removesuffix("Backward0")
            yield Finding(
                f"This write through `.data` changes what `{name}`{on_line(node.place)} has saved: the gradients of "
                f"the backward{on_line(event.place)} are wrong, and nothing raises.",
                "Write it out of place (`y = y * 0.5`), or write to a copy: `y.detach().clone()`.",
                write.place,
                related=[("saved here", node.place), ("used by this backward", event.place)],
            )


@check("numpy-alias-write", tier=1, severity=ERROR, on=BackwardStarting)
def numpy_alias_write(watch: Watch, event: BackwardStarting) -> Iterator[Finding]:
    """NumPy has overwritten memory that backward needs."""
    memory = watch.observer.memory
    if not memory.guarded:
        return
    for each, array in memory.overwritten():
        bounds = bounds_of(array)
        if any(write.number > each.number and overlapping(write.bounds, bounds) for write in memory.writes):
            continue
        node = needed_by(event.backward, bounds, each.number)
        if node is not None:
            yield numpy_write(event, each, bounds, node)


def overlapping(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return one[0] < two[1] and two[0] < one[1]


def numpy_write(event: BackwardStarting, guarded: Guarded, bounds: tuple[int, int], node: Any) -> Finding:
    name = type(node).__name__.removesuffix("Backward0")

    def shows(value: Any) -> bool:
        return isinstance(value, np.ndarray) and value.size > 0 and overlapping(bounds_of(value), bounds)

    names = sources.names_of(shows)
    arrays = sorted(names)
    what = f"`{arrays[0]}`" if arrays else "Its memory"
    saved = guarded.place or node.place
    place = line_of_write(names, saved, event.place) or saved
    return Finding(
        f"{what} was overwritten through NumPy after `{name}`{on_line(node.place)} saved it and before the backward"
        f"{on_line(event.place)}: the gradients are wrong.",
        f"Give torch a copy: `torch.tensor({arrays[0] if arrays else 'array'})`, or `.copy()`.",
        place,
        related=[("saved here", node.place), ("used by this backward", event.place)],
    )


def line_of_write(names: set[str], saved: Location | None, backward: Location | None) -> Location | None:
    """The line of the program that writes to one of the arrays, where its text shows one."""
    for near in (backward, saved):
        if near is None:
            continue
        path = near[0].co_filename
        line = sources.nearest_after(sources.lines_that_write(path, names), saved, backward)
        if line is not None:
            return sources.place_of_line(path, line, near)
    return None


@check(
    "alias-in-buffer", tier=1, severity=ERROR, on=(Call, ArraysJoined), names={"stack", "cat", "tensor", "as_tensor"}
)
def alias_in_buffer(watch: Watch, event: Call | ArraysJoined) -> Iterator[Finding]:
    """Many stored values are the same memory: each of them shows what was written last."""
    values = event.arrays if isinstance(event, ArraysJoined) else event.argument(0, "tensors")
    if not isinstance(values, (list, tuple)) or len(values) < MANY:
        return
    if all(isinstance(each, np.ndarray) for each in values):
        yield from same_array(watch, event, values)
    elif isinstance(event, Call) and all(isinstance(each, Tensor) for each in values):
        yield from same_tensor(watch, event, values)


def most_common(bounds: list[tuple[int, int]]) -> tuple[tuple[int, int], int]:
    return Counter(bounds).most_common(1)[0]


def same_array(watch: Watch, event: Call | ArraysJoined, values: Any) -> Iterator[Finding]:
    bounds, count = most_common([bounds_of(each) for each in values])
    changes = watch.observer.memory.changes.get(bounds)
    if count < MANY or changes is None or changes.count < OFTEN:
        return
    shared = next(each for each in values if bounds_of(each) == bounds)
    yield shared_finding(count, len(values), line_of_storing(shared, event.place), event.place)


def same_tensor(watch: Watch, event: Call, values: Any) -> Iterator[Finding]:
    if values[0]._array.size == 0 or any(each.requires_grad for each in values):
        return
    if len({each.data_ptr() for each in values}) > len(values) - MANY + 1:
        return
    bounds, count = most_common([bounds_of(each._array) for each in values])
    if count < MANY:
        return
    shared = [each for each in values if bounds_of(each._array) == bounds]
    changes = watch.observer.memory.changes.get(bounds)
    written = max(0 if each._storage is None else each._storage.version for each in shared)
    if (changes is None or changes.count < OFTEN) and written < MANY:
        return
    place = watch.trace.of(shared[0]).place
    if len({id(each) for each in shared}) == 1 or place is None:
        place = line_of_storing(shared[0], event.place)
    yield shared_finding(count, len(values), place, event.place)


def line_of_storing(value: Any, joined: Location | None) -> Location | None:
    """The line that puts a value away, where the text of the program shows one."""
    if joined is None:
        return None
    path = joined[0].co_filename
    lines = sources.lines_that_store(path, sources.names_of(lambda each: each is value))
    return sources.place_of_line(path, lines[0], joined) if lines else joined


def shared_finding(count: int, all: int, place: Location | None, joined: Location | None) -> Finding:
    return Finding(
        f"{count} of {all} values that are put together{on_line(joined)} are one and the same memory, which was "
        "overwritten each time: all of them show the last value.",
        "Store a copy: `obs.copy()`, or `tensor.clone()`.",
        place or joined,
        related=[("put together here", joined)],
    )


@check("alias-state-dict", tier=1, severity=ERROR, on=(StateTaken, Loaded, Call), names={"copy_"})
def alias_state_dict(watch: Watch, event: StateTaken | Loaded | Call) -> Iterator[Finding]:
    """A state_dict() that was kept without a copy is the live weights: to load it restores nothing."""
    memory = watch.memory["alias-state-dict"]
    if isinstance(event, StateTaken):
        for each in event.state.values() if isinstance(event.state, dict) else ():
            if isinstance(each, Tensor):
                # one tensor of it is enough to know it again
                if len(memory) > 200:
                    memory.clear()
                memory[id(each)] = weakref.ref(each), event.place, watch.steps
                note_taken(watch, event.place)
                break
    elif isinstance(event, Loaded):
        if isinstance(event.target, Module) and isinstance(event.state, dict):
            yield from loaded_from_itself(watch, event, memory)
    else:
        yield from copied_to_itself(watch, event)


def loaded_from_itself(watch: Watch, event: Loaded, memory: dict) -> Iterator[Finding]:
    own = dict(event.target.named_parameters())
    pairs = [(own[name], value) for name, value in event.state.items() if name in own and isinstance(value, Tensor)]
    if not pairs or not all(is_same_memory(*each) for each in pairs):
        return
    taken = next((memory[id(each)] for each in event.state.values() if is_known(memory, each)), None)
    place, since = (None, 0) if taken is None else taken[1:]
    # without a step in between nothing is lost, unless this was luck: what is taken now and then and restored once
    if watch.steps > since or (place is not None and len(steps_of(watch, place)) >= OFTEN and is_first(watch, event)):
        yield restored_nothing(place or event.place, event.place)


def steps_of(watch: Watch, place: Location) -> set[int]:
    """The steps at which a line has taken a state."""
    lines = watch.memory["alias-state-dict-lines"]
    return lines.setdefault(line_of(place), set())


def note_taken(watch: Watch, place: Location | None) -> None:
    if place is not None:
        steps_of(watch, place).add(watch.steps)


def is_first(watch: Watch, event: Loaded) -> bool:
    """Whether this line loads for the first time, and takes no state itself."""
    if event.place is None or steps_of(watch, event.place):
        return False
    loaded = watch.memory["alias-state-dict-loads"]
    key = line_of(event.place)
    loaded[key] = loaded.get(key, 0) + 1
    return loaded[key] == 1


def is_known(memory: dict, value: Any) -> bool:
    return id(value) in memory and memory[id(value)][0]() is value


def is_same_memory(one: Tensor, two: Tensor) -> bool:
    return one.data_ptr() == two.data_ptr() != 0


def copied_to_itself(watch: Watch, event: Call) -> Iterator[Finding]:
    """`p.data.copy_(best)` with a `best` that was taken from p in an earlier step, without a copy."""
    source = event.argument(1, "src")
    if not isinstance(source, Tensor) or source is event.args[0] or not is_same_memory(event.args[0], source):
        return
    record = event.records[1] if len(event.records) > 1 else None
    if record is not None and record.step < watch.trace.step and record.name in ("detach", "data", "leaf"):
        yield restored_nothing(record.place, event.place)


def restored_nothing(kept: Location | None, restored: Location | None) -> Finding:
    return Finding(
        f"What is kept here is the live weights themselves, which go on learning: to restore them{on_line(restored)} "
        "changes nothing.",
        "Keep a copy: `copy.deepcopy(model.state_dict())`.",
        kept,
        related=[("restored here", restored)],
    )
