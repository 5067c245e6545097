"""Autocast: a block in which products are computed in a short dtype, and what needs more bits in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from rushlight.amp.casting import SHORT, is_eligible, kept, settings, switch
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device as Device
from rushlight.core.settings.state import state
from rushlight.errors.warning import warn

# devices that torch has no autocast for
WITHOUT = "mkldnn opengl opencl ideep ve fpga vulkan lazy meta".split()


class autocast:
    """Inside the block products are computed in `dtype`, by default bfloat16 on the CPU, and losses in float32.

    >>> x, weight = torch.ones(2, 3), torch.ones(4, 3)
    >>> with torch.autocast("cpu", dtype=torch.bfloat16):
    ...     y = F.linear(x, weight)
    ...     loss = F.mse_loss(y, torch.zeros(2, 4))
    >>> y.dtype, loss.dtype
    (torch.bfloat16, torch.float32)
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
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = settings.keeps if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in SHORT:
            name = device_type.upper()
            warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {', '.join(map(str, SHORT))} currently."
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        self.before = is_autocast_enabled(self.device), get_autocast_dtype(self.device), settings.keeps
        autocast_increment_nesting()
        restore(self.device, self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def __exit__(self, *exception: object) -> None:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        restore(self.device, *self.before)

    def __call__(self, func: Callable) -> Callable:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. For a block of statements write "
                "`with torch.autocast(device_type=...):`"
            )

        @functools.wraps(func)
        def inside(*arguments: Any, **options: Any) -> Any:
            with self:
                return func(*arguments, **options)

        return inside


def restore(device: str, enabled: bool, dtype: dtypes.dtype, keeps: bool) -> None:
    """Switch a device on or off with its dtype, and the keeping of parameters."""
    set_autocast_enabled(device, enabled)
    set_autocast_dtype(device, dtype)
    settings.keeps = keeps


def checked_device(function: str, device_type: Any) -> str:
    """The name of a device that autocast knows."""
    if not isinstance(device_type, str):
        kind = type(device_type).__name__
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {kind}")
    return Device(device_type).type


def is_autocast_available(device_type: str) -> bool:
    """Whether `autocast` knows a device.

    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return checked_device("_is_autocast_available", device_type) not in WITHOUT


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operations on a device choose their dtype.

    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    """
    device = checked_device("is_autocast_enabled", device_type)
    if device in WITHOUT:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type: " + device)
    return settings.enabled.get(device, False)


def set_autocast_enabled(*arguments: Any) -> None:
    """Switch autocast on or off, for a device or else for GPUs."""
    device, enabled = arguments if len(arguments) == 2 else ("cuda", *arguments)
    if not isinstance(enabled, bool):
        kind = type(enabled).__name__
        raise TypeError(
            f"set_autocast_enabled(): argument 'enabled' (position {len(arguments)}) must be bool, not {kind}"
        )
    device = checked_device("set_autocast_enabled", device)
    settings.enabled[device] = enabled
    if device == "cpu":
        switch(enabled)


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """The dtype in which products are computed inside of autocast.

    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    device = checked_device("get_autocast_dtype", device_type)
    if device in WITHOUT:
        raise RuntimeError(f"unsupported scalarType: there is no autocast for {device}")
    return settings.dtypes.get(device, dtypes.float16)


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Choose the dtype in which products are computed inside of autocast."""
    device = checked_device("set_autocast_dtype", device_type)
    if not isinstance(dtype, dtypes.dtype):
        kind = type(dtype).__name__
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {kind}")
    settings.dtypes[device] = dtype


def say_old(name: str, instead: str) -> None:
    warn(f"torch.{name} is deprecated. Please use torch.{instead} instead.", DeprecationWarning)


def is_autocast_cpu_enabled() -> bool:
    """Old: `is_autocast_enabled("cpu")`."""
    say_old("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Old: `set_autocast_enabled("cpu", enabled)`."""
    say_old("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """Old: `get_autocast_dtype("cpu")`."""
    say_old("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtypes.dtype) -> None:
    """Old: `set_autocast_dtype("cpu", dtype)`."""
    say_old("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """Old: `get_autocast_dtype("cuda")`."""
    say_old("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: dtypes.dtype) -> None:
    """Old: `set_autocast_dtype("cuda", dtype)`."""
    say_old("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether converted parameters are kept until the outermost block ends."""
    return settings.keeps


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Choose whether converted parameters are kept until the outermost block ends."""
    settings.keeps = bool(enabled)


def clear_autocast_cache() -> None:
    """Let go of the converted parameters."""
    kept.clear()


def autocast_increment_nesting() -> int:
    """Count one block more: how many there are."""
    settings.nesting += 1
    return settings.nesting


def autocast_decrement_nesting() -> int:
    """Count one block less: how many there are."""
    settings.nesting -= 1
    return settings.nesting


def current_options() -> dict[str, Any]:
    """What `autocast("cpu", ...)` would have to be given to be as it is now."""
    return {"dtype": settings.dtypes["cpu"], "enabled": is_autocast_enabled("cpu"), "cache_enabled": settings.keeps}


def cast_all(value: Any, device_type: str, dtype: dtypes.dtype) -> Any:
    """The floats among arguments in another dtype, also those in lists and dictionaries."""
    if isinstance(value, Tensor):
        return value.to(dtype) if is_eligible(value) and value.device.type == device_type else value
    if isinstance(value, (str, bytes, np.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {cast_all(k, device_type, dtype): cast_all(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        found = (cast_all(each, device_type, dtype) for each in value)
        return type(value)(found) if isinstance(value, (list, tuple)) else found
    return value


def check_name(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None) -> Callable:
    """Decorates the forward of an autograd Function, so that its backward runs as it did under autocast.

    With `cast_inputs` it gets its floats in that dtype inside of autocast, and runs with autocast off.
    """
    check_name(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        active = is_autocast_enabled(device_type)
        args[0]._dtype = get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = active and cast_inputs is None
        if cast_inputs is None or not active:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            given = cast_all(args, device_type, cast_inputs), cast_all(kwargs, device_type, cast_inputs)
            return fwd(*given[0], **given[1])

    return forward


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable:
    """Decorates the backward of an autograd Function: autocast is on in it as it was in a `custom_fwd`."""
    check_name(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Any, **kwargs: Any) -> Any:
        # formulas of the library are left as they are, what the user writes is not: see overriding.divert
        quiet, state.backward = state.backward, False
        try:
            with autocast(device_type, dtype=args[0]._dtype, enabled=args[0]._fwd_used_autocast):
                return bwd(*args, **kwargs)
        finally:
            state.backward = quiet

    return backward


_cast = cast_all
