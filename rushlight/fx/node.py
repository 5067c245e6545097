"""Nodes: one call in a graph, or where a value comes in or goes out."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

import rushlight
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.fx.targets import qualified_name, type_repr

__all__ = ["Node", "has_side_effect", "map_arg"]

Target = Any
Argument = Any
BaseArgumentTypes = Any
_legal_ops = ["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"]
base_types: tuple[type, ...] = (
    str,
    int,
    float,
    bool,
    complex,
    rushlight.dtype,
    rushlight.Tensor,
    rushlight.device,
    rushlight.memory_format,
    rushlight.layout,
)
_side_effectful_functions: set[Callable] = set()
_get_qualified_name = qualified_name
_type_repr = type_repr


def has_side_effect(fn: Callable) -> Callable:
    """Keep calls of a function although nobody uses what they give."""
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The function applied to everything inside lists, tuples, dicts and slices."""
    if isinstance(a, tuple):
        inner = [map_aggregate(each, fn) for each in a]
        return type(a)(*inner) if hasattr(a, "_fields") else tuple(inner)
    if isinstance(a, list):
        return immutable_list([map_aggregate(each, fn) for each in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """The function applied to each node inside an argument."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


def format_arg(arg: Any) -> str:
    """An argument as a graph shows it."""
    if isinstance(arg, list):
        return f"[{', '.join(map(format_arg, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(format_arg, arg))}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {format_arg(value)}" for key, value in arg.items()) + "}"
    return f"%{arg.name}" if isinstance(arg, Node) else str(arg)


class Node:
    """One call in a graph: `op` says what kind of, `target` what is called, `args` and `kwargs` with what."""

    def __init__(
        self,
        graph: Any,
        name: str,
        op: str,
        target: Target,
        args: tuple,
        kwargs: dict[str, Any],
        return_type: Any = None,
    ):
        if op not in _legal_ops:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if op == "call_function" and not callable(target):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a Callable is "
                "expected"
            )
        if op != "call_function" and not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target)} but a str is expected"
            )
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self.type = return_type
        self._repr_fn: Callable[[Node], str] | None = None
        self.meta: dict[str, Any] = {}
        self._erased = False
        self._prev: Node = self
        self._next: Node = self
        self._args: tuple = ()
        self._kwargs: dict[str, Any] = {}
        self._update_args_kwargs(args, kwargs)

    @property
    def next(self) -> Node:
        """The node after this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move a node to before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    _prepend = prepend

    def append(self, x: Node) -> None:
        """Move a node to after this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    @property
    def args(self) -> tuple:
        """What is passed by position."""
        return self._args

    @args.setter
    def args(self, value: tuple) -> None:
        self._update_args_kwargs(value, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """What is passed by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, value: dict[str, Any]) -> None:
        self._update_args_kwargs(self._args, value)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes whose values it uses, each once."""
        return list(self._input_nodes)

    def _update_args_kwargs(self, args: tuple, kwargs: dict[str, Any]) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}

        def use(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args = map_arg(tuple(args), use)
        self._kwargs = map_arg(dict(kwargs), use)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace one argument that is passed by position."""
        self.args = (*self.args[:idx], arg, *self.args[idx + 1 :])

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Put one more argument among those passed by position."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replace or add one argument that is passed by name."""
        self.kwargs = {**self.kwargs, key: arg}

    @property
    def stack_trace(self) -> str | None:
        """Where the user's code made the call, if the tracer noted it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def _pretty_print_target(self, target: Any) -> str:
        if isinstance(target, str):
            return target
        if getattr(target, "__module__", None) == "builtins" or getattr(builtins, target.__name__, None) is target:
            return f"builtins.{target.__name__}"
        if getattr(target, "__module__", None) == "_operator":
            return f"operator.{target.__name__}"
        return qualified_name(target)

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, **options: Any
    ) -> str | None:
        """The node in a line: its name, how many use it, what it calls with what."""
        kind = f"{type_repr(self.type)} " if self.type is not None else ""
        if self.op == "placeholder":
            default = f"(default={self.args[0]})" if self.args else ""
            if placeholder_names:
                placeholder_names.append(self.target)
            return f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={self.target}]"
        if self.op == "output":
            return f"return {self.args[0]}"
        return (
            f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target="
            f"{self._pretty_print_target(self.target)}](args = {format_arg(self.args)}, "
            f"kwargs = {format_arg(self.kwargs)})"
        )

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Let all who use this node use another; returns those that did."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use another node wherever this one uses `old_input`."""

        def swapped(node: Node) -> Node:
            return new_input if node is old_input else node

        self._update_args_kwargs(map_arg(self.args, swapped), map_arg(self.kwargs, swapped))

    _replace_input_with = replace_input_with

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it must stay although nobody uses what it gives."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = getattr(self.target, "__name__", "")
            writes = name.endswith("_") and not name.endswith("__")
            drawn = impure_random and name in RANDOM
            return self.target in _side_effectful_functions or self.target is operator.setitem or writes or drawn
        if self.op == "call_method":
            return self.target.endswith("_") and not self.target.endswith("__")
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        return False

    def normalized_arguments(
        self, root: Any, arg_types: Any = None, kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False
    ) -> Any:
        """The arguments by the names of the target's parameters."""
        from rushlight.fx.operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    def __lt__(self, other: Node) -> bool:
        order = {node: place for place, node in enumerate(self.graph.nodes)}
        return order[self] < order[other]

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    def _walk(self) -> Iterator[Node]:
        node = self._next
        while node is not self:
            after = node._next
            yield node
            # a node may be erased, or others put after it, while it is looked at
            node = node._next if not node._erased else after


RANDOM = {"dropout", "rand", "randn", "randint", "bernoulli", "multinomial", "normal", "rand_like", "randn_like"}
