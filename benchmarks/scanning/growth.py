"""How a declared sample becomes one of 10^3, 10^5 or 10^6 elements: which of its lengths grow, and by how much."""

import itertools
import math
import resource
from dataclasses import dataclass, replace

from benchmarks.scanning.data import Drawn
from conformance.records import SizeRecord, map_tensors, tensors_in

# what a call may take while it is found out how it grows
MEMORY = 8 << 30


@dataclass(frozen=True)
class Growth:
    """Which lengths grow, whether options that name sizes grow with them, and whether indices reach further."""

    lengths: frozenset
    # dims of the first tensor that grow; it alone does, then, and those of its shape
    dims: tuple = ()
    options: bool = False
    indices: bool = False
    # the result's elements at the sample's own size, and the power of the factor that they grow with
    result: int = 0
    power: float = 0.0

    def elements(self, arguments, factor):
        """The largest tensor of a call, its result included."""
        grown = tensors_in(self.applied(arguments, factor))
        return max([math.prod(each.grown) for each in grown] + [self.result * factor**self.power])

    def applied(self, arguments, factor):
        """The arguments with their tensors and sizes grown."""
        longer = lambda length: length * factor if length in self.lengths else length
        tensors = [each for each in tensors_in(arguments) if each.shape]

        def grow(value):
            below = 0
            if self.indices and value.dtype == "int64" and value.memory.size:
                largest = int(value.memory.max())
                reached = [length for each in tensors for length in each.shape if length > largest]
                below = longer(min(reached, default=0))
            if self.dims:
                mine = value.shape == tensors[0].shape
                shape = [
                    length * factor if mine and dim in self.dims else length for dim, length in enumerate(value.shape)
                ]
            else:
                shape = map(longer, value.shape)
            return replace(value, grown=tuple(shape), indices_below=below)

        changed = map_tensors(arguments, grow)
        return sizes_changed(changed, longer) if self.options else changed

    def factor(self, arguments, size):
        """The whole number that brings the call closest to `size` elements; whole, so that what divides still does."""
        best = 1
        for factor in itertools.chain(range(2, 100), (round(100 * 1.05**step) for step in range(200))):
            elements = self.elements(arguments, factor)
            if elements > size * 2:
                break
            best = factor
            if elements >= size * 0.9:
                break
        return best


def sizes_changed(value, longer):
    """The same with numbers that are lengths replaced, except inside of tensors."""
    if isinstance(value, bool | Drawn):
        return value
    if isinstance(value, int):
        return longer(value)
    if isinstance(value, SizeRecord):
        return SizeRecord(tuple(map(longer, value.lengths)))
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(sizes_changed(each, longer) for each in value)
    if isinstance(value, dict):
        return {name: each if name in ("dim", "axis") else sizes_changed(each, longer) for name, each in value.items()}
    return value


def candidates(arguments, alone_first):
    """Growths to try, the most natural first. `alone_first`: an image grows, and not its kernel."""
    tensors = tensors_in(arguments)
    if not tensors:
        numbers = frozenset(whole_numbers_in(arguments))
        return [Growth(numbers, options=True), *(Growth(frozenset([each]), options=True) for each in sorted(numbers))]
    every = frozenset(length for each in tensors for length in each.shape if length > 1)
    first = max(tensors, key=lambda each: len(each.shape)).shape if alone_first else tensors[0].shape
    others = frozenset(length for each in tensors if each.shape != first for length in each.shape)
    alone = frozenset(first) - others - {0, 1}
    sets = [alone, every] if alone_first else [every, alone]
    sets += [frozenset([length]) for length in (*first, *sorted(every)) if length > 1]
    rank = len(tensors[0].shape)
    # images and samples, not channels
    found = [Growth(frozenset(), (0, *range(2, rank)))] if alone_first and rank > 2 else []
    for lengths in dict.fromkeys(each for each in sets if each):
        found += [Growth(lengths, indices=True), Growth(lengths), Growth(lengths, options=True)]
    return [*found, Growth(frozenset(), tuple(range(1, rank)))]


def whole_numbers_in(value):
    if isinstance(value, int) and not isinstance(value, bool) and value > 1:
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from whole_numbers_in(each)
    elif isinstance(value, dict):
        yield from whole_numbers_in([each for name, each in value.items() if name not in ("dim", "axis")])
    elif isinstance(value, SizeRecord):
        yield from whole_numbers_in(value.lengths)


def find_growth(arguments, attempt, alone_first=False):
    """The first growth that the call accepts, twice and three times as long, or None.

    `attempt` calls with these arguments and gives the number of elements of the result, None where it is refused.
    """
    own = attempt(arguments)
    if own is None:
        return None
    for each in candidates(arguments, alone_first):
        twice = attempt(each.applied(arguments, 2))
        if twice is None:
            continue
        power = math.log2(twice / own) if own and twice else 0.0
        found = replace(each, result=own, power=max(power, 0.0))
        # also by another whole number, and further than what is small enough to be an accident
        factor = found.factor(arguments, 1000)
        if found.elements(arguments, factor) >= 250 and attempt(found.applied(arguments, factor)) is not None:
            return found
    return None


def limit_memory():
    """An absurd size has to be an error, not the end of the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
