"""Conversion: a tensor in another dtype or memory order; the gradient goes back in the input's own."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from rushlight.core.memory.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    empty_like_array,
    memory_format,
    preserve_format,
)
from rushlight.core.memory.meta import Meta, bare, like, no_data
from rushlight.core.memory.strides import is_fresh
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.object.tensor import Tensor, method
from rushlight.core.settings.device import CPU, check_device, device, is_meta
from rushlight.errors.warning import warn
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.transforms.words import COPIED


@op(dtype=SAME, batch=COPIED, linear=True, name="_to_copy", node="ToCopyBackward0", samples=None)
def to_copy(input, kind: np.dtype, form: memory_format = None):
    """A copy in a NumPy dtype and a memory format; None preserves the input's order."""
    if form is None and is_fresh(input):
        return cast(input, kind) if input.dtype != kind else input.copy()
    made = empty_like_array(input, kind, form)
    made[...] = cast(input, kind)
    return made


# the engine brings the gradient back to the input's dtype
to_copy.gradient(input=lambda grad: grad)


@method
def to(
    self: Tensor,
    *args: Any,
    device: Any = None,
    dtype: dtypes.dtype | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """The tensor with another dtype, device or memory format: itself where nothing changes.

    >>> torch.ones(2).to(torch.int64)
    tensor([1, 1])

    Takes `to(dtype)`, `to(device, dtype)` and `to(other)`, each followed by `non_blocking` and `copy`.
    """
    if args:
        found_device, found_dtype, rest = read_target(args)
        device, dtype = found_device or device, found_dtype or dtype
        copy = rest[1] if len(rest) > 1 else copy
    if device is not None:
        check_device(device)
        if is_meta(device) is not (builtins.type(self._array) is Meta):
            return moved(self, device, dtype, memory_format)
    kind = self._array.dtype if dtype is None else dtypes.checked(dtype).numpy
    return converted(self, kind, memory_format, copy)


@op(dtype=SAME, batch=COPIED, linear=True, name="_moved", node="ToCopyBackward0", samples=None)
def forgotten(input, kind: np.dtype, form: memory_format = None):
    """The input's shape and order in a NumPy dtype, without memory."""
    return bare(empty_like_array(like(input), kind, form))


forgotten.gradient(input=lambda grad: grad.new_zeros(grad.shape, device=CPU))


def moved(self: Tensor, place: Any, dtype: dtypes.dtype | None, form: memory_format | None) -> Tensor:
    """The tensor on the device 'meta'; nothing comes back from there."""
    if not is_meta(place):
        raise no_data()
    made = forgotten(self, self._array.dtype if dtype is None else dtypes.checked(dtype).numpy, form)
    made._array = made._array.view(Meta)
    return made


def read_target(args: tuple) -> tuple[Any, dtypes.dtype | None, tuple]:
    """Positional arguments of `to`: (device, dtype, what follows)."""
    first, rest = args[0], args[1:]
    if isinstance(first, Tensor):
        found = (first.device, first.dtype, rest)
    elif isinstance(first, (dtypes.dtype, builtins.type)):
        found = (None, dtypes.checked(first), rest)
    elif first is None or isinstance(first, (str, int, device)):
        found = (first, rest[0] if rest else None, rest[1:])
    else:
        raise wrong_arguments(args)
    if found[1] is not None and not isinstance(found[1], (dtypes.dtype, builtins.type)):
        raise wrong_arguments(args)
    if len(found[2]) > 2 or any(not isinstance(each, bool) for each in found[2]):
        raise wrong_arguments(args)
    return found


def wrong_arguments(args: tuple) -> TypeError:
    given = ", ".join(builtins.type(each).__name__ for each in args)
    return TypeError(
        f"to() received an invalid combination of arguments - got ({given}), but expected a dtype, a device, "
        "a device and a dtype, or another tensor, then non_blocking and copy"
    )


def lies_in(self: Tensor, form: memory_format) -> bool:
    """Whether `to` leaves the memory format alone: to torch, what is not channels-last is contiguous enough."""
    if form is not contiguous_format or self._array.ndim not in (4, 5):
        return form is contiguous_format or self.is_contiguous(memory_format=form)
    last = channels_last if self._array.ndim == 4 else channels_last_3d
    return self.is_contiguous() or not self.is_contiguous(memory_format=last)


def converted(self: Tensor, kind: np.dtype, form: memory_format | None = None, copy: bool = False) -> Tensor:
    """The tensor in a NumPy dtype and memory format; itself if it is so already and no copy is asked for."""
    if form is preserve_format:
        form = None
    array = self._array
    if copy or array.dtype != kind or (form is not None and not lies_in(self, form)):
        if array.dtype.kind == "c" and kind.kind not in "cb":
            warn("Casting complex values to real discards the imaginary part")
        made = to_copy(self, kind, form)
        if made._cut is not None and made._cut[0] == "_to_copy":
            made._cut = ("to", made._cut[1])
        return made
    return self


@method
def type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Tensor | str:
    """The name of the tensor's type, or the tensor converted to another one.

    >>> torch.zeros(2).type()
    'torch.FloatTensor'
    >>> torch.zeros(2).type(torch.int64)
    tensor([0, 0])
    """
    if dtype is None:
        return f"torch.{'meta.' if self.is_meta else ''}{self.dtype.scalar}Tensor"
    return converted(self, named_dtype(dtype).numpy)


def named_dtype(given: Any) -> dtypes.dtype:
    """A dtype, or what `type` takes for one: `torch.LongTensor` or its name."""
    if isinstance(given, dtypes.dtype):
        return given
    if given is Tensor:
        return dtypes.default
    found = getattr(given, "dtype", None)
    if isinstance(found, dtypes.dtype):
        return found
    if isinstance(given, str):
        for each in dtypes.ALL:
            if given == f"torch.{each.scalar}Tensor":
                return each
        if given == "torch.Tensor":
            return dtypes.default
    if not isinstance(given, (str, builtins.type)):
        raise TypeError(f"dtype must be a type, str, or dtype object, not {builtins.type(given).__name__}")
    raise ValueError(f"invalid type: '{given if isinstance(given, str) else given.__name__}'")


@method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another one.

    >>> torch.tensor([1.7, -1.7]).type_as(torch.tensor([0]))
    tensor([ 1, -1])
    """
    if not isinstance(other, Tensor):
        name = builtins.type(other).__name__
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {name}")
    return converted(self, other._array.dtype)


@method
def cpu(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """The tensor itself, if it has memory: that is the CPU's.

    >>> x = torch.zeros(2)
    >>> x.cpu() is x
    True
    """
    return self.to(CPU, memory_format=memory_format)


@method
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Refused: Rushlight runs on the CPU."""
    check_device("cuda")
    raise AssertionError


def conversion(name: str, kind: dtypes.dtype, example: str, shown: str) -> None:
    """A method such as `float()`."""

    def convert(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
        return converted(self, kind.numpy, memory_format)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"The tensor as `{kind.name}`.\n\n    >>> {example}\n    {shown}\n"
    method(convert)


# method: dtype, a call of it, and what that shows
CONVERSIONS = {
    "float": (dtypes.float32, "torch.tensor([1, 2]).float()", "tensor([1., 2.])"),
    "double": (dtypes.float64, "torch.tensor([0.5]).double()", "tensor([0.5000], dtype=torch.float64)"),
    "half": (dtypes.float16, "torch.tensor([1.0, 1e6]).half()", "tensor([1., inf], dtype=torch.float16)"),
    "bfloat16": (dtypes.bfloat16, "torch.tensor([1.2345]).bfloat16()", "tensor([1.2344], dtype=torch.bfloat16)"),
    "int": (dtypes.int32, "torch.tensor([2.7, -2.7]).int()", "tensor([ 2, -2], dtype=torch.int32)"),
    "long": (dtypes.int64, "torch.tensor([2.7, -2.7]).long()", "tensor([ 2, -2])"),
    "short": (dtypes.int16, "torch.tensor([1, 70000]).short()", "tensor([   1, 4464], dtype=torch.int16)"),
    "char": (dtypes.int8, "torch.tensor([1, 200]).char()", "tensor([  1, -56], dtype=torch.int8)"),
    "byte": (dtypes.uint8, "torch.tensor([1, 257]).byte()", "tensor([1, 1], dtype=torch.uint8)"),
    "bool": (dtypes.bool_, "torch.tensor([0.0, 0.5]).bool()", "tensor([False,  True])"),
    "cfloat": (dtypes.complex64, "torch.tensor([1.0]).cfloat()", "tensor([1.+0.j])"),
    "cdouble": (dtypes.complex128, "torch.tensor([1.0]).cdouble()", "tensor([1.+0.j], dtype=torch.complex128)"),
}
for _name, _conversion in CONVERSIONS.items():
    conversion(_name, *_conversion)
