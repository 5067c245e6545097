"""Cuts: where gradients stop between a loss and the parameters behind it, and what kind of mistake each of them is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.doctor import flow
from rushlight.doctor.paths import VIEWS, is_cut
from rushlight.doctor.trace import Record
from rushlight.errors import location
from rushlight.errors.location import Location

NUMBERS = {"item", "tolist", "__float__", "__int__", "__bool__", "__index__", "__complex__"}
ARRAYS = {"numpy", "__array__", "from_numpy"}
DETACHED = {"detach", "detach_", "data"}
SAMPLED = {"sample", "sample_n", "multinomial", "bernoulli", "normal", "poisson", "binomial"}
REBUILT = {
    *("tensor", "as_tensor", "asarray", "new_tensor", "Tensor", "FloatTensor", "DoubleTensor", "HalfTensor", "full"),
    *("linspace", "logspace", "arange", "full_like", "LongTensor", "IntTensor", "Variable", "new", "new_full"),
}
# differentiable by name only: their gradient is zero everywhere
FLAT = {"round", "sign", "sgn", "floor", "ceil", "trunc", "fix", "heaviside"}
FLAT_SAMPLES = {"normal", "bernoulli", "poisson", "binomial"}
# what looks least as if it was meant comes first
ORDER = (
    *("history-rebuilt", "history-rewrapped", "history-numpy", "history-item", "history-sample", "history-nondiff"),
    *("history-no-grad", "history-detach"),
)


class Cut:
    """One place where gradients stop: the way there from the loss, and the leaves that lie behind it."""

    def __init__(self, way: list[Record], sources: list[Record], kind: str = ""):
        self.way = way
        self.made = way[-1]
        self.kind = kind or kind_of(way)
        self.sources = sources
        # leaves that it alone cuts off, and those that are cut off once more behind it
        self.near, self.far = leaves_behind(sources, False), leaves_behind(sources, True)
        # what came out of the tensor when it left as numbers or an array, and the line where it came back
        self.exit = exit_on(way, self.kind)
        self.back: Location | None = came_back(way, self.exit)
        self.sure = "certain"

    @property
    def place(self) -> Location | None:
        """The line to blame."""
        if self.kind == "history-no-grad" and self.made.blocked is not None:
            return self.made.blocked[1]
        return self.exit.place

    @property
    def rank(self) -> tuple:
        """What is sorted first is told."""
        return self.made.blocked is not None, ORDER.index(self.kind) if self.kind in ORDER else len(ORDER)

    def key(self) -> tuple:
        return self.kind, self.place and (self.place[0].co_filename, location.line_number(self.place))


def kind_of(way: list[Record]) -> str:
    """The id of the finding that a cut is; `way` leads from the loss to it."""
    made = way[-1]
    if made.leaf:
        return "history-rewrapped"
    for names, kind in (
        (NUMBERS, "history-item"),
        (ARRAYS, "history-numpy"),
        (REBUILT, "history-rebuilt"),
        (SAMPLED, "history-sample"),
    ):
        if made.name in names:
            return kind
    if made.name in DETACHED:
        return left_after(way)
    if made.name == "grad":
        return ""
    return "history-no-grad" if made.blocked is not None else "history-nondiff"


def left_after(way: list[Record]) -> str:
    """`x.detach().numpy()`: what was detached may have left at once."""
    for each in reversed(way[:-1]):
        if each.name in ARRAYS:
            return "history-numpy"
        if each.name in NUMBERS:
            return "history-item"
        if each.name not in VIEWS and each.name not in DETACHED:
            break
    return "history-detach"


def exit_on(way: list[Record], kind: str) -> Record:
    """The record whose line is blamed: of `x.detach().numpy()` the latter."""
    if kind in ("history-numpy", "history-item"):
        names = ARRAYS if kind == "history-numpy" else NUMBERS
        for each in reversed(way):
            if each.name in names:
                return each
    return way[-1]


def came_back(way: list[Record], exit: Record) -> Location | None:
    """The line where numbers that had left became part of a tensor again."""
    at = way.index(exit)
    return way[at - 1].place if at else None


def leaves_behind(sources: Iterable[Record], through_cuts: bool) -> dict[int, Record]:
    found: dict[int, Record] = {}
    seen: set[int] = set()
    stack = list(sources)
    while stack:
        each = stack.pop()
        if each.number in seen:
            continue
        seen.add(each.number)
        if each.live and not any(one.carries for one in each.inputs):
            found[each.number] = each
        stack += [one for one in each.inputs if through_cuts or not is_cut(each, one)]
    return found


def first_cuts(roots: Iterable[Record], stops: Callable[[Record, Record], bool] = is_cut, kind: str = "") -> list[Cut]:
    """The cuts that gradients from the roots meet first."""
    after: dict[int, Record | None] = {}
    sources: dict[int, list[Record]] = {}
    made: dict[int, Record] = {}
    queue: deque[tuple[Record, Record | None]] = deque((root, None) for root in roots)
    while queue:
        record, before = queue.popleft()
        if record.number in after:
            continue
        after[record.number] = before
        for each in record.inputs:
            if stops(record, each):
                made[record.number] = record
                sources.setdefault(record.number, []).append(each)
            else:
                queue.append((each, record))
    return [Cut(way_to(record, after), sources[number], kind) for number, record in made.items()]


def way_to(record: Record, after: dict[int, Record | None]) -> list[Record]:
    way: list[Record] = []
    each: Record | None = record
    while each is not None:
        way.append(each)
        each = after[each.number]
    return way[::-1]


def is_flat(made: Record, source: Record) -> bool:
    """Whether gradients become zero between a value and one that it was made from."""
    return source.live and made.live and made.name.rstrip("_") in FLAT | FLAT_SAMPLES


class Exits:
    """Values that left as numbers or arrays and are not known when they come back: the source tells where they went."""

    def __init__(self, records: Iterable[Record], roots: list[Record], also: Location | None = None):
        self.records = list(records)
        self.lines = {(each[0].co_filename, location.line_number(each)): each for each in lines_behind(roots)}
        if also is not None:
            self.lines[also[0].co_filename, location.line_number(also)] = also
        self.left: list[tuple[Record, int]] = []

    def follow(self, sources: list[Record]) -> None:
        """Find out which of the sources lie behind each value that left."""
        masks = {each.number: 1 << place for place, each in enumerate(sources)}
        for each in self.records:
            mask = masks.get(each.number, 0)
            for one in each.inputs:
                mask |= masks.get(one.number, 0)
            masks[each.number] = mask
            if mask and (each.name in NUMBERS or each.name in ARRAYS) and each.name != "__bool__":
                self.left.append((each, mask))

    def of(self, place: int) -> tuple[Record, Location] | None:
        """The exit of the source that came back into the loss, and the line where it did."""
        for exit, mask in self.left:
            if mask >> place & 1 and exit.place is not None:
                back = self.back(exit.place)
                if back is not None:
                    return exit, back
        return None

    def back(self, place: Location) -> Location | None:
        names = flow.names_from(place)
        for each in self.lines.values():
            if flow.takes(each, names, place):
                return each
        return None


def lines_behind(roots: list[Record]) -> set[Any]:
    """The lines that computed what the roots were made from."""
    seen: set[int] = set()
    found: set[Any] = set()
    stack = list(roots)
    while stack:
        each = stack.pop()
        if each.number not in seen:
            seen.add(each.number)
            if each.place is not None:
                found.add(each.place)
            stack.extend(each.inputs)
    return found


def cut_by_exit(exit: Record, back: Location) -> Cut:
    """The cut that a value which left makes, known from the source alone."""
    made = Cut([exit], list(exit.inputs))
    made.back, made.sure = back, "likely"
    return made
