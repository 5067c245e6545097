"""The sources of the extension: a sum over them, by which a source tree knows an installed extension for its own.

    python rushlight/native/sources.py path/to/sources.sum

writes it when the package is built. In a clone `python -m rushlight` and `python -m pytest` import the tree, which has
no compiled file, although one may lie in the environment: that one serves if it was compiled from what stands here.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

NAME = "rushlight.native._core"
# beside the extension, where the package was built
RECORD = "sources.sum"


def sum_of(folder: Path) -> str | None:
    """A sum over the names and texts of all C++ files of a folder; None if it has none, as in an installed package."""
    total = hashlib.sha256()
    paths = sorted(path for pattern in ("*.cpp", "*.h") for path in folder.rglob(pattern))
    for path in paths:
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest() if paths else None


def find_installed(folder: Path) -> Path | None:
    """The extension of an installed copy that was compiled from the sources in this folder."""
    wanted = None
    for entry in sys.path:
        copy = Path(entry, "rushlight", "native")
        record = copy / RECORD
        if not record.is_file():
            continue
        # 262 files take 6 ms, so they are read only where there is something to compare with
        wanted = wanted or sum_of(folder)
        if record.read_text(encoding="ascii").strip() == wanted:
            return next((path for suffix in EXTENSION_SUFFIXES if (path := copy / f"_core{suffix}").is_file()), None)
    return None


def load_installed(folder: str) -> Any:
    """The extension of an installed copy, loaded as this one's own; None if there is none that fits."""
    path = find_installed(Path(folder))
    spec = path and spec_from_file_location(NAME, path)
    if not spec or not spec.loader:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[NAME] = module
    return module


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(f"{sum_of(Path(__file__).resolve().parent)}\n", encoding="ascii")
