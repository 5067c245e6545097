"""Processes: one that starts afresh (spawn, forkserver) runs the program on Rushlight, as the one that started it."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

# the module that tells a new process how to begin
MODULE = "multiprocessing.spawn"
# its own function, while ours stands in its place
own: list[Callable[[str], dict[str, Any]]] = []


class Beginning:
    """Sent ahead of the program: unpickled in the new process, it makes `torch` mean Rushlight there."""

    def __reduce__(self):
        from rushlight.compat.finder import install

        return install, ()


def prepare(module: ModuleType) -> None:
    """Let new processes begin with the import hook; `module` is `multiprocessing.spawn`."""
    if own:
        return
    own.append(module.get_preparation_data)

    def get_preparation_data(name: str) -> dict[str, Any]:
        # Python takes the names that it knows, and unpickles all of them before it runs the program's file
        return {"rushlight": Beginning(), **own[0](name)}

    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]


def prepare_if_loaded() -> None:
    if MODULE in sys.modules:
        prepare(sys.modules[MODULE])


def restore() -> None:
    """Let new processes begin as they are."""
    if own:
        sys.modules[MODULE].get_preparation_data = own.pop()  # type: ignore[attr-defined]
