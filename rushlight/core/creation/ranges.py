"""Ranges: evenly spaced numbers, and the indices of a triangle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.creation.options import allocate, finish_into, integer, number, numpy_dtype
from rushlight.core.memory.capacity import MOST, no_room, wanted_bytes
from rushlight.core.memory.layout import layout as Layout
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import overridable
from rushlight.errors.refusals import no_kernel
from rushlight.errors.warning import warn
from rushlight.native import shortcut

__all__ = ["arange", "linspace", "logspace", "range", "tril_indices", "triu_indices"]

# splits a float64 into two halves of 26 bits
SPLIT = 2.0**27 + 1


@overridable
@shortcut
def arange(
    *bounds: Any,
    start: Any = None,
    end: Any = None,
    step: Any = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` up to but not including `end`, `step` apart: integers if all three are.

    >>> torch.arange(1, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])

    Takes `arange(end)`, `arange(start, end)` and `arange(start, end, step)`.
    """
    first, last, apart = read_bounds(bounds, start, end, step)
    whole = all(isinstance(each, int) for each in (first, last, apart))
    if dtype is None and out is None and whole:
        dtype = dtypes.int64
    kind = numpy_dtype(dtype, out)
    refuse_kind("arange_cpu", kind, "bc")
    array = spaced(first, last, apart, kind)
    return finish_into(shaped(array, out), out, dtype, device, layout, pin_memory, requires_grad)


def read_bounds(bounds: tuple, start: Any, end: Any, step: Any) -> list:
    """Start, end and step as numbers, out of the ways to give them."""
    if len(bounds) == 1 and end is None:
        end, bounds = bounds[0], ()
    given = [start, end, step]
    for place, value in enumerate(bounds):
        if place > 2 or given[place] is not None:
            raise TypeError(
                f"arange() received an invalid combination of arguments - got {len(bounds)} by position; "
                "expected (end), (start, end) or (start, end, step)"
            )
        given[place] = value
    if given[1] is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    positions = (1, 2 if bounds else 1, 3)
    values = []
    for name, position, value, default in zip(("start", "end", "step"), positions, given, (0, 0, 1), strict=True):
        found = default if value is None else number(value, "arange", name, position)
        if isinstance(found, complex):
            raise RuntimeError(f"value cannot be converted to type double without overflow: {name}={found} is not real")
        values.append(found)
    return values


def spaced(first: Any, last: Any, apart: Any, kind: np.dtype) -> np.ndarray:
    """The numbers of `arange`, the count found in exact integers or in float64."""
    for value in (first, last):
        if not math.isfinite(value):
            raise RuntimeError(f"unsupported range: {first} -> {last}")
    if kind.kind in "iu":
        if apart and not int(apart):
            raise ValueError(f"step must be nonzero, and a step of {apart} is 0 as an integer")
        whole = [int(each) for each in (first, last, apart)]
        if kind.itemsize == 8:
            for value in whole:
                if not -(2**63) <= value < 2**63 and kind.kind == "i":
                    raise RuntimeError(f"value cannot be converted to type int64_t without overflow: {value}")
            first, last, apart = whole
    if not apart or apart != apart:
        raise RuntimeError("step must be nonzero")
    if (last - first) * apart < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign: the step leads away from the end")
    exact = isinstance(first, int) and isinstance(last, int) and isinstance(apart, int)
    length = -((first - last) // apart) if exact else (last - first) / apart
    if length > MOST:
        raise RuntimeError(f"invalid size, possible overflow?: {length} numbers from {first} to {last}")
    count = math.ceil(length)
    if kind.kind in "iu":
        bounds = whole[0], whole[0] + count * whole[2], whole[2]
        return cast(allocate(lambda shape, kind: np.arange(*bounds), (count,), kind), kind)
    numbers = counted(count) * float(apart) + float(first)
    return cast(in_eights(numbers, float(apart)) if kind == np.float32 else numbers, kind)


def in_eights(numbers: np.ndarray, apart: float) -> np.ndarray:
    """The numbers as torch's loop makes them in float32: eight at a time, from a first one that is rounded itself."""
    whole = len(numbers) // 16 * 16  # the rest is computed one by one
    if whole:
        firsts = numbers[:whole:8].astype(np.float32).astype(np.float64)
        numbers[:whole] = (firsts[:, None] + apart * np.arange(8)).reshape(-1)
    return numbers


def counted(count: int) -> np.ndarray:
    """The whole numbers below `count`."""
    return allocate(lambda shape, kind: np.arange(*shape), (count,), np.dtype("int64"))


def refuse_kind(function: str, kind: np.dtype, refused: str) -> None:
    if kind.kind in refused:
        raise no_kernel(function, dtypes.from_numpy(kind).scalar)


@overridable
def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` to `end`, which is included: old, use `arange`.

    >>> torch.range(1, 2, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warn("torch.range is deprecated: it includes its end, unlike Python's range. Use torch.arange, which does not.")
    kind = numpy_dtype(dtype, out)
    first, last, apart = (number(each, "range", "end", 2) for each in (start, end, step))
    if not apart:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first} -> {last}")
    if (last - first) * apart < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign: the step leads away from the end")
    array = cast(counted(math.floor((last - first) / apart) + 1) * apart + first, kind)
    return finish_into(shaped(array, out), out, dtype, device, layout, pin_memory, requires_grad)


def shaped(array: np.ndarray, out: Tensor | None) -> np.ndarray:
    """The numbers in the shape of `out`, which keeps it where it has room for just as many."""
    return array.reshape(out._array.shape) if isinstance(out, Tensor) and out._array.size == array.size else array


@overridable
@shortcut
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly spaced.

    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    ends, count, kind = read_ends("linspace", start, end, steps, dtype, out)
    array = between(ends, count, kind)
    return finish_into(shaped(array, out), out, dtype, device, layout, pin_memory, requires_grad)


@overridable
@shortcut
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` powers of `base`, with exponents evenly spaced from `start` to `end`, both included.

    >>> torch.logspace(-1, 1, steps=3), torch.logspace(0, 3, steps=4, base=2)
    (tensor([ 0.1000,  1.0000, 10.0000]), tensor([1., 2., 4., 8.]))
    """
    ends, count, kind = read_ends("logspace", start, end, steps, dtype, out)
    compute = kind
    if kind.kind in "iu":
        ends, compute = (int(ends[0]), int(ends[1])), np.dtype("float32")
    elif kind.itemsize == 2:
        compute = np.dtype("float32")
    with np.errstate(all="ignore"):
        if kind.kind == "c":
            # exponents are rounded twice; a power that is alone is computed with all digits
            compute = kind if count > 1 else np.dtype("complex128")
            exponents = divided(ends, count, compute, lambda factor, places, base: factor * places + base)
            array = np.power(compute.type(base), exponents).astype(kind)
        else:
            array = cast(np.power(compute.type(base), between(ends, count, compute)), kind)
    return finish_into(shaped(array, out), out, dtype, device, layout, pin_memory, requires_grad)


def read_ends(
    function: str, start: Any, end: Any, steps: Any, dtype: dtypes.dtype | None, out: Tensor | None
) -> tuple[tuple, int, np.dtype]:
    """Both ends as numbers, the number of steps, and the NumPy dtype of the result."""
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, Tensor) and value.ndim:
            raise RuntimeError(
                f"{function} only supports 0-dimensional start and end tensors, but got {name} with "
                f"{value.ndim} dimension(s)."
            )
    ends = (number(start, function, "start", 1), number(end, function, "end", 2))
    count = integer(steps, function, "steps", 3)
    if count < 0:
        raise RuntimeError(f"number of steps must be non-negative, got {count}")
    is_complex = any(isinstance(each, complex) for each in ends)
    kind = numpy_dtype(dtype, out)
    if is_complex and kind.kind != "c":
        if dtype is not None:
            raise RuntimeError(
                f"torch.{function}(): inferred dtype {dtypes.promote_parts(dtypes.default)!r} can't be safely cast "
                f"to passed dtype {dtypes.checked(dtype)!r}"
            )
        if out is None:
            kind = dtypes.promote_parts(dtypes.default).numpy
    refuse_kind(f"{function}_cpu", kind, "b")
    return ends, count, kind


def between(ends: tuple, count: int, kind: np.dtype) -> np.ndarray:
    """Evenly spaced numbers; those of complex ends are so in each part by itself."""
    if kind.kind == "c":
        made, numbers = np.empty(count, kind), [complex(each) for each in ends]
        made.real = divided(tuple([each.real for each in numbers]), count, made.real.dtype, rounded_once)
        made.imag = divided(tuple([each.imag for each in numbers]), count, made.imag.dtype, rounded_once)
        return made
    return divided(ends, count, kind, rounded_once)


def divided(ends: tuple, count: int, kind: np.dtype, placed: Callable) -> np.ndarray:
    """Evenly spaced numbers, the first half counted from the start and the second from the end."""
    compute = np.dtype("float64") if kind.kind in "iu" else kind
    if kind.kind in "iu":
        ends = (int(ends[0]), int(ends[1]))
    first, last = compute.type(ends[0]), compute.type(ends[1])
    if count < 2:
        return cast(np.full(count, first), kind)
    with np.errstate(all="ignore"):
        step = (last - first) / compute.type(count - 1)
        places = counted(count).astype(compute)
        half = count // 2
        made = np.empty(count, compute)
        made[:half] = placed(step, places[:half], first)
        made[half:] = placed(-step, places[: count - half][::-1], last)
    return cast(made, kind)


def rounded_once(factor: Any, places: np.ndarray, base: Any) -> np.ndarray:
    """`factor * places + base` with one rounding at the end, as a processor's fused instruction gives it."""
    if places.dtype == np.float32:
        # a product of two float32 has room in a float64
        return places.astype(np.float64) * np.float64(factor) + np.float64(base)
    product = places * factor
    if places.dtype != np.float64:
        return product + base
    # what the product lost: the factor in two halves, whose products with whole numbers below 2^26 are exact
    high = factor * SPLIT
    high -= high - factor
    lost = (places * high - product) + places * (factor - high)
    whole = product + base
    back = whole - product
    left = (product - (whole - back)) + (base - back)
    # an end that is infinite has no such parts
    return np.where(np.isfinite(whole), whole + (left + lost), whole)


@overridable
@shortcut
def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the lower triangle of a (row, col) matrix, shape (2, N).

    >>> rows, columns = torch.tril_indices(3, 3)
    >>> torch.arange(9).reshape(3, 3)[rows, columns]
    tensor([0, 3, 4, 6, 7, 8])
    """
    array = triangle("tril_indices", row, col, dtype, lambda rows, columns: columns - rows <= offset)
    return finish_into(array, None, dtype, device, layout, pin_memory, False)


@overridable
@shortcut
def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Rows and columns of the upper triangle of a (row, col) matrix, shape (2, N).

    >>> torch.triu_indices(3, 3, offset=1)
    tensor([[0, 0, 1],
            [1, 2, 2]])
    """
    array = triangle("triu_indices", row, col, dtype, lambda rows, columns: columns - rows >= offset)
    return finish_into(array, None, dtype, device, layout, pin_memory, False)


def triangle(function: str, row: int, col: int, dtype: dtypes.dtype | None, inside: Any) -> np.ndarray:
    row, col = integer(row, function, "row", 1), integer(col, function, "col", 2)
    for name, value in (("row", row), ("col", col)):
        if value < 0:
            raise RuntimeError(f"{name} must be non-negative, got {value}")
    kind = numpy_dtype(dtypes.int64 if dtype is None else dtype)
    refuse_kind(function, kind, "bfc")
    try:
        found = inside(counted(row)[:, None], counted(col)).nonzero()
        return np.array(found).astype(kind)
    except MemoryError as error:
        raise no_room(wanted_bytes(error), f"for the places of a triangle of {row} x {col}") from None
