"""torch.utils.dlpack: tensors handed to and taken from other libraries without a copy."""

from typing import Any

from rushlight.core.creation import from_dlpack
from rushlight.core.tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """The capsule that describes a tensor's memory to another library."""
    return tensor.__dlpack__()
