"""Outcomes: what a call gave, frozen into NumPy arrays and plain facts that can be compared."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.build import Builder, to_numpy
from conformance.libraries import Library, dtype_name


@dataclass
class FrozenTensor:
    """A result tensor: values, dtype, and where its memory lies among the arguments."""

    values: np.ndarray
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    requires_grad: bool
    owner: int | None
    same_object: int | None
    is_view: bool
    is_lazy: bool


@dataclass
class FrozenSequence:
    """A list or tuple of results; `fields` are the names of a named tuple."""

    kind: str
    items: list[Any]
    fields: tuple[str, ...] | None


@dataclass
class FrozenConstant:
    """A dtype, device, size or other object that is compared by its text."""

    text: str


@dataclass
class Outcome:
    """Either the frozen result of a call and its arguments' memory afterwards, or its exception."""

    result: Any = None
    error: BaseException | None = None
    raw: Any = None
    memories: list[np.ndarray] = field(default_factory=list)


def attempt(function: Callable, *args: Any, **kwargs: Any) -> Outcome:
    """Calls the function, warnings silenced; an exception is an outcome like any other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.errstate(all="ignore"):
                return Outcome(raw=function(*args, **kwargs))
        except Exception as error:
            # the frames hold every temporary of the call; only the type and text are of interest
            return Outcome(error=error.with_traceback(None))


def freeze(value: Any, library: Library, builder: Builder) -> Any:
    """The frozen form of a result."""
    if hasattr(value, "data_ptr") and hasattr(value, "requires_grad"):
        return freeze_tensor(value, library, builder)
    if type(value).__name__ == "Size":
        return FrozenConstant(f"Size{tuple(value)}")
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return FrozenSequence(kind, [freeze(item, library, builder) for item in value], field_names(value))
    if isinstance(value, dict):
        items = [freeze(item, library, builder) for item in value.values()]
        return FrozenSequence("dict", items, tuple(map(str, value)))
    if value is None or isinstance(value, bool | int | float | complex | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return FrozenConstant(f"numpy {value!r}")
    return FrozenConstant(dtype_name(value))


def freeze_tensor(tensor: Any, library: Library, builder: Builder) -> FrozenTensor:
    same = [number for number, argument in enumerate(builder.tensors) if argument is tensor]
    return FrozenTensor(
        values=to_numpy(tensor, library),
        dtype=dtype_name(tensor.dtype),
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        offset=int(tensor.storage_offset()),
        requires_grad=bool(tensor.requires_grad),
        owner=builder.owner(tensor),
        same_object=same[0] if same else None,
        is_view=bool(tensor._is_view()),
        is_lazy=any(hasattr(tensor, bit) and getattr(tensor, bit)() for bit in ("is_conj", "is_neg")),
    )


def field_names(value: Any) -> tuple[str, ...] | None:
    """The names of a named tuple's fields, for collections.namedtuple and for C's kind of it."""
    if hasattr(value, "_fields"):
        return tuple(value._fields)
    if type(value) in (list, tuple):
        return None
    return tuple(getattr(type(value), "__match_args__", ())) or None


def flatten(value: Any) -> list[FrozenTensor]:
    """The frozen tensors of a frozen result, in order."""
    if isinstance(value, FrozenTensor):
        return [value]
    if isinstance(value, FrozenSequence):
        return [tensor for item in value.items for tensor in flatten(item)]
    return []
