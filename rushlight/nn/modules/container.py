"""Containers: modules that hold others, in a row, a list or a dictionary."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from rushlight.errors.warning import warn
from rushlight.nn.modules.module import Module, indented
from rushlight.nn.modules.parameter_containers import ParameterDict, ParameterList, named_items, place_of

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """torch's older name of a module with submodules; `Module` itself does this."""

    def __init__(self, **kwargs: Any) -> None:
        warn("`nn.Container` is deprecated. Subclass `nn.Module` instead, which does the same.", FutureWarning)
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class Sequence(Module):
    """What `Sequential` and `ModuleList` share: modules numbered from 0."""

    _modules: dict[str, Any]

    def renumber(self, modules: Iterable[Module | None]) -> None:
        self._modules = {str(place): module for place, module in enumerate(modules)}

    def name_at(self, index: Any) -> str:
        """The name of the module at a place: a number, unless the user chose names."""
        return list(self._modules)[place_of(index, len(self._modules))]

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return self.part(index)
        return self._modules[self.name_at(index)]

    def part(self, index: slice) -> Any:
        """A container of the same kind with some of the modules."""
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self.name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self.name_at(index)]:
            delattr(self, name)
        self.renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before the one at `index`."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        self.renumber(modules)

    def pop(self, key: int | slice) -> Module:
        """Take a module out and give it back."""
        found = self[key]
        del self[key]
        return found


class Sequential(Sequence):
    """Modules called one after the other, each with the result of the one before.

    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    >>> model(torch.zeros(5, 2)).shape
    torch.Size([5, 1])

    An ordered dictionary of modules gives them names.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def part(self, index: slice) -> Sequential:
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def __add__(self, other: Sequential) -> Sequential:
        require_sequential(other, "add")
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        require_sequential(other, "add")
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        require_count(other)
        return Sequential(*[module for _ in range(other) for module in self])

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Self:
        require_count(other)
        modules = list(self)
        for _ in range(other - 1):
            self.extend(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in list(sequential):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        super().insert(index + length if index < 0 else index, module)
        return self


def require_sequential(other: Any, verb: str) -> None:
    if not isinstance(other, Sequential):
        raise ValueError(f"{verb} operator supports only objects of Sequential class, but {type(other)} is given.")


def require_count(other: Any) -> None:
    if not isinstance(other, int):
        raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(other)}")
    if other <= 0:
        raise ValueError(f"Non-positive multiplication factor {other} for {Sequential}")


class ModuleList(Sequence):
    """A list of modules, whose parameters are found; it has no `forward` of its own."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def part(self, index: slice) -> ModuleList:
        return type(self)(list(self._modules.values())[index])

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got " + type(modules).__name__)
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self) -> str:
        """As other modules print, but equal neighbours share one line."""
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        runs: list[list[int]] = []
        for place, text in enumerate(texts):
            if runs and texts[runs[-1][0]] == text:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        lines = []
        for first, last in runs:
            if first == last:
                lines.append(f"({first}): {indented(texts[first])}")
            else:
                lines.append(f"({first}-{last}): {last - first + 1} x {indented(texts[first])}")
        inside = "\n  ".join(lines)
        return f"{self._get_name()}(\n  {inside}\n)"


class ModuleDict(Module):
    """A dictionary of modules, whose parameters are found; it has no `forward` of its own."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out and give it back."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a dictionary, or from pairs of name and module."""
        for key, module in named_items(modules, "ModuleDict"):
            self[key] = module
