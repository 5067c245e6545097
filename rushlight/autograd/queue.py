"""The queue of a backward: what is ready to run, the newest first and leaves before all nodes.

Leaves are equal among themselves. torch takes them as a binary heap happens to hold them, and hooks show that order:
so this heap moves its items as the C++ one does.
"""

from __future__ import annotations

from typing import Any

# before any node
LEAF = 1 << 64


def push(heap: list[tuple[int, Any]], rank: int, target: Any) -> None:
    """Add a target; it rises above what has a lower rank."""
    heap.append((rank, target))
    rise(heap, len(heap) - 1)


def rise(heap: list[tuple[int, Any]], place: int) -> None:
    item = heap[place]
    while place and heap[(place - 1) >> 1][0] < item[0]:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = item


def pop(heap: list[tuple[int, Any]]) -> Any:
    """Take the target of the highest rank: the gap it leaves sinks to the bottom, where the last item fills it."""
    item = heap.pop()
    if not heap:
        return item[1]
    first, size, place = heap[0], len(heap), 0
    while (child := 2 * place + 2) <= size:
        if child == size or heap[child][0] < heap[child - 1][0]:
            child -= 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    rise(heap, place)
    return first[1]
