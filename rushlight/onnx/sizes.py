"""Sizes that may change: several runs at several sizes, laid on each other.

A number that is the same in all runs is a number; one that follows the sizes is a `Size`, a sum of products of them,
found from runs in which each is once as it is and once doubled, and tried on one more.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.errors.location import Location
from rushlight.onnx.errors import refuse
from rushlight.onnx.recording import Call, Value

Symbols = frozenset[str]


class Size:
    """A whole number that depends on sizes: a factor for each product of them."""

    def __init__(self, factors: dict[Symbols, int]):
        self.factors = factors

    def at(self, sizes: dict[str, int]) -> int:
        return sum(factor * product(sizes[name] for name in names) for names, factor in self.factors.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.factors == other.factors

    def __hash__(self) -> int:
        return hash(frozenset(self.factors.items()))

    def __repr__(self) -> str:
        def text(names: Symbols, factor: int) -> str:
            return "*".join([*([str(factor)] if factor != 1 or not names else []), *sorted(names)])

        return " + ".join(text(names, factor) for names, factor in sorted(self.factors.items(), key=str))


def product(numbers: Any) -> int:
    found = 1
    for each in numbers:
        found *= each
    return found


class Sizes:
    """The sizes that may change, by name, and the sizes at which the network is run."""

    def __init__(self, base: dict[str, int]):
        # one is no size like others: it is spread over others, and squeezed away
        self.base = {name: max(size, 2) for name, size in base.items()}
        self.corners: list[Symbols] = [
            frozenset(each) for count in range(len(base) + 1) for each in itertools.combinations(sorted(base), count)
        ]

    @property
    def runs(self) -> list[dict[str, int]]:
        """The sizes of each run: the corners, and one that lies outside."""
        if not self.base:
            # twice, with other numbers: what follows them in other ways than by calls is found
            return [{}, {}]
        corners = [{name: size * (1 + (name in each)) for name, size in self.base.items()} for each in self.corners]
        return [*corners, {name: size * 3 for name, size in self.base.items()}]

    def fit(self, seen: Sequence[int]) -> int | Size | None:
        """The size behind a number of each run; None if there is none."""
        if all(each == seen[0] for each in seen):
            return seen[0]
        factors: dict[Symbols, int] = {}
        values = dict(zip(self.corners, seen, strict=False))
        for corner in reversed(self.corners):
            inside = [each for each in self.corners if each <= corner]
            change = sum(values[each] * (-1) ** len(corner - each) for each in inside)
            change -= sum(
                factor * product(self.base[name] for name in names)
                for names, factor in factors.items()
                if names > corner
            )
            factor, rest = divmod(change, product(self.base[name] for name in corner))
            if rest:
                return None
            if factor:
                factors[corner] = factor
        found = Size(factors)
        return found if found.at(self.runs[-1]) == seen[-1] else None

    def shape(self, shapes: Sequence[tuple[int, ...]]) -> list[int | Size | None]:
        """The shape behind those of each run."""
        return [self.fit(each) for each in zip(*shapes, strict=True)]


class Merged:
    """A value of all runs."""

    def __init__(self, seen: Sequence[Value], sizes: Sizes):
        first = seen[0]
        self.kind, self.name, self.live, self.dtype, self.place = (
            first.kind,
            first.name,
            first.live,
            first.dtype,
            first.place,
        )
        self.shape = sizes.shape([each.shape for each in seen])
        self.array = first.array
        # a number of the program, not of the network's inputs
        self.is_constant = not self.live and all(
            each.array.shape == self.array.shape
            and np.array_equal(each.array, self.array, equal_nan=is_real(each.array))
            for each in seen
        )

    def __repr__(self) -> str:
        return f"{self.kind} {self.name}{self.shape}"


def is_real(array: np.ndarray) -> bool:
    return array.dtype.kind in "fc"


class Merging:
    """Runs laid on each other: calls whose numbers may follow the sizes."""

    def __init__(self, sizes: Sizes):
        self.sizes = sizes
        self.known: dict[int, Merged] = {}

    def value(self, seen: Sequence[Value], place: Location | None) -> Merged:
        found = self.known.get(id(seen[0]))
        if found is None:
            if len({(each.kind, each.name, str(each.dtype), len(each.shape)) for each in seen}) > 1:
                self.refuse(place)
            found = self.known[id(seen[0])] = Merged(seen, self.sizes)
        return found

    def tree(self, seen: Sequence[Any], place: Location | None) -> Any:
        first = seen[0]
        if any(type(each) is not type(first) for each in seen):
            self.refuse(place)
        if isinstance(first, Value):
            return self.value(seen, place)
        if isinstance(first, (list, tuple)):
            if len({len(each) for each in seen}) > 1:
                self.refuse(place)
            return type(first)(self.tree(each, place) for each in zip(*seen, strict=True))
        if isinstance(first, dict):
            if any(each.keys() != first.keys() for each in seen):
                self.refuse(place)
            return {name: self.tree([each[name] for each in seen], place) for name in first}
        if isinstance(first, slice):
            parts = [self.tree([getattr(each, name) for each in seen], place) for name in ("start", "stop", "step")]
            return slice(*parts)
        if isinstance(first, int) and not isinstance(first, bool):
            found = self.sizes.fit(seen)
            if found is None:
                self.refuse_number(seen, place)
            return found
        if isinstance(first, (float, bool, str)) and any(each != first and each == each for each in seen):
            self.refuse_number(seen, place)
        return first

    def calls(self, runs: Sequence[Sequence[Call]]) -> list[Call]:
        found = []
        for several in itertools.zip_longest(*runs):
            first = several[0]
            if any(
                each is None or each.name != first.name or len(each.results) != len(first.results) for each in several
            ):
                self.refuse(next((each.place for each in several if each is not None), None))
            call = Call(first.name, None, None, first.place, first.live)
            call.args = self.tree([each.args for each in several], first.place)
            call.kwargs = self.tree([each.kwargs for each in several], first.place)
            results = zip(*[each.results for each in several], strict=True)
            call.results = [self.value(each, first.place) for each in results]  # type: ignore[misc]
            found.append(call)
        return found

    def refuse(self, place: Location | None) -> None:
        words = "the network does something else when an input has another size"
        refuse(
            words, place, "let it do the same at all sizes, or give this axis one size: leave it out of dynamic_shapes"
        )

    def refuse_number(self, seen: Sequence[Any], place: Location | None) -> None:
        words = f"a number changes with the inputs, and is no sum of products of their sizes: {list(seen)}"
        refuse(words, place, "compute it with tensors, or give this axis one size: leave it out of dynamic_shapes")
