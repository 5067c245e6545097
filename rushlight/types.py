"""torch.types: names for kinds of arguments, for annotations."""

import os
from collections.abc import Sequence
from typing import IO, Any

from rushlight.core.device import device
from rushlight.core.memory import UntypedStorage
from rushlight.core.tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage

_TensorOrTensors = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors = Tensor | Sequence[Tensor | None]
_size = Any
_dtype = Any
_bool, _int, _float, _complex = bool, int, float, complex
