"""Calls of a module, and the names of what it registers: the part that native code does where it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.native import core
from rushlight.nn.modules import module_hooks as hooks
from rushlight.nn.modules.module_errors import name_layer
from rushlight.nn.modules.module_hooks import call_with_hooks


class PlainCalls:
    """A call runs `forward`; a name that is no plain attribute is one that the module registered."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks before and after it."""
        try:
            if (
                self._backward_hooks
                or self._backward_pre_hooks
                or self._forward_hooks
                or self._forward_pre_hooks
                or hooks._global_backward_pre_hooks
                or hooks._global_backward_hooks
                or hooks._global_forward_hooks
                or hooks._global_forward_pre_hooks
            ):
                return call_with_hooks(self, args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            name_layer(self, args, error)
            raise

    def __getattr__(self, name: str) -> Any:
        # only called for what is no plain attribute
        fields = self.__dict__
        if "_parameters" in fields:
            for kind in ("_parameters", "_modules", "_buffers"):
                if name in fields[kind]:
                    return fields[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)


def connect() -> None:
    """Tell native code the hooks of all modules, at first and whenever others are put in their place."""
    if core is not None:
        every = (
            hooks._global_forward_hooks,
            hooks._global_forward_pre_hooks,
            hooks._global_backward_hooks,
            hooks._global_backward_pre_hooks,
        )
        core.connect_module(PlainCalls.__call__, PlainCalls.__getattr__, name_layer, every)


connect()
if TYPE_CHECKING or core is None:
    Calls = PlainCalls
else:

    class Calls(core.ModuleBase):
        """The same, natively."""

        def __init_subclass__(cls, **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            core.quicken(cls)
