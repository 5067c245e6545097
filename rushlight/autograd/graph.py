"""The graph: a node for each recorded operation, with its edges, saved values and the user's line."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rushlight.autograd import modes
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.autograd.saved import Packed, packed, reattach, save
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.native import extension

if TYPE_CHECKING:
    from rushlight.core.memory.storage import Storage
    from rushlight.ops.machine.declare import Op, Plan

# newer nodes have larger numbers, so an edge always leads to a smaller one
sequence = itertools.count(1) if extension is None else iter(extension.next_number, None)

# kinds of nodes that torch does not generate: it shows their full names
WRITTEN_BY_HAND = {"AccumulateGrad", "CopyBackwards", "CopySlices", "Error", "Identity", "NotImplemented"}


class PlainNodeFields:
    """What every node has; the defaults stand on the class."""

    edges: tuple[Node | Tensor | None, ...] = ()
    numbers: tuple[int, ...] | None = None
    # (shape, NumPy dtype) of each output
    outputs: tuple[tuple, ...] = ()
    place: location.Location | None = None
    # the backward that freed the saved values: (its line, the newest node then)
    freed: tuple | None = None
    # gradient hooks of the outputs: {output: {handle number: hook}}, and of the node itself
    tensor_hooks: dict | None = None
    pre_hooks: dict | None = None
    post_hooks: dict | None = None
    _metadata: dict | None = None

    @property
    def looked_at(self) -> tuple[list, list] | None:
        """(values, versions) that it has saved, to look at: native code goes on with its own, as if nobody had."""
        fields = self.__dict__
        return (fields["saved"], fields["versions"]) if fields.get("saved") is not None else None


if TYPE_CHECKING:
    NodeFields = PlainNodeFields
else:
    NodeFields = PlainNodeFields if extension is None else extension.NodeFields


class Node(NodeFields):
    """One recorded operation: how the gradients of its inputs follow from those of its outputs.

    `edges` holds, for each differentiable input, the node or the leaf tensor that it came from, or
    None; `numbers` says which output of that node (None: always the first).
    """

    # as soon as it is ready, as a leaf does
    runs_at_once = False

    # whether the gradients are those of an op's formulas, which native code may call itself
    by_formulas = False

    def __init__(self) -> None:
        self.number = next(sequence)

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        """Gradients for `edges`, from the gradients of the outputs."""
        raise NotImplementedError

    def apply_wanted(self, grads: list[Tensor | None], wanted: list[bool]) -> list[Tensor | None]:
        """`apply`, where some edges want no gradient; an op computes none for those."""
        return self.apply(grads)

    def release(self, place: tuple) -> None:
        """Forget saved values after a backward that does not retain the graph."""

    def name(self) -> str:
        """The name torch gives this kind of node, such as `MulBackward0`."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in WRITTEN_BY_HAND else name

    def runs_on(self, grads: list[Tensor | None]) -> bool:
        """Whether there is anything to compute: without a gradient there is none to pass on."""
        return grads[0] is not None or any([grad is not None for grad in grads])

    def pass_nothing(self) -> list[None]:
        """What it gives where no gradient has arrived."""
        return [None] * len(self.edges)

    def delivery(self) -> Sequence[int]:
        """The order in which its gradients go out, which hooks of leaves show."""
        return range(len(self.edges))

    def slots(self) -> Sequence[int | None]:
        """Which edge stands in each place that users see; None where no gradient is wanted."""
        return range(len(self.edges))

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes its inputs came from, with the number of their output; (None, 0) for what needs no gradient."""
        return self.following()

    def following(self) -> tuple[tuple[Node | None, int], ...]:
        """What `next_functions` shows, by the edges."""
        numbers = self.numbers or [0] * len(self.edges)
        return tuple(
            (None, 0) if place is None else (accumulator(self.edges[place]), numbers[place]) for place in self.slots()
        )

    @property
    def metadata(self) -> dict:
        """A place for the user's own notes."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        """True: what needs no gradient has no node."""
        return True

    @property
    def location(self) -> str | None:
        """The user's line that made this node, as `file:line`."""
        return None if self.place is None else location.file_and_line(self.place)

    def register_hook(self, hook: Callable[[tuple, tuple], Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the node has run; what it returns replaces grad_inputs."""
        if self.post_hooks is None:
            self.post_hooks = {}
        return add(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[[tuple], Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the node runs; what it returns replaces grad_outputs."""
        if self.pre_hooks is None:
            self.pre_hooks = {}
        return add(self.pre_hooks, hook)

    def _sequence_nr(self) -> int:
        return self.__dict__.get("_shown_number", self.number)

    def _set_sequence_nr(self, sequence_nr: int) -> None:
        # shown only: the engine's order is that of the calls
        self.__dict__["_shown_number"] = sequence_nr

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node):
    """Where a leaf's gradient arrives; made when somebody looks at the graph."""

    def __init__(self, variable: Tensor):
        super().__init__()
        self.variable = variable

    def _sequence_nr(self) -> int:
        # they come first of all
        return self.__dict__.get("_shown_number", 2**64 - 1)

    def __call__(self, *args: Any, **kwargs: Any) -> tuple:
        from rushlight.autograd import accumulation

        (grad,) = called_with(args, kwargs, 1)
        if grad is not None:
            accumulation.accumulate(self.variable, grad, modes.state.grad)
        return ()

    def register_hook(self, hook: Callable[[tuple, tuple], Any]) -> RemovableHandle:
        # made on demand: once it has hooks its leaf must hold it
        self.variable._accumulate = lambda: self
        return super().register_hook(hook)

    def register_prehook(self, hook: Callable[[tuple], Any]) -> RemovableHandle:
        self.variable._accumulate = lambda: self
        return super().register_prehook(hook)


def accumulator(target: Node | Tensor | None) -> Node | None:
    """The node to show for an edge: leaves stand in edges themselves."""
    if not isinstance(target, Tensor):
        return target
    import weakref

    known = target._accumulate() if target._accumulate is not None else None
    if known is None:
        known = AccumulateGrad(target)
        target._accumulate = weakref.ref(known)
    return known


def alias_of(leaf: Tensor) -> Node:
    """A node whose gradient is the leaf's, for what the leaf has been."""
    from rushlight.autograd.edges import Alias

    return Alias(leaf)


def edge_of(tensor: Tensor) -> Node | Tensor | None:
    """What the tensor's gradient flows to: its node, itself if it is a leaf, nothing if it needs no gradient."""
    if not tensor.requires_grad:
        return None
    node = tensor.grad_fn
    if node is not None:
        return node
    # a view made under no_grad requires grad as its base does, but gets none
    return tensor if tensor._requires_grad else None


if extension is not None:
    extension.connect(edge_of=edge_of)


def note_place(node: Node) -> None:
    """In anomaly mode a node keeps the whole way that led to it."""
    from rushlight.autograd import anomaly

    anomaly.note(node)


def described(results: tuple[Tensor, ...]) -> tuple:
    """What the engine needs to know of a node's outputs."""
    return tuple([(each._array.shape, each._array.dtype) for each in results])


class OpNode(Node):
    """A node made by a declared op; each op has its own subclass, named as torch names it."""

    op: Op
    by_formulas = True
    if TYPE_CHECKING:
        saved: list | None
        versions: list
        plan: Plan

    def __init__(self, plan: Plan, arguments: tuple, results: tuple[Tensor, ...]):
        # this frame, node_for, the caller and the generated function are ours
        self.place = location.user_line(4)
        edges: list = []
        numbers: tuple[int, ...] | None = None
        for position in plan.inputs:
            each = arguments[position]
            if plan.has_lists:
                members = each if isinstance(each, (list, tuple)) else [each]
                edges.extend([edge_of(one) if one.requires_grad else None for one in members])
                numbers = (*(numbers or ()), *[one._output for one in members])
                continue
            # edge_of, written out for what is no view: a third of the cost
            edges.append(each._node or (each if each._requires_grad else None) if each._base is None else edge_of(each))
            if each._output:
                numbers = tuple([arguments[each]._output for each in plan.inputs])
        if None in edges and not plan.has_lists and len(self.op.gradients) > 1:
            plan, edges, numbers = followed(self.op, plan, arguments, edges)
        self.plan = plan
        self.edges = tuple(edges)
        self.numbers = numbers
        # after its edges: a view may have got its node only now
        self.number = next(sequence)
        first = results[0]._array
        self.outputs = ((first.shape, first.dtype),) if len(results) == 1 else described(results)
        self.saved, self.versions = save(plan, arguments, results, self)
        if modes.state.anomaly:
            note_place(self)

    def slots(self) -> Sequence[int | None]:
        from rushlight.autograd import shown

        return shown.slots(self)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes its inputs came from; what is several nodes in torch shows the steps in between."""
        if self.op.steps is None:
            return self.following()
        from rushlight.autograd.steps import follow

        return follow(self)

    def pass_nothing(self) -> list[None]:
        # values that were freed or changed are an error all the same
        self.unpack()
        return super().pass_nothing()

    def delivery(self) -> Sequence[int]:
        return range(len(self.edges)) if self.op.delivery is None else self.op.delivery(self)

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        values = [grads[0], grads, *self.unpack()]
        found: list[Tensor | None] = []
        for formula, read, many in self.plan.formulas:
            produced = formula(*read(values))
            if many:
                found.extend(produced)
            else:
                found.append(produced)
        if self.op.fused and found and modes.state.grad and self.op.names[self.plan.inputs[0]] != "bias":
            from rushlight.autograd.flat import Flat

            return [Flat.behind(each, self) for each in found]
        return found

    def apply_wanted(self, grads: list[Tensor | None], wanted: list[bool]) -> list[Tensor | None]:
        if self.plan.has_lists or self.op.fused or all(wanted):
            return self.apply(grads)
        values = [grads[0], grads, *self.unpack()]
        formulas = zip(self.plan.formulas, wanted, strict=True)
        return [formula(*read(values)) if asked else None for (formula, read, _), asked in formulas]

    def unpack(self) -> list:
        """The saved values, checked to be as they were saved."""
        if self.saved is None:
            from rushlight.errors import history

            raise history.freed(self)
        values = self.saved.copy()
        for place, is_bare in self.plan.checked:
            value, version = values[place], self.versions[place]
            if version is None:
                continue
            if type(version) is not int or (value._storage is not None and value._storage.version != version):
                values[place] = value = self.check(value, version, place)
            if is_bare and not modes.state.backward:
                values[place] = self.with_history(place, value)
        return values

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the inputs, in their order, from those of the outputs; that of a single input by itself."""
        grads = called_with(args, kwargs, len(self.outputs))
        slots = self.slots()
        found = [] if all([each is None for each in grads]) else self.apply(list(grads))
        made = tuple(found[place] if found and place is not None else None for place in slots)
        return made[0] if len(made) == 1 else made

    def check(self, value: Any, version: Any, place: int) -> Any:
        """A saved value, unpacked and unchanged, or an error."""
        if isinstance(version, Packed):
            return version.give_back(value) if modes.state.backward else version.unpack(value, self)
        if isinstance(version, tuple) and any([isinstance(each, Packed) for each in version]):
            # with their history, by which formulas of lists see whose gradient is wanted
            pairs = zip(value, version, strict=True)
            return [each if mark is None else mark.unpack(each, self) for each, mark in pairs]
        for each, then in zip(value, version, strict=True) if isinstance(version, tuple) else ((value, version),):
            if then is not None and each._storage is not None and each._storage.version != then:
                from rushlight.errors import history

                raise history.overwritten(self, self.owner_of(each, place), then)
        return value

    def owner_of(self, value: Tensor, place: int) -> Tensor:
        """The leaf whose memory is saved, for a message; else the value."""
        kind, position = self.plan.sources[place]
        held = kind == "memory" and position in self.plan.inputs
        target = self.edges[self.plan.inputs.index(position)] if held else None
        return target if isinstance(target, Tensor) and target._storage is value._storage else value

    def outdate(self, storage: Storage) -> None:
        """After a write to this storage: saved arguments that live there, as in `x.mul_(x)`, are lost."""
        assert self.saved is not None
        for place, (kind, _) in enumerate(self.plan.sources):
            value, version = self.saved[place], self.versions[place]
            # what a hook has packed is the hook's to guard
            if kind == "argument" and type(version) is int and value._storage is storage:
                self.versions[place] -= 1

    def release(self, place: tuple) -> None:
        only_numbers = self.plan.may_keep_numbers and all([each is None for each in self.versions])
        if (self.plan.keeps_tensors and not only_numbers) or self.op.runs_once:
            self.saved = None
            self.freed = place

    def __getattr__(self, name: str) -> Any:
        """torch's `_saved_self` and kin: the values a node keeps, by parameter name."""
        if name.startswith(("_saved_", "_raw_saved_")):
            return import_module("rushlight.autograd.shown").saved_value(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *import_module("rushlight.autograd.shown").shown_names(self)]

    def value_at(self, place: int) -> Any:
        """One saved value, as `unpack` gives it."""
        value, version = self.kept_at(place, raw=False)
        value = value if version is None else self.check(value, version, place)
        bare = self.plan.sources[place][0] in ("memory", "result") and isinstance(value, Tensor)
        return self.with_history(place, value) if bare else value

    def with_history(self, place: int, value: Tensor) -> Tensor:
        """A saved value that was kept without its history, back in the graph."""
        kind, position = self.plan.sources[place]
        if value._array.dtype not in DIFFERENTIABLE:
            return value
        if kind == "result":
            return reattach(value, self, position)
        if position not in self.plan.inputs:
            return value
        edge = self.plan.inputs.index(position)
        target = self.edges[edge]
        if isinstance(target, Tensor):
            return target if target._array is value._array else reattach(value, alias_of(target), 0)
        return value if target is None else reattach(value, target, self.numbers[edge] if self.numbers else 0)

    def kept_at(self, place: int, raw: bool = True) -> tuple[Any, Any]:
        """A saved value as it is kept, and its version; if `raw`, the mark of its hooks in place of that."""
        if self.saved is None:
            from rushlight.errors import history

            raise history.freed(self)
        value, version = self.saved[place], self.versions[place]
        return value, version if not raw or isinstance(version, Packed) else None

    def pack_at(self, place: int, pack: Callable, unpack: Callable) -> None:
        """Put hooks on a value that is saved already."""
        assert self.saved is not None
        kind, position = self.plan.sources[place]
        output = position if kind == "result" else None
        value = self.with_history(place, self.saved[place]) if kind == "memory" else self.saved[place]
        self.saved[place], self.versions[place] = packed(self, value, output, (pack, unpack))


def followed(op: Op, plan: Plan, arguments: tuple, edges: list) -> tuple[Plan, list, tuple[int, ...]]:
    """The plan, the edges and their numbers without what leads nowhere: torch saves nothing for its gradient."""
    kept = [position for position, edge in zip(plan.inputs, edges, strict=True) if edge is not None]
    narrower = op.plan(sum(1 << position for position in kept))
    return narrower, [edge for edge in edges if edge is not None], tuple(arguments[each]._output for each in kept)


def called_with(args: tuple, kwargs: dict, count: int) -> tuple:
    """The arguments of a node that is called as a function: a gradient, or None, for each output."""
    if kwargs:
        raise TypeError("keyword arguments are not supported")
    if len(args) != count:
        raise TypeError(f"expected {count} arguments, got {len(args)} instead")
    for place, each in enumerate(args):
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(f"argument {place} is not a Variable")
    return args


# torch's names that live in other files here
ELSEWHERE = {
    "GradientEdge": "edges",
    "get_gradient_edge": "edges",
    "saved_tensors_hooks": "hooks",
    "allow_mutation_on_saved_tensors": "saving",
    "disable_saved_tensors_hooks": "saving",
    "increment_version": "saving",
    "save_on_cpu": "saving",
    "register_multi_grad_hook": "several",
}


def __getattr__(name: str) -> Any:
    """The rest of torch's module."""
    if name in ELSEWHERE:
        return getattr(import_module(f"rushlight.autograd.{ELSEWHERE[name]}"), name)
    from rushlight.core.surface.lazy import missing

    raise missing("torch.autograd.graph", name)
