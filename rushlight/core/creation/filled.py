"""Filled tensors: zeros, ones, one number or nothing in particular, in a given shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.options import (
    allocate,
    checked_size,
    finish_into,
    integer,
    number,
    numpy_dtype,
    ones_array,
    size_from,
)
from rushlight.core.memory.layout import (
    contiguous_format,
    empty_in_format,
    memory_format,
)
from rushlight.core.memory.layout import layout as Layout
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.numbers.promotion import of_number
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import overridable
from rushlight.errors.explained import KERNEL, explained
from rushlight.native import shortcut

# as torch's messages name them
C_NAMES = {
    "int32": "int", "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip

__all__ = [
    "empty",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "ones",
    "scalar_tensor",
    "zeros",
]


@overridable
@shortcut
def zeros(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of zeros.

    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    array = allocate(np.zeros, size_from(sizes, size, "zeros"), numpy_dtype(dtype, out), device)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
@shortcut
def ones(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of ones.

    >>> torch.ones(3)
    tensor([1., 1., 1.])
    """
    array = allocate(ones_array, size_from(sizes, size, "ones"), numpy_dtype(dtype, out), device)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
@shortcut
def empty(
    *sizes: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """A tensor whose elements are whatever its memory held.

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """
    shape, kind = size_from(sizes, size, "empty"), numpy_dtype(dtype, out)
    if memory_format is None or memory_format is contiguous_format:
        array = allocate(np.empty, shape, kind, device)
    else:
        array = empty_in_format(shape, kind, memory_format)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
@shortcut
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor in which every element is `fill_value`, whose kind decides the dtype if none is given.

    >>> torch.full((2,), 3)
    tensor([3, 3])
    """
    value = number(fill_value, "full", "fill_value", 2)
    if dtype is None and out is None:
        dtype = of_number(value)
    array = allocate(np.empty, checked_size(size, "full"), numpy_dtype(dtype, out), device)
    array[...] = converted(value, array.dtype, single=array.size == 1)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


def converted(value: Any, kind: np.dtype, single: bool = False) -> np.ndarray:
    """A Python number as an array of this dtype; torch's RuntimeError if it does not fit."""
    target = dtypes.from_numpy(kind)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise OverflowError(f"int too big to convert: {value} is beyond int64")
    if single and kind in dtypes.HALF and isinstance(value, (int, float)):
        # one element alone becomes infinite in half precision, where several are refused
        return cast(np.array(float(value)), kind)
    if not dtypes.fits(value, target):
        raise does_not_hold(value, target)
    return cast(np.array(value), kind)


def does_not_hold(value: Any, target: dtypes.dtype) -> RuntimeError:
    """The error of a number that a dtype does not hold."""
    shown = C_NAMES.get(target.name) or f"{target.name}_t"
    words = f"value cannot be converted to type {shown} without overflow: {value} is beyond torch.{target.name}"
    return explained(RuntimeError, words, stage=KERNEL)


@overridable
@shortcut
def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere.

    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    rows = integer(n, "eye", "n", 1)
    columns = rows if m is None else integer(m, "eye", "m", 2)
    for name, size in (("n", rows), ("m", columns)):
        if size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    array = allocate(np.zeros, (rows, columns), numpy_dtype(dtype, out), device)
    array.reshape(-1)[: rows * columns : columns + 1][: min(rows, columns)] = 1
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
def scalar_tensor(
    s: Any,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """A number as a tensor without dimensions, of the default dtype.

    >>> torch.scalar_tensor(3), torch.tensor(3)
    (tensor(3.), tensor(3))
    """
    array = converted(number(s, "scalar_tensor", "s", 1), numpy_dtype(dtype), single=True)
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


@overridable
def empty_strided(
    size: Any,
    stride: Any,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements with the given strides, counted in elements.

    >>> x = torch.empty_strided((2, 3), (1, 2))
    >>> x.shape, x.stride()
    (torch.Size([2, 3]), (1, 2))
    """
    from rushlight.core.memory.strides import strided

    shape, steps = checked_size(size, "empty_strided"), tuple(stride)
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    if min(steps, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(steps)}: "
            "strides cannot be negative"
        )
    extent = 1 + sum((each - 1) * step for each, step in zip(shape, steps, strict=True)) if 0 not in shape else 0
    memory = allocate(np.empty, (extent,), numpy_dtype(dtype), device)
    return finish_into(strided(memory, shape, steps, 0), None, dtype, device, layout, pin_memory, requires_grad)


@overridable
def empty_permuted(
    size: Any,
    physical_layout: Any,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements whose dimensions stand in memory in the given order.

    >>> torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride()
    (12, 1, 3)
    """
    shape, order = checked_size(size, "empty_permuted"), tuple(physical_layout)
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for place, dim in enumerate(order):
        if not 0 <= dim < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {dim} at index "
                f"{place})."
            )
    if len(set(order)) != len(order):
        raise RuntimeError(f"Duplicate dim not allowed: physical_layout is {list(order)}")
    memory = allocate(np.empty, tuple(shape[dim] for dim in order), numpy_dtype(dtype), device)
    array = memory.transpose(np.argsort(order))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
