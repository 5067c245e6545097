"""Rebinding: in-place changes of a tensor's sizes and strides; its elements stay where they are in memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.creation.creation import is_storage
from rushlight.core.memory.deferred import alike, raw
from rushlight.core.memory.growth import give_shape, grow, memory_of
from rushlight.core.memory.layout import channels_last, channels_last_3d, channels_last_strides
from rushlight.core.memory.storage import continued
from rushlight.core.memory.strides import contiguous_strides, strided
from rushlight.core.object.tensor import Tensor, method, storage_of, wrap
from rushlight.ops.machine.call import run
from rushlight.ops.machine.calling import not_given
from rushlight.ops.machine.dims import plain_size
from rushlight.ops.machine.generate import sizes
from rushlight.ops.machine.inplace import check_inference, check_target, follow, refuse_captured, written
from rushlight.ops.machine.transforms.level import is_lifted
from rushlight.ops.machine.transforms.lifting import become
from rushlight.ops.shape.copying import function_and_method
from rushlight.ops.shape.shape import squeeze, unsqueeze
from rushlight.ops.shape.strided import reach, strided_view
from rushlight.ops.shape.transposing import t, transpose


def rebind(tensor: Tensor, view: Any, arguments: tuple, node: str) -> Tensor:
    """Make the tensor what a view op makes of it; the history goes through a node of that name."""
    if state.levels:
        refuse_captured(tensor, view.op.name)
    if is_lifted(tensor):
        return rebind_lifted(tensor, view, arguments)
    op, arguments = view.op, (tensor, *arguments)
    recording = state.grad and tensor.requires_grad
    if recording:
        check_target(tensor)
    storage = storage_of(tensor)
    found = run(op, arguments, [raw(tensor._array), *arguments[1:]])
    if tensor._inference:
        check_inference(tensor)
    if recording:
        kind = op.node_classes.get(node) or op.add_node_class(node)
        before, output = tensor._node, tensor._output
        tensor._node, tensor._output = kind(op.plan(1), arguments, (wrap(found),)), 0
        if tensor._retains:
            follow(tensor, before, output)
    tensor._array = alike(tensor._array, found)
    written(tensor)
    if recording:
        # its base is as it was: only this tensor looks at it in another way
        tensor._view_version = storage.version
    return tensor


def rebind_lifted(tensor: Tensor, view: Any, arguments: tuple) -> Tensor:
    """The same inside of a function transform; without recording the history stays."""
    history = tensor._node, tensor._output, tensor.requires_grad
    if state.grad and tensor.requires_grad:
        check_target(tensor)
    become(tensor, view(tensor, *arguments))
    if not state.grad:
        tensor._node, tensor._output, tensor._requires_grad = history
    return tensor


@method
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """Drop its dimensions of size 1, in place.

    >>> torch.zeros(1, 3, 1).squeeze_().shape
    torch.Size([3])
    """
    number = 3 if dim is None else 5 if isinstance(dim, (tuple, list)) else 4
    return rebind(self, squeeze, (dim,), f"SqueezeBackward{number}")


@method
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Put in a dimension of size 1, in place.

    >>> torch.zeros(3).unsqueeze_(0).shape
    torch.Size([1, 3])
    """
    return rebind(self, unsqueeze, (dim,), "UnsqueezeBackward1")


@method
def t_(self: Tensor) -> Tensor:
    """Transpose it, in place.

    >>> torch.tensor([[1, 2], [3, 4]]).t_()
    tensor([[1, 3],
            [2, 4]])
    """
    if self._array.ndim > 2:
        if state.grad and self.requires_grad:
            check_target(self)
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D: use mT")
    return rebind(self, t, (), "TBackward1")


@method
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions, in place.

    >>> torch.zeros(2, 3, 4).transpose_(0, 2).shape
    torch.Size([4, 3, 2])
    """
    return rebind(self, transpose, (dim0, dim1), "TransposeBackward1")


Tensor.swapaxes_ = Tensor.swapdims_ = transpose_


@method
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Give it other sizes, strides and another offset in its memory, in place.

    >>> torch.arange(4).as_strided_((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    offset = self.storage_offset() if storage_offset is None else storage_offset
    geometry = (plain_size(size), plain_size(stride), offset)
    return rebind(self, strided_view, (memory_of(self), geometry), "AsStridedBackward1")


def refuse_uncountable(shape: tuple[int, ...]) -> None:
    """Refuse sizes whose product, or strides, 64 bits do not count."""
    if math.prod(shape) >= 2**63:
        raise RuntimeError(
            f"numel: integer multiplication overflow: 64 bits do not count the elements of {list(shape)}"
        )
    if 0 in shape and math.prod([extent for extent in shape if extent]) >= 2**63:
        raise RuntimeError(f"Stride calculation overflowed: 64 bits do not count the strides of {list(shape)}")


@method
def resize_(self: Tensor, *size_: int, size: Any = None, memory_format: Any = None) -> Tensor:
    """Give it another size, in place: on the same memory if that is large enough, else on new memory.

    >>> torch.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if state.levels:
        refuse_captured(self, "resize")
    if self.requires_grad and not state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if not size_ and size is None:
        raise not_given("resize_", "size")
    shape = plain_size(sizes(size_, size))
    if any(extent < 0 for extent in shape):
        raise RuntimeError(f"numel: integer multiplication overflow: a size may not be negative, got {list(shape)}")
    refuse_uncountable(shape)
    if shape != self._array.shape:
        if self._inference:
            check_inference(self)
        give_shape(self, shape)
        written(self)
    if memory_format in (channels_last, channels_last_3d):
        strides = channels_last_strides(shape, memory_format)
        self._array = alike(self._array, strided(memory_of(self), shape, strides, self.storage_offset()))
    return self


@function_and_method
def resize_as_(self: Tensor, other: Tensor, *, memory_format: Any = None) -> Tensor:
    """Give it the size of another tensor, in place.

    >>> torch.arange(4).resize_as_(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return resize_(self, size=other._array.shape)


@method
def set_(
    self: Tensor, source: Tensor | None = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Let it look at another tensor's memory, in place; without a source, at none.

    >>> x, y = torch.zeros(2), torch.tensor([1.0, 2.0, 3.0])
    >>> x.set_(y).data_ptr() == y.data_ptr()
    True
    """
    if state.levels:
        refuse_captured(self, "set")
    if self._inference:
        check_inference(self)
    if state.grad and self._requires_grad:
        check_target(self)
    if source is None:
        written(self)
        self._array = np.empty(0, self._array.dtype)
        self._storage = continued(self._storage, self._array)
        return self
    if is_storage(source):
        written(self)
        return set_storage(self, source, storage_offset, size, stride)
    if not isinstance(source, Tensor):
        raise TypeError(
            f"set_() received an invalid combination of arguments - got ({type(source).__name__}), but expected a "
            "tensor or a storage"
        )
    if source._array.dtype != self._array.dtype:
        raise RuntimeError(
            f"Could not set tensor of type {source.dtype.scalar} to a tensor of type {self.dtype.scalar}"
        )
    written(self)
    if size is None:
        found = raw(source._array)
    else:
        shape = plain_size(size)
        strides = contiguous_strides(shape) if stride is None else plain_size(stride)
        grow(storage_of(source), storage_offset + reach(shape, strides))
        found = strided(memory_of(source), shape, strides, storage_offset)
    # over the source's memory, with a count of writes of its own
    self._storage = continued(self._storage, storage_of(source).array)
    self._array = alike(self._array, found)
    return self


def set_storage(self: Tensor, source: Any, offset: int, size: Any, stride: Any) -> Tensor:
    """Let it look at a storage, which grows if it is too small."""
    if getattr(source, "dtype", self.dtype) is not self.dtype:
        raise RuntimeError(
            f"Expected a Storage of type {self.dtype.scalar} or an UntypedStorage, but got type {source.dtype.scalar} "
            "for argument 1 'storage'"
        )
    memory, kind = source.untyped(), self._array.dtype
    shape = (max(memory.nbytes() // kind.itemsize - offset, 0),) if size is None else plain_size(size)
    strides = contiguous_strides(shape) if stride is None else plain_size(stride)
    needed = (offset + reach(shape, strides)) * kind.itemsize if math.prod(shape) else 0
    if needed > memory.nbytes():
        memory.resize_(needed)
    self._storage = continued(storage_of(self), memory._block)
    self._array = alike(self._array, strided(memory_of(self), shape, strides, offset))
    return self
