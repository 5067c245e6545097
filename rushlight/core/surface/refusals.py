"""Refusals: names that a program may import, look at and put into annotations, and that say why when they are used."""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from rushlight.core.surface.lazy import missing


def complaint(path: str, why: str) -> NotImplementedError:
    """The error for a name of torch, given without `torch.`, that is there to be imported only."""
    return NotImplementedError(f"torch.{path} is not in Rushlight: {why}")


def refusing(path: str, why: str) -> Callable[..., NoReturn]:
    """A function that says why there is none."""

    def function(*arguments: Any, **options: Any) -> NoReturn:
        raise complaint(path, why)

    place, _, name = path.rpartition(".")
    function.__name__ = function.__qualname__ = name
    function.__module__ = f"rushlight.{place}".rstrip(".")
    function.__doc__ = f"Not in Rushlight: {why}."
    function.left_out = True  # type: ignore[attr-defined]
    return function


class Refused:
    """Base of the classes that nothing is an instance of."""

    _path, _why = "", ""
    left_out = True

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        raise complaint(cls._path, cls._why)


def refusing_class(path: str, why: str) -> type:
    """A class for annotations, `isinstance` and subclasses, without objects; an error can be caught."""
    place, _, name = path.rpartition(".")
    fields = {"_path": path, "_why": why, "__doc__": f"Not in Rushlight: {why}."}
    fields["__module__"] = f"rushlight.{place}".rstrip(".")
    return type(name, (RuntimeError,) if name.endswith("Error") else (Refused,), fields)


def table(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Names by module, from lines `module: name Class Enum=A,B ...`; the values of an enum stand beside it."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    place: dict[str, tuple[str, ...]] = {}
    for word in text.split():
        if word.endswith(":"):
            place = found.setdefault(word[:-1], {})
            continue
        name, _, values = word.partition("=")
        place[name] = tuple(values.split(",")) if values else ()
    return found


# classes by reason and name: one that several modules show is one class
CLASSES: dict[tuple[str, str], Any] = {}


def value_of(path: str, values: tuple[str, ...], why: str) -> Any:
    """What a name of a table stands for."""
    place, _, name = path.rpartition(".")
    if not values and not name.lstrip("_")[:1].isupper():
        return refusing(path, why)
    if (why, name) not in CLASSES:
        numbered = {each: number for number, each in enumerate(values, 1)}
        made = enum.Enum(name, numbered, module=f"rushlight.{place}") if values else refusing_class(path, why)
        CLASSES[why, name] = made
    return CLASSES[why, name]


def names_refused(package: str, names: Mapping[str, tuple[str, ...]], why: str) -> Callable[[str], Any]:
    """A `__getattr__` that makes the names of a table when they are asked for."""
    place = package.partition(".")[2]

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise missing(package.replace("rushlight", "torch", 1), name)
        found = value_of(f"{place}.{name}" if place else name, names[name], why)
        setattr(sys.modules[package], name, found)
        return found

    return __getattr__


def keeping(names: frozenset[str]) -> type[ModuleType]:
    """The class of a package some of whose functions have the names of its modules: to import these hides none."""

    class Package(ModuleType):
        def __setattr__(self, name: str, value: Any) -> None:
            if name not in names or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

        def __reduce__(self) -> tuple:
            return import_module, (self.__name__,)

    return Package


def make_modules(
    package: str, modules: Mapping[str, Mapping[str, tuple[str, ...]]], why: str, hidden: Iterable[str] = ()
) -> None:
    """Give a package modules that exist by a table only, with those between: `fsdp.wrap` brings `fsdp` along.

    `hidden` are those whose names the package has for functions: they can be imported from, as in torch.
    """
    host = vars(sys.modules[package])
    if hidden:
        sys.modules[package].__class__ = keeping(frozenset(hidden))
    # with a path it may have modules, also for those who import them under torch's name
    host.setdefault("__path__", [])
    for place in every(modules):
        name = f"{package}.{place}"
        if name in sys.modules:
            continue
        module = sys.modules[name] = ModuleType(name, f"torch.{place}: names that can be imported; {why}.")
        module.__spec__ = ModuleSpec(name, None, is_package=True)
        names = modules.get(place, {})
        fields: dict[str, Any] = {"__path__": [], "__all__": [each for each in names if not each.startswith("_")]}
        fields |= {"__getattr__": names_refused(name, names, why), "__dir__": functools.partial(sorted, names)}
        vars(module).update(fields)
        above, _, last = name.rpartition(".")
        if place not in hidden:
            setattr(sys.modules[above], last, module)


def every(modules: Iterable[str]) -> list[str]:
    """Dotted names and all that they stand in, the outer ones first."""
    found = {".".join(each.split(".")[:count]) for each in modules for count in range(1, each.count(".") + 2)}
    return sorted(found)
