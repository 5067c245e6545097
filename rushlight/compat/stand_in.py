"""The stand-in: a distribution named torch whose one file says that Rushlight is meant, for plain `python`."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.util
import io
import os
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from rushlight.compat.distribution import METADATA, NAME_AND_VERSION, TOP_LEVEL
from rushlight.compat.face import DISTRIBUTION_VERSION
from rushlight.compat.finder import FINDER

# what `import torch` runs: the module gives its place to Rushlight's
CODE = '''\
"""torch, with Rushlight behind it: `python -m rushlight stand-in remove` takes it away again."""

import sys

try:
    from rushlight.compat import stand_in
except ModuleNotFoundError as error:
    if error.name != "rushlight":
        raise
    raise ModuleNotFoundError(
        "the torch in this environment is a stand-in for Rushlight, which is not installed here: "
        "install rushlight, or take the stand-in away with `pip uninstall torch`",
        name="rushlight",
    ) from None

sys.modules[__name__] = stand_in.take_over()
'''
# what `import functorch` runs, the package that torch brings along
BESIDE = '''\
"""functorch, with Rushlight behind it."""

import sys

import torch._functorch.functorch

sys.modules[__name__] = torch._functorch.functorch
'''
MODULES = {"torch/__init__.py": CODE, "functorch/__init__.py": BESIDE}
WHEEL = "Wheel-Version: 1.0\nGenerator: rushlight\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class StandInError(Exception):
    """Why there can be no stand-in here; the message is for the user."""


def take_over() -> ModuleType:
    """Make `torch` mean Rushlight from here on; what the stand-in's own file calls."""
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
    spec = FINDER.find_spec("torch")
    assert isinstance(spec, ModuleSpec)
    return importlib.util.module_from_spec(spec)


def place() -> Path:
    """Where this interpreter keeps pure Python packages."""
    return Path(sysconfig.get_path("purelib"))


def installed_at() -> Path | None:
    """The folder that holds a stand-in; None if there is none on the path."""
    return next((folder for version, folder in torches() if version == DISTRIBUTION_VERSION), None)


def real_torch() -> str | None:
    """The PyTorch that plain `python` would import, as words; None if there is none."""
    found = next(((version, folder) for version, folder in torches() if version != DISTRIBUTION_VERSION), None)
    if found is not None:
        return f"PyTorch {found[0]} in {found[1]}"
    spec = PathFinder.find_spec("torch", [each for each in sys.path if each])
    if spec is None or installed_at() is not None:
        return None
    return f"a torch without metadata at {spec.origin or spec.submodule_search_locations}"


def torches() -> Iterator[tuple[str, Path]]:
    """Version and folder of each distribution named torch on the path."""
    for each in metadata.MetadataPathFinder.find_distributions(metadata.DistributionFinder.Context(name="torch")):
        yield each.version, Path(str(each.locate_file("")))


def status() -> str:
    """What plain `import torch` means in this environment."""
    folder = installed_at()
    if folder is not None:
        return f"stand-in {DISTRIBUTION_VERSION} in {folder}"
    real = real_torch()
    return "not installed" if real is None else f"{real}; no stand-in possible"


def install() -> Path:
    """Put a stand-in into this environment; a StandInError where the real torch is, or where one may not write."""
    real = real_torch()
    if real is not None:
        raise StandInError(
            f"{real} is installed here, and a stand-in would hide it: run programs with "
            "`python -m rushlight script.py`, or make an environment without torch"
        )
    refuse_managed()
    folder = place()
    remove()
    files = contents()
    try:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    except OSError as error:
        erase(folder, list(files))
        raise StandInError(
            f"cannot write to {error.filename or folder}: {error.strerror}; use an environment of your own, "
            "`python -m venv env`"
        ) from None
    importlib.invalidate_caches()
    return folder


def refuse_managed() -> None:
    """Leave Pythons alone that belong to the operating system, as pip does."""
    marker = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    if sys.prefix == sys.base_prefix and marker.exists():
        raise StandInError(
            f"the Python in {sys.prefix} is managed by the operating system: make an environment, `python -m venv env`"
        )


def remove() -> Path | None:
    """Take the stand-in away, with all that Python made of it; its folder, or None if there was none."""
    folder = installed_at()
    if folder is None:
        return None
    try:
        erase(folder, listed(folder))
    except OSError as error:
        raise StandInError(f"cannot remove {error.filename or folder}: {error.strerror}") from None
    importlib.invalidate_caches()
    return folder


def contents() -> dict[str, str]:
    """The text of each file, by its path below site-packages; RECORD comes last and lists all."""
    information = f"{NAME_AND_VERSION}.dist-info"
    files = {
        **MODULES,
        f"{information}/METADATA": METADATA if is_distribution("rushlight") else without_requirements(METADATA),
        f"{information}/WHEEL": WHEEL,
        f"{information}/INSTALLER": "rushlight\n",
        f"{information}/top_level.txt": TOP_LEVEL,
    }
    rows = [(name, f"sha256={digest(text)}", len(text.encode())) for name, text in files.items()]
    # Python writes these itself; they are listed so that `pip uninstall` takes them too
    compiled = [(name, "", "") for path in MODULES for name in cached(path)]
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([*rows, *compiled, (f"{information}/RECORD", "", "")])
    return {**files, f"{information}/RECORD": lines.getvalue()}


def is_distribution(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def without_requirements(text: str) -> str:
    """The metadata where Rushlight is on the path, but no distribution that pip knows."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("Requires-Dist"))


def digest(text: str) -> str:
    """A file's hash as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def cached(name: str) -> list[str]:
    """The compiled files of a module, at every level of optimization."""
    return [importlib.util.cache_from_source(name, optimization=level) for level in ("", "1", "2")]


def listed(folder: Path) -> list[str]:
    """The files that RECORD names."""
    record = folder / f"{NAME_AND_VERSION}.dist-info" / "RECORD"
    return [row[0] for row in csv.reader(record.read_text(encoding="utf-8").splitlines()) if row]


def erase(folder: Path, names: list[str]) -> None:
    """Remove files below a folder, and the folders that become empty by it."""
    root = folder.resolve()
    paths = [path for path in ((root / name) for name in names) if root in path.resolve().parents]
    for path in paths:
        path.unlink(missing_ok=True)
        if path.suffix == ".py" and (path.parent / "__pycache__").is_dir():
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink()
    parents = {parent for path in paths for parent in path.parents if root in parent.parents}
    for parent in sorted(parents | {each / "__pycache__" for each in parents}, key=lambda each: -len(each.parts)):
        if parent.is_dir() and not os.listdir(parent):
            parent.rmdir()
