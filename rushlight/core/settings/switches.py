"""Switches: settings that programs turn. All is deterministic and in full precision here, so they are only kept."""

from __future__ import annotations

from typing import Any

from rushlight.core.memory.public_storage import UntypedStorage
from rushlight.core.memory.typed_storage import TypedStorage
from rushlight.errors.warning import warn

PRECISIONS = ("highest", "high", "medium")
DEBUG_MODES = ("default", "warn", "error")

_chosen: dict[str, Any] = {"debug": 0, "warn_only": False, "precision": "highest", "always": False}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for operations that give the same result each time; here all of them do.

    >>> torch.use_deterministic_algorithms(True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    for position, (name, value) in enumerate((("mode", mode), ("warn_only", warn_only)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument '{name}' (position {position}) must be bool, not "
                f"{type(value).__name__}"
            )
    _chosen["debug"], _chosen["warn_only"] = (1 if warn_only else 2) if mode else 0, warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was asked for.

    >>> torch.are_deterministic_algorithms_enabled()
    False
    """
    return _chosen["debug"] > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether operations that are not deterministic should only warn: none is.

    >>> torch.use_deterministic_algorithms(True, warn_only=True)
    >>> torch.is_deterministic_algorithms_warn_only_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    return _chosen["warn_only"]


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Like `use_deterministic_algorithms`: "default" (0), "warn" (1) or "error" (2).

    >>> torch.set_deterministic_debug_mode("warn")
    >>> torch.get_deterministic_debug_mode()
    1
    >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _chosen["debug"], _chosen["warn_only"] = int(debug_mode), debug_mode == 1


def get_deterministic_debug_mode() -> int:
    """What `set_deterministic_debug_mode` was given last, as a number.

    >>> torch.get_deterministic_debug_mode()
    0
    """
    return _chosen["debug"]


def set_float32_matmul_precision(precision: str) -> None:
    """Note the precision wanted of float32 products; they are always computed in float32.

    >>> torch.set_float32_matmul_precision("high")
    >>> torch.get_float32_matmul_precision()
    'high'
    >>> torch.set_float32_matmul_precision("highest")
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in PRECISIONS:
        warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the call has no effect.")
        return
    _chosen["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given last.

    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _chosen["precision"]


def set_flush_denormal(mode: bool) -> bool:
    """Whether tiny numbers could be made zero: False, NumPy keeps them.

    >>> possible = torch.set_flush_denormal(False)
    >>> torch.tensor([2e-39]) / 2
    tensor([1.0000e-39])
    """
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


def set_warn_always(b: bool) -> None:
    """Note whether warnings should be said every time; Python's filters decide that here.

    >>> torch.set_warn_always(True)
    >>> torch.is_warn_always_enabled()
    True
    >>> torch.set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _chosen["always"] = b


def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was given last.

    >>> torch.is_warn_always_enabled()
    False
    """
    return _chosen["always"]


def compiled_with_cxx11_abi() -> bool:
    """How PyTorch's C++ libraries are built today; there are none here.

    >>> torch.compiled_with_cxx11_abi()
    True
    """
    return True


def is_storage(obj: Any, /) -> bool:
    """Whether an object is the memory behind a tensor.

    >>> x = torch.zeros(2)
    >>> torch.is_storage(x.untyped_storage()), torch.is_storage(x)
    (True, False)
    """
    return isinstance(obj, (TypedStorage, UntypedStorage))


def get_device_module(device: Any = None) -> Any:
    """The module with the questions about a device: `torch.cpu`, or `torch.cuda`, which says that there is none.

    >>> torch.get_device_module("cpu") is torch.cpu
    True
    """
    from importlib import import_module

    from rushlight.core.settings.device import device as Device

    return import_module(f"rushlight.{'cpu' if device is None else Device(device).type}")
