"""`torch._tensor`: the class of tensors and what files of tensors name there."""

from rushlight.core.object.tensor import Tensor
from rushlight.serialization.rebuilding import _rebuild_from_type_v2

__all__ = ["Tensor", "_rebuild_from_type_v2"]
