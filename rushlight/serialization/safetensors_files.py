"""safetensors: files of the other common format, read by its own package."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.creation import from_numpy
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import check_device, device

# the format's names of dtypes
KINDS = {
    "BOOL": dtypes.bool_,
    "U8": dtypes.uint8,
    "I8": dtypes.int8,
    "I16": dtypes.int16,
    "I32": dtypes.int32,
    "I64": dtypes.int64,
    "U16": dtypes.uint16,
    "U32": dtypes.uint32,
    "U64": dtypes.uint64,
    "F16": dtypes.float16,
    "BF16": dtypes.bfloat16,
    "F32": dtypes.float32,
    "F64": dtypes.float64,
    "C64": dtypes.complex64,
}


def load_safetensors(path: str, map_location: Any) -> dict[str, Tensor]:
    """The tensors of a file, by name. Its `safetensors.torch` is not imported: it may belong to another torch."""
    try:
        from safetensors import deserialize
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install safetensors with: "
            "pip install safetensors"
        ) from error
    if isinstance(map_location, dict) or (callable(map_location) and not isinstance(map_location, device)):
        kind = "dict" if isinstance(map_location, dict) else "callable"
        raise RuntimeError(
            f"Loading safetensors file with {kind} map_location is not supported. Use a device string or torch.device "
            "instead."
        )
    check_device(map_location)
    with open(path, "rb") as file:
        found = deserialize(file.read())
    return {name: tensor_of(view) for name, view in found}


def tensor_of(view: dict[str, Any]) -> Tensor:
    kind = KINDS.get(view["dtype"])
    if kind is None:
        raise RuntimeError(f"the file holds tensors of {view['dtype']}, a dtype that Rushlight does not compute with")
    memory = np.frombuffer(view["data"], np.uint8).copy()
    return from_numpy(memory).view(kind).reshape(view["shape"])
