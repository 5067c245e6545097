"""torch.types: names for kinds of arguments, for annotations."""

import os
from collections.abc import Sequence
from typing import IO

from rushlight.core.device import device
from rushlight.core.dtypes import dtype
from rushlight.core.memory import UntypedStorage
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage

_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Size | list[int] | tuple[int, ...]
_dtype = dtype
_bool = bool
_int = int
_float = float
_complex = complex
