"""Copying: elements brought into fresh memory or written over what a tensor holds."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.creation.filled import converted
from rushlight.core.creation.options import number
from rushlight.core.memory.layout import contiguous_format, empty_like_array
from rushlight.core.memory.layout import memory_format as memory_format_type
from rushlight.core.memory.strides import is_fresh, strides_of
from rushlight.core.numbers.casting import cast
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor, method, wrap
from rushlight.native import extension
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.inplace import (
    before_write,
    call_inplace,
    check_inference,
    check_target,
    make_writable,
    record_write,
    refuse_captured,
    written,
)
from rushlight.ops.machine.layouts import KEPT
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import VALUED
from rushlight.ops.machine.transforms.words import COPIED, OVERWRITTEN, PLAIN

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def function_and_method(function):
    """Make an in-place function a method of Tensor and a name of torch, as `torch.zero_`."""
    NAMESPACES[""][function.__name__] = function
    return method(function)


@op(
    dtype=SAME,
    batch=COPIED,
    linear=True,
    layout=KEPT,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(4, 3).T),
            case(make.floats(3, 4, 5)[:, ::2]),
            case(make.floats()),
            case(make.floats(0, 3)),
            case(make.ints(3)),
            case(make.bools(3)),
            case(make.complexes(3)),
            case(make.floats(4, 3).T, memory_format=contiguous_format),
        ]
    ),
)
def clone(input, *, memory_format=None):
    """A copy in memory of its own, which keeps the history.

    >>> x = torch.zeros(2)
    >>> y = x.clone().add_(1)
    >>> x, y
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if memory_format is None and is_fresh(input):
        return input.copy()
    found = empty_like_array(input, None, memory_format)
    found[...] = input
    return found


clone.gradient(input=lambda grad: grad)


@method
def contiguous(self: Tensor, memory_format: memory_format_type = contiguous_format) -> Tensor:
    """The tensor itself if its elements stand in memory in the order of their indices, else such a copy."""
    return self if is_contiguous(self, memory_format) else clone(self, memory_format=memory_format)


@method
def is_contiguous(self: Tensor, memory_format: memory_format_type = contiguous_format) -> bool:
    """Whether the elements stand in memory in the order of their indices, or in another format's."""
    if memory_format is contiguous_format:
        return self._array.flags.c_contiguous
    if not isinstance(memory_format, memory_format_type):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(memory_format).__name__}")
    if self._array.ndim != (4 if memory_format.name == "channels_last" else 5):
        return False
    strides, expected = strides_of(self._array), 1
    # channels first, then the last dimension to the third; an empty tensor has to have the strides too
    for dim in (1, *range(self._array.ndim - 1, 1, -1), 0):
        size = self._array.shape[dim]
        if size != 1 and strides[dim] != expected:
            return False
        expected *= size
    return True


@op(dtype=SAME, batch=OVERWRITTEN, name="_copy", node="CopyBackwards", inplace=True, samples=None)
def copied(input, src):
    """What `src` becomes in the input's place."""
    if src.shape != input.shape:
        np.broadcast_shapes(input.shape, src.shape)
    return cast(src, input.dtype)


copied.gradient(input=lambda grad: grad.new_zeros(grad.shape), src=lambda grad: grad)


@op(dtype=SAME, batch=OVERWRITTEN, name="_copy_itself", node="CopyBackwards", inplace=True, samples=None)
def copied_itself(input, src):
    """`copied`, where both are the same elements: nothing moves, so that they may share places in memory."""
    return input


copied_itself.gradient(input=lambda grad: grad.new_zeros(grad.shape), src=lambda grad: grad)
if extension is not None:
    # the native method `copy_` runs it
    extension.adopt("_copy_", copied.op.inplace)


@method
def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Write the elements of `src` over its own; differentiable in `src`."""
    if isinstance(src, (bool, int, float, complex)):
        src = wrap(np.array(src))
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if src is self and not self.requires_grad:
        written(self)  # nothing moves, also where elements share a place
        return self
    if src._array.dtype.kind == "c" and self._array.dtype.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
    same = 0 in self._array.strides and is_itself(self, src)
    return call_inplace(copied_itself.op if same else copied.op, (self, src))


def is_itself(target: Tensor, source: Tensor) -> bool:
    """Whether two tensors are the same elements of the same memory."""
    one, two = target._array, source._array
    return (
        type(one) is type(two)
        and one.__array_interface__["data"] == two.__array_interface__["data"]
        and (one.dtype, one.shape, one.strides) == (two.dtype, two.shape, two.strides)
    )


def filled(input, value):
    """An array like the input with one value everywhere.

    >>> torch.fill(torch.zeros(2, 3), 7)
    tensor([[7., 7., 7.],
            [7., 7., 7.]])
    """
    if getattr(value, "ndim", 0):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    found = empty_like_array(input)
    write_everywhere(found, convertible(value, input.dtype))
    return found


def write_everywhere(array: np.ndarray, value: Any) -> None:
    """Write one number over every element; those of half precision as bits, for which NumPy has quick loops."""
    if array.itemsize == 2 and array.dtype in HALF and array.size > 1:
        single = np.empty((), array.dtype)
        single[...] = value
        array, value = array.view(np.int16), single.view(np.int16)
    array.fill(value)


def convertible(value: Any, kind: np.dtype) -> np.ndarray:
    """A number or an array in another dtype; a RuntimeError if the number does not fit."""
    return cast(value, kind) if isinstance(value, np.ndarray) else converted(value, kind)


fill = op(
    dtype=SAME,
    batch=VALUED,
    layout=KEPT,
    name="fill",
    method=False,
    node=lambda value: "FillBackward1" if isinstance(value, Tensor) else "FillBackward0",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 2),
            case(make.floats(4, 3).T, 1.5),
            case(make.floats(3), make.floats()),
            case(make.ints(3), 2.7),
            case(make.bools(3), 2),
            case(make.floats(0, 3), 1),
            case(make.floats(3), make.floats(3)),
            case(make.ints(3, dtype="int8"), 300),
        ]
    ),
)(filled)
fill_memory = op(
    dtype=SAME,
    batch=VALUED,
    name="_fill",
    node=lambda value: "FillBackward3" if isinstance(value, Tensor) else "FillBackward2",
    samples=None,
)(filled)

for each in (fill, fill_memory):
    each.gradient(input=lambda grad: grad.new_zeros(grad.shape), value=lambda grad: grad.sum())


@op(dtype=SAME, batch=PLAIN, name="_zero", node="ZeroBackward0", samples=None)
def zeroed(input):
    return np.zeros(input.shape, input.dtype)


zeroed.gradient(input=lambda grad: grad.new_zeros(grad.shape))


@function_and_method
def fill_(input: Tensor, value: Any) -> Tensor:
    """Write one value over every element.

    >>> torch.zeros(2, 2).fill_(3)
    tensor([[3., 3.],
            [3., 3.]])
    """
    if isinstance(value, Tensor):
        return call_inplace(fill_memory.op, (input, value))
    return overwrite(input, number(value, "fill_", "value", 1), fill_memory.op, (input, value))


@function_and_method
def zero_(input: Tensor) -> Tensor:
    """Write 0 over every element.

    >>> x = torch.ones(4)
    >>> _ = x[:2].zero_()
    >>> x
    tensor([0., 0., 1., 1.])
    """
    return overwrite(input, 0, zeroed.op, (input,))


def overwrite(target: Tensor, value: Any, op: Op, arguments: tuple) -> Tensor:
    """Write a number over every element, also where several share a place in memory."""
    if state.levels:
        refuse_captured(target, op.name)
    array = target._array
    recording = state.grad and target.requires_grad
    if recording:
        check_target(target)
        before = before_write(target, arguments, keeps_input=False)
    if target._inference:
        check_inference(target)
    if value:
        value = converted(value, array.dtype, array.size == 1)
    if not array.flags.writeable:
        make_writable(array)
    write_everywhere(array, value)
    written(target)
    if recording:
        record_write(op, op.plan(1), before, target)
    return target
