"""The context of a user's Function: what forward leaves for backward, in the node that is recorded."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.graph import Node, edge_of, note_place, sequence
from rushlight.autograd.saved import Packed, SavedTensor, raise_inference, reattach, snapshot
from rushlight.core.object.tensor import Tensor, new
from rushlight.errors import history, location
from rushlight.errors.explained import explained
from rushlight.errors.warning import warn

if TYPE_CHECKING:
    from rushlight.autograd.function import Function


class FunctionCtx:
    """What forward and backward may do with their `ctx`."""

    to_save: tuple | None = None
    saved_for_forward: tuple | None = None
    dirty_tensors: tuple | None = None
    non_differentiable: tuple | None = None
    materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward; they are checked for changes made in between."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`."""
        for each in tensors:
            if not isinstance(each, Tensor) and each is not None:
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward changed in place."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Does nothing: shared memory is noticed without it."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked: leave the "
            "call out.",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients reach backward as zeros (the default) or as None."""
        if not isinstance(value, bool):
            raise TypeError(f"set_materialize_grads takes a bool, not {type(value).__name__}")
        self.materialize_grads = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a user's Function; it is also the `ctx` that forward and backward see."""

    _forward_cls: type[Function]
    needs_input_grad: tuple[bool, ...] = ()
    given_tensors: tuple[bool, ...] = ()

    def __init__(self, args: tuple) -> None:
        self.place = location.user_line(3)
        self._kept_values: list[SavedValue] | None = None
        tensors = [each if isinstance(each, Tensor) else None for each in args]
        self.given_tensors = tuple([each is not None for each in tensors])
        # a write in forward gives an input another history: the one before it counts
        self.edges = tuple([None if each is None else edge_of(each) for each in tensors])
        self.numbers = tuple([0 if each is None else each._output for each in tensors])
        self.needs_input_grad = tuple([each is not None and each.requires_grad for each in tensors])
        # after its edges: a view may have got its node only now
        self.number = next(sequence)
        if modes.state.anomaly:
            note_place(self)

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept."""
        if self.freed is not None:
            raise history.freed(self)
        return tuple([each.unpack(self) for each in self._kept_values or ()])

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        if self.freed is not None:
            raise history.freed(self)
        return tuple([SavedTensor(self, place) for place in range(len(self._kept_values or ()))])

    def value_at(self, place: int) -> Tensor | None:
        """One saved value, as `saved_tensors` gives it."""
        return self.saved_tensors[place]

    def kept_at(self, place: int) -> tuple[Any, Packed | None]:
        """A saved value as it is kept, and the mark of its hooks."""
        if self._kept_values is None:
            raise history.freed(self)
        return self._kept_values[place].value, self._kept_values[place].packed

    def pack_at(self, place: int, pack: Callable, unpack: Callable) -> None:
        """Put hooks on a value that is saved already."""
        assert self._kept_values is not None
        self._kept_values[place].pack(self, pack, unpack)

    def keep(self, outputs: list) -> None:
        """Save what forward asked for, and let go of what it marked: those may be outputs, and lead back here."""
        kept = []
        for place, each in enumerate(self.to_save or ()):
            if each is not None and not isinstance(each, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {place} is of type {type(each).__name__}"
                )
            output = next((number for number, one in enumerate(outputs) if one is each), None)
            kept.append(SavedValue(self, each, output if each is not None and each.requires_grad else None))
        self._kept_values = kept
        self.to_save = self.dirty_tensors = self.non_differentiable = None

    def release(self, place: tuple) -> None:
        self._kept_values, self.freed = None, place

    def runs_on(self, grads: list[Tensor | None]) -> bool:
        return True

    def slots(self) -> list[int]:
        return [place for place, is_tensor in enumerate(self.given_tensors) if is_tensor]

    def apply(self, grads: list[Tensor | None]) -> list[Tensor | None]:
        if self.materialize_grads:
            grads = [zeros(output) if grad is None else grad for output, grad in zip(self.outputs, grads, strict=True)]
        function = self._forward_cls
        backward = function.user_backward()
        found = backward(self, grads) if getattr(function, "boxed_grads_call", False) else backward(self, *grads)
        return self.checked(list(found) if isinstance(found, tuple) else [found])

    def checked(self, produced: list) -> list:
        """The gradients that backward gave, one for each argument of forward, or an error."""
        expected = len(self.edges)
        while len(produced) > expected and produced[-1] is None:
            produced.pop()
        if len(produced) != expected:
            raise explained(
                RuntimeError,
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(produced)})",
                fix="backward returns one for each argument of forward, None where there is none",
            )
        for place, (each, is_tensor) in enumerate(zip(produced, self.given_tensors, strict=True)):
            if each is None:
                continue
            if not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {place + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
            if not isinstance(each, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(each).__name__})")
            if each._array.dtype.kind == "c" and self.edges[place] is not None:
                self.require_complex(place)
        return produced

    def require_complex(self, place: int) -> None:
        """Refuse a complex gradient for a real input."""
        edge = self.edges[place]
        assert edge is not None
        kind = edge._array.dtype if isinstance(edge, Tensor) else edge.outputs[(self.numbers or ())[place]][1]
        if kind.kind != "c":
            raise RuntimeError(
                "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but "
                f"got false.\n  {self.name()} returned a complex gradient for input {place}, which is real: take .real"
            )

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.name()} object at {id(self):#x}>"


class SavedValue:
    """One value of `save_for_backward`, as it was then; an output is kept without its history: no circle arises."""

    __slots__ = ("output", "packed", "value", "version")

    def __init__(self, node: BackwardCFunction, value: Tensor | None, output: int | None):
        if value is not None and value._inference:
            raise_inference()
        self.output = output
        self.value: Any = value if output is None or value is None else snapshot(value)
        self.version = 0 if value is None else value._version
        self.packed: Packed | None = None
        if modes.state.saved_hooks and value is not None:
            self.pack(node, *modes.state.saved_hooks[-1])

    def unpack(self, node: BackwardCFunction) -> Tensor | None:
        if self.packed is not None:
            return self.packed.unpack(self.value, node)
        if self.value is None:
            return None
        if self.value._version != self.version:
            raise history.overwritten(node, self.value, self.version)
        return self.value if self.output is None else reattach(self.value, node, self.output)

    def pack(self, node: BackwardCFunction, pack: Callable, unpack: Callable) -> None:
        shown = self.unpack(node)
        assert shown is not None
        self.packed = Packed((pack, unpack), shown, self.output)
        self.value = self.packed.pack(shown)


def zeros(output: tuple) -> Tensor | None:
    """The gradient that did not come; None for a result that is no tensor."""
    if output[1] is None:
        return None
    made = new(Tensor)
    made._array = np.zeros(*output)
    return made
