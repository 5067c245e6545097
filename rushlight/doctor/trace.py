"""The trace: which values a program computed from which, also where autograd records nothing.

A record is made for each call that takes or gives tensors. Its inputs are the records of its arguments, so that a way
from a loss to a parameter is found although `detach`, `item`, `no_grad` or an integer stands in between: that is
where it was cut.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.errors.location import Location

# records of so many steps before the last one are kept whole; older ones forget what they were made from
KEPT_STEPS = 4
# at most so many records, for programs that never step
KEPT_RECORDS = 100_000
# the last numbers and arrays that left tensors are remembered, to know them when they come back
KEPT_VALUES = 2000


class Record:
    """One value: what made it and from what. `live` means that gradients flow through it, `carries` that some parameter
    lies behind it, whether or not gradients get there."""

    __slots__ = (
        *("__weakref__", "bad", "blocked", "carries", "dtype", "factor", "inputs", "leaf", "live", "module", "name"),
        *("number", "place", "shape", "step", "tensor", "uses", "value"),
    )

    def __init__(self, name: str, inputs: tuple[Record, ...], place: Location | None):
        self.name = name
        self.inputs = inputs
        self.place = place
        self.live = False
        self.carries = False
        # made of values that carry, but a leaf anew: gradients end here
        self.leaf = False
        # the plain number in a sum, product or power; and its own value, if it is one number that arithmetic has used
        self.factor: float | None = None
        self.value: float | None = None
        # how many later records and backwards have used it
        self.uses = 0
        # where its value is not finite: how so, and the record that this came from (see finite.py)
        self.bad: Any = None
        # (kind, line) of the no_grad or inference_mode around it
        self.blocked: tuple[str, Location | None] | None = None
        # the innermost module that was computing
        self.module: Any = None
        self.tensor: weakref.ref | None = None
        self.shape: tuple[int, ...] = ()
        self.dtype: Any = None
        self.number = 0
        self.step = 0

    def __repr__(self) -> str:
        return f"<{self.name} {list(self.shape)}>"


class Trace:
    """All records that are still of interest, and which tensor, array or number belongs to which."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[weakref.ref, Record]] = {}
        self.numbers: dict[float, Record] = {}
        self.arrays: dict[int, tuple[weakref.ref, Record]] = {}
        # the records of each of the last steps, oldest step first; the last list is growing
        self.steps: deque[list[Record]] = deque([[]])
        self.step = 0
        self.sequence = count(1)
        self.blocks: list[tuple[str, Location | None]] = []
        self.modules: list[Any] = []

    @property
    def current(self) -> list[Record]:
        """The records since the last step."""
        return self.steps[-1]

    def of(self, tensor: Tensor) -> Record:
        """The record of a tensor; one that is not known was there before, or is a leaf."""
        known = self.known.get(id(tensor))
        if known is not None and known[0]() is tensor:
            return known[1]
        live = tensor.requires_grad
        # what was computed while nobody looked is neither leaf nor data
        name = "data" if not live else "leaf" if is_leaf(tensor) else "earlier"
        record = self.add(Record(name, (), tensor._created))
        record.live = record.carries = live
        self.attach(tensor, record)
        return record

    def attach(self, tensor: Tensor, record: Record) -> None:
        record.tensor = weakref.ref(tensor)
        record.shape, record.dtype = tensor._array.shape, tensor._array.dtype
        self.known[id(tensor)] = record.tensor, record

    def add(self, record: Record) -> Record:
        record.number = next(self.sequence)
        record.step = self.step
        self.steps[-1].append(record)
        return record

    def inputs_of(self, args: Iterable[Any]) -> list[Record]:
        """The records behind arguments: tensors, also in lists, and numbers and arrays that came out of tensors."""
        found: list[Record] = []
        for each in args:
            if isinstance(each, Tensor):
                found.append(self.of(each))
            elif isinstance(each, (list, tuple, deque)):
                found += self.inputs_of(each)
            elif isinstance(each, float):
                if each in self.numbers:
                    found.append(self.numbers[each])
            elif isinstance(each, np.ndarray):
                record = self.of_array(each)
                if record is not None:
                    found.append(record)
        return found

    def note(self, name: str, inputs: list[Record], result: Any, place: Location | None) -> Record:
        """The record of a call that has returned, tied to every tensor it gave."""
        record = self.add(Record(name, tuple(inputs), place))
        for each in inputs:
            each.uses += 1
            record.carries = record.carries or each.carries
        record.module = self.modules[-1] if self.modules else None
        if not state.grad and self.blocks:
            record.blocked = self.blocks[-1]
        if isinstance(result, Tensor):
            self.tie(result, record)
        else:
            self.tie_all(list(tensors_in(result)), record)
        return record

    def tie_all(self, tensors: list[Tensor], record: Record) -> None:
        """Several tensors came out of a call: of `topk` gradients flow through the values, not through the indices."""
        beside: Record | None = None
        for tensor in tensors:
            if tensor.requires_grad or not any(each.requires_grad for each in tensors):
                self.tie(tensor, record)
                continue
            if beside is None:
                beside = self.add(Record(record.name, record.inputs, record.place))
                beside.carries, beside.module, beside.blocked = record.carries, record.module, record.blocked
            self.attach(tensor, beside)

    def tie(self, tensor: Tensor, record: Record) -> None:
        """A tensor came out of a call; what is written in place keeps what it was among its inputs."""
        record.live = record.live or tensor.requires_grad
        if record.inputs and is_leaf(tensor):
            # a parameter that is written to under no_grad stays the leaf that it is
            known = self.known.get(id(tensor))
            if known is not None and known[0]() is tensor and known[1].name == "leaf":
                return
            record.leaf = record.carries
        elif record.name == "requires_grad_" and not tensor.requires_grad:
            # frozen, it is data and no longer what it was
            record.inputs, record.carries = (), False
        record.carries = record.carries or record.live
        self.attach(tensor, record)
        base = tensor._base
        if base is not None and is_in_place(record.name) and not is_leaf(base):
            self.attach(base, self.add(Record(record.name, (self.of(base), record), record.place)))
            self.of(base).live, self.of(base).carries = (
                base.requires_grad,
                record.carries or self.of(base).inputs[0].carries,
            )
            record.tensor = weakref.ref(tensor)

    def number_left(self, value: Any, record: Record) -> None:
        """A number came out of a tensor; round ones such as 0.5 tell too little, they are everywhere."""
        if type(value) is float and not (value * 256).is_integer():
            if len(self.numbers) >= KEPT_VALUES:
                self.numbers.clear()
            self.numbers[value] = record

    def array_left(self, array: Any, record: Record) -> None:
        """An array came out of a tensor."""
        if isinstance(array, np.ndarray):
            if len(self.arrays) >= KEPT_VALUES:
                self.arrays.clear()
            self.arrays[id(array)] = weakref.ref(array), record

    def of_array(self, array: np.ndarray) -> Record | None:
        """The record of an array, or of the one that it is a view of."""
        each: Any = array
        while isinstance(each, np.ndarray):
            known = self.arrays.get(id(each))
            if known is not None and known[0]() is each:
                return known[1]
            each = each.base
        return None

    def advance(self) -> None:
        """A step is over: older records forget what they were made from."""
        self.step += 1
        self.steps.append([])
        while len(self.steps) > KEPT_STEPS or (len(self.steps) > 1 and sum(map(len, self.steps)) > KEPT_RECORDS):
            forget(self.steps.popleft())
        if len(self.known) > 1000:
            self.known = {key: each for key, each in self.known.items() if each[0]() is not None}

    def limit(self) -> None:
        """Forget the older half of a step that has grown too long."""
        if len(self.steps[-1]) > KEPT_RECORDS:
            forget(self.steps[-1][: KEPT_RECORDS // 2])
            del self.steps[-1][: KEPT_RECORDS // 2]
            self.known = {key: each for key, each in self.known.items() if each[0]() is not None}


def is_leaf(tensor: Tensor) -> bool:
    """Whether gradients end in a tensor. A view is not asked: one made under no_grad refuses after a write."""
    return tensor._base is None and tensor.requires_grad and tensor.is_leaf


def is_in_place(name: str) -> bool:
    """Whether a call writes to its first argument: `add_`, but not `__getitem__`."""
    return name.endswith("_") and not name.endswith("__")


def forget(records: list[Record]) -> None:
    for each in records:
        each.inputs = ()


def tensors_in(result: Any) -> Iterator[Tensor]:
    """The tensors of a result, also of named tuples and lists."""
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, (tuple, list)):
        for each in result:
            yield from tensors_in(each)
    elif isinstance(result, dict):
        for each in result.values():
            yield from tensors_in(each)
