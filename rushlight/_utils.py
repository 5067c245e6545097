"""Small helpers that programs take from `torch._utils`: imports that may fail, and lists of tensors laid end to end."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from rushlight.core.object.tensor import Tensor

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
