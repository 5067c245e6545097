"""Processes: one that starts afresh (spawn, forkserver, loky) runs the program on Rushlight, as the first one does."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

# the modules that tell a new process how to begin: Python's own, and loky's, alone and inside of joblib
MODULES = ("multiprocessing.spawn", "loky.backend.spawn", "joblib.externals.loky.backend.spawn")
# their own functions, while ours stand in their places
own: dict[str, Callable[..., dict[str, Any]]] = {}


class Beginning:
    """Sent ahead of the program: unpickled in the new process, it makes `torch` mean Rushlight there."""

    def __reduce__(self):
        from rushlight.compat.finder import install

        return install, ()


def prepare(module: ModuleType) -> None:
    """Let new processes begin with the import hook; `module` is one of `MODULES`."""
    name = module.__name__
    if name in own:
        return
    own[name] = module.get_preparation_data

    def get_preparation_data(*args: Any, **kwargs: Any) -> dict[str, Any]:
        # Python takes the names that it knows, and unpickles all of them before it runs the program's file
        return {"rushlight": Beginning(), **own[name](*args, **kwargs)}

    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]


def prepare_if_loaded() -> None:
    for name in MODULES:
        if name in sys.modules:
            prepare(sys.modules[name])


def restore() -> None:
    """Let new processes begin as they are."""
    for name, function in own.items():
        sys.modules[name].get_preparation_data = function  # type: ignore[attr-defined]
    own.clear()
