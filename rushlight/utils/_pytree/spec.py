"""What a tree looks like without its leaves."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rushlight.errors.warning import warn
from rushlight.utils._pytree.kinds import BUILTIN_TYPES, STANDARD_DICT_TYPES
from rushlight.utils._pytree.registry import SUPPORTED_NODES, ConstantNode, Context, PyTree, _get_node_type


class TreeSpec:
    """The description of a tree: the type of its root, the root's context, and the descriptions of its children."""

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")

    type: Any
    _context: Context
    _children: list[TreeSpec]
    num_nodes: int
    num_leaves: int
    num_children: int

    def __init__(self, type: Any, context: Context, children_specs: list[TreeSpec]):
        if type is None and context is not None:
            raise AssertionError("leaf node should not have a context")
        if type is None and children_specs:
            raise AssertionError("leaf node should not have children")
        self.describe(type, context, children_specs)

    def __setstate__(self, state: tuple[Any, Context, list[TreeSpec]]) -> None:
        self.describe(*state)

    def describe(self, kind: Any, context: Context, children: list[TreeSpec]) -> None:
        own = 1 if kind is None else 0
        nodes, leaves = 1, own
        for child in children:
            nodes += child.num_nodes
            leaves += child.num_leaves
        keep = object.__setattr__
        keep(self, "type", kind)
        keep(self, "_context", context)
        keep(self, "_children", children)
        keep(self, "num_nodes", nodes)
        keep(self, "num_leaves", leaves)
        keep(self, "num_children", len(children))

    def __getstate__(self) -> tuple[Any, Context, list[TreeSpec]]:
        return self.type, self._context, self._children

    def __setattr__(self, name: str, value: Any) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __repr__(self, indent: int = 0) -> str:
        between = ",\n" + " " * (indent + 2)
        inner = between.join(child.__repr__(indent + 2) for child in self._children)
        name = getattr(self.type, "__name__", self.type)
        return f"TreeSpec({name}, {self._context}, [{inner}])"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TreeSpec) or other.__class__ is not self.__class__:
            return NotImplemented
        # by name: a type may have been registered again after its module was loaded anew
        same = str(self.type) == str(other.type) and self._context == other._context
        return same and self._children == other._children

    def __hash__(self) -> int:
        kind, context = self.type, self._context
        if kind is defaultdict:
            context = (context[0], tuple(context[1]))
        elif kind in (dict, OrderedDict):
            context = tuple(context)
        elif isinstance(context, ConstantNode):
            context = context.value
        elif kind is not None and kind not in BUILTIN_TYPES:
            context = None  # that of a user's type need not be hashable
        return hash((kind, context, tuple(self._children)))

    @property
    def context(self) -> Context:
        """What the root needs besides its children."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        warn(
            "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access a single child, or "
            "`treespec.children()` to get all children.",
            FutureWarning,
        )
        return self._children

    def is_leaf(self) -> bool:
        """Whether this describes a leaf."""
        return self.num_nodes == 1 and self.num_leaves == 1

    def children(self) -> list[TreeSpec]:
        """The descriptions of the children."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """The description of one child."""
        return self._children[index]

    def flatten_up_to(self, tree: PyTree) -> list[PyTree]:
        """The subtrees of `tree` at the leaves of this description."""
        if self.is_leaf():
            return [tree]
        kind = _get_node_type(tree)
        if self.type not in BUILTIN_TYPES:
            parts = self.parts_of_custom(tree, kind)
        elif self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES:
            parts = self.parts_of_dict(tree)
        else:
            parts = self.parts_of_sequence(tree, kind)
        found: list[PyTree] = []
        for child, part in zip(self._children, parts, strict=True):
            found += child.flatten_up_to(part)
        return found

    def parts_of_custom(self, tree: PyTree, kind: Any) -> list[PyTree]:
        """The children of a registered type, which has to be this one with the same context."""
        if kind != self.type:
            raise ValueError(f"Type mismatch; expected {self.type!r}, but got {kind!r}.")
        parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        self.check_number(len(parts))
        if context != self._context:
            raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        return parts

    def parts_of_dict(self, tree: PyTree) -> list[PyTree]:
        """The values of any kind of dict, in the order of this description."""
        self.check_number(len(tree))
        keys = self._context[1] if self.type is defaultdict else self._context
        missing, extra = set(keys) - set(tree), set(tree) - set(keys)
        if missing or extra:
            told = f"; missing key(s): {missing}" if missing else ""
            told += f"; extra key(s): {extra}" if extra else ""
            raise ValueError(f"Node keys mismatch{told}.")
        return [tree[key] for key in keys]

    def parts_of_sequence(self, tree: PyTree, kind: Any) -> list[PyTree]:
        """The elements of a sequence of the same type; the greatest length of a deque may differ."""
        if kind != self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind!r}.")
        self.check_number(len(tree))
        parts, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        if kind is not deque and context != self._context:
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self._context!r}, but got {context!r}."
            )
        return parts

    def check_number(self, given: int) -> None:
        if given != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {given}.")

    def unflatten(self, leaves: Iterable[Any]) -> PyTree:
        """The tree of this description with the given leaves."""
        leaves = leaves if isinstance(leaves, list | tuple) else list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self.rebuilt(iter(leaves))

    def rebuilt(self, leaves: Iterator[Any]) -> PyTree:
        """The tree, with as many of the leaves as it needs."""
        if self.type is None:
            return next(leaves)
        parts = [next(leaves) if child.type is None else child.rebuilt(leaves) for child in self._children]
        return SUPPORTED_NODES[self.type].unflatten_fn(parts, self._context)


PyTreeSpec = TreeSpec


class LeafSpec(TreeSpec):
    """The description of a leaf. There is one, `treespec_leaf()`."""

    __slots__ = ()

    def __init__(self) -> None:
        warn(
            "`isinstance(treespec, LeafSpec)` is deprecated, use `isinstance(treespec, TreeSpec) and "
            "treespec.is_leaf()` instead.",
            FutureWarning,
        )
        super().__init__(None, None, [])

    def __reduce__(self) -> tuple:
        return treespec_leaf, ()

    def __repr__(self, indent: int = 0) -> str:
        return "*"


_LEAF_SPEC = LeafSpec.__new__(LeafSpec)
_LEAF_SPEC.__setstate__((None, None, []))


def treespec_leaf() -> LeafSpec:
    """The description of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The description of a tuple, from those of its elements."""
    children = list(iterable)
    if not all(isinstance(child, TreeSpec) for child in children):
        raise ValueError(f"Expected a tuple of TreeSpec values, got: {children!r}.")
    return TreeSpec(tuple, None, children)


def treespec_dict(
    mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (), /, **kwargs: TreeSpec
) -> TreeSpec:
    """The description of a dict, from those of its values."""
    children = dict(mapping, **kwargs)
    if not all(isinstance(child, TreeSpec) for child in children.values()):
        raise ValueError(f"Expected a dictionary of TreeSpec values, got: {children!r}.")
    return TreeSpec(dict, list(children), list(children.values()))


def _is_pytreespec_instance(obj: Any) -> bool:
    return isinstance(obj, TreeSpec)


def checked_spec(treespec: Any) -> TreeSpec:
    """The argument, if it is a description."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec


def _is_constant_holder(spec: TreeSpec) -> bool:
    """Whether this describes an object of a type that `register_constant` was called for."""
    return isinstance(spec._context, ConstantNode)


def _retrieve_constant(spec: TreeSpec) -> Any:
    """That object."""
    if not _is_constant_holder(spec):
        raise AssertionError("spec does not correspond to a registered constant pytree")
    return spec.unflatten([])
