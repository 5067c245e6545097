"""Declaring an op: `@op` turns a NumPy body into a torch function with its method, in-place form and gradient."""

from __future__ import annotations

import functools
import itertools
import operator as operators
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from rushlight.autograd.graph import OpNode
from rushlight.autograd.refused import RealNode, RefusedNode, UnderivableNode, UnderivableWrite
from rushlight.ops.machine import gradients, rules
from rushlight.ops.machine.accelerator import CALL, COMPOSED, EITHER, INPLACE, accelerated, described, has_kernel
from rushlight.ops.machine.call import call
from rushlight.ops.machine.generate import as_method, generate, guard, in_place
from rushlight.ops.machine.inplace import call_either, call_inplace
from rushlight.ops.machine.layouts import COMMON, KEPT, ROWS
from rushlight.ops.machine.returned import named_results
from rushlight.ops.machine.signature import CO_VARARGS, REQUIRED, Parameter, all_names, names_of, parameters_of
from rushlight.ops.machine.transforms.words import BY_STRIDES, DIMS, ELEMENTWISE, NATIVE, OF_MATRICES, RANDOM, SHAPES

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
        self.layout: Callable | None = None
        self.samples = samples
        self.doc = (body.__doc__ or "").strip()
        self.gradients: dict[str, Callable] = {}
        self.differentiable = 0  # a bit for each input that has a formula
        self.plans: dict[int, Plan] = {}
        self.node_classes: dict[str | None, type[OpNode]] = {}
        self.function: Callable
        self.method: Callable | None = None  # the same with another signature
        self.inplace: Callable | None = None
        self.twin: Callable[[str], Callable]  # makes the function once more, as another object, for a module
        self.twins: list[Callable] = []  # those that were made
        # whether the body moves the random stream, so that it must not run a second time
        self.draws = body.__module__.startswith("rushlight.ops.random")
        self.is_method = self.is_view = self.is_composed = self.is_pointwise = self.linear = False
        # how it takes a batch dimension, a word of `transforms/words.py`; None: one sample after the other
        self.batch: Callable | None = None
        # the same op of other ops, for a batch, where no word does
        self.made: Callable | None = None
        # of a product, which is linear in each of these inputs
        self.factors: tuple[int, ...] = ()
        # its derivative along tangents, where it does not follow from the gradient
        self.tangent: Callable | None = None
        self.returns: tuple[str, ...] | None = None
        self.aliases: tuple[str, ...] = ()
        self.operator: str | None = None
        self.node: Any = None
        self.inplace_node: str | None = None
        self.node_base: type[OpNode] = OpNode
        self.inplace_base: type[OpNode] = OpNode
        self.inner_name: str | None = None  # torch's, where it has no derivative
        self.fused = False
        self.saves: tuple[str, ...] = ()  # whichever gradients are wanted
        # of each tensor in its list, the one whose gradient needs it, or ALWAYS or NEVER: what nobody needs may change
        self.partners: tuple[int, ...] = ()
        self.holds: tuple[str, ...] = ()  # by their memory: what `.data` is later does not matter
        self.folds: tuple[str, ...] = ()  # of these only what is no matrix
        self.node_reads: Callable | None = None
        self.node_positions: tuple[int, ...] = ()
        self.runs_once = False  # whether its node is freed by a backward although it saves no tensor
        # for ops that are several nodes in torch: edges in the order in which leaves there get their gradients
        self.delivery: Callable[[OpNode], list[int]] | None = None
        # for the same ops: torch's nodes, as users see them who follow the graph
        self.steps: Callable[[OpNode], tuple] | None = None
        self.results_name = name  # under which several results are shown

    @property
    def lifting(self) -> int:
        """What native code may do with it inside of function transforms, in bits.

        1: take a step of a level; 2: run it on tangents, to which it does the same; 4: call its formulas with tangents;
        from 8 on: how to run it on a batch, see NATIVE in transforms/words.py.
        """
        single = self.name != "_strided_view"
        spoken = "" if self.batch is None or self.made is not None or self.name in RANDOM else self.batch.__name__
        # the other products are `matmul` of a batch
        word = NATIVE.get(spoken, 0) if spoken != "PRODUCT" or self.name == "matmul" else 0
        if self.name in OF_MATRICES:
            word = 0  # whether a sample is a matrix, Python looks
        own = self.tangent is not None
        moves = (self.linear or self.is_view) and not own and self.name not in BY_STRIDES
        slope = self.is_pointwise and not own and not self.is_view
        return single | (single and moves) << 1 | slope << 2 | word << 3

    @property
    def shifts(self) -> tuple[int, int, int]:
        """Bits of the options that a batch dimension moves: those that count dims, shapes, and indices."""
        word = "" if self.batch is None else self.batch.__name__
        places = self.positions.items()
        dims = sum([1 << place for name, place in places if name in DIMS])
        shapes = sum([1 << place for name, place in places if name in SHAPES])
        return dims, shapes, sum([1 << place for name, place in places if name == "index" and word == "PART"])

    @functools.cached_property
    def results(self) -> type:
        """The named tuple of an op with several results; made at the first call, since that takes 0.3 ms."""
        return named_results(self.results_name, self.returns)

    def read_signature(self, operands: Iterable[str] | None) -> None:
        """Which parameters are tensors, lists of tensors, sizes, or options."""
        parameters = parameters_of(self.body)
        self.takes_out = parameters[-1].name == "out"
        self.parameters = parameters[:-1] if self.takes_out else parameters
        self.names = tuple(each.name for each in self.parameters)
        self.positions = {name: position for position, name in enumerate(self.names)}
        self.lists = tuple(p for p, each in enumerate(self.parameters) if each.annotation == "list[Tensor]")
        self.tensors = tuple(p for p, each in enumerate(self.parameters) if each.is_tensor)
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
            for wanted in names_of(formula):
                if wanted not in ("grad", "grads") and self.source_of(wanted) is None:
                    raise TypeError(f"{self.name}: the gradient of '{name}' names '{wanted}', which is nothing here")
        self.gradients = {name: formulas[name] for name in self.names if name in formulas}
        self.differentiable = sum(1 << self.positions[name] for name in formulas)
        self.plans.clear()
        for each in (self.function, self.method, self.inplace):
            if hasattr(each, "_forget"):
                each._forget()

    def made_of(self, function: Callable) -> None:
        """State which other ops give the same, for a batch that no word describes."""
        self.made = function

    def refuse_gradients(self, inner_name: str) -> None:
        """State that torch has no derivative for any input."""
        refusal = gradients.underivable(f"derivative for aten::{inner_name}")
        self.gradient(**{self.names[position]: refusal for position in (*self.tensors, *self.lists)})
        self.inner_name, self.node_base = inner_name, UnderivableNode
        self.inplace_node, self.inplace_base = "NotImplemented", UnderivableWrite

    def refuse_complex_gradients(self, inner_name: str | None = None) -> None:
        """State that torch has a derivative for real numbers only; it may have another name for what it refuses."""
        self.node_base, self.inner_name = RealNode, inner_name or self.name.rpartition(".")[2]
        if self.inplace_node is None:
            self.inplace_node = camel(self.name.removeprefix("nn.functional.")) + "Backward0"

    def saved_names(self) -> list[str]:
        """All that a call may save, whichever gradients are wanted."""
        named = itertools.chain(self.saves, *map(names_of, self.gradients.values()))
        return [name for name in dict.fromkeys(named) if name not in ("grad", "grads")]

    def source_of(self, name: str) -> tuple[str, int] | None:
        """Where a formula's parameter comes from: ("argument" | "shape" | "geometry" | "result", position)."""
        if name in self.positions:
            return "memory" if name in self.holds else "argument", self.positions[name]
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

    def node_for(self, needs: int, arguments: tuple, results: tuple) -> OpNode:
        """A node for a call whose inputs need gradients as the bits of `needs` say."""
        plan = self.plans.get(needs)
        if plan is None:
            plan = self.plans[needs] = Plan(self, needs)
        kind = self.node_classes.get(self.node) if self.node_reads is None else None
        return (kind or self.node_class(arguments))(plan, arguments, results)

    def node_class(self, arguments: tuple) -> type[OpNode]:
        """The class of this call's node, named as torch names it."""
        name = self.node
        if self.node_reads is not None:
            name = name(*self.node_reads(arguments))
        found = self.node_classes.get(name)
        return self.add_node_class(name) if found is None else found

    def add_node_class(self, name: str | None) -> type[OpNode]:
        """A class for nodes of this op under one of its names."""
        shown = camel(self.name.removeprefix("nn.functional.")) + "Backward0" if name is None else name
        found = self.node_classes[name] = self.new_node_class(shown, self.node_base)
        return found

    def new_node_class(self, shown: str, base: type[OpNode]) -> type[OpNode]:
        fields = {"op": self, "inner_name": self.inner_name, "__module__": "torch.autograd"}
        return type(shown, (base,), fields)

    def inplace_node_class(self, arguments: tuple) -> type[OpNode]:
        """The class of the node of a write, which has another name in a few ops."""
        if self.inplace_node is None:
            return self.node_class(arguments)
        # under a key of its own: the two forms of a refused op have one name
        key = f"{self.inplace_node} in place"
        found = self.node_classes.get(key)
        if found is None:
            found = self.node_classes[key] = self.new_node_class(self.inplace_node, self.inplace_base)
        return found

    @property
    def write_class(self) -> type[OpNode] | bool:
        """For native code: the class of a write's node; True for that of other calls, False for none that it knows."""
        if self.inplace_node is None:
            return True
        return self.inplace_node_class(()) if self.inplace_base is OpNode else False

    def name_node(self, node: str | Callable | None) -> None:
        """Take the node's name: torch's usual one, another, or a function of some arguments."""
        self.node = node
        if callable(node):
            self.node_positions = tuple([self.positions[each] for each in names_of(node)])
            self.node_reads = reader(list(self.node_positions))

    def __repr__(self) -> str:
        return f"<op {self.name}>"


class Plan:
    """For one choice of inputs that need gradients: what is saved, and what each formula reads."""

    def __init__(self, op: Op, needs: int):
        wanted = {name: f for name, f in op.gradients.items() if needs >> op.positions[name] & 1}
        parameters = {name: names_of(formula) for name, formula in wanted.items()}
        read = list(itertools.chain(*parameters.values(), op.saves)) if wanted else read_by_several(op)
        names = dict.fromkeys(read)
        self.names = [name for name in names if name not in ("grad", "grads")]
        self.sources: list[Any] = [op.source_of(name) for name in self.names]
        self.folded = [name in op.folds for name in self.names]
        # the values of a backward: the first gradient, all gradients, then what was saved
        index = {name: place for place, name in enumerate(["grad", "grads", *self.names])}
        self.inputs = tuple(op.positions[name] for name in wanted)
        # each formula, what takes its arguments out of those values, and whether it returns a list
        self.formulas = [
            (formula, reader([index[each] for each in parameters[name]]), op.positions[name] in op.lists)
            for name, formula in wanted.items()
        ]
        kept = {position for kind, position in self.sources if kind in ("argument", "memory")}
        self.keeps_tensors = bool(kept & set(op.tensors)) or any(kind == "result" for kind, _ in self.sources)
        # numbers in place of all of them need not be freed, but where torch makes tensors of them
        self.may_keep_numbers = op.name not in ("mul", "div") and all(
            kind not in ("argument", "memory", "result") or (kind == "argument" and position not in op.strict)
            for kind, position in self.sources
        )
        self.keeps_input = 0 in kept
        self.has_lists = any(position in op.lists for position in self.inputs)
        # the saved values that may be tensors: (place, whether they are kept without their history)
        self.checked = [
            (place, kind != "argument")
            for place, (kind, position) in enumerate(self.sources)
            if kind in ("memory", "result") or (kind == "argument" and position in op.tensors)
        ]


def read_by_several(op: Op) -> list[str]:
    """What more than one formula reads: torch saves it also where no input leads anywhere."""
    names = list(itertools.chain(*map(names_of, op.gradients.values())))
    return [name for name in names if names.count(name) > 1 and name in op.positions]


def reader(places: list[int]) -> Callable[[list], Sequence]:
    """What takes the values at these places out of a list."""
    if len(places) > 1:
        return operators.itemgetter(*places)
    # one of them, or none, without a frame of Python
    place = places[0] if places else 0
    return operators.itemgetter(slice(place, place + len(places)))


def all_positional(body: Callable, takes_out: bool) -> Callable:
    """The body with its keyword-only parameters made positional: the caller passes a plain sequence."""
    code = body.__code__
    total = code.co_argcount + code.co_kwonlyargcount
    code = code.replace(co_argcount=total, co_kwonlyargcount=0)
    return FunctionType(code, body.__globals__, body.__name__, (None,) if takes_out else None, body.__closure__)


def camel(name: str) -> str:
    """`special.i0e` as torch's nodes spell it: SpecialI0E."""
    return "".join(part.title() for part in name.replace(".", "_").split("_"))


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
    layout: Callable | None = None,
    inplace_node: str | None = None,
    inplace_underivable: bool = False,
    underivable: str | None = None,
    fused: bool = False,
    saves: tuple[str, ...] = (),
    holds: tuple[str, ...] = (),
    folds: tuple[str, ...] = (),
    batch: Callable | None = None,
    linear: bool | tuple[str, ...] = False,
) -> Callable:
    """Declare an op: see docs/design/0001-declared-ops.md.

    `name` is torch's name where it is not the function's (`linalg.pinv`); `operands` the inputs that share a dtype,
    where not all tensors do; `view` says that the result shares the input's memory; `method` and `inplace` whether
    there is a method and an in-place form (pointwise ops have both), or what runs the latter in place of
    `call_inplace`; `operator` the symbol; `returns` the names of several results; `node` the name of the node, or a
    function of arguments; `layout` is a word of `layouts.py` where it is not the usual one (see `layout_of`);
    `inplace_node` that of the in-place form where it is another; `inplace_underivable` that this form has no
    derivative; `underivable` torch's inner name of an op that it records but has no derivative for; `fused` that torch
    has one op for its gradient, which is always recorded with a way to the input; `saves` what a node always keeps;
    `holds` the inputs of which torch saves a view, which goes on to see the memory of the call; `folds` those which
    it makes matrices of by a view: a matrix is saved itself.
    `batch` is a word of `transforms/words.py` on how it takes a batch dimension; `linear` says that it is its own
    derivative, or names the factors of a product, which is linear in each of them.
    """

    def declare(body: Callable) -> Callable:
        self = Op(body, name or body.__name__, dtype, samples)
        self.read_signature(operands)
        self.is_view, self.returns = view, returns
        self.name_node("NotImplemented" if underivable else node)
        self.inplace_node = camel(self.name) + "Backward1" if inplace_underivable else inplace_node
        self.fused, self.saves, self.holds, self.folds = fused, saves, (*holds, *folds), folds
        self.inplace_base = RefusedNode if inplace_underivable else OpNode
        self.is_method = "." not in self.name if method is None else method
        either = "inplace" in self.positions
        plain = generate(self, self.name.rpartition(".")[2], call_either if either else call, self.takes_out)
        parameters = described(self, self.parameters)
        for each in add_forms(self, plain, EITHER if either else CALL, parameters):
            each.op, each.gradient, each.made_of = self, self.gradient, self.made_of
        pointwise = getattr(samples, "pointwise", False)
        self.batch, self.linear = ELEMENTWISE if pointwise and batch is None else batch, linear is True
        self.factors = tuple([self.positions[each] for each in linear or ()]) if linear is not True else ()
        self.is_pointwise = self.batch is ELEMENTWISE
        self.layout = layout_of(self, layout, pointwise)
        if pointwise if inplace is None else inplace:
            entry = inplace if callable(inplace) else call_inplace
            self.inplace = generate(self, plain.__name__ + "_", entry, False)
            self.inplace = accelerated(self, self.inplace, INPLACE, parameters)
        self.aliases, self.operator = tuple(aliases), operator
        if underivable is not None:
            self.refuse_gradients(underivable)
        register(self)
        return self.function

    return declare


def add_forms(self: Op, plain: Callable, entry: int, parameters: tuple | None) -> list[Any]:
    """Give an op its method and its function, which are one call under two signatures."""
    # the method first: native code finds by its name what is made last
    if self.is_method:
        self.method = accelerated(self, as_method(self, plain), entry, parameters)
    self.function = accelerated(self, plain, entry, parameters)
    self.twin = lambda place: accelerated(self, in_place(plain, place), entry, parameters)
    return [self.function] if self.method is None else [self.method, self.function]


def layout_of(self: Op, word: Callable | None, pointwise: bool) -> Callable | None:
    """The layout rule: pointwise ops follow their inputs, others are contiguous; views and parts of ops stay."""
    if word is not None:
        return None if word is KEPT else word
    if self.is_view or self.name.startswith("_"):
        return None
    return COMMON if pointwise else ROWS


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
        # users get the guarded form; other ops call the plain one, which has no frame in between
        parameters = described(self, composed_parameters(function), composed=True) if has_kernel(self) else None
        add_forms(self, guard(self, function, failed), COMPOSED, parameters)
        self.aliases, self.operator = tuple(aliases), operator
        register(self)
        return function

    return declare


def composed_parameters(function: Callable) -> list[Parameter]:
    """The parameters of a composed function; what it takes one by one (`*shape`) is a size."""
    found = parameters_of(function)
    if function.__code__.co_flags & CO_VARARGS:
        place = function.__code__.co_argcount
        found.insert(place, Parameter(all_names(function)[len(found)], REQUIRED, "Size", False))
    return found


def failed(self: Op, values: tuple, error: Exception) -> Exception:
    """The explained error of a composed function, from its arguments in the order of its code."""
    from rushlight.errors import calls

    given = dict(zip(all_names(self.body), values, strict=True))
    many = self.body.__code__.co_flags & CO_VARARGS and given.pop(all_names(self.body)[len(names_of(self.body))])
    return calls.explain(self, given | {"tensors": many} if many else given, error)


def register(self: Op) -> None:
    """Make the op known: in the registry, and as methods of Tensor."""
    from rushlight.ops.machine import bind

    REGISTRY[self.name] = self
    if not self.name.startswith("_"):
        bind.bind(self)


__all__ = ["OPERATORS", "REGISTRY", "Op", "Plan", "composed", "op", "rules"]
