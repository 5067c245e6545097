"""Accumulation: how a gradient becomes, or is added to, the `.grad` of a leaf."""

from __future__ import annotations

import sys
import threading

import numpy as np

from rushlight.autograd import modes
from rushlight.core.memory.layout import contiguous_format, empty_with_strides, is_dense
from rushlight.core.memory.meta import Meta, reserve
from rushlight.core.memory.storage import Storage, count_write
from rushlight.core.memory.strides import strides_of
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor, storage_of, wrap
from rushlight.errors.warning import warn

# two threads may bring gradients to one leaf at the same time
accumulating = threading.Lock()

# what holds a gradient that nobody else has: the caller's name, the parameter and the question itself
ALONE = 3


def accumulate(leaf: Tensor, grad: Tensor, create_graph: bool, wrapped: bool = False) -> None:
    """Add to a leaf's `.grad`: in place, or to a new tensor if that is to be differentiated."""
    with accumulating:
        held = leaf._grad
        if held is None:
            alone = (wrapped or sys.getrefcount(grad) <= ALONE) and sys.getrefcount(grad._array) <= 2
            leaf._grad = recorded_copy(leaf, grad) if create_graph else first(leaf, grad, alone)
        elif create_graph:
            leaf._grad = total = held + grad
            check_layout(leaf, total)
        else:
            add_to(held, grad)
            check_layout(leaf, held)


def add_to(held: Tensor, grad: Tensor) -> None:
    array, added = held._array, grad._array
    plain = type(array) is type(added) is np.ndarray and array.dtype == added.dtype and array.flags.c_contiguous
    # NumPy takes 6 ns for a sum of half precision, the op a tenth
    if not plain or array.dtype in HALF or held._inference or array.shape != added.shape:
        with modes.no_grad():
            held.add_(grad)
        return
    np.add(array, added, array)
    count_write(storage_of(held))


def first(leaf: Tensor, grad: Tensor, alone: bool) -> Tensor:
    """The first gradient, laid out as the leaf is. One that nobody else holds counts as taken, others as written."""
    taken = alone and obeys(leaf, grad)
    if taken and (whole := whole_of(grad)) is not None:
        made = wrap(grad._array)
        made._storage = whole
        return made
    array = laid_out_as(grad if taken else leaf, grad._array.dtype)
    array[...] = grad._array
    made = wrap(array)
    # native kernels write out what is spread over a shape: 0 for both
    spread = 0 in grad._array.strides and leaf._array.flags.c_contiguous
    if not (spread or taken):
        storage_of(made).version = 1
    return made


def whole_of(grad: Tensor) -> Storage | None:
    """The memory that a gradient is a part of; None where it has its own."""
    array = grad._array
    base = array.base
    if type(array) is not np.ndarray or type(base) is not np.ndarray or not array.flags.writeable:
        return None
    if grad._storage is not None:
        return grad._storage
    return Storage(base) if base.flags.owndata else None


def laid_out_as(model: Tensor, kind: np.dtype) -> np.ndarray:
    """Fresh memory for a gradient: with the model's strides if its elements fill their memory, else by rows."""
    array = model._array
    if type(array) is Meta:
        size = kind.itemsize
        return reserve(
            array.shape, kind, tuple([step * size for step in strides_of(array)]) if fills_memory(array) else None
        )
    by_rows = array.flags.c_contiguous and 1 not in array.shape
    if by_rows or not fills_memory(array):
        return np.empty(array.shape, kind)
    return empty_with_strides(array.shape, strides_of(array), kind)


def fills_memory(array: np.ndarray) -> bool:
    return is_dense(array.shape, strides_of(array))


def recorded_copy(leaf: Tensor, grad: Tensor) -> Tensor:
    """The first gradient of a backward that is recorded: a copy with a history."""
    if not fills_memory(leaf._array):
        return grad.clone(memory_format=contiguous_format)
    return wrap(laid_out_as(leaf, grad._array.dtype)).copy_(grad)


def obeys(leaf: Tensor, grad: Tensor) -> bool:
    """Whether a gradient lies in memory as its leaf does, or by rows where the leaf leaves gaps."""
    if grad._array.flags.c_contiguous and leaf._array.flags.c_contiguous and 0 not in grad._array.strides:
        return True
    if not fills_memory(leaf._array):
        return bool(grad._array.flags.c_contiguous)
    steps = zip(leaf._array.shape, strides_of(leaf._array), strides_of(grad._array), strict=True)
    # torch never takes over what was spread, be it to one element
    return all(other if size == 1 else one == other for size, one, other in steps)


def check_layout(leaf: Tensor, grad: Tensor) -> None:
    if not obeys(leaf, grad):
        warn(
            "grad and param do not obey the gradient layout contract. This is not an error, but may impair "
            f"performance: the gradient has strides {grad.stride()}, the parameter {leaf.stride()}."
        )
