"""Creation: tensors from data: numbers, lists, arrays, buffers and other tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.data import array_from, check_array
from rushlight.core.creation.options import finish, refuse_pinned, require_flag, require_floating
from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.exchange import array_of, array_of_capsule, exports, is_capsule
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.object.conversion import require_exportable
from rushlight.core.object.tensor import Tensor, method
from rushlight.core.settings.device import CPU, check_device, is_meta
from rushlight.core.surface.overriding import overridable
from rushlight.errors.location import user_line
from rushlight.errors.lost import cut_of_data, warn_lost
from rushlight.errors.warning import warn
from rushlight.native import shortcut

__all__ = ["as_tensor", "asarray", "from_dlpack", "from_numpy", "frombuffer", "tensor"]


@overridable
@shortcut
def tensor(
    data: Any,
    *,
    dtype: dtypes.dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor with a copy of the data: a number, nested lists, an array; never with a history.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([0.5, 1])
    tensor([0.5000, 1.0000])
    """
    if pin_memory:
        refuse_pinned()
    if isinstance(data, Tensor):
        warn_copy("torch.tensor(sourceTensor)")
    return copy_of(data, dtype, device, requires_grad, "tensor")


def copy_of(data: Any, dtype: Any, device: Any, requires_grad: bool, function: str) -> Tensor:
    """A leaf with a copy of the data, which knows where a history was left behind."""
    if dtype is not None:
        dtype = dtypes.checked(dtype)
    if isinstance(data, Tensor) and data.is_meta:
        return data.detach().to("meta" if device is None else device, dtype, copy=True).requires_grad_(requires_grad)
    lost: list[Tensor] = []
    made = finish(array_from(data, dtype, lost), device, requires_grad)
    if lost:
        warn_lost(lost, function)
        made._cut = ("tensor", user_line())
    elif isinstance(data, Tensor):
        if data.requires_grad:
            made._cut = ("tensor", user_line())
    else:
        made._cut = cut_of_data(data)
    return made


def warn_copy(call: str) -> None:
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {call}."
    )


@method
def new_tensor(
    self: Tensor,
    data: Any,
    *,
    dtype: dtypes.dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor with a copy of the data, of this tensor's dtype.

    >>> torch.zeros(2, dtype=torch.float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    if pin_memory:
        refuse_pinned()
    if isinstance(data, Tensor):
        warn_copy("tensor.new_tensor(sourceTensor)")
    return copy_of(data, self.dtype if dtype is None else dtype, device, requires_grad, "new_tensor")


@overridable
@shortcut
def as_tensor(data: Any, *, dtype: dtypes.dtype | None = None, device: Any = None) -> Tensor:
    """The data as a tensor, without a copy where that is possible: a tensor itself, an array's own memory.

    >>> array = np.zeros(2)
    >>> torch.as_tensor(array)[0] = 7
    >>> array.tolist()
    [7.0, 0.0]
    """
    if device is not None:
        check_device(device)
        if is_meta(device):
            return on_meta(data, dtype)
    if isinstance(data, Tensor):
        return data.to(device, None if dtype is None else dtypes.checked(dtype))
    if isinstance(data, np.ndarray):
        return shared(data) if dtype is None else converted(data, dtypes.checked(dtype))
    if exports(data):
        return as_tensor(from_dlpack(data), dtype=dtype)
    if is_storage(data):
        return on_storage(data, None if dtype is None else dtypes.checked(dtype))
    return copy_of(data, dtype, device, False, "as_tensor")


def on_meta(data: Any, dtype: dtypes.dtype | None) -> Tensor:
    """The data's shape and dtype, on the device 'meta'."""
    kept = data if isinstance(data, Tensor) else as_tensor(data, device=CPU)
    return kept.to("meta", dtype)


def shared(array: np.ndarray) -> Tensor:
    """A tensor on the array's memory."""
    if not array.flags.writeable:
        warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors: do "
            "not write to this tensor, or copy the array first."
        )
    made = finish(plain(array))
    made._cut = cut_of_data(array)
    return made


def plain(array: np.ndarray) -> np.ndarray:
    """The array as an object of our own, so that a change of its shape by the user stays the user's."""
    if array.flags.c_contiguous:
        dtypes.from_numpy(array.dtype)
    else:
        check_array(array)
    return array.view(np.ndarray)


def converted(array: np.ndarray, dtype: dtypes.dtype) -> Tensor:
    made = finish(cast(plain(array), dtype.numpy))
    made._cut = cut_of_data(array)
    return made


@overridable
@shortcut
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the same memory as the array: a write to one shows in the other.

    >>> a = np.zeros(2)
    >>> t = torch.from_numpy(a)
    >>> a[0] = 1
    >>> t
    tensor([1., 0.], dtype=torch.float64)
    """
    if not isinstance(array, np.ndarray):
        module = f"{type(array).__module__}." if isinstance(array, np.generic) else ""
        raise TypeError(f"expected np.ndarray (got {module}{type(array).__name__})")
    return shared(array)


@overridable
def asarray(
    obj: Any,
    *,
    dtype: dtypes.dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Anything as a tensor, copied where it must be (`copy=None`), always (`True`) or never (`False`).

    >>> x = torch.zeros(2)
    >>> torch.asarray(x) is x, torch.asarray(x, copy=True) is x
    (True, False)
    """
    for name, value in (("copy", copy), ("requires_grad", requires_grad)):
        if value:
            require_flag(name, value)
    if device is not None:
        check_device(device)
    wanted = None if dtype is None else dtypes.checked(dtype)
    if is_capsule(obj):
        obj = array_of_capsule(obj)
    if isinstance(obj, Tensor):
        made = asarray_tensor(obj, wanted, copy, requires_grad)
    elif isinstance(obj, np.ndarray):
        refuse_conversion(copy, dtypes.from_numpy(obj.dtype), wanted)
        made = shared(obj) if wanted is None else converted(obj, wanted)
        if copy and made.data_ptr() == obj.ctypes.data:
            made._array = made._array.copy()
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        made = frombuffer(obj, dtype=wanted or dtypes.default)
        if copy:
            made._array = made._array.copy()
    elif exports(obj):
        made = asarray_tensor(from_dlpack(obj), wanted, copy, False)
    elif is_storage(obj):
        made = on_storage(obj, wanted)
        if copy:
            made = made.clone()
    else:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        made = copy_of(obj, wanted, device, False, "asarray")
    made = without_memory(made, device, copy) if is_meta(device) else made
    if requires_grad and made._node is None:
        require_floating(made._array.dtype)
        made.requires_grad = True
    return made


def without_memory(made: Tensor, device: Any, copy: bool | None) -> Tensor:
    """The tensor on 'meta', where it can share nothing with one that has memory."""
    if copy is False and not made.is_meta:
        raise ValueError(f"can't alias tensor from device '{made.device}' to '{device}'.")
    return made.to(device)


def is_storage(data: Any) -> bool:
    """Whether it is a block of memory, not the numbers in it."""
    # the names of its methods: the classes are made of tensors, and come later
    return hasattr(data, "untyped") and hasattr(data, "_cdata")


def on_storage(storage: Any, wanted: dtypes.dtype | None) -> Tensor:
    """A tensor on the memory of a storage; of bytes without a dtype it is one of int64, as in torch."""
    kind: Any = wanted or getattr(storage, "dtype", dtypes.int64)
    return finish(np.empty((0,), kind.numpy)).set_(storage)


def asarray_tensor(obj: Tensor, wanted: dtypes.dtype | None, copy: bool | None, requires_grad: bool | None) -> Tensor:
    """A tensor, or a copy of it; `requires_grad=False` leaves the history behind."""
    refuse_conversion(copy, obj.dtype, wanted)
    if requires_grad is None and obj.requires_grad:
        warn(
            "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False: pass "
            "requires_grad=True to keep the history, False to leave it behind."
        )
    made = obj.clone() if copy else obj
    if wanted is not None:
        made = made.to(wanted)
    return made.detach() if requires_grad is False and made.requires_grad else made


def refuse_conversion(copy: bool | None, have: dtypes.dtype, wanted: dtypes.dtype | None) -> None:
    if copy is False and wanted is not None and wanted is not have:
        raise ValueError(f"can't alias tensor with dtype '{have.scalar}' into dtype '{wanted.scalar}'.")


def frombuffer(
    buffer: Any, *, dtype: dtypes.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A one-dimensional tensor on the memory of a buffer, such as a bytearray.

    >>> torch.frombuffer(bytearray(b"abc"), dtype=torch.uint8)
    tensor([97, 98, 99], dtype=torch.uint8)
    """
    kind = dtypes.checked(dtype).numpy
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    length, size = memory.nbytes, kind.itemsize
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % size:
        raise ValueError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of "
            f"element size ({size})"
        )
    if count * size > length - offset:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({length} bytes)"
        )
    if memory.readonly:
        warn(
            "The given buffer is not writable, and PyTorch does not support non-writable tensors: do not "
            "write to this tensor, or pass a bytearray."
        )
    return finish(np.frombuffer(buffer, kind, count, offset), None, requires_grad)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array, by the DLPack protocol.

    >>> array = np.arange(3)
    >>> torch.from_dlpack(array).mul_(10)
    tensor([ 0, 10, 20])
    >>> array.tolist()
    [0, 10, 20]
    """
    if is_capsule(ext_tensor):
        if device is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return finish(plain(array_of_capsule(ext_tensor)))
    if device is not None:
        check_device(device)
        if is_meta(device):
            raise BufferError("Cannot pack tensors on meta: they have no memory to share, .to('meta') keeps the shape")
    if isinstance(ext_tensor, Tensor):
        require_exportable(ext_tensor)
        array = resolved(ext_tensor._array).view()
    elif hasattr(ext_tensor, "__dlpack__"):
        array = array_of(ext_tensor, device, copy)
    else:
        raise RuntimeError(
            f"from_dlpack received an invalid capsule: an object with a __dlpack__ method is needed, "
            f"not {type(ext_tensor).__name__}"
        )
    return finish(array.copy() if copy else plain(array))
