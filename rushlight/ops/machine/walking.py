"""Walking: in-place ops on elements that share places, such as those of `unfold`: row after row, as torch goes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from rushlight.ops.machine.call import run

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

ndarray = np.ndarray


def shares_places(array: ndarray) -> bool:
    """Whether elements may lie in one place: torch knows of expanded ones, which it refuses to write to."""
    if array.flags.c_contiguous or 0 in array.strides:
        return False
    end = array.itemsize
    for step, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size > 1:
            if step < end:
                return True
            end += step * (size - 1)
    return False


def walk(op: Op, arguments: tuple, arrays: list) -> ndarray:
    """What the target of a pointwise op holds after each row was computed from what the rows before it had written."""
    target = arrays[0]
    count = sum(step // target.itemsize * (size - 1) for step, size in zip(target.strides, target.shape, strict=True))
    memory = as_strided(target, (count + 1,), (target.itemsize,)).copy()
    found = as_strided(memory, target.shape, target.strides)
    spread = [
        spread_out(each, target, found) if position in op.tensors else each for position, each in enumerate(arrays)
    ]
    for row in rows(target, [each for each in spread if type(each) is ndarray and each.ndim]):
        parts = [each[row] if type(each) is ndarray and each.ndim else each for each in spread]
        result = run(op, arguments, parts)
        found[row] = result[0] if type(result) is tuple else result
    return found


def spread_out(operand: Any, target: ndarray, found: ndarray) -> Any:
    """An operand in the target's shape; a number, or a tensor that is one, stays what it is."""
    if operand is target:
        return found
    return np.broadcast_to(operand, target.shape) if type(operand) is ndarray and operand.ndim else operand


def rows(target: ndarray, operands: list[ndarray]) -> Iterator[tuple]:
    """The index of each row, in the order in which torch comes to them."""
    # the last dimension runs fastest, unless another one has smaller steps
    order = sorted(reversed(range(target.ndim)), key=cmp_to_key(lambda one, two: compared(target, operands, one, two)))
    slow = order[:0:-1]
    for places in itertools.product(*[range(target.shape[dim]) for dim in slow]):
        index: list[Any] = [slice(None)] * target.ndim
        for dim, place in zip(slow, places, strict=True):
            index[dim] = place
        yield tuple(index)


def compared(target: ndarray, operands: list[ndarray], one: int, two: int) -> int:
    """Which of two dimensions runs faster: that of smaller steps, then that of fewer elements."""
    for each in (target, *operands):
        steps = each.strides[one], each.strides[two]
        if 0 in steps:
            continue
        if steps[0] != steps[1]:
            return -1 if steps[0] < steps[1] else 1
        if target.shape[one] > target.shape[two]:
            return 1
    return 0
