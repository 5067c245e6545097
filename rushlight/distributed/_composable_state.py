"""The state that a wrapper without a module of its own leaves with a module: packages ask whether there is one."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from rushlight.nn.modules.module import Module


class _State:
    """Base of such states."""


_module_state_mapping: WeakKeyDictionary[Module, _State] = WeakKeyDictionary()


def _insert_module_state(module: Module, state: _State) -> None:
    """Leave a state with a module, which has none yet."""
    if module in _module_state_mapping:
        raise AssertionError(f"Inserting {module} more than once.")
    _module_state_mapping[module] = state


def _get_module_state(module: Module) -> _State | None:
    """The state of a module, or None; one that is a state itself is its own."""
    return module if isinstance(module, _State) else _module_state_mapping.get(module)
