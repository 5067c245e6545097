"""Graphs: nodes in the order in which they run, and the means to put in, take out and check them."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import rushlight
from rushlight.fx.codegen import INPLACE, MAGIC, CodeGen, PythonCode, _PyTreeCodeGen
from rushlight.fx.node import Argument, Node, Target, map_arg

# how operators are written, by torch's names; the second group also with a number on the left
inplace_methods = INPLACE
reflectable_magic_methods = {
    name: MAGIC.get(name, "{} / {}")
    for name in "add sub mul floordiv truediv div mod pow lshift rshift and_ or_ xor getitem matmul".split()
}
magic_methods = {name: shape for name, shape in MAGIC.items() if name not in reflectable_magic_methods}
magic_methods |= reflectable_magic_methods

__all__ = ["CodeGen", "Graph", "PythonCode"]
_custom_builtins = {
    "inf": math.inf,
    "nan": math.nan,
    "NoneType": type(None),
    "torch": rushlight,
    "device": rushlight.device,
    "fx_pytree": None,
    "pytree": None,
}


class _Namespace:
    """The names that are taken in a graph or in generated code."""

    def __init__(self) -> None:
        self._obj_to_name: dict[Any, str] = {}
        self._used_names: set[str] = set()

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name that is free, nearest to the one that is wished for."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        match = re.match(r"(.*)_(\d+)$", candidate)
        base, number = (match[1], int(match[2])) if match else (candidate, 0)
        while candidate in self._used_names or is_taken(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Give an object a name that is taken already."""
        self._obj_to_name.setdefault(obj, name)

    def _rename_object(self, obj: Any, name: str) -> None:
        self._obj_to_name[obj] = name
        self._used_names.add(name)


def is_taken(name: str, obj: Any) -> bool:
    """Whether the name means something in Python, and not this object."""
    if name in keyword.kwlist:
        return True
    if name in builtins.__dict__:
        return obj is not builtins.__dict__[name]
    return name in _custom_builtins and obj is not _custom_builtins[name]


def snake_case(name: str) -> str:
    """`LayerNorm` as a name of a value: layer_norm."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


class _InsertPoint:
    """Where new nodes go, for the time of a with statement."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]):
        self.graph = graph
        self.before, graph._insert = graph._insert, insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self.graph._insert = self.before


class _node_list:
    """The nodes of a graph in their order."""

    def __init__(self, graph: Graph, direction: str = "_next"):
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root, node = self.graph._root, getattr(self.graph._root, self.direction)
        while node is not root:
            yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class Graph:
    """Calls in the order in which they run, from placeholders to the output.

    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> node = graph.output(graph.call_function(torch.relu, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: dict[str, Any] | None = None):
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._len = 0
        self._graph_namespace = _Namespace()
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen: CodeGen = CodeGen()

    @property
    def nodes(self) -> _node_list:
        """The nodes in their order."""
        return _node_list(self)

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node at the insert point."""
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError("args must be a tuple")
        if not isinstance(kwargs, dict):
            raise AssertionError("kwargs must be a dict")
        wished = name if name is not None else self._target_to_str(target)
        node = Node(self, self._graph_namespace.create_name(wished, None), op, target, args, kwargs, type_expr)
        self._graph_namespace.associate_name_with_obj(node.name, node)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Any) -> str:
        name = target if isinstance(target, str) else target.__name__
        if name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return snake_case(name)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Where an argument of the function comes in."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A parameter, a buffer or another attribute of the module."""
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple | None = None, kwargs: dict[str, Any] | None = None, type_expr: Any = None
    ) -> Node:
        """A call of a submodule."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple | None = None, kwargs: dict[str, Any] | None = None, type_expr: Any = None
    ) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable,
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the function returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """A copy of another graph's node; `arg_transform` says what stands for its inputs here."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise AssertionError("args and kwargs of a copied node are a tuple and a dict")
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = dict(node.meta)
        return made

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copy all of another graph's nodes here but its output, whose value is returned."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                found = map_arg(node.args[0], lambda each: val_map[each])
                return (found, node) if return_output_node else found
            val_map[node] = self.node_copy(node, lambda each: val_map[each])
        return None

    def __deepcopy__(self, memo: dict | None = None) -> Graph:
        made = Graph(tracer_cls=self._tracer_cls, tracer_extras=self._tracer_extras)
        made._codegen = self._codegen
        found = made.graph_copy(self, {}, return_output_node=True)
        if found is not None:
            value, node = found
            copied = made.output(value, type_expr=node.type)
            copied.meta = dict(node.meta)
        return made

    def erase_node(self, to_erase: Node) -> None:
        """Take a node out that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            from rushlight.errors.warning import warn

            warn(f"erase_node({to_erase}) on an already erased node")
            return
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs((), {})

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """Put new nodes before this one, or at the beginning."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """Put new nodes after this one, or at the end."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        last = [n]

        def insert(node: Node) -> None:
            last[0].append(node)
            last[0] = node

        return _InsertPoint(self, insert)

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, and of a target where one is given."""
        if op == "call_function" and target is None:
            raise AssertionError("op is call_function, so target must be given")
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def output_node(self) -> Node:
        """The node that returns."""
        node = self._root._prev
        if node.op != "output":
            raise AssertionError("The last node of the graph is not its output")
        return node

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Take out nodes that nobody uses and that change nothing; returns whether there were any."""
        self.lint()
        is_impure = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(list(self.nodes)):
            if not node.users and not is_impure(node):
                self.erase_node(node)
                changed = True
        return changed

    def lint(self) -> None:
        """Raise if a node uses what is not there, or what comes later, or has a name twice."""
        seen_names: set[str] = set()
        seen: set[Node] = set()
        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for each in node._input_nodes:
                check_input(self, node, each, seen)
            seen.add(node)
            if node.name in seen_names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen_names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    check_attribute(self.owning_module, node)

    def python_code(self, root_module: str, *, verbose: bool = False, **options: Any) -> PythonCode:
        """The graph as Python code."""
        return self._python_code(root_module, _Namespace(), verbose=verbose)

    def _python_code(self, root_module: str, namespace: _Namespace, *, verbose: bool = False) -> PythonCode:
        # each value has the name of its node
        for node in self.nodes:
            node._repr_fn = lambda each: namespace.create_name(each.name, each)
        try:
            return self._codegen._gen_python_code(self.nodes, root_module, namespace, verbose=verbose)
        finally:
            for node in self.nodes:
                node._repr_fn = None

    def set_codegen(self, codegen: CodeGen) -> None:
        """Say what writes the code."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable) -> Any:
        """Change the code before it is compiled: `make_transformer` gets what did so before."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        return _Restored(self._codegen, before)

    def process_inputs(self, *args: Any) -> Any:
        """The arguments as the placeholders take them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The result as the caller gets it."""
        return self._codegen.process_outputs(out)

    def __str__(self) -> str:
        lines = [node.format_node() for node in self.nodes]
        return "graph():" + "".join(f"\n    {line}" for line in lines if line)

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows = [[node.op, node.name, str(node.target), str(node.args), str(node.kwargs)] for node in self.nodes]
        print(table(["opcode", "name", "target", "args", "kwargs"], rows))


class _Restored:
    """What puts the former change of generated code back."""

    def __init__(self, codegen: CodeGen, before: Any):
        self.codegen, self.before = codegen, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self.codegen._body_transformer = self.before


def table(header: list[str], rows: list[list[str]]) -> str:
    """Columns under their names, as wide as they need."""
    widths = [max(len(row[place]) for row in [header, *rows]) for place in range(len(header))]
    lines = [header, ["-" * width for width in widths], *rows]
    shown = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in shown)


def check_input(graph: Graph, node: Node, arg: Node, seen: Iterable[Node]) -> None:
    """Raise if an argument is another graph's, or comes after the node."""
    if arg.graph is not graph:
        raise RuntimeError(
            f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you are "
            "copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap values\n"
            f"{graph}"
        )
    if arg not in seen:
        raise RuntimeError(
            f"Argument '{arg}' of Node '{node}' was used before it has been defined! Please check that Nodes in the "
            f"graph are topologically ordered\n{graph}"
        )


def check_attribute(owner: Any, node: Node) -> None:
    """Raise if the module has no attribute that a node names."""
    found = owner
    for part in node.target.split("."):
        if not hasattr(found, part):
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {found!r}")
        found = getattr(found, part)
    if node.op == "call_module" and not callable(found):
        raise RuntimeError(f"Node {node} target {node.target} {node.op} is not callable")


_PyTreeCodeGen = _PyTreeCodeGen
