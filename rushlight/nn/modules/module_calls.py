"""Calls of a module, and the names of what it registers: the part that native code does where it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.native import core
from rushlight.nn.modules import module_hooks
from rushlight.nn.modules.module_errors import name_layer
from rushlight.nn.modules.module_hooks import call_with_hooks

every_forward_hook = module_hooks.forward_hooks
every_forward_pre_hook = module_hooks.forward_pre_hooks
every_backward_hook = module_hooks.backward_hooks
every_backward_pre_hook = module_hooks.backward_pre_hooks


class PlainCalls:
    """A call runs `forward`; a name that is no plain attribute is one that the module registered."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks before and after it."""
        try:
            if (
                self._forward_hooks
                or self._forward_pre_hooks
                or self._backward_hooks
                or self._backward_pre_hooks
                or every_forward_hook
                or every_forward_pre_hook
                or every_backward_hook
                or every_backward_pre_hook
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


if TYPE_CHECKING or core is None:
    Calls = PlainCalls
else:
    every_hook = (every_forward_hook, every_forward_pre_hook, every_backward_hook, every_backward_pre_hook)
    core.connect_module(PlainCalls.__call__, PlainCalls.__getattr__, name_layer, every_hook)

    class Calls(core.ModuleBase):
        """The same, natively."""

        def __init_subclass__(cls, **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            core.quicken(cls)
