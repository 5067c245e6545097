"""Autocast: operations that compute in a shorter format than their arguments have; here only its switched-off form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core.numbers import dtypes
from rushlight.core.settings.device import device as Device
from rushlight.errors.warning import warn

_chosen: dict[str, Any] = {"cache": True, "dtypes": {"cpu": dtypes.bfloat16}}


class autocast:
    """Inside the block operations would choose a shorter dtype. For GPUs: without one it is off, with a warning.

    On the CPU only `enabled=False` is taken: Rushlight computes in the dtype that tensors have.
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtypes.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = Device(device_type).type
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        if enabled and self.device == "cpu":
            raise NotImplementedError(
                "autocast on the CPU is not in Rushlight: operations compute in the dtype of their tensors. Write "
                "enabled=False, or convert with model.bfloat16()"
            )
        if enabled:
            warn(f"{self.device.upper()} is not available or torch_xla is imported. Disabling autocast.")
        self._enabled = False

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def inside(*arguments: Any, **options: Any) -> Any:
            with self:
                return function(*arguments, **options)

        return inside


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` knows a device: GPUs, where it switches itself off."""
    return Device(device_type).type != "cpu"


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operations choose a shorter dtype: never."""
    Device(device_type)
    return False


def is_autocast_cpu_enabled() -> bool:
    """Old: whether operations on the CPU choose a shorter dtype: never."""
    warn("torch.is_autocast_cpu_enabled() is deprecated: use torch.is_autocast_enabled('cpu')", DeprecationWarning)
    return False


def set_autocast_enabled(*arguments: Any) -> None:
    """Switch autocast off; switching it on is refused."""
    if arguments[-1]:
        raise NotImplementedError(
            "autocast is not in Rushlight: operations compute in the dtype of their tensors; convert with .bfloat16()"
        )


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype that autocast would choose on a device."""
    return _chosen["dtypes"].get(Device(device_type).type, dtypes.float16)


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Note the dtype that autocast would choose on a device."""
    _chosen["dtypes"][Device(device_type).type] = dtypes.checked(dtype)


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """Old: the dtype that autocast would choose on the CPU."""
    warn("torch.get_autocast_cpu_dtype() is deprecated: use torch.get_autocast_dtype('cpu')", DeprecationWarning)
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """Old: the dtype that autocast would choose on a GPU."""
    warn("torch.get_autocast_gpu_dtype() is deprecated: use torch.get_autocast_dtype('cuda')", DeprecationWarning)
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """Whether autocast would keep converted parameters."""
    return _chosen["cache"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Note whether autocast should keep converted parameters."""
    _chosen["cache"] = bool(enabled)


def clear_autocast_cache() -> None:
    """Frees nothing: no converted parameters are kept."""


def custom_fwd(
    fwd: Callable | None = None, *, device_type: str = "cuda", cast_inputs: dtypes.dtype | None = None
) -> Callable:
    """Decorates the forward of an autograd Function for use under autocast, which is off: the function itself."""
    return custom_fwd_of if fwd is None else fwd


def custom_fwd_of(fwd: Callable) -> Callable:
    return fwd


def custom_bwd(bwd: Callable | None = None, *, device_type: str = "cuda") -> Callable:
    """Decorates the backward of an autograd Function for use under autocast, which is off: the function itself."""
    return custom_fwd_of if bwd is None else bwd
