"""Files: `save` and `load`, in the formats of PyTorch."""

from __future__ import annotations

import pickle  # packages take it from here, as the `pickle_module` that torch has
from typing import Any

from rushlight.serialization import archive as _archive
from rushlight.serialization.constructors import (
    StorageType,
    add_safe_globals,
    allowed,
    clear_safe_globals,
    get_safe_globals,
    python3_name,
    safe_globals,
)
from rushlight.serialization.constructors import added as _added
from rushlight.serialization.helpers import (
    _is_zipfile,
    _maybe_decode_ascii,
    _open_file_like,
    check_module_version_greater_or_equal,
    mkdtemp,
)
from rushlight.serialization.legacy import MAGIC_NUMBER, PROTOCOL_VERSION
from rushlight.serialization.loading import load
from rushlight.serialization.locations import (
    MAP_LOCATION,
    _package_registry,
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from rushlight.serialization.opcodes import global_names as _global_names
from rushlight.serialization.options import (
    LoadEndianness,
    _serialization_tls,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from rushlight.serialization.rebuilding import _get_layout
from rushlight.serialization.saving import DEFAULT_PROTOCOL, save

__all__ = [
    "SourceChangeWarning",
    "register_package",
    "StorageType",
    "LoadEndianness",
    "get_crc32_options",
    "set_crc32_options",
    "get_default_load_endianness",
    "set_default_load_endianness",
    "get_default_mmap_options",
    "set_default_mmap_options",
    "clear_safe_globals",
    "get_safe_globals",
    "add_safe_globals",
    "safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "skip_data",
    "mkdtemp",
    "check_module_version_greater_or_equal",
    "location_tag",
    "default_restore_location",
    "normalize_storage_type",
    "storage_to_tensor_type",
    "validate_cuda_device",
    "validate_hpu_device",
    "save",
    "load",
]


class SourceChangeWarning(Warning):
    """Given by older versions when the source of a module's class had changed since it was saved; not any more."""


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `load` refuses with `weights_only=True`; nothing of the file is executed."""
    with _open_file_like(f, "rb") as file:
        if not _is_zipfile(file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        archive = _archive.Archive(_archive.Source(file))
        if "constants.pkl" in archive:
            raise ValueError(
                "Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint"
            )
        data = archive.read("data.pkl")
    found = {".".join(python3_name(*each)) for each in _global_names(data)}
    return sorted(found - set(allowed()) - set(_added()))


def normalize_storage_type(storage_type: type) -> Any:
    """The kind of storage of a class's name."""
    import rushlight

    return getattr(rushlight, storage_type.__name__)


def storage_to_tensor_type(storage: Any) -> Any:
    """The kind of tensor, such as `torch.FloatTensor`, that goes with a storage."""
    import rushlight

    return getattr(rushlight, type(storage).__name__.replace("Storage", "Tensor"))
