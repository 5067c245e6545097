"""Replacing: a file gets its new content at once and whole, or keeps the old one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO, Any


@contextlib.contextmanager
def replaced(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of the one at `path` when all is written and on the disk.

    The new one is made beside it, so that both are on one file system, and removed if anything fails: whoever reads
    the path, also after a crash, finds the old file or the new one. A link is followed, permissions are kept. What is
    no plain file (a device, a pipe), and what stands in a folder that may not be written to, is written to directly.
    """
    target = os.path.realpath(path)
    before = status(target)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(target, "wb") as file:
            yield file
        return
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", path)
    opened = beside(target, before)
    if opened is None:
        with open(target, "wb") as file:
            yield file
        return
    descriptor, temporary = opened
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(os.path.dirname(target))


def status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def beside(target: str, before: os.stat_result | None) -> tuple[int, str] | None:
    """A new file in the folder of the target; None if it may hold none, though the target may be written to."""
    folder, name = os.path.split(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    # a long name, with what is added to it, may be too long for the file system
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, flags, 0o666)
    except PermissionError:
        if before is not None and os.access(target, os.W_OK):
            return None
        raise PermissionError(13, "Permission denied", target) from None
    if before is not None:
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(before.st_mode))
        with contextlib.suppress(OSError, AttributeError):
            if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                os.chown(temporary, before.st_uid, before.st_gid)
    return descriptor, temporary


def sync_folder(folder: str) -> None:
    """Let the new name reach the disk too, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def is_path(name_or_buffer: Any) -> bool:
    return isinstance(name_or_buffer, (str, os.PathLike))
