"""Registration: the names that a module gives to its parts, and the functions of the user's that see each part."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight.autograd.handles import RemovableHandle, add
from rushlight.core.object.conversion import typename

# the user's functions that see what is registered, by kind; `nn.modules.module` has them too: see module_globals.py
registration_hooks: dict[str, OrderedDict[int, Callable]] = {
    "parameter": OrderedDict(),
    "buffer": OrderedDict(),
    "module": OrderedDict(),
}


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """What is registered in the end: hooks see the value first, and may give another."""
    for hook in registration_hooks[kind].values():
        changed = hook(module, name, value)
        value = value if changed is None else changed
    return value


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, param)` whenever a module gets a parameter; what it returns is taken instead."""
    return add(registration_hooks["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, buffer)` whenever a module gets a buffer; what it returns is taken instead."""
    return add(registration_hooks["buffer"], hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, submodule)` whenever a module gets a submodule; what it returns is taken instead."""
    return add(registration_hooks["module"], hook)


def check_name(module: Any, name: Any, what: str, known: dict) -> None:
    """Refuse a name that is no name, or that something else has."""
    if not isinstance(name, str):
        raise TypeError(f"{what} name should be a string. Got {typename(name)}")
    if hasattr(module, name) and name not in known:
        raise KeyError(f"attribute '{name}' already exists")
    if "." in name:
        raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
    if not name:
        raise KeyError(f'{what} name can\'t be empty string ""')
