"""Orders: how Fourier transforms leave the dimensions of their results in memory.

torch's library runs over lines that lie side by side: the transformed dimensions end up fastest, the last one first,
and the others keep their order. Several transforms in a row each leave their own order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.memory.layout import packed_strides
from rushlight.core.memory.strides import contiguous_strides, strides_of
from rushlight.ops.fourier.points import on_grid, on_line
from rushlight.ops.machine.layouts import restrided

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

Strides = tuple[int, ...]


def TRANSFORMED(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order that the transforms of torch's library leave."""
    name, input = op.name.rpartition(".")[2], arrays[0]
    if type(arrays[2]) is int and arrays[2] in (-1, input.ndim - 1) and is_plain(input) and is_plain(result):
        # one line after another, as they were
        return result
    kind, half = name.rstrip("2n"), name.startswith(("irfft", "hfft"))
    if "n" in op.positions:
        points, dim = on_line(name, input.shape, arrays[1], arrays[2], half)
        dims, sizes = [dim], [points]
    else:
        dims, sizes = on_grid(input.shape, arrays[1], arrays[2], half)
    if not dims:
        return result if result.flags.c_contiguous else result.copy()
    from_real = input.dtype.kind != "c" and (kind in ("rfft", "ihfft") or name in ("fft", "ifft"))
    given = given_strides(input, dims, sizes, half, input.dtype.kind != "c" and not from_real)
    return restrided(result, order_of("rfft" if from_real and kind != "ihfft" else kind, given, result.shape, dims))


def is_plain(array: np.ndarray) -> bool:
    """In C order, whichever of its dimensions one looks at."""
    return array.flags.c_contiguous and 1 not in array.shape


def given_strides(input: np.ndarray, dims: list[int], sizes: list[int], half: bool, makes_complex: bool) -> Strides:
    """Those of the input after it was cut, which is a view, or padded, which is a contiguous copy."""
    wanted = list(sizes)
    if half:
        wanted[-1] = wanted[-1] // 2 + 1
    shape = list(input.shape)
    padded = False
    for dim, size in zip(dims, wanted, strict=True):
        padded = padded or size > shape[dim]
        shape[dim] = size
    if padded:
        return contiguous_strides(tuple(shape))
    # real numbers that are made complex first are packed
    return packed_strides(tuple(shape), [strides_of(input)]) if makes_complex else strides_of(input)


def order_of(kind: str, strides: Strides, shape: tuple, dims: list[int]) -> Strides:
    """The strides of the result of one transform."""
    if kind in ("irfft", "hfft"):
        return after(complex_order(strides, shape, dims[:-1]), shape, dims[-1:])
    if kind == "ihfft":
        return complex_order(after(strides, shape, dims[-1:]), shape, dims[:-1])
    if kind == "rfft":
        return after(strides, shape, [*by_strides(dims[:-1], strides), dims[-1]])
    return complex_order(strides, shape, dims)


def complex_order(strides: Strides, shape: tuple, dims: list[int]) -> Strides:
    """A transform between complex numbers: its dimensions in the order they had."""
    return after(strides, shape, by_strides(dims, strides)) if dims else strides


def after(strides: Strides, shape: tuple, dims: list[int]) -> Strides:
    """Dense strides: the other dimensions in their order, then the transformed ones in the given order."""
    others = by_strides([dim for dim in range(len(shape)) if dim not in dims], strides)
    found, step = [0] * len(shape), 1
    for dim in reversed(others + dims):
        found[dim] = step
        step *= shape[dim]
    return tuple(found)


def by_strides(dims: list[int], strides: Strides) -> list[int]:
    """Dimensions from the slowest to the fastest."""
    return sorted(dims, key=lambda dim: -strides[dim])
