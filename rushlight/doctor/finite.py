"""Finite: whether the results of calls are numbers, and the call from which one that is none came first."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.graph import OpNode
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.doctor.clues import Clue, clue_of
from rushlight.doctor.events import NotFinite, Origin
from rushlight.doctor.paths import VIEWS
from rushlight.doctor.trace import Record, is_in_place, tensors_in

if TYPE_CHECKING:
    from rushlight.doctor.second_pass import Kept
    from rushlight.errors.location import Location

NAN, INF = "nan", "inf"
FAST = (np.dtype(np.float32), np.dtype(np.float64))
# what lies in memory that was never written means nothing
UNWRITTEN = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}
# calls that put an infinity there because the program says so
ON_PURPOSE = set(
    "masked_fill masked_fill_ where full full_like new_full fill_ tensor as_tensor triu tril triu_ tril_ from_numpy "
    "data leaf new_tensor constant_ masked_scatter index_fill index_fill_ scatter scatter_ __setitem_ earlier".split()
)
# layers: an infinite feature is a fault of the data, not of the layer
LAYERS = {"linear", "conv1d", "conv2d", "conv3d", "matmul", "mm", "bmm", "addmm", "einsum", "batch_norm", "layer_norm"}


def is_finite(array: np.ndarray) -> bool:
    """Whether all elements are finite: a sum of squares that is, is proof enough, and much faster than to ask each."""
    if array.dtype in FAST:
        flat = array.reshape(-1)
        before = floating_point.set(QUIET)
        try:
            square = float(flat.dot(flat))
        finally:
            floating_point.reset(before)
        if square - square == 0:
            return True
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def size_of(array: np.ndarray) -> float:
    """The Euclidean norm, also where squares overflow."""
    largest = float(np.abs(array).max(initial=0))
    if not 0 < largest < float("inf"):
        return largest
    scaled = (array / largest).astype(np.float64).reshape(-1)
    return largest * float(np.sqrt(scaled.dot(scaled)))


def kind_of(array: np.ndarray) -> str | None:
    """What the worst of the elements is, if one is no finite number."""
    if is_finite(array):
        return None
    return NAN if np.isnan(array).any() else INF


class Bad:
    """A result that is not finite: NaN or infinite, and the record that it goes back to, with what is known of that."""

    __slots__ = ("clue", "kind", "origin")

    def __init__(self, kind: str, origin: Record, clue: Clue | None):
        self.kind = kind
        self.origin = origin
        self.clue = clue


class Finite:
    """Looks at each result while a program is watched; what is not finite is marked on its record."""

    def __init__(self) -> None:
        # the last of them, for a program that ends with an error
        self.last: deque[Record] = deque(maxlen=64)
        self.told = False

    def keep(self, roots: list[Tensor]) -> Kept | None:
        """Before a backward: what is needed to find out afterwards where a gradient went wrong, until that was told."""
        from rushlight.doctor.second_pass import Kept

        return None if self.told else Kept(roots)

    def first(self, roots: list[Tensor], records: list[Record], kept: Kept, place: Location | None) -> NotFinite | None:
        """After a backward: its loss is not finite, or a gradient is not although the loss is."""
        value = next((float(each._array.reshape(-1)[0]) for each in roots if not is_finite(each._array)), None)
        if value is not None:
            self.told = True
            return NotFinite("loss", value, *self.origin_of_loss(records, kept), place)
        leaf = kept.bad_leaf()
        if leaf is None:
            return None
        self.told = True
        found = kept.find()
        origin = None
        if found is not None:
            origin = Origin(found.name, found.node.place, found.clue)
        return NotFinite("gradient", value_of(leaf), origin, leaf, place)

    def origin_of_loss(self, records: list[Record], kept: Kept) -> tuple[Origin | None, Tensor | None]:
        """The call that it came from, and the parameter that was not finite already."""
        bad = next((each.bad for each in records if each.bad is not None), None)
        if bad is not None:
            tensor = None if bad.origin.tensor is None else bad.origin.tensor()
            leaf = tensor if bad.origin.name == "leaf" else None
            return Origin(bad.origin.name, bad.origin.place, bad.clue, bad.origin), leaf
        leaf = kept.bad_data()
        if leaf is not None:
            return None, leaf
        found = kept.first_bad()
        if found is None or not isinstance(found[0], OpNode):
            return None, None
        return Origin(found[0].op.name, found[0].place, found[1]), None

    def look(self, record: Record, result: Any, args: tuple, inputs: list[Record]) -> None:
        """Mark a record whose value is not finite; 1 us on small values."""
        if record.name in VIEWS and inputs:
            record.bad = inputs[0].bad
        elif type(result) is Tensor:
            if type(result._array) is np.ndarray and not is_finite(result._array):
                self.mark(record, result._array, args, inputs)
        elif isinstance(result, (Tensor, tuple, list)):
            for each in tensors_in(result):
                if type(each._array) is np.ndarray and not is_finite(each._array):
                    self.mark(record, each._array, args, inputs)
                    return

    def mark(self, record: Record, array: np.ndarray, args: tuple, inputs: list[Record]) -> None:
        if record.name in UNWRITTEN:
            return
        kind = NAN if np.isnan(array).any() else INF
        record.bad = self.inherited(kind, record, args, inputs)
        if record.bad is None:
            clue = None if record.name in ON_PURPOSE and kind == INF else clue_of(record.name, args, array)
            record.bad = Bad(kind, record, clue)
        self.last.append(record)

    def inherited(self, kind: str, record: Record, args: tuple, inputs: list[Record]) -> Bad | None:
        """The mark of the input that it comes from; None where this call is the first."""
        # what a call has written over cannot be asked any more
        found = {each.kind: each for each in bad_inputs(() if is_in_place(record.name) else args, inputs)}
        if kind in found:
            return Bad(kind, found[kind].origin, found[kind].clue)
        before = found.get(INF)
        if before is None or (before.origin.name in ON_PURPOSE and record.name not in LAYERS):
            return None
        return Bad(kind, before.origin, before.clue)


def bad_inputs(args: tuple, inputs: list[Record]) -> Iterator[Bad]:
    """The marks of what a call was given; what nobody has looked at before is looked at now."""
    for each in inputs:
        if each.bad is not None:
            yield each.bad
    known = {id(tensor): each for each in inputs if each.tensor is not None and (tensor := each.tensor()) is not None}
    for tensor in tensors_in(args):
        source = known.get(id(tensor))
        if source is not None and source.bad is None and type(tensor._array) is np.ndarray:
            kind = kind_of(tensor._array)
            if kind is not None:
                source.bad = Bad(kind, source, clue_of(source.name, (), tensor._array))
                yield source.bad


def value_of(leaf: Tensor) -> float:
    """The first element of its gradient that is not finite."""
    grad = leaf._grad
    values = np.empty(0) if grad is None else grad._array[~np.isfinite(grad._array)]
    return float(values[0]) if values.size else float("nan")
