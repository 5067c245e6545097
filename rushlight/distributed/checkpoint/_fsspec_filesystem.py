"""Checkpoints by the package fsspec: folders of this machine; other places are refused."""

from __future__ import annotations

import os
from typing import Any

from rushlight.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, is_path

__all__ = ["FsspecReader", "FsspecWriter"]


def local(path: str | os.PathLike | None) -> str | None:
    """A path of this machine, without `file://`."""
    if path is None:
        return None
    found = os.fspath(path).removeprefix("file://")
    if not is_path(found):
        raise NotImplementedError(
            f"{found}: torch.distributed.checkpoint in Rushlight reads and writes folders of this machine; copy them "
            "with fsspec"
        )
    return found


class FsspecWriter(FileSystemWriter):
    """Writes a checkpoint into a folder, whose name may begin with `file://`."""

    def __init__(self, path: str | os.PathLike, single_file_per_rank: bool = True, *args: Any, **kwargs: Any):
        super().__init__(local(path) or "", single_file_per_rank, *args, **kwargs)

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin a checkpoint, in another folder if one is given."""
        super().reset(local(checkpoint_id))


class FsspecReader(FileSystemReader):
    """Reads a checkpoint from a folder, whose name may begin with `file://`."""

    def __init__(self, path: str | os.PathLike, **kwargs: Any):
        super().__init__(local(path) or "")

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin with a checkpoint, in another folder if one is given."""
        super().reset(local(checkpoint_id))
