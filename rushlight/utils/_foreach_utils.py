"""Which tensors the `_foreach_*` functions and fused optimizers take together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device

TensorListList = list[list[Tensor | None]]
Indices = list[int]
_foreach_supported_types = [Tensor]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The devices on which torch has kernels for lists; the CPU goes through them one by one."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The devices on which `fused=True` is allowed."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[TensorListList, Indices]]:
    """Parallel lists, cut into groups by the dtype of the first list's tensors, with their positions if wanted."""
    if not tensorlistlist or not tensorlistlist[0]:
        raise RuntimeError("Expected !nested_tensorlist[0].empty() to be true: the first list needs a tensor")
    first = tensorlistlist[0]
    for each in tensorlistlist:
        if len(each) not in (0, len(first)):
            raise RuntimeError(
                f"Expected std::all_of(nested lists) to be empty or of {len(first)} tensors, got {len(each)}"
            )
    groups: dict[tuple[Any, Any], list[int]] = {}
    for i, tensor in enumerate(first):
        if tensor is None:
            raise RuntimeError(
                f"Tensors of the first list of nested Tensor lists are supposed to be defined but the {i}-th "
                "Tensor is not."
            )
        groups.setdefault((tensor.device, tensor.dtype), []).append(i)
    return {
        key: ([[each[i] for i in rows] if each else [] for each in tensorlistlist], rows if with_indices else [])
        for key, rows in groups.items()
    }


def _device_has_foreach_support(device: device) -> bool:
    """Whether lists of tensors on this device are taken together."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Tensor | None], device: device) -> bool:
    """Whether these tensors are plain ones on such a device."""
    return _device_has_foreach_support(device) and all(
        each is None or type(each) in _foreach_supported_types for each in tensors
    )
