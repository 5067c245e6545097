"""Layouts: the same arguments, laid over memory in other ways."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.build import contiguous
from conformance.calls import Arguments
from conformance.records import TensorRecord, map_tensors, tensors_in

# elements before the first one of a tensor that has an offset
OFFSET = 3


def layouts_of(arguments: Arguments) -> Iterator[tuple[str, Arguments]]:
    """Each layout by name, as far as it differs from those before it."""
    seen = [arguments]
    yield "as given", arguments
    for name, change in LAYOUTS.items():
        if name == "thin" and not fits(arguments):
            continue
        changed = applied(arguments, change)
        if changed is not None and not any(alike(changed, each) for each in seen):
            seen.append(changed)
            yield name, changed


def applied(arguments: Arguments, change: Any) -> Arguments | None:
    """The arguments with each tensor changed; `change` gets its number and the first tensor's shape too."""
    tensors = tensors_in((arguments.args, arguments.kwargs))
    if not tensors:
        return None
    counter = iter(range(len(tensors)))

    def each(tensor: TensorRecord) -> TensorRecord:
        return change(tensor, next(counter), tensors[0].shape)

    return Arguments(map_tensors(arguments.args, each), map_tensors(arguments.kwargs, each))


def fits(arguments: Arguments) -> bool:
    """Whether all tensors are floats as long as the first: torch reads beyond others that become shorter."""
    tensors = tensors_in((arguments.args, arguments.kwargs))
    return all(each.is_floating and each.shape[:1] == tensors[0].shape[:1] for each in tensors)


def alike(one: Arguments, other: Arguments) -> bool:
    pairs = zip(tensors_in((one.args, one.kwargs)), tensors_in((other.args, other.kwargs)), strict=True)
    return all((a.shape, a.strides, a.offset) == (b.shape, b.strides, b.offset) for a, b in pairs)


def ordered(tensor: TensorRecord, order: tuple[int, ...], gap: int = 1, offset: int = 0) -> TensorRecord:
    """The tensor with its dims in memory in the given order, the slowest first; `gap` elements for each one."""
    values = contiguous(tensor) if tensor.memory.size else np.zeros(tensor.shape, tensor.memory.dtype)
    strides, step = [0] * len(order), gap
    for dim in reversed(order):
        strides[dim] = step
        step *= max(tensor.shape[dim], 1)
    memory = np.zeros(offset + values.size * gap, tensor.memory.dtype)
    memory[offset::gap] = values.transpose(order).reshape(-1)
    return replace(tensor, memory=memory, strides=tuple(strides), offset=offset if values.size else 0)


def reversed_dims(tensor: TensorRecord) -> TensorRecord:
    return ordered(tensor, tuple(range(len(tensor.shape)))[::-1])


def channels_last(tensor: TensorRecord, number: int, first: tuple) -> TensorRecord:
    """The second dim fastest: for images what torch calls channels_last."""
    rank = len(tensor.shape)
    return ordered(tensor, (0, *range(2, rank), 1)) if rank > 2 else tensor


def expanded(tensor: TensorRecord, number: int, first: tuple) -> TensorRecord:
    """Of the first tensor, one slice along the first dim in place of each."""
    if number or not tensor.shape or tensor.shape[0] < 2:
        return tensor
    return replace(tensor, strides=(0, *tensor.strides[1:]))


def thin(tensor: TensorRecord, number: int, first: tuple) -> TensorRecord:
    """One slice along the first dim of everything as long as the first tensor, and its dims reversed in memory."""
    if not tensor.shape or not first or tensor.shape[0] != first[0] or not first[0]:
        return tensor
    whole = reversed_dims(tensor)
    return replace(whole, shape=(1, *whole.shape[1:]))


LAYOUTS = {
    "reversed": lambda tensor, number, first: reversed_dims(tensor),
    "channels last": channels_last,
    "first reversed": lambda tensor, number, first: tensor if number else reversed_dims(tensor),
    "others reversed": lambda tensor, number, first: reversed_dims(tensor) if number else tensor,
    "gaps": lambda tensor, number, first: ordered(tensor, tuple(range(len(tensor.shape))), 2, OFFSET),
    "expanded": expanded,
    "thin": thin,
}
