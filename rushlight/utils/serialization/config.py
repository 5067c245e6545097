"""`torch.utils.serialization.config`: how files are saved and loaded unless a call says otherwise."""

from __future__ import annotations

import mmap as _mmap
from typing import Any


class load:
    """Settings of `torch.load`."""

    mmap: bool = False
    endianness: Any = None
    mmap_flags: int | None = getattr(_mmap, "MAP_PRIVATE", None)
    calculate_storage_offsets: bool = False


class save:
    """Settings of `torch.save`."""

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64
