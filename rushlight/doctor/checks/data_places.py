"""Data: the line on which values of a program began, also those that a loader brought."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.trace import Record
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.events import BatchTaken, Origin
    from rushlight.doctor.watch import Watch

MADE_OF_DATA = {"data", "from_numpy", "tensor", "as_tensor", "asarray", "stack", "cat"}


def described(watch: Watch, origin: Origin) -> tuple[Location | None, str]:
    """The line of an origin and what to call it there: a call by its name, data as the values that they are."""
    record = origin.record
    if record is not None and record.name == "__setitem_":
        return origin.place, "This assignment"
    if record is None or record.name not in MADE_OF_DATA or record.inputs:
        return origin.place, f"`{origin.name}`"
    place = place_of(watch, record)
    return place, "The data" if record.name == "data" else f"What `{record.name}` made"


def place_of(watch: Watch, record: Record) -> Location | None:
    """The line of a record; what nobody saw being made may have come from a loader."""
    return (begun_at(watch, record) if record.name == "data" else None) or record.place


def note(watch: Watch, event: BatchTaken) -> None:
    """Keep where the tensors of a data set were made: the loader may be gone when somebody asks."""
    memory = watch.memory["data-places"]
    if id(event.loader.dataset) not in memory:
        found = [watch.trace.of(each) for each in tensors_of(event.loader.dataset)]
        memory[id(event.loader.dataset)] = [each for each in found if each.place is not None], event.place


def tensors_of(dataset: Any) -> list[Tensor]:
    """The tensors that a data set holds, also one that it takes its samples from."""
    found = list(getattr(dataset, "tensors", ()))
    for each in vars(dataset).values() if hasattr(dataset, "__dict__") else ():
        if isinstance(each, Tensor):
            found.append(each)
        elif hasattr(each, "__getitem__") and hasattr(each, "__len__") and hasattr(each, "__dict__"):
            found += tensors_of(each)
    return [each for each in found if isinstance(each, Tensor)]


def source_of(watch: Watch, record: Record) -> Record | None:
    """The tensor of a data set that a batch seems to come from."""
    if record.name == "data":
        for known, _ in watch.memory["data-places"].values():
            for each in known:
                if each.shape[1:] == record.shape[1:] and each.dtype == record.dtype:
                    return each
    return None


def begun_at(watch: Watch, record: Record) -> Location | None:
    """Where a value of a loader's batch began: a tensor of the data set, a call in its code, the line that takes it."""
    source = source_of(watch, record)
    if source is not None:
        return source.place
    taken = next((place for _, place in watch.memory["data-places"].values()), None)
    if taken is None:
        return None
    for each in reversed(watch.trace.current):
        is_sample = each.shape == record.shape[1:] and each.dtype == record.dtype
        if each.number < record.number and is_sample and not each.carries:
            return each.place or taken
    return taken
