"""The declaration of a Python function, from its annotations."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import rushlight
from rushlight.core.object.tensor import Tensor

KINDS: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    complex: "Scalar",
    int | float | bool: "Scalar",
    rushlight.dtype: "ScalarType",
    rushlight.device: "Device",
}


def infer_schema(
    prototype_function: Callable, /, *, mutates_args: str | Iterable[str], op_name: str | None = None, tags: Any = ()
) -> str:
    """The declaration of a function: its parameters' annotations in torch's words.

    >>> def scaled(x: torch.Tensor, k: float = 2.0) -> torch.Tensor:
    ...     return x * k
    >>> torch.library.infer_schema(scaled, mutates_args=())
    '(Tensor x, float k=2.0) -> Tensor'
    """
    signature = inspect.signature(prototype_function)
    hints = hints_of(prototype_function)
    written = set() if isinstance(mutates_args, str) else set(mutates_args)
    unknown = mutates_args == "unknown"
    parts, seen_keyword = [], False
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.KEYWORD_ONLY and not seen_keyword:
            seen_keyword = True
            parts.append("*")
        parts.append(one(name, parameter, hints, signature, number, unknown or name in written))
    missing = written - set(signature.parameters)
    if missing:
        raise ValueError(
            f"infer_schema(func): mutates_args should contain names of arguments of the function, not {sorted(missing)}"
        )
    name = op_name or ""
    return f"{name}({', '.join(parts)}) -> {returned(hints.get('return', inspect.Signature.empty), signature)}"


def hints_of(function: Callable) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:
        return dict(getattr(function, "__annotations__", {}))


def one(name: str, parameter: Any, hints: dict[str, Any], signature: Any, number: int, is_written: bool) -> str:
    """One parameter in words."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
        raise ValueError(
            f"infer_schema(func): We do not support positional-only args, varargs, or varkwargs. Got func with "
            f"signature {signature})"
        )
    if name not in hints:
        raise ValueError(
            f"infer_schema(func): Parameter {name} must have a type annotation. Got func with signature {signature})"
        )
    kind = words_of(hints[name])
    if kind is None:
        raise ValueError(
            f"infer_schema(func): Parameter {name} has unsupported type {hints[name]}. The valid types are: "
            f"{sorted(set(KINDS.values()))}, with Optional and List around them. Got func with signature {signature})"
        )
    if is_written and kind.startswith("Tensor"):
        kind = f"Tensor(a{number}!){kind.removeprefix('Tensor')}"
    if parameter.default is parameter.empty:
        return f"{kind} {name}"
    shown = f'"{parameter.default}"' if isinstance(parameter.default, str) else parameter.default
    return f"{kind} {name}={shown}"


def words_of(hint: Any) -> str | None:
    """An annotation in torch's words; None for what a declaration cannot have."""
    if hint in KINDS:
        return KINDS[hint]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [each for each in inner if each is not type(None)]
        found = words_of(rest[0]) if len(rest) == 1 else "Scalar" if set(rest) <= {int, float, bool} else None
        return None if found is None else f"{found}?" if len(rest) < len(inner) else found
    if origin in (list, Sequence, tuple) and inner:
        found = words_of(inner[0])
        return None if found is None else f"{found}[]"
    return None


def returned(hint: Any, signature: Any) -> str:
    """What a function returns, in words."""
    if hint is inspect.Signature.empty:
        raise ValueError(f"infer_schema(func): No return type annotation was provided. Please add one. {signature}")
    if hint is None or hint is type(None):
        return "()"
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        parts = [returned(each, signature) for each in inner]
        return f"({', '.join(parts)})"
    found = words_of(hint)
    if found is None:
        raise ValueError(
            f"infer_schema(func): Return has unsupported type {hint}. Got func with signature {signature})"
        )
    return found
