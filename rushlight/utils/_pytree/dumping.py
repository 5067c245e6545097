"""Descriptions of trees written down as json, and read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

from rushlight.errors.warning import warn
from rushlight.utils._pytree.registry import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    SUPPORTED_SERIALIZED_TYPES,
    DumpableContext,
)
from rushlight.utils._pytree.spec import _LEAF_SPEC, TreeSpec, checked_spec

DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


class EnumEncoder(json.JSONEncoder):
    """Writes the members of enumerations by name."""

    def default(self, obj: object) -> Any:
        if isinstance(obj, Enum):
            kind = type(obj)
            return {"__enum__": True, "fqn": f"{kind.__module__}:{kind.__qualname__}", "name": obj.name}
        return super().default(obj)


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """Reads what `EnumEncoder` wrote."""
    if "__enum__" not in obj:
        return obj
    module, _, name = obj["fqn"].partition(":")
    return attrgetter(name)(import_module(module))[obj["name"]]


def _treespec_to_json(treespec: TreeSpec) -> dict[str, Any]:
    """A description as dicts, lists and strings."""
    if treespec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    written = SUPPORTED_SERIALIZED_TYPES.get(treespec.type)
    if written is None:
        raise NotImplementedError(f"Serializing {treespec.type} in pytree is not registered.")
    if written.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {treespec.type} found. Please update your _register_pytree_node "
            "call with a `serialized_type_name` kwarg."
        )
    if written.to_dumpable_context is not None:
        context = written.to_dumpable_context(treespec.context)
    else:
        try:
            context = json.dumps(treespec.context, cls=EnumEncoder)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                "using _register_pytree_node."
            ) from error
    children = [_treespec_to_json(child) for child in treespec.children()]
    return {"type": written.serialized_type_name, "context": context, "children_spec": children}


def _json_to_treespec(json_schema: DumpableContext) -> TreeSpec:
    """The inverse of `_treespec_to_json`."""
    name, context, children = (json_schema[part] for part in ("type", "context", "children_spec"))
    if name is None and context is None and not children:
        return _LEAF_SPEC
    if name not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Deserializing {name} in pytree is not registered.")
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE[name]
    read = SUPPORTED_SERIALIZED_TYPES[kind].from_dumpable_context
    if read is not None:
        context = read(context)
    else:
        try:
            context = json.loads(context, object_hook=enum_object_hook)
        except TypeError as error:
            raise TypeError(
                "Unable to deserialize context. Please make the context json load-able, or register a custom "
                "serializer using _register_pytree_node."
            ) from error
    return TreeSpec(kind, context, [_json_to_treespec(child) for child in children])


class _ProtocolFn(NamedTuple):
    """How one version of the written form is made and read."""

    treespec_to_json: Callable[[TreeSpec], DumpableContext]
    json_to_treespec: Callable[[DumpableContext], TreeSpec]


_SUPPORTED_PROTOCOLS = {1: _ProtocolFn(_treespec_to_json, _json_to_treespec)}


def protocol_of(number: Any) -> _ProtocolFn:
    if number not in _SUPPORTED_PROTOCOLS:
        raise ValueError(f"Unknown protocol {number}. Available protocols: {list(_SUPPORTED_PROTOCOLS)}")
    return _SUPPORTED_PROTOCOLS[number]


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A description as a string, which torch reads too."""
    checked = checked_spec(treespec)
    number = DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL if protocol is None else protocol
    return json.dumps((number, protocol_of(number).treespec_to_json(checked)), cls=EnumEncoder)


@lru_cache
def treespec_loads(serialized: str) -> TreeSpec:
    """The description that `treespec_dumps` wrote."""
    number, schema = json.loads(serialized)
    return protocol_of(number).json_to_treespec(schema)


class Asterisk(str):
    """The mark of a leaf, shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


_asterisk = Asterisk("*")


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree as it would be printed, with a star for each leaf."""
    return repr(treespec.unflatten([_asterisk] * treespec.num_leaves))


def pytree_to_str(treespec: TreeSpec) -> str:
    """The older name of `treespec_dumps`."""
    warn("`pytree_to_str` is deprecated. Please use `treespec_dumps` instead.", FutureWarning)
    return treespec_dumps(treespec)


def str_to_pytree(json: str) -> TreeSpec:
    """The older name of `treespec_loads`."""
    warn("`str_to_pytree` is deprecated. Please use `treespec_loads` instead.", FutureWarning)
    return treespec_loads(json)
