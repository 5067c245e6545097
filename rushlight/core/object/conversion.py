"""Conversion: from a tensor to Python numbers, lists and NumPy arrays, and the questions a tensor answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from rushlight.core.memory.deferred import CONJUGATE, flips_of, resolved
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta, no_data
from rushlight.core.object.tensor import Tensor, method, wrap
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import overridable
from rushlight.errors.breaks import numbers_decide
from rushlight.errors.explained import MISUSE, explained
from rushlight.errors.location import ours, user_line
from rushlight.errors.lost import array_left, list_left, number_left
from rushlight.errors.warning import first_time, warn

__all__ = ["is_complex", "is_floating_point", "is_nonzero", "is_signed", "is_tensor", "numel", "typename"]


def native(array: np.ndarray) -> np.ndarray:
    """An array whose elements NumPy turns into Python numbers: bfloat16 becomes float32."""
    return array.astype(np.float32) if array.dtype.isbuiltin == 2 else array


@method
def item(self: Tensor) -> Any:
    """The only element, as a Python number.

    >>> torch.tensor([2.5]).item()
    2.5
    """
    array = self._array
    # a transform has its own words for the sample that a lifted array stands for
    if array.size != 1 and (type(array) is not Lifted or array.level is None):
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    value = native(array).item()
    if self.requires_grad:
        number_left(value)
    return value


@method
def tolist(self: Tensor) -> Any:
    """The elements in nested lists; a number if there are no dimensions."""
    if type(self._array) is Meta:
        raise no_data()
    values = native(self._array).tolist()
    if self.requires_grad:
        list_left(values)
    return values


@method
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """An array on the tensor's memory; with `force=True` or under `no_grad` also for a tensor that requires grad."""
    if self.requires_grad and state.grad and not force:
        raise numpy_error()
    if self._array.dtype.isbuiltin == 2:
        raise TypeError(f"Got unsupported ScalarType {self.dtype.scalar}: convert it first, with .float()")
    array = exported(self, force).view()
    if self.requires_grad:
        array_left(array, ("detach", user_line()))
    elif self._cut is not None:
        array_left(array, self._cut)
    return array


def exported(self: Tensor, force: bool) -> np.ndarray:
    """The tensor's memory, if it holds the elements themselves; with `force`, the elements in any case."""
    if type(self._array) is Meta:
        if force:
            raise no_data()
        words = (
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
        raise TypeError(f"{words} A meta tensor has no numbers, though: make it on the CPU")
    if type(self._array) is Lifted:
        return exported(self._array.level.exported(self._array.inner), force)
    flips = flips_of(self._array)
    if flips and not force:
        kind, name = ("conjugate", "resolve_conj") if flips & CONJUGATE else ("negative", "resolve_neg")
        raise RuntimeError(
            f"Can't call numpy() on Tensor that has {kind} bit set. Use tensor.{name}().numpy() instead."
        )
    return resolved(self._array)


def numpy_error() -> RuntimeError:
    return RuntimeError(
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead. "
        "To join tensors and keep their history, write torch.stack([...]), not np.array([...])."
    )


# NumPy's Python functions through which np.mean, np.sum and other reductions of a list pass
REDUCTIONS = {"_mean", "_wrapreduction"}


@method
def __array__(self: Tensor, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
    if self.requires_grad and state.grad:
        if self._array.ndim == 0 and dtype is None and inside_reduction():
            # np.mean([t1, t2]): NumPy then adds the tensors themselves, history and all
            holder = np.empty((), object)
            holder[()] = self
            return holder
        raise numpy_error()
    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"Unable to avoid copy: the tensor is {self.dtype}, {dtype} was asked for")
        return array.astype(dtype)
    return array.copy() if copy else array


def inside_reduction() -> bool:
    """Whether the caller of `__array__` is a reduction of NumPy's, not the user's np.array or np.asarray."""
    frame = sys._getframe(2)
    # a watch stands in between
    while ours[frame.f_code.co_filename] and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_name in REDUCTIONS and "numpy" in frame.f_code.co_filename


@method
def __array_wrap__(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    # torch's answer to np.isnan(t) and kin is uint8
    return wrap(np.asarray(array.astype(np.uint8) if array.dtype == bool else array))


def require_exportable(tensor: Tensor) -> None:
    """Refuse to hand the memory of a tensor with a history to another library."""
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if flips_of(tensor._array) & CONJUGATE:
        raise BufferError("Can't export tensors with the conjugate bit set; use tensor.resolve_conj()")
    if tensor.is_meta:
        raise BufferError("Cannot pack tensors on meta: they have no memory")


@method
def __dlpack__(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: Any = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> Any:
    require_exportable(self)
    if stream is not None and type(stream) is not int:
        raise TypeError(f"stream must be ``int`` or ``none``, not {type(stream).__name__}")
    if stream is not None and stream != -1:
        raise AssertionError(f"stream should be None on cpu, not {stream}.")
    given = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    return resolved(self._array).__dlpack__(**{name: value for name, value in given.items() if value is not None})


@method
def __dlpack_device__(self: Tensor) -> tuple[int, int]:
    from rushlight.utils.dlpack import DLDeviceType

    return DLDeviceType.kDLCPU, 0


def only_element(self: Tensor) -> Any:
    """The element behind `float(t)` and kin."""
    array = self._array
    if array.size != 1:
        words = f"only one element tensors can be converted to Python scalars; this one has shape {list(array.shape)}"
        raise explained(ValueError, words, stage=MISUSE)
    value = native(array).item()
    if self.requires_grad:
        number_left(value)
        if first_time("scalar"):
            warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first."
            )
    return value


def real_element(self: Tensor, name: str) -> Any:
    value = only_element(self)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {name} without overflow: {value} is not real")
        return value.real
    return value


@method
def __float__(self: Tensor) -> float:
    return float(real_element(self, "double"))


@method
def __int__(self: Tensor) -> int:
    return int(real_element(self, "int64_t"))


@method
def __complex__(self: Tensor) -> complex:
    return complex(only_element(self))


@method
def __bool__(self: Tensor) -> bool:
    if state.whole:
        numbers_decide("bool(), as `if` asks for it,")
    array = self._array
    if array.size != 1:
        many = "more than one value" if array.size else "no values"
        raise explained(RuntimeError, f"Boolean value of Tensor with {many} is ambiguous", stage=MISUSE)
    return bool(array.item()) if type(array) is not Lifted else bool(array)


@method
def __index__(self: Tensor) -> int:
    if state.whole:
        numbers_decide("an index")
    array = self._array
    if array.size != 1 or array.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(array.item())


@method
def __format__(self: Tensor, spec: str) -> str:
    if self._array.ndim == 0 and type(self) is Tensor and type(self._array) is not Meta:
        return format(native(self._array).item(), spec)
    return object.__format__(self, spec)


@method
def __contains__(self: Tensor, element: Any) -> bool:
    if not isinstance(element, (Tensor, bool, int, float, complex)):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    other = element._array if isinstance(element, Tensor) else element
    return bool(np.equal(self._array, other).any())


@method
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@method
def __reversed__(self: Tensor) -> Tensor:
    return self.flip(0) if self._array.ndim else self


def require_tensor(value: Any, function: str) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}")
    return value


@method
@overridable
def is_floating_point(input: Tensor) -> bool:
    """Whether its elements are floating point numbers.

    >>> torch.is_floating_point(torch.tensor([1.0])), torch.is_floating_point(torch.tensor([1]))
    (True, False)
    """
    return require_tensor(input, "is_floating_point").dtype.is_floating_point


@method
@overridable
def is_complex(input: Tensor) -> bool:
    """Whether its elements are complex.

    >>> torch.is_complex(torch.tensor([1j])), torch.is_complex(torch.tensor([1.0]))
    (True, False)
    """
    return require_tensor(input, "is_complex").dtype.is_complex


@method
@overridable
def is_signed(input: Tensor) -> bool:
    """Whether its elements may be negative.

    >>> torch.is_signed(torch.tensor([1])), torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    (True, False)
    """
    return require_tensor(input, "is_signed").dtype.is_signed


@method
@overridable
def is_nonzero(input: Tensor) -> bool:
    """Whether its only element is not zero.

    >>> torch.is_nonzero(torch.tensor([[-0.5]])), torch.is_nonzero(torch.tensor(False))
    (True, False)
    """
    return bool(require_tensor(input, "is_nonzero"))


def is_tensor(obj: Any) -> bool:
    """Whether the object is a tensor.

    >>> torch.is_tensor(torch.zeros(2)), torch.is_tensor([0.0, 0.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


@overridable
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> torch.numel(torch.zeros(2, 3, 4))
    24
    """
    return require_tensor(input, "numel")._array.size


def typename(obj: Any) -> str:
    """The name of an object's type; for a tensor that of its elements, such as `torch.FloatTensor`.

    >>> torch.typename(torch.zeros(2)), torch.typename(torch.arange(2))
    ('torch.FloatTensor', 'torch.LongTensor')
    """
    if isinstance(obj, Tensor):
        return f"torch.{obj.dtype.scalar}Tensor"
    kind = obj if isinstance(obj, type) or hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "") or ""
    return kind.__qualname__ if module in ("", "builtins") else f"{module}.{kind.__qualname__}"
