"""torch._C._nn: the reader of `to(...)`'s arguments, which packages call, and functions of layers."""

from __future__ import annotations

from typing import Any

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device as Device
from rushlight.core.surface.lazy import missing
from rushlight.ops.shape.conversion import read_target

__all__ = ["_parse_to"]


def _parse_to(
    *args: Any,
    device: Any = None,
    dtype: dtypes.dtype | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> tuple[Device | None, dtypes.dtype | None, bool, Any]:
    """What `to(...)` asks for: device, dtype, whether to go on before it is there, and the order in memory.

    >>> torch._C._nn._parse_to("cpu", torch.float16)
    (device(type='cpu'), torch.float16, False, None)
    """
    if args:
        found, kind, rest = read_target(args)
        device = Device("cpu") if isinstance(args[0], Tensor) else found if found is not None else device
        dtype = kind if kind is not None else dtype
        non_blocking = rest[0] if rest else non_blocking
    return None if device is None else Device(device), dtype, non_blocking, memory_format


def __getattr__(name: str) -> Any:
    """Functions of layers under their own names, such as `gelu`."""
    import rushlight

    found = getattr(rushlight.nn.functional, name, None)
    if found is None:
        raise missing("torch._C._nn", name)
    return found
