"""Paths through the trace: from a loss to a parameter, and where they are cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import pairwise

from rushlight.doctor.trace import Record
from rushlight.errors.location import Location

# calls that show the same numbers in another form
VIEWS = set(
    "view reshape flatten squeeze unsqueeze transpose t permute expand expand_as view_as reshape_as contiguous clone "
    "T mT movedim swapaxes unflatten to float double half bfloat16 cpu type requires_grad_ alias "
    "squeeze_ unsqueeze_".split()
)


def is_cut(made: Record, source: Record) -> bool:
    """Whether gradients stop between a value and one that it was made from."""
    return source.carries if made.leaf else source.live and not made.live


def path_to(roots: Iterable[Record], target: Record) -> list[Record] | None:
    """The way from one of the roots back to a record with the fewest cuts, root first; None where there is none."""
    found: dict[int, tuple[int, Record | None]] = {}
    queue: deque[tuple[int, Record, Record | None]] = deque((0, root, None) for root in roots)
    while queue:
        cuts, record, after = queue.popleft()
        if record.number in found and found[record.number][0] <= cuts:
            continue
        found[record.number] = cuts, after
        if record is target:
            return unwound(found, record)
        for each in record.inputs:
            if is_cut(record, each):
                queue.append((cuts + 1, each, record))
            else:
                queue.appendleft((cuts, each, record))
    return None


def unwound(found: dict[int, tuple[int, Record | None]], record: Record) -> list[Record]:
    path: list[Record] = []
    each: Record | None = record
    while each is not None:
        path.append(each)
        each = found[each.number][1]
    return path[::-1]


def first_cut(path: list[Record]) -> Record | None:
    """The record on a way from a loss that stops its gradients first."""
    for made, source in pairwise(path):
        if is_cut(made, source):
            return made
    return None


def shown_path(path: list[Record]) -> list[tuple[str, Location | None, bool]]:
    """A way as a finding shows it: what was computed, where, and whether gradients stop there."""
    cuts = [is_cut(made, source) for made, source in pairwise(path)] + [False]
    return [(each.name.strip("_"), each.place, cut) for each, cut in zip(path, cuts, strict=True)]


def descendants(records: Iterable[Record], source: Record) -> list[Record]:
    """Of records in the order they were made, those that depend on one of them."""
    inside = {source.number}
    found = []
    for each in records:
        if any(one.number in inside for one in each.inputs):
            inside.add(each.number)
            found.append(each)
    return found


def dead_ends(records: Iterable[Record], source: Record) -> list[Record]:
    """What was computed from a value and then used by nothing."""
    return [each for each in descendants(records, source) if not each.uses]


def producer(record: Record) -> Record:
    """What computed a value, behind the forms in which it was shown since."""
    while record.name in VIEWS and record.inputs:
        record = record.inputs[0]
    return record


def behind(record: Record, limit: int = 10_000, until: str = "") -> Iterable[Record]:
    """Everything a value was made from, itself first, each once; past calls named `until` nothing more."""
    seen: set[int] = set()
    stack = [record]
    while stack and len(seen) < limit:
        each = stack.pop()
        if each.number not in seen:
            seen.add(each.number)
            yield each
            if each.name != until:
                stack.extend(each.inputs)
