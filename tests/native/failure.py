"""Memory that ends: a call again and again while its first allocation fails, its second, ... until it succeeds."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import rushlight as torch
from rushlight import memory
from rushlight.native import extension
from tests.ops.samples import flat

# where memory comes from, as native/memory/failure.h has it
SOURCES = {"pool": 1, "heap": 2, "python": 4}
# how many allocations fail: one, or all that follow
ONE, ALL = 1, 2**62


class Case(NamedTuple):
    """A call that can be made again: `prepare` gives it with the tensors it is about, made anew for each attempt."""

    name: str
    prepare: Callable[[], tuple[Callable[[], Any], list[torch.Tensor]]]
    keeps: bool = True  # whether a call that fails leaves the tensors as they were


def is_refusal(error: BaseException) -> bool:
    """A MemoryError, or torch's words for it."""
    return isinstance(error, MemoryError) or "DefaultCPUAllocator: can't allocate memory" in str(error)


def values(tensor: torch.Tensor) -> np.ndarray:
    # not by `numpy()`, which remembers the arrays that it gave away
    array = tensor._array
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def state_of(tensors: list[torch.Tensor]) -> list[tuple]:
    """All that a failed call must leave as it was."""
    return [
        (values(each).tobytes(), each.shape, each.stride(), each._version, each.requires_grad, each.grad is None)
        for each in tensors
    ]


def counts_of(tensors: list[torch.Tensor]) -> list[tuple[int, int]]:
    """References to the tensors and to their arrays; a storage that a call gives to a tensor holds the array too."""
    counts = []
    for each in tensors:
        by_storage = each._storage is not None and each._storage.array is each._array
        counts.append((sys.getrefcount(each) - 2, sys.getrefcount(each._array) - 1 - by_storage))
    return counts


def is_close(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether values agree: what native code leaves to Python may sum in another order."""
    if one.dtype is not other.dtype or one.shape != other.shape or one.requires_grad != other.requires_grad:
        return False
    first, second = values(one), values(other)
    if first.dtype.kind not in "fc":
        return np.array_equal(first, second)
    return np.allclose(first, second, rtol=1e-4, atol=1e-5, equal_nan=True)


def outcome(result: Any, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """All that a call has changed: what it returns, the tensors themselves and their gradients."""
    return [*flat(result), *tensors, *(each.grad for each in tensors if each.grad is not None)]


def attempt(case: Case, source: int, which: int, count: int, expected: list[torch.Tensor]) -> tuple[int, str | None]:
    """One call while memory fails: how many allocations failed, and what was wrong."""
    call, tensors = case.prepare()
    before = state_of(tensors)
    gc.collect()  # which also empties the lists of spare objects that Python keeps
    result, error, failed = extension.call_with_failure(call, source, which, count)
    if error is not None and not is_refusal(error):
        return failed, f"raised {error!r}"
    found = outcome(result, tensors)
    if error is None and not (len(found) == len(expected) and all(map(is_close, found, expected))):
        return failed, "gave another result"
    if error is not None and case.keeps and state_of(tensors) != before:
        return failed, "changed its arguments"
    # the call holds its arguments, and so do the frames of the exception
    del call, result, found, error
    gc.collect()
    if any(each != (1, 1) for each in counts_of(tensors)):
        return failed, f"keeps references to its arguments: {counts_of(tensors)}"
    return failed, None


def attempts(case: Case, source: int, count: int, most: int) -> Iterator[tuple[int, str | None]]:
    """The first, the second, ... allocation fails, until the call takes fewer or has failed `most` times."""
    call, tensors = case.prepare()
    expected = outcome(call(), tensors)
    del call, tensors
    for which in range(1, most + 1):
        failed, wrong = attempt(case, source, which, count, expected)
        yield which, wrong
        if failed == 0:
            break


def growth(action: Callable[[], object]) -> int:
    """How many bytes of the pool an action leaves in use."""
    gc.collect()
    used = memory.used()
    action()
    gc.collect()
    return memory.used() - used


def faults(case: Case, source: int, count: int = ONE, most: int = 10**6) -> list[str]:
    """What goes wrong in a call while its allocations fail one by one."""
    found: list[str] = []

    def sweep(times: int) -> None:
        for _ in range(times):
            all_attempts = attempts(case, source, count, most)
            found.extend(f"{case.name}, {which}: {wrong}" for which, wrong in all_attempts if wrong)

    # what grows once is kept for good; what grows each time is lost
    for times in (1, 1, 8):
        bytes = growth(partial(sweep, times))
        if found or bytes <= 0:
            return found
    return [f"{case.name} leaves {bytes} bytes of the pool behind in {times} rounds"]
