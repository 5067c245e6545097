"""The kinds of nodes that are there from the start: tuples, lists, dicts, named tuples, deques and sizes."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from rushlight.core.object.size import Size
from rushlight.utils._pytree.keys import GetAttrKey, MappingKey, SequenceKey
from rushlight.utils._pytree.registry import (
    NO_SERIALIZED_TYPE_NAME_FOUND,
    SERIALIZED_TYPE_TO_PYTHON_TYPE,
    SUPPORTED_SERIALIZED_TYPES,
    Context,
    DumpableContext,
    FlattenFn,
    FlattenWithKeysFn,
    _private_register_pytree_node,
)

STANDARD_DICT_TYPES: frozenset[Any] = frozenset({dict, OrderedDict, defaultdict})
BUILTIN_TYPES: frozenset[Any] = frozenset({tuple, list, namedtuple, deque}) | STANDARD_DICT_TYPES


def with_keys(flatten: FlattenFn, keys: Callable[[Any, Context], Iterable[Any]]) -> FlattenWithKeysFn:
    """The same flattening with a key beside each child; `keys` makes them from the tree and its context."""

    def flatten_with_keys(tree: Any) -> tuple[list[tuple[Any, Any]], Context]:
        children, context = flatten(tree)
        return list(zip(keys(tree, context), children, strict=True)), context

    return flatten_with_keys


def positions(tree: Any, context: Context) -> Iterable[SequenceKey]:
    return map(SequenceKey, range(len(tree)))


def mapping_keys(tree: Any, context: Context) -> Iterable[MappingKey]:
    return map(MappingKey, tree)


def field_keys(tree: Any, context: Context) -> Iterable[GetAttrKey]:
    return map(GetAttrKey, context._fields)


def _tuple_flatten(d: tuple) -> tuple[list, Context]:
    return list(d), None


def _tuple_unflatten(values: Iterable[Any], context: Context) -> tuple:
    return tuple(values)


def _list_flatten(d: list) -> tuple[list, Context]:
    return d, None


def _list_unflatten(values: Iterable[Any], context: Context) -> list:
    return list(values)


def _dict_flatten(d: dict) -> tuple[list, Context]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Iterable[Any], context: Context) -> dict:
    return dict(zip(context, values, strict=True))


def _ordereddict_flatten(d: OrderedDict) -> tuple[list, Context]:
    return list(d.values()), list(d)


def _ordereddict_unflatten(values: Iterable[Any], context: Context) -> OrderedDict:
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d: defaultdict) -> tuple[list, Context]:
    return list(d.values()), [d.default_factory, list(d)]


def _defaultdict_unflatten(values: Iterable[Any], context: Context) -> defaultdict:
    factory, keys = context
    return defaultdict(factory, zip(keys, values, strict=True))


def _defaultdict_serialize(context: Context) -> DumpableContext:
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def _defaultdict_deserialize(dumpable_context: DumpableContext) -> Context:
    if not isinstance(dumpable_context, dict):
        raise AssertionError("dumpable_context must be a dict")
    expected = {"default_factory_module", "default_factory_name", "dict_context"}
    if set(dumpable_context) != expected:
        raise AssertionError(f"dumpable_context keys must be {expected}, got {set(dumpable_context)}")
    for part in ("default_factory_module", "default_factory_name"):
        if not isinstance(dumpable_context[part], str):
            raise AssertionError(f"{part} must be a string")
    module = import_module(dumpable_context["default_factory_module"])
    return [getattr(module, dumpable_context["default_factory_name"]), dumpable_context["dict_context"]]


def _deque_flatten(d: deque) -> tuple[list, Context]:
    return list(d), d.maxlen


def _deque_unflatten(values: Iterable[Any], context: Context) -> deque:
    return deque(values, maxlen=context)


def _namedtuple_flatten(d: Any) -> tuple[list, Context]:
    return list(d), type(d)


def _namedtuple_unflatten(values: Iterable[Any], context: Context) -> Any:
    return context(*values)


def _namedtuple_serialize(context: Context) -> DumpableContext:
    written = SUPPORTED_SERIALIZED_TYPES.get(context)
    problem = None
    if written is None:
        problem = "didn't register"
    elif written.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        problem = "couldn't find"
    if problem is not None or written is None:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we {problem} a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return written.serialized_type_name


def _namedtuple_deserialize(dumpable_context: DumpableContext) -> Context:
    if dumpable_context not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(
            f"Can't deserialize TreeSpec of namedtuple class {dumpable_context} because we couldn't find a "
            "serializated name."
        )
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[dumpable_context]


_tuple_flatten_with_keys = with_keys(_tuple_flatten, positions)
_list_flatten_with_keys = with_keys(_list_flatten, positions)
_dict_flatten_with_keys = with_keys(_dict_flatten, mapping_keys)
_ordereddict_flatten_with_keys = with_keys(_ordereddict_flatten, mapping_keys)
_defaultdict_flatten_with_keys = with_keys(_defaultdict_flatten, mapping_keys)
_deque_flatten_with_keys = with_keys(_deque_flatten, positions)
_namedtuple_flatten_with_keys = with_keys(_namedtuple_flatten, field_keys)
_odict_flatten, _odict_unflatten = _ordereddict_flatten, _ordereddict_unflatten


def _register_namedtuple(cls: type[Any], *, serialized_type_name: str) -> None:
    """Give a named tuple a name in written descriptions; all of them are nodes without it."""
    _private_register_pytree_node(
        cls,
        _namedtuple_flatten,
        _namedtuple_unflatten,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=_namedtuple_serialize,
        from_dumpable_context=_namedtuple_deserialize,
        flatten_with_keys_fn=_namedtuple_flatten_with_keys,
    )


BUILTINS: tuple[tuple[Any, str, Any, Any, Any], ...] = (
    (tuple, "builtins.tuple", _tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys),
    (list, "builtins.list", _list_flatten, _list_unflatten, _list_flatten_with_keys),
    (dict, "builtins.dict", _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
    (
        OrderedDict,
        "collections.OrderedDict",
        _ordereddict_flatten,
        _ordereddict_unflatten,
        _ordereddict_flatten_with_keys,
    ),
    (deque, "collections.deque", _deque_flatten, _deque_unflatten, _deque_flatten_with_keys),
    # torch puts sizes together as plain tuples, since a leaf need not be a number
    (Size, "torch.Size", _tuple_flatten, _tuple_unflatten, _tuple_flatten_with_keys),
)
for kind, name, flatten, unflatten, flatten_with_keys in BUILTINS:
    _private_register_pytree_node(
        kind, flatten, unflatten, serialized_type_name=name, flatten_with_keys_fn=flatten_with_keys
    )
_private_register_pytree_node(
    defaultdict,
    _defaultdict_flatten,
    _defaultdict_unflatten,
    serialized_type_name="collections.defaultdict",
    to_dumpable_context=_defaultdict_serialize,
    from_dumpable_context=_defaultdict_deserialize,
    flatten_with_keys_fn=_defaultdict_flatten_with_keys,
)
_register_namedtuple(namedtuple, serialized_type_name="collections.namedtuple")  # type: ignore[arg-type]
