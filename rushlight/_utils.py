"""Small helpers that programs take from `torch._utils`: imports that may fail, and lists of tensors laid end to end."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """The functions that files of tensors name, which are loaded with `torch.load`."""
    if name.startswith("_rebuild_"):
        return getattr(importlib.import_module("rushlight.serialization.rebuilding"), name)
    raise AttributeError(f"module 'torch._utils' has no attribute '{name}'")


def _element_size(dtype: Any) -> int:
    """Bytes in one element of a dtype."""
    return dtype.itemsize


def try_import(module_name: str) -> ModuleType | None:
    """The module, or None if there is none of this name."""
    found = sys.modules.get(module_name)
    if found is not None:
        return found
    return None if importlib.util.find_spec(module_name) is None else importlib.import_module(module_name)


def _import_dotted_name(name: str) -> Any:
    """What a name with dots stands for, the first part being a module."""
    first, *rest = name.split(".")
    found: Any = importlib.import_module(first)
    for each in rest:
        found = getattr(found, each)
    return found


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of the tensors, one after the other."""
    from rushlight.ops.shape.joining import cat

    return cat([each.contiguous().view(-1) for each in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the pieces of `flat`, in the shapes of the tensors."""
    sizes = [each.numel() for each in tensors]
    pieces = flat.split(sizes)
    return tuple(piece.view(each.shape) for piece, each in zip(pieces, tensors, strict=True))


class KeyErrorMessage(str):
    """A text that is shown as it is where Python would show its repr."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An exception on its way to another thread or process: its type, and its traceback as text."""

    def __init__(self, exc_info: Any = None, where: str = "in background"):
        found = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: Any = found[0]
        self.exc_msg = "".join(traceback.format_exception(*found))
        self.where = where

    def reraise(self) -> None:
        """Raise an exception of the same type here, with the traceback in its words."""
        words = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            words = KeyErrorMessage(words)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=words)
        try:
            exception = self.exc_type(words)
        except Exception:
            # it wants other arguments than a text
            raise RuntimeError(words) from None
        raise exception


def _take_tensors(tensors: Sequence[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Tensors in buckets of one dtype, each of which is closed before it would pass a limit in bytes."""
    buckets: dict[str, tuple[list[Tensor], int]] = {}
    for tensor in tensors:
        size = tensor.numel() * tensor.element_size()
        kept, total = buckets.get(tensor.type(), ([], 0))
        if kept and total + size > size_limit:
            yield kept
            kept, total = [], 0
        buckets[tensor.type()] = [*kept, tensor], total + size
    yield from [kept for kept, _ in buckets.values() if kept]


def cpu_count() -> int | None:
    """The number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _get_available_device_type() -> str | None:
    """The kind of accelerator that is there: None."""
    return None


def _get_device_module(device_type: str) -> ModuleType:
    """The module of a kind of device, such as `torch.cpu`."""
    import rushlight

    found = getattr(rushlight, device_type, None)
    if not isinstance(found, ModuleType):
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return found


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device: -1 for the CPU, which has to be allowed."""
    from rushlight.core.settings.device import device as Device

    if isinstance(device, int) and not isinstance(device, bool):
        return device
    if device is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    kind = "cpu" if device is None else Device(device).type
    if kind == "cpu" and not allow_cpu and device is not None:
        raise ValueError(f"Expected a non cpu device, but got: {device}")
    return -1


def _reorder_tensors_as(tensors: Sequence[Tensor], ordered_tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Tensors in the order of the types of others."""
    kinds: dict[str, list[Tensor]] = {}
    for each in tensors:
        kinds.setdefault(each.type(), []).append(each)
    return tuple(kinds[each.type()].pop(0) for each in ordered_tensors)


class classproperty:
    """A property of a class rather than of its objects."""

    def __init__(self, func: Any):
        self.func = func

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.func(owner if instance is None else type(instance))


def is_compiling() -> bool:
    """Whether a compiled function runs."""
    return state.compiled
