"""Code generation: a graph as the Python function that it stands for."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import rushlight
from rushlight.fx.node import Node
from rushlight.fx.targets import TorchNames, is_from_torch, qualified_name, type_repr

MAGIC = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "mod": "{} % {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
    "pow": "{} ** {}",
}
INPLACE = {
    "iadd": "{} += {}",
    "iand": "{} &= {}",
    "ifloordiv": "{} //= {}",
    "ilshift": "{} <<= {}",
    "imod": "{} %= {}",
    "imul": "{} *= {}",
    "imatmul": "{} @= {}",
    "ior": "{} |= {}",
    "ipow": "{} **= {}",
    "irshift": "{} >>= {}",
    "isub": "{} -= {}",
    "itruediv": "{} /= {}",
    "ixor": "{} ^= {}",
    "setitem": "{}[{}] = {}",
}


@dataclasses.dataclass
class PythonCode:
    """Generated code, and what it finds in its globals."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None


def format_target(base: str, target: str) -> str:
    """An attribute by its path: `self.layer`, `getattr(self.seq, "0")`."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


class Writer:
    """The lines of one function while they are written."""

    def __init__(self, root_module: str, namespace: Any):
        self.root_module, self.namespace = root_module, namespace
        self.globals: dict[str, Any] = {
            "inf": float("inf"),
            "nan": float("nan"),
            "NoneType": type(None),
            "torch": TorchNames(),
            "device": rushlight.device,
        }
        self.free_vars: list[str] = []
        self.body: list[str] = []
        self.wrapped: dict[str, None] = {}
        self.returned = ""

    def name(self, hint: str, thing: Any) -> str:
        """The name under which the code finds something."""
        if is_from_torch(thing):
            return qualified_name(thing)
        found = self.namespace.create_name(hint, thing)
        self.globals.setdefault(found, thing)
        return found

    def kind(self, annotation: Any) -> str:
        """An annotation in code."""
        if annotation == () or annotation is None:
            return "()" if annotation == () else "None"
        text = type_repr(annotation)
        if isinstance(annotation, type) and (annotation.__module__ == "builtins" or text.startswith("torch.")):
            return text
        return self.name(text, annotation)

    def repr(self, value: Any) -> str:
        """A value in code."""
        if isinstance(value, tuple):
            inner = ", ".join(map(self.repr, value))
            if hasattr(value, "_fields"):
                return f"{self.name(qualified_name(type(value)), type(value))}({inner})"
            return f"({inner}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.repr, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key!r}: {self.repr(each)}" for key, each in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.repr(value.start)}, {self.repr(value.stop)}, {self.repr(value.step)})"
        if isinstance(value, enum.Enum):
            return f"{self.name(type(value).__name__, type(value))}.{value.name}"
        if isinstance(value, type) or (callable(value) and not isinstance(value, Node)):
            return self.name(type_repr(value) if isinstance(value, type) else qualified_name(value), value)
        if isinstance(value, np.generic):
            return repr(value.item())
        return repr(value)

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        given = [self.repr(each) for each in args]
        return ", ".join([*given, *(f"{name} = {self.repr(value)}" for name, value in kwargs.items())])

    def write(self, node: Node) -> None:
        """The line of a node, without its end."""
        kind = "" if node.type is None else f" : {self.kind(node.type)}"
        if node.op == "placeholder":
            default = "" if not node.args else f" = {self.repr(node.args[0])}"
            self.free_vars.append(f"{node.target}{kind}{default}")
            raw = node.target.replace("*", "")
            if raw != repr(node):
                self.body.append(f"{node!r} = {raw}\n")
        elif node.op == "output":
            if node.type is not None:
                self.returned = f" -> {self.kind(node.type)}"
            self.body.append(f"return {self.repr(node.args[0])}")
        elif node.op == "get_attr":
            self.body.append(f"{node!r}{kind} = {format_target(self.root_module, node.target)}")
        elif node.op == "call_module":
            called = format_target(self.root_module, node.target)
            self.body.append(f"{node!r}{kind} = {called}({self.arguments(node.args, node.kwargs)})")
        elif node.op == "call_method":
            called = format_target(repr(node.args[0]), node.target)
            self.body.append(f"{node!r}{kind} = {called}({self.arguments(node.args[1:], node.kwargs)})")
        else:
            self.write_call(node, kind)

    def write_call(self, node: Node, kind: str) -> None:
        """The line of a call of a function: an operator where it is one."""
        name = getattr(node.target, "__name__", "")
        is_operator = getattr(node.target, "__module__", None) == "_operator"
        if is_operator and name in MAGIC:
            self.body.append(f"{node!r}{kind} = {MAGIC[name].format(*map(self.repr, node.args))}")
        elif is_operator and name in INPLACE:
            written = INPLACE[name].format(*map(self.repr, node.args))
            self.body.append(f"{written};  {node!r}{kind} = {self.repr(node.args[0])}")
        elif node.target is getattr and len(node.args) == 2 and is_name(node.args[1]):
            self.body.append(f"{node!r}{kind} = {format_target(self.repr(node.args[0]), node.args[1])}")
        else:
            from rushlight.fx._symbolic_trace import is_wrapped

            called = self.name(qualified_name(node.target), node.target)
            if is_wrapped(node.target):
                self.wrapped.setdefault(called)
            self.body.append(f"{node!r}{kind} = {called}({self.arguments(node.args, node.kwargs)})")


def is_name(text: Any) -> bool:
    return isinstance(text, str) and text.isidentifier()


def last_uses(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node what nobody uses after it."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}
    for node in reversed(nodes):  # type: ignore[call-overload]
        for each in node._input_nodes:
            if each not in seen:
                seen.add(each)
                found.setdefault(node, []).append(each)
    return found


class CodeGen:
    """What writes a graph as Python code."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any) -> str:
        """The line that ends it."""
        return f"return {output_args!r}"

    def process_inputs(self, *args: Any) -> Any:
        """The arguments as the placeholders take them."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The result as the caller gets it."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """More that the code finds in its globals."""
        return []

    def _gen_python_code(self, nodes: Any, root_module: str, namespace: Any, *, verbose: bool = False) -> PythonCode:
        writer = Writer(root_module, namespace)
        for name, value in self.additional_globals():
            writer.name(name, value)
        uses = last_uses(nodes)
        for node in nodes:
            writer.write(node)
            if node.op == "output":
                writer.body.append("\n")
            elif node.op != "placeholder":
                done = [*uses.get(node, ()), *([] if node.users else [node])]
                end = f";  {' = '.join([repr(each) for each in done] + ['None'])}\n" if done else "\n"
                writer.body.append(end)
        body = writer.body or ["pass\n"]
        if self._body_transformer:
            body = self._body_transformer(body)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        beginning = self.gen_fn_def(writer.free_vars, writer.returned)
        code = "\n".join("    " + line for line in "".join(body).split("\n"))
        return PythonCode(f"\n{wraps}\n\n{beginning}\n{code}", writer.globals, {})


class _PyTreeCodeGen(CodeGen):
    """Code whose arguments and results are nested collections, taken apart by pytree."""

    def __init__(self, pytree_info: Any):
        super().__init__()
        self.pytree_info = pytree_info
