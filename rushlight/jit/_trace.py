"""Traces: the function is called once with the example, and given back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rushlight.core.object.tensor import Tensor
from rushlight.errors import torchscript
from rushlight.jit._script import ScriptModule
from rushlight.nn.modules.module import Module

T = TypeVar("T")


class TracerWarning(Warning):
    """A warning of torch's tracer: what it would lose is not lost here."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Nothing: there are none."""


class TracingCheckError(Exception):
    """A traced function that does not do what the function does, which cannot happen here."""


class TracedModule(ScriptModule):
    """A traced module: there is none."""


class TopLevelTracedModule(TracedModule):
    """A traced module: there is none."""


def trace(
    func: T,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: dict[str, Any] | None = None,
    _store_inputs: bool = True,
) -> T:
    """The function or the module itself, after a call with the example inputs that must succeed.

    >>> f = torch.jit.trace(lambda x: x + 1, torch.ones(2))
    >>> f(torch.zeros(3))
    tensor([1., 1., 1.])
    """
    if not callable(func):
        raise RuntimeError(f"torch.jit.trace: expected a function or a module, not {type(func).__name__}")
    if example_kwarg_inputs is not None:
        if not isinstance(example_kwarg_inputs, dict):
            raise RuntimeError("example_kwarg_inputs should be a dict")
        check_result(func(**example_kwarg_inputs), strict)
        torchscript.mark(func)
        return func
    if example_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict: give example_inputs or example_kwarg_inputs")
    check_result(func(*as_arguments(example_inputs)), strict)
    for each in check_inputs or () if check_trace else ():
        check_result(func(*as_arguments(each)), strict)
    torchscript.mark(func)
    return func


def trace_module(mod: Module, inputs: dict[str, Any], *args: Any, strict: bool = True, **options: Any) -> Module:
    """The module itself, after a call of each method that `inputs` names."""
    if not isinstance(mod, Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, given in inputs.items():
        method: Callable = mod if name == "forward" else getattr(mod, name)
        check_result(method(*as_arguments(given)), strict)
    return mod


def as_arguments(example: Any) -> tuple:
    """The example as arguments: one tensor stands for itself."""
    return (example,) if isinstance(example, (Tensor, dict)) else tuple(example)


def check_result(found: Any, strict: bool) -> None:
    """Raise if a traced function may not return this: tensors, and collections of them."""
    if isinstance(found, Tensor):
        return
    if isinstance(found, dict) and strict:
        raise RuntimeError(
            "Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid "
            "if the container structure does not change based on the module's inputs: pass strict=False"
        )
    if isinstance(found, (tuple, list, dict)):
        for each in found.values() if isinstance(found, dict) else found:
            check_result(each, strict)
        return
    raise RuntimeError(
        f"Type '{type(found).__name__}' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples "
        "of Tensors can be traced"
    )
