"""GraphModule: a module whose forward is the code of a graph."""

from __future__ import annotations

import copy
import itertools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.fx.graph import Graph
from rushlight.fx.targets import TorchNames
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["GraphModule", "reduce_graph_module"]
numbers = itertools.count()
REMINDER = "# To see more debug info, please use `graph_module.print_readable()`"


def forward_of(source: str, names: dict[str, Any]) -> Callable:
    """The function that generated code defines; its lines can be shown in a traceback."""
    file = f"<eval_with_key>.{next(numbers)}"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {"torch": TorchNames(), **names}
    exec(compile(without_wraps(source), file, "exec", dont_inherit=True), space)
    return space["forward"]


def without_wraps(source: str) -> str:
    """The code without the calls of `wrap`: the functions are wrapped where they come from."""
    return "\n".join("" if line.startswith("torch.fx._symbolic_trace.wrap(") else line for line in source.split("\n"))


def copy_attribute(origin: Module, to: Module, target: str) -> None:
    """Give a module what another has under a path, with modules on the way."""
    *path, last = target.split(".")
    for part in path:
        origin, inner = getattr(origin, part), getattr(to, part, None)
        if inner is origin:
            return
        if inner is None:
            inner = Module()
            setattr(to, part, inner)
        to = inner
    give(to, last, getattr(origin, last))


def assign(value: Any, to: Module, target: str) -> None:
    """Put a value under a path into a module."""
    *path, last = target.split(".")
    for part in path:
        inner = getattr(to, part, None)
        if inner is None:
            inner = Module()
            setattr(to, part, inner)
        to = inner
    give(to, last, value)


def give(to: Module, name: str, value: Any) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        to.register_buffer(name, value)
    else:
        setattr(to, name, value)


class GraphModule(Module):
    """A module made of a graph: `graph` can be changed and compiled anew, `code` is what runs."""

    _graph: Graph
    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # each has a class of its own, which holds its forward
        made = type("GraphModuleImpl", (cls,), {"__module__": "torch.fx.graph_module"})
        return super().__new__(made)

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        targets = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for target in targets:
                copy_attribute(root, self, target)
        elif isinstance(root, dict):
            for target in targets:
                if target not in root:
                    raise RuntimeError(f"Node referenced target {target} but that target was not provided in ``root``!")
            for target in sorted(set(targets), key=lambda each: each.count(".")):
                assign(root[target], self, target)
        else:
            raise RuntimeError("Unsupported type " + str(root) + " passed for root!")
        self.graph = graph
        self._tracer_cls = graph._tracer_cls
        self._tracer_extras = graph._tracer_extras or {}
        self.meta: dict[str, Any] = {}

    @property
    def graph(self) -> Graph:
        """The graph whose code is run."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        # a graph belongs to one module
        self._graph = copy.deepcopy(g) if g.owning_module is not None and g.owning_module is not self else g
        self._graph.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The Python code of the graph."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch: call recompile() first")
        return self._code

    def recompile(self) -> Any:
        """Write and compile the code anew, after the graph was changed."""
        made = self._graph.python_code(root_module="self")
        self._code = made.src
        self._globals = made.globals
        type(self).forward = forward_of(made.src, made.globals)
        return made

    def add_submodule(self, target: str, m: Module) -> bool:
        """Put a module under a path; False if something that is no module is in the way."""
        *path, last = target.split(".")
        place: Module = self
        for part in path:
            inner = getattr(place, part, None)
            if inner is None:
                inner = Module()
                setattr(place, part, inner)
            if not isinstance(inner, Module):
                return False
            place = inner
        place.add_module(last, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take a module out; False if there is none."""
        *path, last = target.split(".")
        place: Any = self
        for part in path:
            place = getattr(place, part, None)
            if not isinstance(place, Module):
                return False
        if not isinstance(getattr(place, last, None), Module):
            return False
        delattr(place, last)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take out all modules that the graph does not use."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[: place + 1]) for place in range(len(parts)))
                if node.op == "call_module":
                    inside = self.get_submodule(node.target).named_modules()
                    used.update(f"{node.target}.{name}" for name, _ in inside if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    def to_folder(self, folder: str | Path, module_name: str = "FxModule") -> None:
        """Write the code as a package; its parameters need `torch.save`."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        (place / "module.py").write_text(f"import torch\nfrom torch import device, inf, nan\n{self.code}\n")
        (place / "__init__.py").write_text("from .module import *\n")

    def print_readable(
        self, print_output: bool = True, include_stride: bool = False, include_device: bool = False, **options: Any
    ) -> str:
        """The code as a class, with the modules inside it."""
        code = self.code.lstrip("\n")
        inner = "\n".join(f"    {line}" if line.strip() else "" for line in code.rstrip().split("\n"))
        text = f"class {type(self).__name__}(torch.nn.Module):\n{inner}\n"
        for _, child in self.named_children():
            if isinstance(child, GraphModule):
                nested = child.print_readable(print_output=False).rstrip().split("\n")
                text += "\n" + "\n".join(f"    {line}" if line else "" for line in nested) + "\n"
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        return "\n".join([super().__repr__(), self._code, REMINDER])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_globals")}

    def __reduce__(self) -> tuple:
        given = {name: value for name, value in self._globals.items() if name not in STANDARD}
        return reduce_graph_module, (self.__getstate__(), given)

    def __deepcopy__(self, memo: dict) -> GraphModule:
        plain = Module()
        plain.__dict__ = copy.deepcopy(
            {name: value for name, value in self.__dict__.items() if name not in ("_graph", "_globals")}, memo
        )
        made = GraphModule(plain, copy.deepcopy(self.graph), type(self).__name__)
        for name in HOOKS:
            made.__dict__[name] = plain.__dict__.get(name, made.__dict__.get(name))
        for name, value in plain.__dict__.items():
            if name not in made.__dict__:
                made.__dict__[name] = value
        made.training = self.training
        memo[id(self)] = made
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, copy.deepcopy(self.graph), type(self).__name__)
        made.meta = dict(self.meta)
        return made


STANDARD = ("torch", "inf", "nan", "NoneType", "device")
HOOKS = "_forward_hooks _forward_pre_hooks _backward_hooks _backward_pre_hooks _state_dict_hooks meta".split()


def reduce_graph_module(fields: dict[str, Any], given: dict[str, Any]) -> GraphModule:
    """A GraphModule from its pickled fields: the code is compiled and traced once more."""
    from rushlight.fx._symbolic_trace import Tracer

    class Keeping(Tracer):
        def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
            return True

    plain = type("Unpickled", (Module,), {"forward": forward_of(fields["_code"], given)})()
    plain.__dict__ = {name: value for name, value in fields.items() if name != "_code"}
    made = GraphModule(plain, Keeping().trace(plain))
    for name, value in plain.__dict__.items():
        if name not in made.__dict__ or name in HOOKS:
            made.__dict__[name] = value
    return made


_copy_attr = copy_attribute
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


class _CodeOnlyModule(Module):
    """A module of given fields, from which a graph's module is copied."""

    def __init__(self, body: dict[str, Any]):
        super().__init__()
        self.__dict__ = body
