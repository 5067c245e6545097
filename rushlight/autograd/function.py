"""Function: operations whose forward and backward the user writes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import explain, modes
from rushlight.autograd.graph import Node, edge_of, reattach, sequence, snapshot
from rushlight.core import location
from rushlight.core.dtypes import DIFFERENTIABLE
from rushlight.core.tensor import Tensor, new
from rushlight.core.views import make_view


class FunctionNode(Node):
    """The node of a user's Function; it is also the `ctx` that forward and backward see."""

    function: type[Function]
    materialize = True
    needs_input_grad: tuple[bool, ...] = ()
    inputs: tuple = ()

    def __init__(self) -> None:
        super().__init__()
        self.place = location.user_line(3)
        self.to_save: tuple = ()
        self.dirty: tuple = ()
        self.not_differentiable: tuple = ()
        self.kept: list | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward; they are checked for changes made in between."""
        for each in tensors:
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument is of type {type(each).__name__}"
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor) -> None:
        """Accepted for programs that also define jvp."""

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward changed in place."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.not_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        self.materialize = value

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept."""
        if self.kept is None:
            if self.freed is None:
                return self.to_save
            raise explain.freed(self)
        return tuple(self.unpack(*each) for each in self.kept)

    saved_variables = saved_tensors

    def unpack(self, value: Any, version: int, output: int | None, hooks: tuple | None) -> Any:
        if hooks is not None:
            return hooks[1](value)
        if value is None:
            return None
        if value._version != version:
            raise explain.overwritten(self, value, version)
        return value if output is None else reattach(value, self, output)

    def keep(self, outputs: list[Tensor]) -> None:
        """Save what forward asked for; outputs without their history, so that no circle arises."""
        kept: list[tuple] = []
        hooks = modes.state.saved_hooks[-1] if modes.state.saved_hooks else None
        for each in self.to_save:
            place = next((number for number, output in enumerate(outputs) if output is each), None)
            value = snapshot(each) if place is not None else each
            if hooks is not None and each is not None:
                kept.append((hooks[0](value), 0, None, hooks))
            else:
                kept.append((value, 0 if each is None else each._version, place, None))
        self.kept = kept
        self.to_save = ()

    def release(self, place: tuple) -> None:
        if self.kept:
            self.kept, self.freed = None, place

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        if self.materialize:
            grads = [zeros(output) if grad is None else grad for output, grad in zip(self.outputs, grads, strict=True)]
        found = self.function.backward(self, *grads)
        produced = list(found) if isinstance(found, (tuple, list)) else [found]
        expected = len(self.edges)
        while len(produced) > expected and produced[-1] is None:
            produced.pop()
        if len(produced) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(produced)}): backward returns one for each argument of forward, None where there is none"
            )
        for each in produced:
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"function {self.name()} returned a {type(each).__name__}; a gradient is a Tensor or None"
                )
        return produced


def zeros(output: tuple) -> Tensor:
    made = new(Tensor)
    made._array = np.zeros(*output)
    return made


class Function:
    """An operation with a gradient of its own.

    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> Double.apply(torch.ones(2))
    tensor([2., 2.])
    """

    generate_vmap_rule = False
    node_class: type[FunctionNode]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.node_class = type(cls.__name__ + "Backward", (FunctionNode,), {"function": cls})

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results, with or without `ctx` as the first argument."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Save what backward needs, if forward does not take `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of each argument of forward, from those of the results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function."
        )

    @classmethod
    def vjp(cls, ctx: Any, *grad_outputs: Any) -> Any:
        """Another name for `backward`."""
        return cls.backward(ctx, *grad_outputs)

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward and record it."""
        node = cls.node_class()
        node.needs_input_grad = tuple([isinstance(each, Tensor) and each.requires_grad for each in args])
        recording = modes.state.grad and any(node.needs_input_grad)
        with modes.no_grad():
            if cls.setup_context is Function.setup_context:
                results = cls.forward(node, *args)
            else:
                results = cls.forward(*args)
                cls.setup_context(node, args, results)
        several = isinstance(results, (tuple, list))
        outputs = list(results) if several else [results]
        if recording:
            outputs = connect(node, args, outputs)
        return tuple(outputs) if several else outputs[0]


def connect(node: FunctionNode, args: tuple, outputs: list) -> list:
    """Put the results into the graph behind the node."""
    node.edges = tuple([edge_of(each) if isinstance(each, Tensor) else None for each in args])
    # after its edges: a view may have got its node only now
    node.number = next(sequence)
    node.numbers = tuple([each._output if isinstance(each, Tensor) else 0 for each in args])
    wanted = [isinstance(each, Tensor) for each in outputs]
    node.outputs = tuple(
        [(o._array.shape, o._array.dtype) if w else ((), None) for o, w in zip(outputs, wanted, strict=True)]
    )
    found = []
    for number, output in enumerate(outputs):
        saved = output
        if wanted[number] and output._array.dtype in DIFFERENTIABLE and not among(output, node.not_differentiable):
            output = connect_output(node, number, args, output)
            if among(saved, node.to_save) and saved is not output and not among(saved, args):
                node.to_save = tuple([output if each is saved else each for each in node.to_save])
        found.append(output)
    node.keep(found)
    return found


def connect_output(node: FunctionNode, number: int, args: tuple, output: Tensor) -> Tensor:
    from rushlight.ops import inplace

    if among(output, node.dirty):
        inplace.check_target(output)
        inplace.rebase(output, node)
        output._output = number
        return output
    if among(output, args):
        # an input returned as it is: a view of it, so that the input keeps its own history
        output = make_view(output, output._array)
        output._made = None
    output._node, output._output, output._requires_grad = node, number, True
    output._cut = None
    return output


def among(tensor: Tensor, many: tuple) -> bool:
    return any(each is tensor for each in many)


def once_differentiable(function: Callable) -> Callable:
    """For a backward that cannot itself be differentiated: a second derivative through it raises."""

    @functools.wraps(function)
    def backward(ctx: Any, *grads: Any) -> Any:
        recording = modes.state.grad and any([isinstance(each, Tensor) and each.requires_grad for each in grads])
        with modes.no_grad():
            found = function(ctx, *grads)
        if not recording:
            return found
        many = found if isinstance(found, tuple) else (found,)
        refused = tuple(Refused.apply(*grads, each) if isinstance(each, Tensor) else each for each in many)
        return refused if isinstance(found, tuple) else refused[0]

    return backward


class Refused(Function):
    """Passes a value through; its derivative is an error."""

    @staticmethod
    def forward(ctx: Any, *values: Any) -> Any:
        return values[-1].detach()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


FunctionCtx = FunctionNode
