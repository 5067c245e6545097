"""Small helpers that programs take from `torch.serialization`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from rushlight.serialization.replacing import is_path

ZIP = b"PK\x03\x04"


@contextmanager
def mkdtemp() -> Iterator[str]:
    """A new folder for the time of a with statement."""
    import shutil
    import tempfile

    path = tempfile.mkdtemp()
    try:
        yield path
    finally:
        shutil.rmtree(path)


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple, error_if_malformed: bool = True
) -> bool:
    """Whether a module's `__version__` is at least this one; a version that cannot be read warns or is refused."""
    try:
        parts = module.__version__.split(".")
        found = tuple([type(wanted)(part) for wanted, part in zip(req_version_tuple, parts, strict=False)])
        return found >= req_version_tuple
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(f"{message} with tuple {req_version_tuple}; it is taken for new enough", stacklevel=2)
        return True


def _is_zipfile(f: Any) -> bool:
    """Whether a file begins as an archive does; it stays where it stands."""
    start = f.tell()
    begins = f.read(len(ZIP))
    f.seek(start)
    return begins == ZIP


def _open_file_like(name_or_buffer: Any, mode: str) -> Any:
    """A file for a with statement: that of a path, closed at the end, or the one that is given, which stays open."""
    return open(name_or_buffer, mode) if is_path(name_or_buffer) else nullcontext(name_or_buffer)


def _maybe_decode_ascii(bytes_str: bytes | str) -> str:
    """A text of Python 2, which may be bytes."""
    return bytes_str.decode("ascii") if isinstance(bytes_str, bytes) else bytes_str
