"""Selecting: which of equal elements come first where torch does not sort stably, by the steps of its algorithms.

`topk` and `mode` leave equal elements as quicksort's partitions do, which fall back to heaps, `kthvalue` as the
partitions of a plain quickselect. Only rows with ties come here, as ranks: places in order without the ties.
"""

from __future__ import annotations

import numpy as np

from rushlight.native import shortcut

# rows of no more elements are sorted by insertion
FEW = 16
# from so many elements for each that is wanted, a heap of those wanted is kept
SCARCE = 64


@shortcut
def top_places(ranks: np.ndarray, wanted: int, is_sorted: bool) -> np.ndarray:
    """The places of the lowest ranks, in order or as the selection left them."""
    row = entries(ranks)
    if wanted * SCARCE <= len(row):
        sort_first(row, 0, wanted, len(row))
    else:
        select(row, wanted - 1)
        if is_sorted:
            sort(row, wanted - 1)
    return np.array([place for _, place in row[:wanted]], np.int64)


@shortcut
def sorted_places(ranks: np.ndarray) -> np.ndarray:
    """The places of all ranks in order."""
    row = entries(ranks)
    sort(row, len(row))
    return np.array([place for _, place in row], np.int64)


@shortcut
def place_of(ranks: np.ndarray, number: int) -> int:
    """The place of the rank of this number, counted from 0, by quickselect with the median of three."""
    row = entries(ranks)
    first, last = 0, len(row) - 1
    while last > first + 1:
        swap(row, first + (last - first) // 2, first + 1)
        for low, high in ((first + 1, last), (first, last), (first + 1, first)):
            if row[low][0] > row[high][0]:
                swap(row, low, high)
        low, high, pivot = first + 1, last, row[first][0]
        while True:
            low += 1
            while row[low][0] < pivot:
                low += 1
            high -= 1
            while row[high][0] > pivot:
                high -= 1
            if high < low:
                break
            swap(row, low, high)
        swap(row, first, high)
        if high <= number:
            first = low
        if high >= number:
            last = high - 1
    if last == first + 1 and row[first][0] > row[last][0]:
        swap(row, first, last)
    return row[number][1]


Row = list[tuple[int, int]]


def entries(ranks: np.ndarray) -> Row:
    return [(rank, place) for place, rank in enumerate(ranks.tolist())]


def swap(row: Row, one: int, two: int) -> None:
    row[one], row[two] = row[two], row[one]


def depth_of(count: int) -> int:
    """How many partitions may fail to halve a row before heaps take over."""
    return 2 * (count.bit_length() - 1)


def select(row: Row, nth: int) -> None:
    """Put the entry of this number in its place, lower ones before it."""
    first, last, depth = 0, len(row), depth_of(len(row))
    while last - first > 3:
        if depth == 0:
            keep_lowest(row, first, nth + 1, last)
            swap(row, first, nth)
            return
        depth -= 1
        cut = partition(row, first, last)
        first, last = (cut, last) if cut <= nth else (first, cut)
    insert(row, first, last)


def sort(row: Row, count: int) -> None:
    """The first so many entries in order."""
    open_parts = [(0, count, depth_of(count))] if count else []
    while open_parts:
        first, last, depth = open_parts.pop()
        while last - first > FEW:
            if depth == 0:
                sort_first(row, first, last, last)
                break
            depth -= 1
            cut = partition(row, first, last)
            open_parts.append((cut, last, depth))
            last = cut
    insert(row, 0, count)


def partition(row: Row, first: int, last: int) -> int:
    """Lower entries to the front, by the median of three; where the others begin."""
    swap(row, first, middle_of(row, first + 1, first + (last - first) // 2, last - 1))
    pivot, low, high = row[first][0], first + 1, last
    while True:
        while row[low][0] < pivot:
            low += 1
        high -= 1
        while row[high][0] > pivot:
            high -= 1
        if low >= high:
            return low
        swap(row, low, high)
        low += 1


def middle_of(row: Row, one: int, two: int, three: int) -> int:
    """Of three places the one whose entry lies between the others."""
    a, b, c = row[one][0], row[two][0], row[three][0]
    if a < b:
        return two if b < c else three if a < c else one
    return one if a < c else three if b < c else two


def insert(row: Row, first: int, last: int) -> None:
    """A part in order, entry by entry."""
    for place in range(first + 1, last):
        entry, to = row[place], place
        while to > first and entry[0] < row[to - 1][0]:
            row[to] = row[to - 1]
            to -= 1
        row[to] = entry


def sort_first(row: Row, first: int, middle: int, last: int) -> None:
    """The lowest entries of a part, up to `middle`, in order, by a heap."""
    keep_lowest(row, first, middle, last)
    for end in range(middle - 1, first, -1):
        entry, row[end] = row[end], row[first]
        sink(row, first, 0, end - first, entry)


def keep_lowest(row: Row, first: int, middle: int, last: int) -> None:
    """The lowest entries of a part up to `middle`, as a heap with the highest of them at its top."""
    count = middle - first
    for parent in range((count - 2) // 2, -1, -1):
        sink(row, first, parent, count, row[first + parent])
    for place in range(middle, last):
        if row[place][0] < row[first][0]:
            entry, row[place] = row[place], row[first]
            sink(row, first, 0, count, entry)


def sink(row: Row, first: int, hole: int, count: int, entry: tuple[int, int]) -> None:
    """Fill a hole of a heap: the higher child moves up, to the bottom, and the entry rises from there."""
    top, child = hole, hole
    while child < (count - 1) // 2:
        child = 2 * child + 2
        if row[first + child][0] < row[first + child - 1][0]:
            child -= 1
        row[first + hole] = row[first + child]
        hole = child
    if count % 2 == 0 and child == (count - 2) // 2:
        child = 2 * child + 1
        row[first + hole] = row[first + child]
        hole = child
    while hole > top and row[first + (hole - 1) // 2][0] < entry[0]:
        row[first + hole] = row[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    row[first + hole] = entry


def ranks_of(values: np.ndarray) -> np.ndarray:
    """The ranks of ordered values along the last dimension: equal ones, and all NaN, have one."""
    found = np.zeros(values.shape, np.int64)
    np.add.accumulate(apart(values), -1, np.int64, found[..., 1:])
    return found


def apart(values: np.ndarray) -> np.ndarray:
    """Whether each of the ordered values but the first differs from the one before it."""
    one, two = values[..., 1:], values[..., :-1]
    return (one != two) & ((one == one) | (two == two))


def in_places(places: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The ranks of a row where its elements stand."""
    found = np.empty(len(ranks), np.int64)
    found[places] = ranks
    return found
