"""Nested states as flat ones: `{"model": {"w": t}}` and `{"model.w": t}`, with the way back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from rushlight.core.object.tensor import Tensor

OBJ_PATH = tuple[str | int, ...]
FLATTEN_MAPPING = dict[str, OBJ_PATH]


def flatten_state_dict(state_dict: Mapping[str, Any]) -> tuple[dict[str, Any], FLATTEN_MAPPING]:
    """The values by their dotted names, and the way to each; lists without tensors and dicts in them are values."""
    flat, ways = {}, {}
    for way, value in leaves(state_dict, ()):
        name = ".".join(map(str, way))
        if name in flat:
            raise ValueError(f"duplicated flatten key {name}")
        flat[name], ways[name] = value, way
    return flat, ways


def leaves(value: Any, way: OBJ_PATH) -> Iterator[tuple[OBJ_PATH, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from leaves(each, (*way, str(key)))
    elif is_branch(value):
        for place, each in enumerate(value):
            yield from leaves(each, (*way, place))
    else:
        yield way, value


def is_branch(value: Any) -> bool:
    """Whether a value is taken apart."""
    if isinstance(value, list):
        return any(isinstance(each, Tensor) or is_branch(each) for each in value)
    return isinstance(value, Mapping)


def unflatten_state_dict(state_dict: Mapping[str, Any], mapping: FLATTEN_MAPPING) -> dict[str, Any]:
    """The nested state of a flat one."""
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested


def set_element(root: Any, way: OBJ_PATH, value: Any) -> None:
    """Put a value where a way leads, over dicts and lists that are made as needed."""
    place: Any = root
    for key, following in itertools.pairwise(way):
        if isinstance(place, list):
            assert isinstance(key, int)
            place.extend([None] * (key + 1 - len(place)))
            found = place[key]
        else:
            found = place.get(key)
        if found is None:
            found = place[key] = [] if isinstance(following, int) else {}
        place = found
    last = way[-1]
    if isinstance(place, list):
        assert isinstance(last, int)
        place.extend([None] * (last + 1 - len(place)))
    place[last] = value
