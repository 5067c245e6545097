"""Likeness: filled tensors that take their dtype, or their shape too, from another tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.filled import converted, empty_strided, full
from rushlight.core.creation.options import allocate, finish_into, number, numpy_dtype, ones_array, size_from
from rushlight.core.memory import meta
from rushlight.core.memory.layout import empty_like_array, memory_format
from rushlight.core.memory.layout import layout as Layout
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, method
from rushlight.core.settings.device import is_meta
from rushlight.core.surface.overriding import overridable
from rushlight.native import shortcut

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]


@overridable
@shortcut
def zeros_like(
    input: Tensor,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Zeros in the shape and dtype of `input`.

    >>> torch.zeros_like(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[0., 0.],
            [0., 0.]])
    """
    array = array_like("zeros_like", input, dtype, memory_format, device)
    array.fill(0)
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(input, made)


@overridable
@shortcut
def ones_like(
    input: Tensor,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Ones in the shape and dtype of `input`.

    >>> torch.ones_like(torch.tensor([5, 6])), torch.ones_like(torch.tensor([0.5, 0.25]))
    (tensor([1, 1]), tensor([1., 1.]))
    """
    array = array_like("ones_like", input, dtype, memory_format, device)
    array.fill(1)
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(input, made)


@overridable
@shortcut
def empty_like(
    input: Tensor,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Uninitialised elements in the shape and dtype of `input`.

    >>> x = torch.empty_like(torch.ones(2, 3, dtype=torch.int64))
    >>> x.shape, x.dtype
    (torch.Size([2, 3]), torch.int64)
    """
    array = array_like("empty_like", input, dtype, memory_format, device)
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(input, made)


@overridable
@shortcut
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """One number in the shape and dtype of `input`.

    >>> torch.full_like(torch.tensor([[1, 2], [3, 4]]), 9)
    tensor([[9, 9],
            [9, 9]])
    """
    array = array_like("full_like", input, dtype, memory_format, device)
    array[...] = converted(number(fill_value, "full_like", "fill_value", 2), array.dtype, single=array.size == 1)
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(input, made)


def array_like(
    function: str, input: Tensor, dtype: dtypes.dtype | None, form: memory_format | None, device: Any = None
) -> np.ndarray:
    """Fresh memory in the input's shape; its dtype and memory format unless others are given."""
    if not isinstance(input, Tensor):
        module = "numpy." if isinstance(input, np.ndarray) else ""
        raise TypeError(
            f"{function}(): argument 'input' (position 1) must be Tensor, not {module}{type(input).__name__}"
        )
    kind = None if dtype is None else dtypes.checked(dtype).numpy
    make = lambda shape, kind: empty_like_array(plain_array(input), kind, form)
    if is_meta(near(input, device)):
        make = lambda shape, kind: empty_like_array(meta.like(input._array), kind, form)
    return allocate(make, input._array.shape, input._array.dtype if kind is None else kind)


def plain_array(tensor: Tensor) -> np.ndarray:
    """A tensor's array, for its shape, strides and dtype alone."""
    array = tensor._array
    return array.view(np.ndarray) if type(array) is Lifted else meta.bare(array)


def made_like(input: Any, found: Tensor) -> Tensor:
    """What was made like a tensor, in its level."""
    array = getattr(input, "_array", None)
    if type(array) is not Lifted or not array.level.alive:
        return found
    while type(found._array) is Lifted:
        found = found._array.inner
    return array.level.fresh(made_like(array.inner, found))


def near(tensor: Tensor, device: Any) -> Any:
    """The device that was asked for, or else the tensor's own."""
    return tensor.device if device is None else device


@method
@overridable
@shortcut
def new_zeros(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Zeros of the tensor's dtype.

    >>> torch.tensor([True]).new_zeros(2, 2)
    tensor([[False, False],
            [False, False]])
    """
    kind = self._array.dtype if dtype is None else numpy_dtype(dtype)
    array = allocate(np.zeros, size_from(sizes, size, "new_zeros"), kind, near(self, device))
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(self, made)


@method
@overridable
@shortcut
def new_ones(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Ones of the tensor's dtype.

    >>> torch.tensor([3]).new_ones(2)
    tensor([1, 1])
    """
    kind = self._array.dtype if dtype is None else numpy_dtype(dtype)
    array = allocate(ones_array, size_from(sizes, size, "new_ones"), kind, near(self, device))
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(self, made)


@method
@overridable
@shortcut
def new_empty(
    self: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements of the tensor's dtype.

    >>> torch.tensor([1.0]).new_empty((2, 3)).shape
    torch.Size([2, 3])
    """
    kind = self._array.dtype if dtype is None else numpy_dtype(dtype)
    array = allocate(np.empty, size_from(sizes, size, "new_empty"), kind, near(self, device))
    made = finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)
    return made_like(self, made)


@method
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """One number, in the tensor's dtype.

    >>> torch.tensor([1.0]).new_full((3,), 7)
    tensor([7., 7., 7.])
    """
    made = full(
        size,
        fill_value,
        dtype=self.dtype if dtype is None else dtype,
        layout=layout,
        device=near(self, device),
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    return made_like(self, made)


@method
def new_empty_strided(
    self: Tensor,
    size: Any,
    stride: Any,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements of the tensor's dtype with the given strides, counted in elements.

    >>> torch.tensor([1.0]).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    made = empty_strided(
        size,
        stride,
        dtype=self.dtype if dtype is None else dtype,
        layout=layout,
        device=near(self, device),
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    return made_like(self, made)
