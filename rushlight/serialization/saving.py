"""Saving: an object into a file that torch reads too."""

from __future__ import annotations

import os
import pickle
import sys
from contextlib import nullcontext
from typing import Any

from rushlight.serialization import legacy
from rushlight.serialization.archive_writer import ArchiveWriter, archive_name
from rushlight.serialization.options import _serialization_tls
from rushlight.serialization.pickler import Storages, pickled
from rushlight.serialization.replacing import is_path, replaced
from rushlight.utils.serialization import config

DEFAULT_PROTOCOL = 2


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Save an object to a file, given by its path or as something to write to; PyTorch reads it too.

    Tensors that share memory still do when they are loaded; what a view does not show is saved with it. A path gets
    the new file at once and whole: should saving fail, or the machine, the file that was there before is untouched.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> file.seek(0)
    0
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    if not is_path(f) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if is_path(f):
        f = os.fsdecode(os.fspath(f))
    if not _use_new_zipfile_serialization:
        if _serialization_tls.skip_data:
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        with replaced(f) if is_path(f) else nullcontext(f) as file:
            legacy.write(obj, file, pickle_module, pickle_protocol)
        return
    # before the file is made: most of what can go wrong does here
    storages = Storages()
    data = pickled(obj, pickle_module, pickle_protocol, storages.identify)
    if not is_path(f):
        write_archive(ArchiveWriter(f, "archive"), data, storages, _disable_byteorder_record)
        return
    folder = os.path.dirname(f)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    with replaced(f) as file:
        write_archive(ArchiveWriter(file, archive_name(f)), data, storages, _disable_byteorder_record)


def write_archive(archive: ArchiveWriter, data: bytes, storages: Storages, without_order: bool) -> None:
    """Write the records of a file: the pickle, what the file says of itself, and the storages."""
    archive.write_record("data.pkl", data)
    archive.write_record(".format_version", b"1")
    archive.write_record(".storage_alignment", str(config.save.storage_alignment).encode())
    if not without_order:
        archive.write_record("byteorder", sys.byteorder.encode())
    for key, (storage, _) in storages.held.items():
        if _serialization_tls.skip_data:
            archive.write_room(f"data/{key}", storage.nbytes())
        else:
            archive.write_record(f"data/{key}", storage._memory)
    archive.finish()
