"""torch.hub: models from the `hubconf.py` of a repository that is on this machine; nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlparse

from rushlight.core.surface.lazy import names_of

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
MODULE_HUBCONF, VAR_DEPENDENCY = "hubconf.py", "dependencies"
ENV_TORCH_HOME, ENV_XDG_CACHE_HOME, ENV_GITHUB_TOKEN = "TORCH_HOME", "XDG_CACHE_HOME", "GITHUB_TOKEN"
DEFAULT_CACHE_DIR = "~/.cache"
READ_DATA_CHUNK = 128 * 1024
chosen: dict[str, str] = {}


def get_dir() -> str:
    """The folder of repositories and files that were fetched before."""
    if "folder" in chosen:
        return chosen["folder"]
    return os.path.join(_get_torch_home(), "hub")


def _get_torch_home() -> str:
    cache = os.path.join(os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR), "torch")
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, cache))


def set_dir(d: str | os.PathLike) -> None:
    """Choose that folder."""
    chosen["folder"] = os.path.expanduser(d)


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """What an entry point of a repository's `hubconf.py` gives: a folder with source="local", or a fetched one."""
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    folder = repo_or_dir if source == "local" else fetched(repo_or_dir, force_reload)
    return _load_local(folder, model, *args, **kwargs)


def _load_local(hubconf_dir: str, model: str, *args: Any, **kwargs: Any) -> Any:
    conf = configuration(hubconf_dir)
    return entry_point(conf, model)(*args, **kwargs)


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
) -> Any:
    """The entry points of a repository that was fetched before."""
    conf = configuration(fetched(github, force_reload), check=False)
    return [name for name, value in vars(conf).items() if callable(value) and not name.startswith("_")]


def help(
    github: str, model: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check"
) -> str | None:
    """What an entry point says of itself."""
    return entry_point(configuration(fetched(github, force_reload), check=False), model).__doc__


def configuration(folder: str, check: bool = True) -> ModuleType:
    """A repository's `hubconf.py`, run; its folder can be imported from meanwhile."""
    path = os.path.join(os.path.expanduser(folder), MODULE_HUBCONF)
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec = spec_from_file_location(MODULE_HUBCONF, path, loader=SourceFileLoader(MODULE_HUBCONF, path))
        if spec is None or spec.loader is None:
            raise FileNotFoundError(path)
        conf = module_from_spec(spec)
        spec.loader.exec_module(conf)
        if check:
            check_dependencies(conf)
        return conf
    finally:
        sys.path.remove(os.path.dirname(path))


def check_dependencies(conf: ModuleType) -> None:
    """Raise if packages that a repository names are not installed."""
    missing = [each for each in getattr(conf, VAR_DEPENDENCY, None) or () if not is_there(each)]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")


def is_there(package: str) -> bool:
    if package in sys.modules or package == "torch":
        return True
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def entry_point(conf: ModuleType, name: Any) -> Any:
    """A function of a repository's `hubconf.py`."""
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(conf, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def fetched(github: str, force_reload: bool) -> str:
    """The folder of a repository that was fetched before; others are refused."""
    repository, _, branch = github.partition(":")
    owner, slash, name = repository.partition("/")
    if not slash:
        raise ValueError(f'expected "owner/name[:branch]", not {github!r}; a folder needs source="local"')
    for each in [branch] if branch else ["main", "master"]:
        folder = os.path.join(get_dir(), "_".join([owner, name, each.replace("/", "_")]))
        if os.path.exists(folder) and not force_reload:
            return folder
    raise RuntimeError(
        f"torch.hub does not download in Rushlight: git clone https://github.com/{owner}/{name} and call "
        f'torch.hub.load("path/to/{name}", ..., source="local")'
    )


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Copy the file of a `file:` address; other addresses are refused."""
    origin = local_path(url)
    if origin is None:
        raise RuntimeError(
            f"torch.hub does not download in Rushlight: fetch {url} with another program and put it at {dst}"
        )
    folder = os.path.dirname(os.path.expanduser(dst)) or "."
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        try:
            with open(origin, "rb") as given:
                digest = copied(given, file)
            if hash_prefix is not None and not digest.startswith(hash_prefix):
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
            file.close()
            shutil.move(file.name, os.path.expanduser(dst))
        finally:
            if os.path.exists(file.name):
                os.remove(file.name)


def copied(given: Any, file: Any) -> str:
    """Copy a file; returns its SHA-256."""
    digest = hashlib.sha256()
    while chunk := given.read(READ_DATA_CHUNK):
        file.write(chunk)
        digest.update(chunk)
    return digest.hexdigest()


def local_path(url: str) -> str | None:
    """The path that a `file:` address names; None for others."""
    parts = urlparse(url)
    return unquote(parts.path) if parts.scheme == "file" else None


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """The parameters in a file that was fetched before, or that a `file:` address names."""
    import rushlight

    folder = Path(model_dir if model_dir is not None else os.path.join(get_dir(), "checkpoints"))
    name = file_name if file_name is not None else os.path.basename(urlparse(url).path)
    cached = folder / name
    if not cached.exists():
        if local_path(url) is None:
            raise RuntimeError(
                f"torch.hub does not download in Rushlight: fetch {url} with another program and put it at {cached}"
            )
        folder.mkdir(parents=True, exist_ok=True)
        match = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, str(cached), match[1] if match else None, progress)
    # from the package, where files are read
    read: Any = getattr(rushlight, "load")  # noqa: B009
    return read(cached, map_location=map_location, weights_only=weights_only)


find_name = names_of("rushlight.hub")


def __getattr__(name: str) -> Any:
    # packages take their progress bar from here
    if name == "tqdm" and find_spec("tqdm") is not None:
        return import_module("tqdm").tqdm
    return find_name(name)
