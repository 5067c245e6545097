"""Declaring an op: `@op` turns a NumPy body into a torch function with its method, in-place form and gradient."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

from rushlight.autograd.graph import OpNode
from rushlight.core.location import GENERATED
from rushlight.core.tensor import Tensor
from rushlight.ops import call as caller
from rushlight.ops import rules

REGISTRY: dict[str, Op] = {}

OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    # one operand
    "-x": "neg",
    "+x": "pos",
    "abs": "abs",
    # the number on the left: an op of its own in torch
    "r-": "rsub",
}


class Op:
    """One operation, as data: what the caller, the engine, the tests and the documentation read."""

    def __init__(self, body: Callable, name: str, rule: Callable | None, samples: Any):
        self.body = body
        self.name = name
        self.rule = rule
        self.samples = samples
        self.doc = inspect.getdoc(body) or ""
        self.gradients: dict[str, Callable] = {}
        self.differentiable = 0  # a bit for each input that has a formula
        self.plans: dict[int, Plan] = {}
        self.node_classes: dict[str | None, type[OpNode]] = {}
        self.function: Callable
        self.inplace: Callable | None = None
        self.is_method = self.is_view = self.is_composed = False
        self.returns: tuple[str, ...] | None = None
        self.node: Any = None
        self.node_reads: list[int] | None = None
        self.results: type | None = None

    def read_signature(self, operands: Iterable[str] | None) -> None:
        """Which parameters are tensors, lists of tensors, sizes, or options."""
        parameters = list(inspect.signature(self.body).parameters.values())
        self.takes_out = parameters[-1].name == "out"
        self.parameters = parameters[:-1] if self.takes_out else parameters
        self.names = tuple(each.name for each in self.parameters)
        self.positions = {name: position for position, name in enumerate(self.names)}
        self.lists = tuple(p for p, each in enumerate(self.parameters) if each.annotation == "list[Tensor]")
        self.tensors = tuple(p for p, each in enumerate(self.parameters) if is_tensor(each))
        self.optional = tuple(p for p in self.tensors if self.parameters[p].default is None)
        # where no Python number may stand in for a tensor
        annotated = tuple(p for p in self.tensors if self.parameters[p].annotation == "Tensor")
        self.strict = self.tensors if len(self.tensors) == 1 else annotated
        chosen = self.tensors if operands is None else [self.positions[name] for name in operands]
        self.operands = tuple(chosen)
        self.positional = all_positional(self.body, self.takes_out)

    def gradient(self, **formulas: Callable) -> None:
        """State how the gradient of each input follows; parameter names say what is saved."""
        for name, formula in formulas.items():
            if name not in self.positions:
                raise TypeError(f"{self.name}: gradient of '{name}', which is not an input")
            for wanted in inspect.signature(formula).parameters:
                if wanted not in ("grad", "grads") and self.source_of(wanted) is None:
                    raise TypeError(
                        f"{self.name}: the gradient of '{name}' names '{wanted}', which is nothing here"
                    )
        self.gradients = {name: formulas[name] for name in self.names if name in formulas}
        self.differentiable = sum(1 << self.positions[name] for name in formulas)
        self.plans.clear()

    def source_of(self, name: str) -> tuple[str, int] | None:
        """Where a formula's parameter comes from: ("argument" | "shape" | "geometry" | "result", position)."""
        if name in self.positions:
            return "argument", self.positions[name]
        if name.endswith("_shape") and name.removesuffix("_shape") in self.positions:
            return "shape", self.positions[name.removesuffix("_shape")]
        if name.endswith("_geometry") and name.removesuffix("_geometry") in self.positions:
            return "geometry", self.positions[name.removesuffix("_geometry")]
        if self.returns is not None and name in self.returns:
            return "result", self.returns.index(name)
        return ("result", 0) if name == "result" else None

    def plan(self, needs: int) -> Plan:
        """The plan for the inputs whose bits are set in `needs`."""
        found = self.plans.get(needs)
        if found is None:
            found = self.plans[needs] = Plan(self, needs)
        return found

    def node_class(self, arguments: tuple) -> type[OpNode]:
        """The class of this call's node, named as torch names it."""
        name = self.node
        if self.node_reads is not None:
            name = name(*[arguments[position] for position in self.node_reads])
        found = self.node_classes.get(name)
        return self.add_node_class(name) if found is None else found

    def add_node_class(self, name: str | None) -> type[OpNode]:
        """A class for nodes of this op under one of its names."""
        shown = camel(self.name.rpartition(".")[2]) + "Backward0" if name is None else name
        found = self.node_classes[name] = type(shown, (OpNode,), {"op": self, "__module__": "torch.autograd"})
        return found

    def name_node(self, node: str | Callable | None) -> None:
        """Take the node's name: torch's usual one, another, or a function of some arguments."""
        self.node = node
        if callable(node):
            self.node_reads = [self.positions[each] for each in inspect.signature(node).parameters]

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class Plan:
    """For one choice of inputs that need gradients: what is saved, and what each formula reads."""

    def __init__(self, op: Op, needs: int):
        wanted = {name: f for name, f in op.gradients.items() if needs >> op.positions[name] & 1}
        parameters = {name: list(inspect.signature(formula).parameters) for name, formula in wanted.items()}
        names = dict.fromkeys(itertools.chain.from_iterable(parameters.values()))
        self.names = [name for name in names if name not in ("grad", "grads")]
        self.sources = [op.source_of(name) for name in self.names]
        # the values of a backward: the first gradient, all gradients, then what was saved
        index = {name: place for place, name in enumerate(["grad", "grads", *self.names])}
        self.inputs = tuple(op.positions[name] for name in wanted)
        self.formulas = [
            (formula, [index[each] for each in parameters[name]], op.positions[name] in op.lists)
            for name, formula in wanted.items()
        ]
        kept = {position for kind, position in self.sources if kind == "argument"}
        self.keeps_tensors = bool(kept & set(op.tensors)) or any(kind == "result" for kind, _ in self.sources)
        self.keeps_input = 0 in kept
        self.has_lists = any(position in op.lists for position in self.inputs)


def is_tensor(parameter: inspect.Parameter) -> bool:
    """Without annotation, what has no default is a tensor; an annotation says otherwise."""
    if parameter.annotation is inspect.Parameter.empty:
        return parameter.default is inspect.Parameter.empty
    return "Tensor" in str(parameter.annotation)


def all_positional(body: Callable, takes_out: bool) -> Callable:
    """The body with its keyword-only parameters made positional: the caller passes a plain sequence."""
    code = body.__code__
    total = code.co_argcount + code.co_kwonlyargcount
    code = code.replace(co_argcount=total, co_kwonlyargcount=0)
    return FunctionType(
        code, body.__globals__, body.__name__, (None,) if takes_out else None, body.__closure__
    )


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


@functools.cache
def template(parameters: str, arguments: str, out: bool, entry: str) -> CodeType:
    """Code shared by all ops with one signature; compiling one for each would slow the import."""
    call = f"return {entry}(op, ({arguments}){', out' if out else ''})"
    text = f"def make(op, {entry}, sizes):\n def function({parameters}):\n  {call}\n return function"
    made = compile(text, GENERATED, "exec")
    maker = next(each for each in made.co_consts if isinstance(each, CodeType))
    return next(each for each in maker.co_consts if isinstance(each, CodeType))


def generate(op: Op, name: str, entry: Callable, out: bool) -> Callable:
    """The function users call: it takes torch's arguments and hands them on in one tuple."""
    positional, keyword, arguments = [], [], []
    varargs = None
    for each in op.parameters:
        passed = each.name
        if each.annotation == "Size":
            varargs = f"*{each.name}_"
            keyword.append(f"{each.name}=None")
            passed = f"sizes({each.name}_, {each.name})"
        elif each.kind is each.KEYWORD_ONLY or varargs:
            keyword.append(declared(each))
        else:
            positional.append(declared(each))
        if each.name in NUMPY_NAMES:
            other = NUMPY_NAMES[each.name]
            keyword.append(f"{other}=None")
            passed = f"{each.name} if {other} is None else {other}"
        arguments.append(passed)
    if out:
        keyword.append("out=None")
    star = [varargs] if varargs else ["*"] if keyword else []
    code = template(", ".join(positional + star + keyword), ", ".join(arguments) + ",", out, "call")
    defaults = tuple(p.default for p in op.parameters if p.name in positional_defaults(positional))
    cells = {"op": op, "call": entry, "sizes": sizes}
    closure = tuple(CellType(cells[free]) for free in code.co_freevars)
    function = FunctionType(code, {}, name, defaults, closure)
    given = {
        p.name: p.default for p in op.parameters if f"{p.name}=None" in keyword and p.annotation != "Size"
    }
    function.__kwdefaults__ = {each.partition("=")[0]: None for each in keyword if "=" in each} | given
    function.__qualname__, function.__doc__, function.__module__ = name, op.doc, op.body.__module__
    return function


# torch takes NumPy's names for these too
NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}


def declared(parameter: inspect.Parameter) -> str:
    return parameter.name if parameter.default is parameter.empty else f"{parameter.name}=None"


def positional_defaults(positional: list[str]) -> set[str]:
    return {each.partition("=")[0] for each in positional if "=" in each}


def sizes(many: tuple, named: Any) -> Any:
    """Sizes given one by one, as one sequence, or by name."""
    if named is not None:
        return named
    if len(many) == 1 and not isinstance(many[0], (int, np.integer, Tensor)):
        return many[0]
    return many


def op(
    *,
    dtype: Callable,
    samples: Any,
    name: str | None = None,
    operands: Iterable[str] | None = None,
    view: bool = False,
    method: bool | None = None,
    inplace: bool | Callable | None = None,
    operator: str | None = None,
    aliases: Iterable[str] = (),
    returns: tuple[str, ...] | None = None,
    node: str | Callable | None = None,
) -> Callable:
    """Declare an op: see docs/design/0001-declared-ops.md.

    `name` is torch's name where it is not the function's (`linalg.pinv`); `operands` the inputs that share
    a dtype, where not all tensors do; `view` says that the result shares the input's memory; `method` and
    `inplace` whether there is a method and an in-place form (pointwise ops have both), or what runs the
    latter in place of `call_inplace`; `operator` the
    symbol; `returns` the names of several results; `node` the name of the node, or a function of arguments.
    """

    def declare(body: Callable) -> Callable:
        self = Op(body, name or body.__name__, dtype, samples)
        self.read_signature(operands)
        self.is_view, self.returns = view, returns
        self.name_node(node)
        self.is_method = "." not in self.name if method is None else method
        if returns is not None:
            self.results = result_type(self.name, returns)
        entry = caller.call_either if "inplace" in self.positions else caller.call
        function = generate(self, self.name.rpartition(".")[2], entry, self.takes_out)
        self.function = function
        function.op, function.gradient = self, self.gradient
        pointwise = getattr(samples, "pointwise", False)
        if pointwise if inplace is None else inplace:
            entry = inplace if callable(inplace) else caller.call_inplace
            self.inplace = generate(self, function.__name__ + "_", entry, False)
        self.aliases = tuple(aliases)
        self.operator = operator
        register(self)
        return function

    return declare


def composed(
    *,
    samples: Any,
    name: str | None = None,
    method: bool | None = None,
    aliases: Iterable[str] = (),
    operator: str | None = None,
) -> Callable:
    """Declare a torch function that is made of other ops; it needs no dtype rule and no gradient."""

    def declare(function: Callable) -> Callable:
        self = Op(function, name or function.__name__, None, samples)
        self.is_composed = True
        self.is_method = "." not in self.name if method is None else method
        self.function = function
        self.aliases, self.operator = tuple(aliases), operator
        register(self)
        return function

    return declare


def result_type(name: str, fields: tuple[str, ...]) -> type:
    """The named tuple of an op with several results, printed as torch prints it."""
    from rushlight.ops.returned import named_results

    return named_results(name, fields)


def register(self: Op) -> None:
    """Make the op known: in the registry, and as methods of Tensor."""
    from rushlight.ops import bind

    REGISTRY[self.name] = self
    if not self.name.startswith("_"):
        bind.bind(self)


__all__ = ["OPERATORS", "REGISTRY", "Op", "Plan", "composed", "op", "rules"]
