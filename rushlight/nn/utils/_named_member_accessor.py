"""torch.nn.utils._named_member_accessor: tensors and submodules of a module by their path, put in and taken out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.module import Module

__all__ = ["NamedMemberAccessor", "set_tensor", "swap_submodule", "swap_tensor"]

# in place of a tensor: there is none, or there shall be none
_MISSING: Any = object()


def set_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Put a tensor under a name, as a parameter or a buffer if one of that name is there."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module: Module, name: str, tensor: Tensor, allow_missing: bool = False) -> Tensor:
    """Put a tensor under a name; the one that was there."""
    require_name(module, name, "tensor")
    if tensor is not _MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    for kept in (module._parameters, module._buffers):
        if name in kept:
            before: Any = kept[name]
            if tensor is _MISSING:
                del kept[name]
            else:
                kept[name] = tensor  # type: ignore[assignment]
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


def swap_submodule(module: Module, name: str, submodule: Module) -> Module:
    """Put a module under the name of another; the one that was there."""
    require_name(module, name, "submodule")
    if not isinstance(submodule, Module):
        raise TypeError(f"{submodule} is not an instance of torch.nn.Module")
    before = module._modules.get(name, _MISSING)
    if before is _MISSING:
        raise KeyError(f"submodule {name} does not exist")
    if not isinstance(before, Module):
        raise TypeError(f"{name} attribute is not an instance of torch.nn.Module")
    module._modules[name] = submodule
    return before


def require_name(module: Any, name: str, what: str) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."')
    if not name:
        raise KeyError(f'{what} name can\'t be empty string ""')


class NamedMemberAccessor:
    """A module whose tensors and submodules, also those deep inside, are found by their path."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def place_of(self, path: str) -> tuple[Module, str]:
        """The module that a path leads to, and the name in it."""
        prefix, _, name = path.rpartition(".")
        return self.get_submodule(prefix), name

    def get_submodule(self, name: str) -> Module:
        """The module at a path; this one at an empty one."""
        return self.module.get_submodule(name)

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Put a module at a path; the one that was there."""
        return swap_submodule(*self.place_of(path), value)

    def get_tensor(self, name: str) -> Any:
        """The tensor at a path."""
        module, last = self.place_of(name)
        if not hasattr(module, last):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        found: Any = getattr(module, last)
        if found is not None and not isinstance(found, Tensor):
            raise TypeError(f"{found} is not an instance of torch.Tensor")
        return found

    def set_tensor(self, name: str, value: Tensor) -> None:
        """Put a tensor at a path."""
        module, last = self.place_of(name)
        set_tensor(module, last, value)

    def del_tensor(self, name: str) -> None:
        """Take the tensor at a path away."""
        module, last = self.place_of(name)
        swap_tensor(module, last, _MISSING)

    def swap_tensor(self, name: str, value: Tensor, allow_missing: bool = False) -> Tensor:
        """Put a tensor at a path; the one that was there."""
        module, last = self.place_of(name)
        return swap_tensor(module, last, value, allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        """The tensors at some paths."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Tensor]) -> None:
        """Put tensors at some paths."""
        self.set_tensors_dict(dict(zip(names, values, strict=True)))

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        """Put each tensor at its path."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Take the tensors at some paths away."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names: Iterable[str], values: Iterable[Tensor], allow_missing: bool = False) -> list[Tensor]:
        """Put tensors at some paths; those that were there."""
        return [self.swap_tensor(name, value, allow_missing) for name, value in zip(names, values, strict=True)]

    def swap_tensors_dict(
        self, named_tensors: dict[str, Tensor], allow_missing: bool = False
    ) -> tuple[dict[str, Tensor], list[str]]:
        """Put each tensor at its path; those that were there, and the paths where there was none."""
        before: dict[str, Tensor] = {}
        missing = []
        try:
            for name, value in named_tensors.items():
                before[name] = self.swap_tensor(name, value, allow_missing=True)
                if before[name] is _MISSING:
                    missing.append(name)
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except Exception:
            for name, value in before.items():
                self.swap_tensor(name, value, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """Paths of tensors that are not among the keys, and keys that are no such path."""
        given, there = set(keys), {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return list(there - given), list(given - there)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All parameters with their paths."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """All parameters and buffers with their paths."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """All modules with their paths."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
