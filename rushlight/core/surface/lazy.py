"""Lazy names: packages and ops loaded when they are first asked for, and plain words for what is not there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

# the names that a module has by now
loaded_names: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__
# the names that each module has promised
promised: dict[str, tuple[str, ...]] = {}
# modules that stay ordinary ones, whose `__dict__` has what is loaded: a class of their own costs 15 ns a `torch.tanh`
OFTEN_READ = ("rushlight", "rushlight.nn.functional")


class LateModule(ModuleType):
    """A module with names that are loaded when they are asked for, which is all of them once `__dict__` is."""

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        names = loaded_names(self)
        for name in promised[self.__name__]:
            value = getattr(self, name)
            names.setdefault(name, value)
        # all is there: it may be an ordinary one, whose names Python finds 15 ns faster
        self.__class__ = ModuleType  # type: ignore[assignment]
        return names

    def __dir__(self) -> list[str]:
        return all_names(self)

    def __reduce__(self) -> tuple:
        # those who send functions to other processes pickle the modules that these name
        return import_module, (self.__name__,)


def all_names(module: ModuleType) -> list[str]:
    """What `dir` shows of a module: promised names included, what it was built with left out."""
    return sorted({*loaded_names(module), *promised[module.__name__]} - BUILT_WITH)


BUILT_WITH = frozenset("Any annotations import_module names_of namespace promise public find warn late".split())


def names_of(
    package: str, lazy: Iterable[str] = (), elsewhere: Mapping[str, str] = MappingProxyType({})
) -> Callable[[str], Any]:
    """A `__getattr__` for a public package: imports the modules in `lazy`, finds ops that are declared late.

    `elsewhere` says in which module of Rushlight other names live: `{"autocast": "amp"}`. The package shows all of
    them in `dir` and `__dict__`.
    """
    _, _, place = package.partition(".")
    shown = package.replace("rushlight", "torch", 1)
    modules = frozenset(lazy)
    promise(package, (*modules, *elsewhere))

    def __getattr__(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name in elsewhere:
            found = getattr(import_module(f"rushlight.{elsewhere[name]}"), name)
        else:
            found = None if name.startswith("__") else late_op(place, name)
        if found is None:
            raise missing(shown, name)
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


def promise(package: str, names: Iterable[str]) -> None:
    """Let a package show names that it does not have yet."""
    promised[package] = (*promised.get(package, ()), *names)
    module = sys.modules[package]
    if package in OFTEN_READ:
        loaded_names(module)["__dir__"] = partial(all_names, module)
    elif promised[package] and type(module) is ModuleType:
        module.__class__ = LateModule


class MissingName(AttributeError):
    """An error that looks for the reason when it is shown: `hasattr` asks for much that nobody misses."""

    def __init__(self, message: str, inside: str, **where: Any):
        super().__init__(message, **where)
        self.inside = inside  # the name without `torch.`

    def __str__(self) -> str:
        from rushlight.errors.suggestions import explained

        return explained(super().__str__(), self.inside)


# what a traceback shows is torch's type
MissingName.__name__, MissingName.__qualname__, MissingName.__module__ = "AttributeError", "AttributeError", "builtins"


def missing(package: str, name: str) -> AttributeError:
    """The error for a name that a package of torch has and Rushlight lacks, or that nobody has."""
    inside = f"{package.removeprefix('torch')}.{name}".removeprefix(".")
    # without `obj`, so that Python adds no second guess to ours
    return MissingName(f"module '{package}' has no attribute '{name}'", inside, name=name)


def late_op(place: str, name: str) -> Any:
    """The op of this name in `linalg`, `nn.functional` or "", the top, once all families are loaded."""
    from rushlight.ops.machine import bind, late

    if not place and name not in late.FUNCTIONS:
        return None
    late.load()
    return bind.public_name(place, name)
