"""torch._custom_ops: the old way to functions of one's own, see torch.library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import library

__all__ = ["custom_op", "impl", "impl_abstract", "impl_backward", "impl_save_for_backward"]
saved: dict[str, Callable] = {}


def custom_op(qualname: str, func_or_schema: Any = None) -> Any:
    """Declare a function, by its annotations or by a schema."""

    def define(function: Callable) -> Callable:
        library.define(qualname, library.infer_schema(function, mutates_args=()))
        return function

    if isinstance(func_or_schema, str):
        library.define(qualname, func_or_schema)
        return None
    return define if func_or_schema is None else define(func_or_schema)


def impl(qualname: str, *, device_types: Any = ("cpu", "cuda"), func: Callable | None = None) -> Any:
    """Say what computes a function."""
    return library.impl(qualname, device_types, func)


def impl_abstract(qualname: str, *, func: Callable | None = None) -> Any:
    """Say what makes a result of the right shape."""
    return library.register_fake(qualname, func)


def impl_save_for_backward(qualname: str, *, func: Callable | None = None) -> Any:
    """Say what a backward needs: a function of the inputs and the output."""

    def register(function: Callable) -> Callable:
        saved[qualname] = function
        return function

    return register if func is None else register(func)


def impl_backward(qualname: str, output_differentiability: Any = None, *, func: Callable | None = None) -> Any:
    """Give a function its gradient: a function of what was saved and of the gradients."""

    def register(function: Callable) -> Callable:
        def setup(ctx: Any, inputs: tuple, output: Any) -> None:
            names = [each.name for each in library.declared(qualname).schema.arguments]
            given = type("Inputs", (), dict(zip(names, inputs, strict=True)))
            ctx.names, ctx.old_saved = names, saved[qualname](given, output) if qualname in saved else None

        def backward(ctx: Any, *grads: Any) -> Any:
            found = function(ctx, ctx.old_saved, *grads)
            return tuple(found.get(name) for name in ctx.names)

        library.register_autograd(qualname, backward, setup_context=setup)
        return function

    return register if func is None else register(func)
