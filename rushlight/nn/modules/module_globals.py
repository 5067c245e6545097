"""The hooks of all modules under torch's names in `nn.modules.module`, where programs may assign others."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.nn.modules import module_calls, module_hooks, module_registration

OF_CALLS = (
    "_global_backward_hooks",
    "_global_backward_pre_hooks",
    "_global_forward_hooks",
    "_global_forward_hooks_always_called",
    "_global_forward_hooks_with_kwargs",
    "_global_forward_pre_hooks",
)
OF_REGISTRATION = {
    "_global_buffer_registration_hooks": "buffer",
    "_global_module_registration_hooks": "module",
    "_global_parameter_registration_hooks": "parameter",
}
# which registering a hook changes too
KIND = "_global_is_full_backward_hook"


def global_hooks() -> dict[str, Any]:
    """The dictionaries of hooks by torch's names."""
    found = {name: getattr(module_hooks, name) for name in OF_CALLS}
    return found | {name: module_registration.registration_hooks[kind] for name, kind in OF_REGISTRATION.items()}


class WithGlobalHooks(ModuleType):
    """A Python module that has these names, and hands on what is assigned to them."""

    def __getattr__(self, name: str) -> Any:
        if name == KIND:
            return module_hooks._global_is_full_backward_hook
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), KIND})

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OF_CALLS or name == KIND:
            setattr(module_hooks, name, value)
            module_calls.connect()
        elif name in OF_REGISTRATION:
            module_registration.registration_hooks[OF_REGISTRATION[name]] = value
        if name != KIND:
            super().__setattr__(name, value)
