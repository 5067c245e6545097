"""Function: operations whose forward and backward the user writes."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.autograd import modes
from rushlight.autograd.context import BackwardCFunction, FunctionCtx
from rushlight.autograd.graph import Node, described
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.storage import count_write
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, new, storage_of
from rushlight.core.object.views import CUSTOM, MULTIPLE, make_view
from rushlight.core.settings.state import state
from rushlight.core.surface.lazy import names_of


class FunctionMeta(type):
    """Gives each Function the class of its nodes."""

    _backward_cls: type[BackwardCFunction]

    def __init__(cls, name: str, bases: tuple, members: dict):
        super().__init__(name, bases, members)
        fields = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), fields)


class Function(metaclass=FunctionMeta):
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

    def __init__(self, *args: Any, **kwargs: Any):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself: write apply(...).",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            f"function with static forward method: call {type(self).__name__}.apply(...)."
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results, with or without `ctx` as the first argument."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Save what backward needs, if forward does not take `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    if TYPE_CHECKING:
        # a subclass names its gradients as it likes
        backward: Callable[..., Any]
    else:

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            """The gradient of each argument of forward, from those of the results."""
            raise NotImplementedError(
                "You must implement either the backward or vjp method for your custom autograd.Function to use it "
                "with backward mode AD."
            )

    # another name for `backward`
    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The derivative along a direction, for forward-mode differentiation."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """What to do with a batch of arguments, for `torch.vmap`."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def user_backward(cls) -> Callable:
        """The one of `backward` and `vjp` that the user wrote."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record it."""
        takes_ctx = cls.setup_context is Function.setup_context
        if kwargs or not takes_ctx:
            args = arguments_of(cls, takes_ctx, args, kwargs)
        if state.levels and any([isinstance(each, Tensor) and type(each._array) is Lifted for each in args]):
            from rushlight.autograd.lifted_function import apply_lifted

            return apply_lifted(cls, args)
        node = cls._backward_cls(args)
        with modes.no_grad():
            if takes_ctx:
                results = cls.forward(node, *args)
            else:
                results = cls.forward(*args)
                cls.setup_context(node, args, results)
        outputs = list(results) if isinstance(results, tuple) else [results]
        outputs = connect(node, args, outputs)
        return tuple(outputs) if isinstance(results, tuple) else outputs[0]


def arguments_of(function: type[Function], takes_ctx: bool, args: tuple, kwargs: dict) -> tuple:
    """The arguments of forward in their order: keywords in their places, defaults where nothing was given."""
    parameters = inspect.signature(function.forward).parameters.values()
    named = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD][takes_ctx:]
    for name in kwargs:
        if name not in [each.name for each in named]:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    found, left = list(args), dict(kwargs)
    for place, each in enumerate(named[len(args) :], len(args)):
        # where forward takes `ctx`, arguments after the last given one are left to it
        if takes_ctx and not left:
            break
        if each.name not in left and each.default is each.empty:
            where = f" (position {place})" if takes_ctx else ""
            begins = "forward() missing required" if takes_ctx else "missing a required"
            raise TypeError(f"{begins} argument: '{each.name}'{where}")
        found.append(left.pop(each.name, each.default))
    for name in left:
        raise TypeError(f"forward() got multiple values for argument '{name}'")
    return tuple(found)


def connect(node: BackwardCFunction, args: tuple, outputs: list) -> list:
    """Put the results into the graph behind the node, if it is recorded."""
    marks = Marks(node, args, outputs)
    recording = modes.state.grad and any(node.needs_input_grad)
    node.outputs = tuple([described((each,))[0] if isinstance(each, Tensor) else ((), None) for each in outputs])
    found, differentiable = [], 0
    for number, output in enumerate(outputs):
        if isinstance(output, Tensor):
            if recording and output._array.dtype in DIFFERENTIABLE and not among(output, marks.constant):
                output = marks.connect(output, number)
                differentiable += 1
            else:
                output = marks.cut(output)
        found.append(output)
    if differentiable > 1:
        for each in found:
            if isinstance(each, Tensor) and each._base is not None:
                each._made = MULTIPLE
    if recording:
        node.keep(found)
    return found


class Marks:
    """What forward marked among its inputs and outputs, checked."""

    def __init__(self, node: BackwardCFunction, args: tuple, outputs: list):
        self.node, self.args, self.count = node, args, len(outputs)
        self.dirty = tensors_only(node.dirty_tensors, "mark_dirty can only accept variables, but argument")
        self.constant = tensors_only(
            node.non_differentiable, "mark_non_differentiable only accepts variable arguments, but got"
        )
        for each in self.dirty:
            if not among(each, outputs):
                raise RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                    "that are modified inplace must all be outputs of the Function."
                )
            count_write(storage_of(each))

    def connect(self, output: Tensor, number: int) -> Tensor:
        """An output with the node as its history."""
        from rushlight.ops.machine import inplace

        is_input = among(output, self.args)
        if among(output, self.dirty):
            if output._node is None and output.requires_grad:
                inplace.raise_leaf(output, "a leaf Variable that requires grad has been used in an in-place operation.")
            if not is_input:
                warnings.warn(
                    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                    "mutated should be passed to ctx.mark_dirty().",
                    stacklevel=5,
                )
            if output._base is not None and self.count > 1:
                raise RuntimeError(
                    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                    "return more than one Tensor. Give it a .clone() of the view, or split it into two Functions: one "
                    "that writes and returns that Tensor alone, one for the rest."
                )
            inplace.check_target(output)
            self.lead_to_base(output)
            inplace.rebase(output, self.node)
            output._output = number
            return output
        if is_input:
            # a view of it, so that the input keeps its own history
            output = make_view(output, output._array)
        if output._base is not None:
            output._made = CUSTOM
        output._node, output._output, output._requires_grad = self.node, number, True
        output._cut = None
        return output

    def lead_to_base(self, view: Tensor) -> None:
        """Let the node's way from a written view go straight to its base where there are hooks in between."""
        from rushlight.ops.shape.strided import skipped

        before = view._node
        straight = None if view._base is None or before is None else skipped(view)
        if straight is not None:
            self.node.edges = tuple([straight if each is before else each for each in self.node.edges])

    def cut(self, output: Tensor) -> Tensor:
        """An output without a history; an input that is returned as it was stays another tensor."""
        if among(output, self.args):
            if output.requires_grad:
                return output.detach()
            if among(output, self.dirty):
                return output
            output = make_view(output, output._array)
            output._made = CUSTOM
            return output
        if output._requires_grad and output._base is None:
            output._node, output._output, output._requires_grad = None, 0, False
        return output


def tensors_only(marked: tuple | None, words: str) -> tuple:
    for each in marked or ():
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{words} {each!r}, a {type(each).__name__}")
    return marked or ()


def among(tensor: Tensor, many: tuple | list) -> bool:
    return any(each is tensor for each in many)


def once_differentiable(fn: Callable) -> Callable:
    """For a backward that cannot itself be differentiated: a second derivative through it raises."""

    @functools.wraps(fn)
    def backward(ctx: Any, *args: Any) -> Any:
        with modes.no_grad():
            found = fn(ctx, *args)
        if not modes.state.grad or not any([isinstance(each, Tensor) and each.requires_grad for each in args]):
            return found
        many = found if isinstance(found, tuple) else (found,)
        node = Error(many)
        refused = tuple([node.behind(each, number) for number, each in enumerate(many)])
        return refused if isinstance(found, tuple) else refused[0]

    return backward


class Error(Node):
    """The history of what cannot be differentiated: a backward that comes here is an error."""

    def __init__(self, values: tuple):
        super().__init__()
        self.outputs = tuple([described((each,))[0] if isinstance(each, Tensor) else ((), None) for each in values])

    def behind(self, value: Any, number: int) -> Any:
        if not isinstance(value, Tensor):
            return value
        made = new(Tensor)
        made._array = value._array
        made._node, made._output, made._requires_grad = self, number, True
        return made

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


class InplaceFunction(Function):
    """A Function that may be told to write into its input; kept for older programs."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace


__getattr__ = names_of(__name__)

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable"]
