"""torch.types: names for kinds of arguments, for annotations."""

import os
from typing import IO, Any

from rushlight.core.device import device
from rushlight.core.memory import UntypedStorage

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number = int | float | bool
Device = device | str | int | None
FileLike = str | os.PathLike[str] | IO[bytes]
Storage = UntypedStorage

_size = Any
_dtype = Any
_bool, _int, _float, _complex = bool, int, float, complex
