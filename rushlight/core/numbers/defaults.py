"""Defaults: the dtype that floats get when none is asked for."""

from __future__ import annotations

from typing import Any

from rushlight.core.numbers import dtypes, promotion
from rushlight.core.settings.device import CPU, check_device, device
from rushlight.errors.warning import warn
from rushlight.native import extension

__all__ = [
    "get_default_device",
    "get_default_dtype",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
]


def get_default_dtype() -> dtypes.dtype:
    """The dtype of tensors made from Python floats, `float32` at first.

    >>> torch.get_default_dtype()
    torch.float32
    """
    return dtypes.default


def set_default_dtype(d: dtypes.dtype) -> None:
    """Make a floating point dtype the one that Python floats get.

    >>> torch.set_default_dtype(torch.float64)
    >>> torch.tensor(1.5).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtypes.dtype) or not d.is_floating_point:
        invalid = "" if isinstance(d, dtypes.dtype) else "invalid dtype object: "
        raise TypeError(f"{invalid}only floating-point types are supported as the default type, got {d!r}")
    dtypes.default = d
    promotion.forget()
    if extension is not None:
        extension.set_default_dtype(d.numpy)


def set_default_tensor_type(t: Any) -> None:
    """Old: like `set_default_dtype`, given `torch.DoubleTensor` or its name.

    >>> torch.set_default_tensor_type(torch.DoubleTensor)
    >>> torch.get_default_dtype()
    torch.float64
    >>> torch.set_default_tensor_type(torch.FloatTensor)
    """
    from rushlight.ops.shape.conversion import named_dtype

    warn("torch.set_default_tensor_type() is deprecated: use torch.set_default_dtype() instead.")
    set_default_dtype(named_dtype(t))


def set_default_device(device: Any) -> None:
    """Where tensors are made: the CPU, or 'meta' for tensors without memory.

    >>> torch.set_default_device("cpu")
    >>> torch.zeros(2).device
    device(type='cpu')
    """
    from rushlight.utils._device import set_default

    check_device(device)
    set_default(device)


def get_default_device() -> device:
    """Where tensors are made.

    >>> torch.get_default_device()
    device(type='cpu')
    """
    from rushlight.utils._device import current

    return current() or CPU
