"""Trees: nested lists, tuples, named tuples and dicts as a flat list of leaves and a description."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

__all__ = ["TreeSpec", "tree_all", "tree_any", "tree_flatten", "tree_iter", "tree_leaves", "tree_map", "tree_map_only"]
__all__ += ["tree_structure", "tree_unflatten"]

DICTS = (dict, OrderedDict, defaultdict)


class TreeSpec:
    """What a tree looks like without its leaves: a kind of node, what it needs besides children, and the children."""

    def __init__(self, type: Any, context: Any, children: list[TreeSpec]):
        self.type, self.context, self.children_specs = type, context, children
        self.num_nodes: int = 1 + sum(each.num_nodes for each in children)
        self.num_leaves: int = 1 if type is None else sum(each.num_leaves for each in children)
        self.num_children = len(children)

    def is_leaf(self) -> bool:
        return self.type is None

    def unflatten(self, leaves: Any) -> Any:
        """A tree of this form with these leaves."""
        return tree_unflatten(leaves, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, self.num_nodes))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        inner = ", ".join(map(repr, self.children_specs))
        return f"TreeSpec({self.type.__name__}, {self.context}, [{inner}])"


def children(tree: Any) -> tuple[list, Any] | None:
    """The children of a node and what else is needed to build it; None for a leaf."""
    kind = type(tree)
    if kind in DICTS:
        context = list(tree)
        return [tree[key] for key in context], [tree.default_factory, context] if kind is defaultdict else context
    if kind in (list, tuple):
        return list(tree), None
    if kind is deque:
        return list(tree), tree.maxlen
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return list(tree), kind
    return None


def built(kind: Any, context: Any, parts: list) -> Any:
    """The inverse of `children`."""
    if kind is defaultdict:
        return defaultdict(context[0], zip(context[1], parts, strict=True))
    if kind in DICTS:
        return kind(zip(context, parts, strict=True))
    if kind is deque:
        return deque(parts, context)
    return kind(parts) if kind in (list, tuple) else kind(*parts)


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, TreeSpec]:
    """The leaves in order, and what `tree_unflatten` needs.

    >>> torch.utils._pytree.tree_flatten([1, {"a": 2}])[0]
    [1, 2]
    """
    found = None if is_leaf is not None and is_leaf(tree) else children(tree)
    if found is None:
        return [tree], TreeSpec(None, None, [])
    leaves, specs = [], []
    for each in found[0]:
        inner, spec = tree_flatten(each, is_leaf)
        leaves += inner
        specs.append(spec)
    return leaves, TreeSpec(type(tree), found[1], specs)


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> Any:
    """The tree of a description with the given leaves."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items"
        )
    if treespec.is_leaf():
        return leaves[0]
    parts, start = [], 0
    for each in treespec.children_specs:
        parts.append(tree_unflatten(leaves[start : start + each.num_leaves], each))
        start += each.num_leaves
    return built(treespec.type, treespec.context, parts)


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The tree with `func` applied to each leaf, together with the leaves of other trees of the same form."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = []
    for each in rests:
        flat, form = tree_flatten(each, is_leaf)
        if form != spec:
            raise ValueError(f"tree_map: the trees have different forms, {spec} and {form}")
        others.append(flat)
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def tree_map_only(kind: Any, func: Callable, tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Like `tree_map`, for leaves of one type only; the others stay."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree, is_leaf=is_leaf)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list:
    """The leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


tree_iter = tree_leaves


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """What the tree looks like without its leaves."""
    return tree_flatten(tree, is_leaf)[1]


def tree_all(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether all leaves satisfy a condition."""
    return all(map(pred, tree_leaves(tree)))


def tree_any(pred: Callable[[Any], bool], tree: Any) -> bool:
    """Whether some leaf satisfies a condition."""
    return any(map(pred, tree_leaves(tree)))
