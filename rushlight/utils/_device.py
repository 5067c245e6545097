"""torch.utils._device: where tensors are made by default: on the CPU, or on 'meta', where they have no memory."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from rushlight.core.settings.device import check_device
from rushlight.core.settings.device import device as Device
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.overriding import modes, watch_modes
from rushlight.overrides import TorchFunctionMode
from rushlight.utils._contextlib import context_decorator

__all__ = ["device_decorator", "set_device"]

CURRENT_DEVICE = None
CONSTRUCTORS = """empty empty_permuted empty_strided ones arange bartlett_window blackman_window eye fft_fftfreq
fft_rfftfreq full hamming_window hann_window kaiser_window linspace logspace normal rand randn randint
randperm range
tril_indices triu_indices zeros asarray tensor as_tensor scalar_tensor"""


def device_decorator(device: Any, func: Callable) -> Callable:
    """The function, run with a device as the default."""
    return context_decorator(lambda: device, func)


def set_device(device: Any) -> Callable[[Callable], Callable]:
    """Decorate a function that is to run with a device as the default."""
    check_device(device)
    return lambda func: device_decorator(place(device), func)


def place(device: Any) -> Any:
    """A device by its name, or itself."""
    return device if isinstance(device, Device) else Device(device)


@functools.cache
def _device_constructors() -> set[Callable]:
    """The functions that make a tensor where the default device says."""
    import rushlight

    return {getattr(rushlight, name) for name in CONSTRUCTORS.split() if hasattr(rushlight, name)}


class DeviceContext(TorchFunctionMode):
    """A mode that gives every function which makes a tensor a device."""

    def __init__(self, device: Any):
        self.device = place(device)

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _device_constructors() and kwargs.get("device") is None and kwargs.get("out") is None:
            kwargs = {**kwargs, "device": self.device}
        return func(*args, **kwargs)


class Entered(threading.local):
    """What `with device:` has entered in this thread, and the default that was set."""

    def __init__(self) -> None:
        self.contexts: list[DeviceContext | None] = []
        self.default: DeviceContext | None = None


entered = Entered()


def current() -> Any:
    """The device that a context or `set_default_device` has set; None without one."""
    for mode in reversed(modes.stack):
        if isinstance(mode, DeviceContext):
            return mode.device
    return None


def enter_device(device: Any) -> None:
    """Make a device the default; the CPU is one anyway while no other is."""
    context = DeviceContext(device) if device.type != "cpu" or current() is not None else None
    entered.contexts.append(context)
    if context is not None:
        context.__enter__()


def leave_device() -> None:
    """Undo the last `enter_device`."""
    context = entered.contexts.pop()
    if context is not None:
        context.__exit__(None, None, None)


def set_default(device: Any) -> None:
    """Make a device the default for good, below all contexts; None or the CPU takes it back."""
    if entered.default is not None:
        modes.stack.remove(entered.default)
        watch_modes(-1)
        entered.default = None
    if device is not None and place(device).type != "cpu":
        entered.default = DeviceContext(device)
        modes.stack.insert(0, entered.default)
        watch_modes(1)


__getattr__ = names_of("rushlight.utils._device")
