"""The registry of container types: how each is taken apart, put together and written down."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from threading import RLock
from typing import Any, Generic, NamedTuple, TypeVar

from rushlight.errors.warning import warn
from rushlight.utils._pytree.keys import GetAttrKey, KeyEntry, SequenceKey
from rushlight.utils._pytree.records import is_namedtuple_class, is_returned_class, is_structseq_class

T = TypeVar("T")
Context = Any  # what a node needs besides its children
PyTree = Any
DumpableContext = Any  # what json can write
FlattenFn = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFn = Callable[[Iterable[Any], Context], PyTree]
FlattenWithKeysFn = Callable[[PyTree], tuple[list[tuple[KeyEntry, Any]], Any]]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]

NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"


class NodeDef(NamedTuple):
    """How a type is taken apart and put together."""

    type: type[Any]
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: FlattenWithKeysFn | None


class _SerializeNodeDef(NamedTuple):
    """How a type and its context are written down."""

    typ: type[Any]
    serialized_type_name: str
    to_dumpable_context: ToDumpableContextFn | None
    from_dumpable_context: FromDumpableContextFn | None


@dataclass(frozen=True, slots=True)
class ConstantNode(Generic[T]):
    """The context of an object that has no leaves: the object."""

    value: T


_NODE_REGISTRY_LOCK = RLock()
SUPPORTED_NODES: dict[Any, NodeDef] = {}
SUPPORTED_SERIALIZED_TYPES: dict[Any, _SerializeNodeDef] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()


def _private_register_pytree_node(
    cls: Any,
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: ToDumpableContextFn | None = None,
    from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: FlattenWithKeysFn | None = None,
) -> None:
    """Register a type, in the place of an earlier registration if there is one."""
    with _NODE_REGISTRY_LOCK:
        if cls in SUPPORTED_NODES:
            warn(f"{cls} is already registered as pytree node. Overwriting the previous registration.")
        SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
        if (to_dumpable_context is None) != (from_dumpable_context is None):
            raise ValueError(
                f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered."
            )
        name = NO_SERIALIZED_TYPE_NAME_FOUND if serialized_type_name is None else serialized_type_name
        SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, name, to_dumpable_context, from_dumpable_context)
        SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: ToDumpableContextFn | None = None,
    from_dumpable_context: FromDumpableContextFn | None = None,
    flatten_with_keys_fn: FlattenWithKeysFn | None = None,
) -> None:
    """Make a container type a node of trees.

    `flatten_fn` gives the children and a context, `unflatten_fn` takes both; `flatten_with_keys_fn` gives pairs of a
    key and a child. The name and the two functions of the context are for `treespec_dumps`, and not needed where the
    context is something that json can write.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(
        cls,
        flatten_fn,
        unflatten_fn,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=to_dumpable_context,
        from_dumpable_context=from_dumpable_context,
        flatten_with_keys_fn=flatten_with_keys_fn,
    )


def _register_pytree_node(
    cls: type[Any],
    flatten_fn: FlattenFn,
    unflatten_fn: UnflattenFn,
    to_str_fn: Callable | None = None,
    maybe_from_str_fn: Callable | None = None,
    **options: Any,
) -> None:
    """The older name of `register_pytree_node`."""
    warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
        "`torch.utils._pytree.register_pytree_node` instead.",
        FutureWarning,
    )
    if to_str_fn is not None or maybe_from_str_fn is not None:
        warn(
            "`to_str_fn` and `maybe_from_str_fn` is deprecated. Please use `to_dumpable_context` and "
            "`from_dumpable_context` instead.",
            FutureWarning,
        )
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


def _deregister_pytree_node(cls: type[Any]) -> None:
    """Forget a type: its objects are leaves again."""
    with _NODE_REGISTRY_LOCK:
        del SUPPORTED_NODES[cls]
        written = SUPPORTED_SERIALIZED_TYPES.pop(cls)
        del SERIALIZED_TYPE_TO_PYTHON_TYPE[written.serialized_type_name]
        CONSTANT_NODES.discard(cls)


def register_dataclass(
    cls: type[Any],
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a class that is built from its fields a node of trees. Fields that are None are no leaves."""
    names = fields_of(cls, field_names, drop_field_names or [])

    def flatten(obj: Any) -> tuple[list[Any], Context]:
        values = {name: getattr(obj, name) for name in names}
        present = [name for name in names if values[name] is not None]
        return [values[name] for name in present], [present, [name for name in names if values[name] is None]]

    def unflatten(values: Iterable[Any], context: Context) -> Any:
        present, missing = context
        return cls(**dict(zip(present, values, strict=True)), **dict.fromkeys(missing))

    def flatten_with_keys(obj: Any) -> tuple[list[tuple[KeyEntry, Any]], Context]:
        values, (present, _) = flatten(obj)
        return [(GetAttrKey(name), value) for name, value in zip(present, values, strict=True)], present

    _private_register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


def fields_of(cls: type[Any], given: list[str] | None, dropped: list[str]) -> list[str]:
    """The names of the fields that become children: those given, or all that the dataclass is built from."""
    if not is_dataclass(cls):
        if given is None:
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, "
                "as it is not a dataclass."
            )
        return given
    ordered = [field.name for field in fields(cls) if field.init]
    if given is None:
        return ordered
    wanted = set(ordered) - set(dropped)
    missing, unexpected = wanted - set(given), set(given) - wanted
    if missing or unexpected:
        message = "field_names does not include all dataclass fields.\n"
        if missing:
            message += (
                f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, "
                "please add them to `field_names`, otherwise please add them to `drop_field_names`.\n"
            )
        if unexpected:
            message += (
                f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to "
                "`drop_field_names`.\n"
            )
        raise ValueError(message)
    return given


def register_constant(cls: type[Any]) -> None:
    """Make a type a node without leaves: its objects are part of the description of a tree."""
    needed = "register_constant(cls) expects `cls` to have a non-default `{}` implementation."
    if cls.__eq__ is object.__eq__:
        raise TypeError(needed.format("__eq__"))
    if cls.__hash__ is None:
        raise TypeError(needed.format("__hash__"))

    def flatten(constant: Any) -> tuple[list[Any], Context]:
        return [], ConstantNode(constant)

    with _NODE_REGISTRY_LOCK:
        _private_register_pytree_node(cls, flatten, lambda _, context: context.value, flatten_with_keys_fn=flatten)
        CONSTANT_NODES.add(cls)


def is_constant_class(cls: type[Any]) -> bool:
    """Whether `register_constant` was called for this class."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def register_returned(cls: type[Any]) -> None:
    """Make a type of named results a node; its description names the type alone."""
    _private_register_pytree_node(
        cls,
        lambda result: (list(result), None),
        lambda values, _: cls(*values),
        flatten_with_keys_fn=lambda result: ([(SequenceKey(i), each) for i, each in enumerate(result)], None),
    )


def _get_node_type(tree: Any) -> Any:
    """The key in the registry: the type, `namedtuple` itself for all named tuples."""
    kind = type(tree)
    # only tuples have names: a set of types is asked in 20 ns, the questions below take ten times as long
    if not issubclass(kind, tuple) or (kind in SUPPORTED_NODES and not hasattr(kind, "_fields")):
        return kind
    if is_namedtuple_class(kind):
        return namedtuple
    # types of named results are made as they are needed
    if kind not in SUPPORTED_NODES and is_structseq_class(kind) and is_returned_class(kind):
        register_returned(kind)
    return kind
