"""The import hook: `torch` is a thin face of `rushlight`, `torch.x.y` is `rushlight.x.y` itself."""

import contextlib
import importlib
import sys
from collections.abc import Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import rushlight
from rushlight.compat.face import TORCH_VERSION, TorchFace, missing

__all__ = ["TORCH_VERSION", "install", "installed", "uninstall"]


class TorchFinder(MetaPathFinder):
    """Answers for every import of `torch` and its submodules, before any torch that is installed."""

    def find_spec(self, fullname, path=None, target=None):
        if not is_torch(fullname):
            return None
        if fullname == "torch":
            return ModuleSpec("torch", FaceLoader(), origin=rushlight.__file__, is_package=True)
        return ModuleSpec(fullname, AliasLoader(module_behind(fullname)), origin="rushlight")


class FaceLoader(Loader):
    """Makes the module `torch`."""

    def create_module(self, spec):
        return TorchFace()

    def exec_module(self, module):
        """The face needs no code run: its names are Rushlight's."""


class AliasLoader(Loader):
    """Hands out a module of Rushlight that is already loaded, as it is."""

    def __init__(self, module: ModuleType):
        self.module = module
        self.spec = module.__spec__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        # The import system has just stamped torch's spec on Rushlight's module.
        module.__spec__ = self.spec


def is_torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")


def module_behind(fullname: str) -> ModuleType:
    """The module of Rushlight that `fullname`, a submodule of torch, stands for."""
    name = "rushlight" + fullname.removeprefix("torch")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # Only its own absence: a module that is there and fails to import something else says so itself.
        if error.name != name:
            raise
    # one that has another name here, which its package knows
    package, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(package), last, None) if package in sys.modules else None
    if isinstance(found, ModuleType):
        return found
    # exc.name is Rushlight's: with torch's, `from torch import nonsense` would replace this message.
    raise ModuleNotFoundError(missing(fullname), name=name) from None


FINDER = TorchFinder()
# What `torch` meant before: the modules of a torch that the program had already imported.
displaced: dict[str, ModuleType] = {}


def torch_modules() -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if is_torch(name)}


def install() -> None:
    """Make `import torch` mean Rushlight from here on, whether or not torch is installed."""
    if FINDER in sys.meta_path:
        return
    displaced.update(torch_modules())
    for name in displaced:
        del sys.modules[name]
    sys.meta_path.insert(0, FINDER)


def uninstall() -> None:
    """Undo `install`: `import torch` finds torch again, or nothing."""
    if FINDER not in sys.meta_path:
        return
    sys.meta_path.remove(FINDER)
    for name in torch_modules():
        del sys.modules[name]
    sys.modules.update(displaced)
    displaced.clear()


@contextlib.contextmanager
def installed() -> Iterator[None]:
    """`install` for the time of a with statement."""
    before = FINDER in sys.meta_path
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()
