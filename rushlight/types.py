"""torch.types: names for kinds of arguments, for annotations."""

import os
from collections.abc import Sequence
from typing import IO

from rushlight.autograd.edges import GradientEdge
from rushlight.core.memory.public_storage import UntypedStorage
from rushlight.core.numbers.dtypes import dtype
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage

_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrTensorsOrGradEdge = Tensor | Sequence[Tensor] | GradientEdge | Sequence[GradientEdge]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Size | list[int] | tuple[int, ...]
_dtype = dtype
_device = device
_bool = bool
_int = int
_float = float
_complex = complex
