"""Calls of a module, and the names of what it registers: the part that native code does where it is there."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from rushlight.errors import torchscript
from rushlight.errors.modules import name_layer
from rushlight.native import extension
from rushlight.nn.modules import module_hooks as hooks
from rushlight.nn.modules.module_hooks import call_with_hooks

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor
    from rushlight.nn.modules.module import Module


class PlainCalls:
    """A call runs `forward`; a name that is no plain attribute is one that the module registered."""

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks before and after it."""
        if "_compiled_whole" in self.__dict__:
            from rushlight.compiler.region import run_compiled

            return run_compiled(self._call_impl, self._compiled_whole, args, kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self: Any, *args: Any, **kwargs: Any) -> Any:
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
        message = f"'{type(self).__name__}' object has no attribute '{name}'"
        if name in torchscript.NAMES:
            message += ": " + torchscript.why_absent(name, "module")
        raise AttributeError(message, name=name, obj=self)


def connect() -> None:
    """Tell native code the hooks of all modules, at first and whenever others are put in their place."""
    if extension is not None:
        every = (
            hooks._global_forward_hooks,
            hooks._global_forward_pre_hooks,
            hooks._global_backward_hooks,
            hooks._global_backward_pre_hooks,
        )
        extension.connect_module(PlainCalls._call_impl, PlainCalls.__getattr__, name_layer, every)


connect()


def calls_may_be_compiled() -> None:
    """From the first `Module.compile()` on native code asks each module whether its calls are compiled."""
    if extension is not None:
        extension.ask_for_compiled_calls()


class CallSignature:
    """What `inspect.signature` says of a module: that of its call, which native code would not tell."""

    def __get__(self, module: Any, kind: type) -> inspect.Signature:
        if module is None or kind.__call__ is not Calls.__call__:
            raise AttributeError("__signature__")
        return inspect.signature(PlainCalls.__call__.__get__(module))


if TYPE_CHECKING:
    Given = ParamSpec("Given")
    Result = TypeVar("Result", covariant=True)

    class HasForward(Protocol[Given, Result]):
        """What type checkers need to know of a module to see what a call takes and gives."""

        def forward(self, *args: Given.args, **kwargs: Given.kwargs) -> Result: ...

    class Calls:
        """As `PlainCalls`: a call is a call of `forward`."""

        def __call__(self: HasForward[Given, Result], *args: Given.args, **kwargs: Given.kwargs) -> Result: ...
        def __getattr__(self, name: str) -> Tensor | Module: ...

        _compiled_call_impl: Any

        def _call_impl(self, *args: Any, **kwargs: Any) -> Any: ...

elif extension is None:
    Calls = PlainCalls
else:

    class Calls(extension.ModuleBase):
        """The same, natively."""

        __signature__ = CallSignature()
        _call_impl = PlainCalls._call_impl

        def __init_subclass__(cls, **kwargs: Any) -> None:
            super().__init_subclass__(**kwargs)
            extension.quicken(cls)
