"""Tracking: the level of `grad` and `vjp`, where calls are recorded for a backward of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.memory.lifted import lift
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, new, storage_of, wrap
from rushlight.core.object.views import make_view
from rushlight.core.settings.state import state
from rushlight.native import extension
from rushlight.ops.machine.call import give_history, wrap_many
from rushlight.ops.machine.inplace import before_write, check_target, record_write, written
from rushlight.ops.machine.transforms.level import TRACKING, Level, belong, holds, whole_of
from rushlight.ops.machine.transforms.lifting import invoke

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


class Tracking(Level):
    """Runs each op below, and records it here if one of its tensors requires grad here."""

    def __init__(self) -> None:
        super().__init__(TRACKING)

    def leaf(self, inner: Tensor) -> Tensor:
        """A tensor of this level that the backward of this level leads to."""
        made = wrap(lift(self, inner))
        made._requires_grad = True
        return made

    def gradients(self, outputs: list[Tensor], inputs: list[Tensor], given: list[Tensor]) -> list[Tensor | None]:
        """The gradients for tensors of this level, below it; None where outputs do not depend on one."""
        from rushlight.autograd import entry

        before, self.running = self.running, True
        try:
            found = self.natively(outputs, inputs, given)
            if found is not None:
                return found
            lifted = tuple([self.lift(each) for each in given])
            found = entry.gradients(tuple(outputs), tuple(inputs), lifted, True, False, True)
        finally:
            self.running = before
        return [None if each is None else self.lower(each) for each in found]

    def natively(self, outputs: list[Tensor], inputs: list[Tensor], given: list[Tensor]) -> list[Tensor | None] | None:
        """The same by native code, below this level all the way; None where that declines."""
        from rushlight.autograd import engine, entry

        if extension is None:
            return None
        roots = entry.start_gradients(tuple(outputs), tuple(given))
        found = extension.level_backward(self, roots, entry.input_edges(tuple(inputs)))
        if found is NotImplemented:
            return None
        return engine.as_views(list(found)) if type(found) is tuple else found

    def call(self, op: Op, arguments: tuple) -> Any:
        arguments, needs = self.joined(op, arguments)
        return self.around(op, arguments, needs, self.below(invoke, op, self.lowered(op, arguments)))

    def around(self, op: Op, arguments: tuple, needs: int, found: Any) -> Any:
        if isinstance(found, tuple):
            return wrap_many(op, arguments, needs, None, tuple([lift(self, each) for each in found]))
        array = lift(self, found)
        tensor = make_view(arguments[0], array) if op.is_view else wrap(array)
        # what a backward computes has no history, and need not say why
        if needs and (state.grad or not self.running):
            give_history(op, arguments, needs, None, tensor)
        return tensor

    def call_inplace(self, op: Op, arguments: tuple) -> Tensor:
        target = arguments[0]
        if holds(target) is not self:
            from rushlight.ops.machine.transforms.captured import captured, is_captured

            if is_captured(self, target):
                raise captured(op.name)
            self.adopt(target)
        arguments, needs = self.joined(op, arguments)
        if needs and state.grad:
            check_target(target)
        needs &= op.differentiable
        recording = state.grad and needs and target._array.dtype in DIFFERENTIABLE
        if recording:
            plan = op.plan(needs)
            before = before_write(target, arguments, plan.keeps_input)
        self.below(write_below, op, tuple([self.lower(each) for each in arguments]))
        # what is below may have become another kind of tensor
        target._array = lift(self, target._array.inner)
        written(target)
        if recording:
            record_write(op, plan, before, target)
        return target

    def adopt(self, target: Tensor) -> None:
        """Let a tensor that was made since this level began, and what it is a view of, belong to it."""
        inner, base = new(type(target)), whole_of(target)
        for name in ("_array", "_storage", "_node", "_output", "_requires_grad", "_base", "_view_version", "_made"):
            setattr(inner, name, getattr(target, name))
        if base is not None:
            if holds(base) is not self:
                self.adopt(base)
            belong(inner, base._array.inner)
        target._array, target._storage = lift(self, inner), None if base is None else storage_of(base)
        target._base = base
        target._node, target._output, target._requires_grad = None, 0, False

    def joined(self, op: Op, arguments: tuple) -> tuple[tuple, int]:
        """The arguments with every tensor that requires grad elsewhere lifted, and the bits of those that do here."""
        needs = 0
        found = list(arguments)
        for position in op.tensors:
            value = arguments[position]
            if isinstance(value, Tensor):
                if holds(value) is self:
                    needs |= value.requires_grad << position
                elif value.requires_grad:
                    found[position] = self.lift(value)
            elif position in op.lists and type(value) in (list, tuple):
                found[position] = members = [each if holds(each) is self else self.lift(each) for each in value]
                needs |= any([each.requires_grad for each in members]) << position
        return tuple(found), needs

    def below(self, function: Any, op: Op, arguments: Any) -> Any:
        """A call on the tensors below, recorded there unless a switch is off, here or where this level began."""
        before = state.grad, state.backward
        # inside of a backward recording is off for this level alone
        state.grad, state.backward = self.recording and (state.grad or self.running), False
        try:
            return function(op, arguments)
        finally:
            state.grad, state.backward = before


def write_below(op: Op, arguments: tuple) -> Tensor:
    from rushlight.ops.machine.inplace import call_inplace

    return call_inplace(op, arguments)
