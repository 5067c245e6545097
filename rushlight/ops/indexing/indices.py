"""Indices: what stands between the brackets of `x[...]`, read as torch reads it.

An index expression has a basic part (integers, slices, `...` and None), which NumPy applies as it is and
which gives a view, and an advanced part (tensors, masks, lists), which picks single elements of that view.
"""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from rushlight.core.creation.data import array_from
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.explained import INDEX, MASK, MISUSE, explained
from rushlight.ops.machine.transforms.level import is_mapped

ALL = slice(None)
INT64 = np.dtype("int64")
INDEX_KINDS = {INT64, np.dtype("int32")}

# a list with something else than numbers in it means a tuple, if it is no longer than this
LONGEST_LIST = 32


class Reader:
    """Reads an index expression for a tensor of some shape, from left to right."""

    def __init__(self, shape: tuple[int, ...]):
        self.shape = shape
        self.basic: list = []
        # dimension of the view that `basic` makes -> the tensor that picks along it
        self.advanced: list[tuple[int, Tensor]] = []
        self.source = 0  # how many dimensions of the input have been read
        self.dim = 0  # and how many the view has so far

    def read(self, index: Any) -> None:
        items = [plain(each) for each in as_tuple(index)]
        specified = sum([dims_read(each) for each in items])
        rest = len(self.shape) - specified
        if rest < 0:
            refuse_many(self.shape, items, as_tuple(index))
        for number, each in enumerate(items):
            if each is Ellipsis:
                if ... in items[:number] and rest and any(later is not Ellipsis for later in items[number:]):
                    raise IndexError("an index can only have a single ellipsis ('...')")
                self.keep(rest if ... not in items[:number] else 0)
            else:
                self.take(each)
        self.keep(len(self.shape) - self.source)

    def take(self, item: Any) -> None:
        """Read one entry."""
        if item is None:
            self.insert()
        elif isinstance(item, bool):
            self.insert()
            self.advanced.append((self.dim - 1, wrap(np.zeros(int(item), INT64))))
        elif isinstance(item, int):
            self.basic.append(item)
            self.source += 1
        elif isinstance(item, slice):
            self.basic.append(item)
            self.source += 1
            self.dim += 1
        elif item._array.dtype.kind == "b":
            self.take_mask(item)
        else:
            self.advanced.append((self.dim, item))
            self.keep(1)

    def take_mask(self, mask: Tensor) -> None:
        """A mask stands for the positions where it holds, a tensor for each of its dimensions."""
        for each in positions(mask, self.shape, self.source):
            self.advanced.append((self.dim, each))
            self.keep(1)

    def keep(self, count: int) -> None:
        self.basic += [ALL] * count
        self.source += count
        self.dim += count

    def insert(self) -> None:
        self.basic.append(None)
        self.dim += 1


def as_tuple(index: Any) -> tuple | list:
    """The entries of an expression; torch takes some lists for tuples."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and len(index) < LONGEST_LIST and any(means_tuple(each) for each in index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated: write x[tuple(index)], "
            "or x[torch.tensor(index)] for one index of several dimensions",
            UserWarning,
            stacklevel=6,
        )
        return index
    return (index,)


def means_tuple(item: Any) -> bool:
    return item is None or item is Ellipsis or isinstance(item, (Tensor, slice, list, tuple, range, np.ndarray, str))


def plain(item: Any) -> Any:
    """One entry as None, `...`, a bool, an int, a slice of ints, or a tensor of positions or of bools."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return item
    if isinstance(item, int):
        return checked_int(item)
    if isinstance(item, slice):
        return plain_slice(item)
    if isinstance(item, Tensor):
        return plain_tensor(item)
    if isinstance(item, (str, bytes, list, tuple, range, np.ndarray, bytearray, memoryview)):
        return plain_tensor(wrap(positions_from(item)))
    if isinstance(item, np.integer):
        return int(item)
    if hasattr(item, "__index__") and not isinstance(item, np.generic):
        return checked_int(operator.index(item))
    kind = type(item)
    raise explained(
        IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {'numpy.' if isinstance(item, np.generic) else ''}{kind.__name__})",
        stage=INDEX,
    )


def checked_int(item: int) -> int:
    if not -(2**63) <= item < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {item} is no position in a tensor")
    return int(item)


def plain_slice(item: slice) -> slice:
    """The slice with Python integers: a tensor in it could change before backward."""
    try:
        start, stop, step = [None if each is None else operator.index(each) for each in read_slice(item)]
    except TypeError:
        words = "slice indices must be integers or None or have an __index__ method"
        raise explained(TypeError, words, stage=MISUSE) from None
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return slice(start, stop, step)


def read_slice(item: slice) -> tuple:
    return item.start, item.stop, item.step


def positions_from(data: Any) -> np.ndarray:
    """An array of positions or bools from a list, a range or an array; other numbers become integers."""
    if isinstance(data, (range, bytearray, memoryview)):
        data = list(data)
    if type(data) is list and set(map(type, data)) == {int}:
        # a plain list is the usual case, and this way takes a third of the time
        return int_positions(data)
    array = array_from(data, None, [])
    if array.dtype.kind == "b" or array.dtype == np.uint8:
        return array
    if array.dtype.kind == "f" and not isinstance(data, np.ndarray):
        return array_from(data, dtypes.int64, [])
    return cast(array, INT64) if array.size else array.astype(INT64)


def int_positions(data: list[int]) -> np.ndarray:
    try:
        return np.array(data, INT64)
    except OverflowError:
        raise ValueError(f"Overflow when unpacking long long: {max(data, key=abs)} is no position") from None


def plain_tensor(item: Tensor) -> Any:
    """A tensor as an index: a number of its own if it has no dimension, uint8 taken for bool."""
    array = item._array
    kind = array.dtype
    if kind == np.uint8:
        if array.ndim:
            warnings.warn(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                UserWarning,
                stacklevel=7,
            )
        item = wrap(array != 0)
        array = item._array
    if not array.ndim and is_mapped(item) and kind.kind == "i":
        return item
    if not array.ndim:
        if array.dtype.kind == "b":
            return bool(array)
        if kind.kind == "i":
            return int(array)
    elif array.dtype.kind == "b" or kind in INDEX_KINDS:
        return item
    raise IndexError(wrong_kind(kind))


def wrong_kind(kind: np.dtype) -> str:
    return (
        f"tensors used as indices must be long, int, byte or bool tensors, not {dtypes.from_numpy(kind)}: "
        "convert it first, for example with .long()"
    )


def positions(item: Tensor, shape: tuple[int, ...], start: int) -> list[Tensor]:
    """The positions that a tensor names: itself, or those where a mask holds, by dimension."""
    array = item._array
    if array.dtype in INDEX_KINDS:
        return [item]
    if array.dtype.kind != "b" and array.dtype != np.uint8:
        raise IndexError(wrong_kind(array.dtype))
    check_mask(array, shape, start)
    return [wrap(each) for each in array.nonzero()] if array.ndim else []


def dims_read(item: Any) -> int:
    """How many dimensions of the input an entry speaks of."""
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item._array.ndim if isinstance(item, Tensor) and item._array.dtype.kind == "b" else 1


def check_mask(mask: np.ndarray, shape: tuple[int, ...], start: int) -> None:
    if mask.ndim > len(shape) - start:
        raise too_many(len(shape))
    for place, size in enumerate(mask.shape):
        if shape[start + place] != size:
            raise explained(
                IndexError,
                f"The shape of the mask {list(mask.shape)} at index {place} does not match the shape of the "
                f"indexed tensor {list(shape)} at index {start + place}",
                stage=MASK,
            )


def refuse_many(shape: tuple[int, ...], items: list, given: tuple) -> None:
    if not isinstance(given[0], (int, slice)):
        raise too_many(len(shape))
    if not shape and len(items) == 1 and isinstance(items[0], int) and items[0]:
        raise explained(IndexError, f"index {items[0]} is out of bounds for dimension 0 with size 0", stage=INDEX)
    if not shape and len(items) == 1 and isinstance(items[0], int):
        raise explained(
            IndexError,
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
            "convert a 0-dim tensor to a number",
            stage=INDEX,
        )
    if not shape and len(items) == 1 and isinstance(items[0], slice):
        raise explained(IndexError, "slice() cannot be applied to a 0-dim tensor.", stage=INDEX)
    raise too_many(len(shape))


def too_many(ndim: int, more: str = "") -> IndexError:
    """The error of an index with more entries than there are dimensions."""
    return explained(IndexError, f"too many indices for tensor of dimension {ndim}{more}", stage=INDEX)
