"""The import hook: `torch` is a thin face of `rushlight`, `torch.x.y` is `rushlight.x.y`; `functorch` comes along."""

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

import rushlight
from rushlight.compat import processes
from rushlight.compat.face import TORCH_VERSION, TorchFace, missing
from rushlight.compat.naming import name_module, restore, underway

__all__ = ["TORCH_VERSION", "install", "installed", "uninstall"]


class TorchFinder(MetaPathFinder):
    """Answers for every import of `torch` and its submodules, before any torch that is installed."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.startswith("rushlight."):
            return spec_that_ends(name_module, fullname, path, target)
        if fullname in processes.MODULES:
            return spec_that_ends(processes.prepare, fullname, path, target)
        if not is_torch(fullname):
            return None
        if fullname == "torch":
            return spec_like(rushlight.__spec__, "torch", FaceLoader())
        behind = None if is_import(sys._getframe(1)) else spec_behind(fullname)
        if behind is None:
            if not is_import(sys._getframe(1)):
                return None
            underway.add(fullname)
            try:
                behind = module_behind(fullname).__spec__
            finally:
                underway.discard(fullname)
        return spec_like(behind, fullname, AliasLoader(fullname))

    def find_distributions(self, context):
        """What `importlib.metadata` asks: for one name, or for all that there are."""
        if context.name is not None and context.name.lower() != "torch":
            return []
        from rushlight.compat.distribution import NAME_AND_VERSION, TorchDistribution

        # a stand-in has files, and is found by its folder
        stands_in = any(os.path.isdir(os.path.join(each, f"{NAME_AND_VERSION}.dist-info")) for each in context.path)
        return [] if stands_in else [TorchDistribution()]


def is_import(frame: FrameType | None) -> bool:
    """Whether a finder was asked for an import, which wants to hear why there is none, or by `find_spec`."""
    while frame is not None and "importlib" in frame.f_code.co_filename:
        if frame.f_code.co_name == "_find_and_load_unlocked":
            return True
        frame = frame.f_back
    return False


def spec_like(behind: ModuleSpec, name: str, loader: Loader) -> ModuleSpec:
    """A spec under torch's name for what lies in Rushlight's file."""
    spec = ModuleSpec(name, loader, origin=behind.origin)
    if behind.submodule_search_locations is not None:
        spec.submodule_search_locations = list(behind.submodule_search_locations)
    spec.has_location = behind.has_location
    return spec


def spec_that_ends(last: Callable[[ModuleType], None], fullname: str, path: Any, target: Any) -> ModuleSpec | None:
    """The spec that others find for a module, which is given to `last` as soon as its names are there."""
    found = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not FINDER)
    spec = next((each for each in found if each is not None), None)
    if spec is not None and spec.loader is not None:
        spec.loader = EndingLoader(spec.loader, last)
    return spec


class EndingLoader(Loader):
    """Loads a module by its own loader, then calls a function with it."""

    def __init__(self, own: Any, last: Callable[[ModuleType], None]):
        self.own, self.last = own, last

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.own
        self.own.exec_module(module)
        self.last(module)


def spec_behind(fullname: str) -> ModuleSpec | None:
    """The spec of the module that stands behind one of torch's, which is not loaded for it."""
    name = name_behind(fullname)
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is not None:
        return found
    package, _, last = name.rpartition(".")
    module = getattr(sys.modules.get(package), last, None)
    return module.__spec__ if isinstance(module, ModuleType) else None


class FaceLoader(Loader):
    """Makes the module `torch`."""

    def create_module(self, spec):
        return TorchFace()

    def exec_module(self, module):
        """The face needs no code run: its names are Rushlight's."""


class AliasLoader(Loader):
    """Hands out a module of Rushlight as it is."""

    def __init__(self, fullname: str):
        self.fullname = fullname

    def create_module(self, spec):
        self.module = module_behind(self.fullname)
        self.spec, self.loader = self.module.__spec__, self.module.__loader__
        return self.module

    def exec_module(self, module):
        # The import system has just stamped torch's spec on Rushlight's module.
        module.__spec__, module.__loader__ = self.spec, self.loader

    def get_code(self, fullname):
        """What `python -m torch.x.y` runs: the code of Rushlight's module."""
        return loader_behind(fullname).get_code(name_behind(fullname))

    def get_source(self, fullname):
        """The text of Rushlight's module."""
        return loader_behind(fullname).get_source(name_behind(fullname))

    def is_package(self, fullname):
        """Whether it may have modules below it."""
        spec = spec_behind(fullname)
        return spec is not None and spec.submodule_search_locations is not None


def loader_behind(fullname: str) -> Any:
    """The loader of the module of Rushlight that a module of torch stands for."""
    spec = spec_behind(fullname)
    if spec is None or not hasattr(spec.loader, "get_code"):
        raise ImportError(missing(fullname), name=fullname)
    return spec.loader


def is_torch(name: str) -> bool:
    return name.partition(".")[0] in ("torch", "functorch")


def name_behind(fullname: str) -> str:
    """What a module of torch, or of the package `functorch` that comes with it, is called here."""
    if fullname.startswith("functorch"):
        return "rushlight._functorch." + fullname
    return "rushlight" + fullname.removeprefix("torch")


def module_behind(fullname: str) -> ModuleType:
    """The module of Rushlight that `fullname`, a submodule of torch, stands for."""
    name = name_behind(fullname)
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
    processes.prepare_if_loaded()


def uninstall() -> None:
    """Undo `install`: `import torch` finds torch again, or nothing."""
    if FINDER not in sys.meta_path:
        return
    sys.meta_path.remove(FINDER)
    restore()
    processes.restore()
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
