"""Replacing: a file gets its new content at once and whole, or keeps the old one."""

from __future__ import annotations

import contextlib
import os
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
    opened = beside(target, before is not None)
    if opened is None:
        with open(target, "wb") as file:
            yield file
        return
    descriptor, temporary = opened
    try:
        with os.fdopen(descriptor, "wb") as file:
            keep_permissions(descriptor, before)
            yield file
            file.flush()
            os.fsync(descriptor)
            if temporary is None:
                # it gets a name only now, so that nobody who is killed before leaves one behind
                temporary = hidden_name(target)
                os.link(f"/proc/self/fd/{descriptor}", temporary, src_dir_fd=descriptor, follow_symlinks=True)
        os.replace(temporary, target)
    except BaseException:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise
    sync_folder(os.path.dirname(target))


def status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def hidden_name(target: str) -> str:
    """A name beside the target that nobody has."""
    folder, name = os.path.split(target)
    # a long name, with what is added to it, may be too long for the system
    return os.path.join(folder, f".{name[:100]}.{os.urandom(6).hex()}.tmp")


def beside(target: str, there: bool) -> tuple[int, str | None] | None:
    """A new file in the folder of the target: its descriptor, and its name, or None where the system can do without.

    None for both if the folder may hold no new file, though the target is there.
    """
    flags = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        # not every file system has them
        with contextlib.suppress(OSError):
            return os.open(os.path.dirname(target) or ".", flags | os.O_TMPFILE, 0o666), None
    temporary = hidden_name(target)
    try:
        return os.open(temporary, flags | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666), temporary
    except PermissionError:
        if there:
            return None
        raise PermissionError(13, "Permission denied", target) from None
    except OSError as error:
        raise type(error)(error.errno, error.strerror, target) from None


def keep_permissions(descriptor: int, before: os.stat_result | None) -> None:
    """Give a new file the permissions and the owner of the old one, as far as the system lets us."""
    if before is None or not hasattr(os, "fchmod"):
        return
    with contextlib.suppress(OSError):
        if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(descriptor, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


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
