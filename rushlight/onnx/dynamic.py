"""Which axes of the inputs may have other sizes in the file, and their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.export import Dim

# for each input tensor, the names of its axes that may change
Axes = list[dict[int, str]]


def from_dynamic_axes(given: Mapping[str, Any], inputs: Sequence[tuple[str, Tensor]]) -> Axes:
    """From torch's older form: names of inputs, each with axes, or with names of axes."""
    found: Axes = []
    for name, tensor in inputs:
        spec = given.get(name, {})
        if isinstance(spec, Mapping):
            found.append({axis % tensor.dim(): str(each) for axis, each in spec.items()})
        else:
            # the same axis of one size is one name: inputs of a batch go together
            found.append({axis % tensor.dim(): f"axis{axis}_{tensor.size(axis)}" for axis in spec})
    return found


def from_dynamic_shapes(given: Any, arguments: Mapping[str, Any]) -> Axes:
    """From the newer form: for each argument, and each tensor inside of it, a dictionary or a list of its axes."""
    if isinstance(given, (list, tuple)):
        given = dict(zip(arguments, given, strict=True))
    found: Axes = []
    for name, argument in arguments.items():
        for spec, _ in beside((given or {}).get(name), argument):
            pairs = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
            places = f"{name}_{len(found)}"
            found.append({axis: named(each, axis, places) for axis, each in pairs if is_dynamic(each)})
    return found


def beside(spec: Any, argument: Any) -> Iterator[tuple[Any, Tensor]]:
    """The tensors of an argument, each with its own part of what was given."""
    if isinstance(argument, Tensor):
        yield spec, argument
    elif isinstance(argument, (list, tuple)):
        for place, each in enumerate(argument):
            yield from beside(None if spec is None else spec[place], each)
    elif isinstance(argument, Mapping):
        for key, each in argument.items():
            yield from beside(None if spec is None else spec[key], each)


def is_dynamic(each: Any) -> bool:
    return each is not None and not isinstance(each, int) and each is not Dim.STATIC


def named(each: Any, axis: int, place: str) -> str:
    if isinstance(each, str):
        return each
    return each.__name__ if isinstance(each, Dim) else f"{place}_{axis}"
