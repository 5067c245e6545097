"""Data: numbers, nested lists, arrays and tensors read into a new array, with torch's dtype and refusals."""

from __future__ import annotations

import functools
import operator as operators
from types import MappingProxyType
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.exchange import array_of, exports
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.numbers.promotion import of_number, promote_types
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.float_warnings import QUIET, floating_point

DEEPEST = 128

NUMBERS = {bool, int, float, complex}


def array_from(data: Any, dtype: dtypes.dtype | None, lost: list[Tensor]) -> np.ndarray:
    """A new array with the data; tensors with history that are found inside a list are added to `lost`."""
    if type(data) in NUMBERS:
        return number_array(data, dtype)
    if isinstance(data, Tensor):
        return copied(resolved(data._array), dtype)
    if isinstance(data, np.ndarray):
        check_array(data)
        return copied(data, dtype)
    if isinstance(data, np.generic):
        return copied(np.asarray(data), dtype)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}': numbers make a tensor, not text")
    if isinstance(data, (int, float, complex)):  # a subclass, such as an IntEnum
        return number_array(data, dtype)
    if exports(data):
        return copied(array_of(data), dtype)
    return sequence_array(data, dtype, lost)


def copied(array: np.ndarray, dtype: dtypes.dtype | None) -> np.ndarray:
    """A copy, in memory of its own, in the dtype asked for."""
    kind = (dtypes.from_numpy(array.dtype) if dtype is None else dtype).numpy
    require_room(array.shape, kind.itemsize)
    made = cast(array, kind)
    return np.array(made, order="K", copy=made is array, subok=False)


def check_array(array: np.ndarray) -> None:
    """Refuse the arrays that torch refuses: odd strides, byte orders and kinds."""
    dtypes.from_numpy(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are "
            "not currently supported. (You can probably work around this by making a copy of your array with "
            "array.copy().)"
        )
    if any(step % array.itemsize for step in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
            "reallocate the memory."
        )


def sequence_array(data: Any, dtype: dtypes.dtype | None, lost: list[Tensor]) -> np.ndarray:
    """An array from nested sequences."""
    try:
        return nested_array(data, dtype, lost)
    except RecursionError:
        pass
    # torch counts the dimensions of the first elements, and looks at the others then
    if isinstance(data, list) and data[0] is not data and any(each is data for each in data):
        raise TypeError("new(): self-referential lists are incompatible")
    raise ValueError(f"too many dimensions '{type(data).__name__}'")


def nested_array(data: Any, dtype: dtypes.dtype | None, lost: list[Tensor]) -> np.ndarray:
    kinds = leaf_types(data)
    # a negative float is refused where a negative integer wraps around: the reader sees which it was
    unsigned = dtype is not None and dtype.category == dtypes.INTEGER and not dtype.is_signed
    if kinds <= NUMBERS and not (unsigned and float in kinds):
        made = plain_array(data, common_dtype(kinds) if dtype is None else dtype)
        if made is not None:
            return made
    elif kinds == {np.ndarray}:
        made = stacked(data, dtype)
        if made is not None:
            return made
    return Reader(data, lost).array(dtype)


def leaf_types(data: Any) -> set[type]:
    """The types of what stands in the innermost lists: 20 ns an element, where a walk takes 200."""
    kinds = set(map(type, data)) if isinstance(data, (list, tuple)) else {type(data)}
    for nested in kinds & {list, tuple}:
        kinds.discard(nested)
        for each in data:
            if type(each) is nested:
                kinds |= leaf_types(each)
    return kinds


def common_dtype(kinds: set[type]) -> dtypes.dtype:
    """The dtype for numbers of these Python types; the default if there is none."""
    return functools.reduce(promote_types, [of_number(kind()) for kind in kinds]) if kinds else dtypes.default


def plain_array(data: Any, dtype: dtypes.dtype) -> np.ndarray | None:
    """An array from Python numbers in lists, by NumPy at once; None if they need a closer look."""
    direct = dtype.numpy if dtype.category == dtypes.FLOAT and dtype.itemsize >= 4 else WIDE[dtype.category]
    token = floating_point.set(QUIET)
    try:
        made = np.array(data, direct)
    except (ValueError, TypeError, OverflowError):
        return None  # ragged, too large, complex in a real dtype ...: the reader finds the words
    finally:
        floating_point.reset(token)
    if direct is INT64 and dtype is not dtypes.int64 and made.size:
        extremes = (int(made.min()), int(made.max()))
        # numbers in a list do not wrap around in uint64, those that are written to a tensor do
        if not all(dtypes.fits(each, dtype) for each in extremes) or (dtype is dtypes.uint64 and extremes[0] < 0):
            return None
    return cast(made, dtype.numpy)


INT64 = np.dtype("int64")
WIDE = {
    dtypes.BOOL: np.dtype("bool"),
    dtypes.INTEGER: INT64,
    dtypes.FLOAT: np.dtype("float64"),
    dtypes.COMPLEX: np.dtype("complex128"),
}


def number_array(value: Any, dtype: dtypes.dtype | None) -> np.ndarray:
    """One Python number as an array without dimensions."""
    if dtype is None:
        dtype = of_number(value)
    if dtype.category == dtypes.FLOAT and dtype.itemsize >= 4 and type(value) is not complex:
        token = floating_point.set(QUIET)
        try:
            return np.array(value, dtype.numpy)
        finally:
            floating_point.reset(token)
    return flat_array([value], (), dtype)


def flat_array(values: list, shape: tuple[int, ...], dtype: dtypes.dtype) -> np.ndarray:
    """Python numbers in a shape and dtype; torch's errors for what does not fit."""
    category = dtype.category
    for each in values:
        if category in (dtypes.INTEGER, dtypes.FLOAT) and isinstance(each, complex):
            raise TypeError(
                "'complex' object cannot be interpreted as an integer"
                if category == dtypes.INTEGER
                else "must be real number, not complex"
            )
        if category == dtypes.INTEGER:
            check_integer(each, dtype)
    wide = dtype.numpy if dtype is dtypes.uint64 else WIDE[category]
    return cast(np.array(values, wide).reshape(shape), dtype.numpy)


def check_integer(value: float, dtype: dtypes.dtype) -> None:
    if dtype is dtypes.uint64 and isinstance(value, int):
        if not 0 <= value < 2**64:
            raise OverflowError(f"can't convert negative int to unsigned, nor one beyond 64 bits: {value}")
        return
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {value} is beyond int64; pass dtype=torch.float64")
    whole = dtype is dtypes.int64 and isinstance(value, int)
    if not whole and not dtypes.fits(value, dtype):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow: {value}")


def stacked(data: Any, dtype: dtypes.dtype | None) -> np.ndarray | None:
    """An array from a flat list of arrays of one shape; None for any other."""
    if not isinstance(data, (list, tuple)) or not isinstance(data[0], np.ndarray) or not data[0].ndim:
        return None
    if any(each.shape != data[0].shape for each in data):
        return None
    if dtype is None:
        kinds = [dtypes.from_numpy(kind) for kind in dict.fromkeys(each.dtype for each in data)]
        dtype = functools.reduce(promote_types, kinds)
    return np.array([cast(each, dtype.numpy) for each in data])


class Reader:
    """Walks nested sequences as torch does: the first elements tell the shape, all of them the dtype."""

    def __init__(self, data: Any, lost: list[Tensor]):
        self.data = data
        self.lost = lost
        self.shape: tuple[int, ...] = ()
        self.dtype: dtypes.dtype | None = None
        self.flat: list = []

    def array(self, dtype: dtypes.dtype | None) -> np.ndarray:
        self.shape = self.measure()
        self.collect(self.data, dtype is None)
        if dtype is None:
            dtype = self.dtype or dtypes.default
        if 0 not in self.shape:
            self.store(self.data, 0, dtype)
        return flat_array(self.flat, self.shape, dtype)

    def measure(self) -> tuple[int, ...]:
        """The shape, from the first element of each level."""
        shape: list[int] = []
        level = self.data
        while is_sequence(level):
            if len(shape) == DEEPEST:
                raise ValueError(f"too many dimensions '{type(level).__name__}'")
            shape.append(len(level))
            if not shape[-1]:
                break
            level = first_of(level)
        return tuple(shape)

    def collect(self, value: Any, infer: bool) -> None:
        """Promote over every element, and find the tensors whose history will be lost."""
        if isinstance(value, Tensor):
            if value.requires_grad:
                self.lost.append(value)
            kind = value.dtype
        elif isinstance(value, (np.ndarray, np.generic)):
            kind = dtypes.from_numpy(value.dtype)
        elif isinstance(value, (bool, int, float, complex)):
            kind = of_number(value)
        elif isinstance(value, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(value).__name__}': numbers make a tensor, not text")
        elif is_sequence(value):
            for place in range(len(value)):
                self.collect(value[place], infer)
            if len(value):
                return
            kind = dtypes.default
        elif infer:
            module = f"{type(value).__module__}." if type(value).__module__ in ("decimal",) else ""
            raise RuntimeError(f"Could not infer dtype of {module}{type(value).__name__}")
        else:
            return
        self.dtype = kind if self.dtype is None else promote_types(self.dtype, kind)

    def store(self, value: Any, dim: int, dtype: dtypes.dtype) -> None:
        """Append the numbers under `value`, checked to have the shape that `measure` found."""
        if dim == len(self.shape):
            self.flat.append(self.leaf(value, dtype))
            return
        if not is_sequence(value):
            raise TypeError(
                f"not a sequence: a number stands at dim {dim}, where the first elements have {self.shape[dim]} each"
            )
        if len(value) != self.shape[dim]:
            raise ValueError(f"expected sequence of length {self.shape[dim]} at dim {dim} (got {len(value)})")
        for place in range(len(value)):
            self.store(value[place], dim + 1, dtype)

    def leaf(self, value: Any, dtype: dtypes.dtype) -> Any:
        """One Python number."""
        if isinstance(value, Tensor):
            if value._array.size != 1:
                raise one_element_error(value, dtype)
            return value._array.item()
        if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
            return value
        if isinstance(value, (np.ndarray, np.generic)) and value.size == 1:
            return value.item()
        if dtype.category in (dtypes.BOOL, dtypes.INTEGER):
            return operators.index(value)
        if hasattr(type(value), "__float__") or hasattr(type(value), "__index__"):
            return float(value)
        raise TypeError(f"must be real number, not {type(value).__name__}")


def first_of(sequence: Any) -> Any:
    """Its first element, which tells the next dimension of the shape."""
    try:
        return sequence[0]
    except Exception as error:
        raise ValueError(f"could not determine the shape of object type '{type(sequence).__name__}'") from error


def one_element_error(value: Tensor, dtype: dtypes.dtype) -> Exception:
    """What torch raises for a tensor with dimensions inside a list, and what to write instead."""
    fix = f"; this one has shape {list(value._array.shape)}. Write torch.stack([...]) to join tensors"
    if dtype.category == dtypes.INTEGER:
        return TypeError("only integer tensors of a single element can be converted to an index" + fix)
    return ValueError("only one element tensors can be converted to Python scalars" + fix)


def is_sequence(value: Any) -> bool:
    """What Python's C interface calls a sequence; arrays with dimensions too, tensors not."""
    if isinstance(value, (list, tuple)):
        return True
    if isinstance(value, (Tensor, dict, set, MappingProxyType, np.generic)):
        return False
    if isinstance(value, np.ndarray) and not value.ndim:
        raise TypeError("len() of unsized object")
    return hasattr(type(value), "__getitem__")
