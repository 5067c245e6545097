"""torch.distributed.checkpoint.metadata: what a checkpoint says about itself, in the classes that its files name."""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass, field
from typing import Any

from rushlight.core.memory.layout import (
    channels_last,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from rushlight.core.numbers.defaults import get_default_dtype
from rushlight.core.numbers.dtypes import dtype
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor

__all__ = [
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "StorageMeta",
    "TensorProperties",
    "TensorStorageMetadata",
]

STATE_DICT_TYPE = dict[str, Any]


@dataclass
class ChunkStorageMetadata:
    """A part of a tensor that is stored in one piece: where it begins and how large it is."""

    offsets: Size
    sizes: Size


class _MEM_FORMAT_ENCODING(enum.Enum):
    """Memory formats, as files write them."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


ENCODED = dict(zip((contiguous_format, channels_last, preserve_format), _MEM_FORMAT_ENCODING, strict=True))


@dataclass
class TensorProperties:
    """What a tensor is besides its size."""

    dtype: dtype = field(default_factory=get_default_dtype)
    layout: layout = strided
    requires_grad: bool = False
    memory_format: memory_format = contiguous_format
    pin_memory: bool = False

    def __getstate__(self) -> tuple:
        return self.dtype, self.layout, self.requires_grad, ENCODED[self.memory_format], self.pin_memory

    def __setstate__(self, state: tuple) -> None:
        self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory = state
        self.memory_format = next(each for each, word in ENCODED.items() if word is encoded)

    @staticmethod
    def create_from_tensor(tensor: Tensor) -> TensorProperties:
        """Those of a tensor."""
        return TensorProperties(dtype=tensor.dtype, layout=tensor.layout, requires_grad=tensor.requires_grad)


@dataclass
class TensorStorageMetadata:
    """A tensor of a checkpoint, and the parts that it is stored in."""

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """A value of a checkpoint that is no tensor."""


@dataclass
class StorageMeta:
    """Which checkpoint it is, and who wrote it."""

    checkpoint_id: str | os.PathLike | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """All that a checkpoint says about its values, and where these are."""

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """The name of a value or of a part of one; `index` only hints at its place in the list of parts."""

    fqn: str
    offset: Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Any = None, index: int | None = None):
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "offset", None if offset is None else Size(offset))
        object.__setattr__(self, "index", index)
