"""torch.overrides: objects that are not tensors but say, with `__torch_function__`, how functions treat them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
]


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a tensor or treats functions itself."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def overrides(value: Any) -> bool:
    """Whether an object's class has a `__torch_function__` of its own."""
    found = getattr(type(value), "__torch_function__", None)
    return found is not None and getattr(found, "__func__", found) is not vars(Tensor)["__torch_function__"].__func__


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments treats functions itself."""
    return any(overrides(each) for each in relevant_args)


def handle_torch_function(public_api: Callable, relevant_args: Iterable[Any], /, *args: Any, **kwargs: Any) -> Any:
    """Ask the arguments that treat functions themselves, subclasses first, what the call gives."""
    asked: list[Any] = []
    for each in relevant_args:
        if overrides(each) and type(each) not in map(type, asked):
            place = next((at for at, one in enumerate(asked) if isinstance(each, type(one))), len(asked))
            asked.insert(place, each)
    kinds = tuple(type(each) for each in asked)
    for each in asked:
        found = type(each).__torch_function__(public_api, kinds, args, kwargs)
        if found is not NotImplemented:
            return found
    name = resolve_name(public_api) or getattr(public_api, "__name__", "")
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {[*kinds]}")


def resolve_name(f: Callable) -> str | None:
    """The public name of a function of torch, such as 'torch.add'."""
    from rushlight.ops.machine.bind import NAMESPACES

    if vars(Tensor).get(getattr(f, "__name__", "")) is f and f not in NAMESPACES[""].values():
        return f"torch.Tensor.{f.__name__}"
    for place, names in NAMESPACES.items():
        for name, function in names.items():
            if function is f:
                return ".".join(["torch", *filter(None, [place]), name])
    return None


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether a function is a method of Tensor."""
    return func in [each for each in vars(Tensor).values() if callable(each)]


__getattr__ = names_of("rushlight.overrides")
