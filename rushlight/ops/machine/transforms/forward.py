"""Forward: the level of `jvp` and `forward_ad`, whose tensors carry a tangent beside their value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.memory.addresses import address_of
from rushlight.core.memory.lifted import Lifted, lift
from rushlight.core.object.tensor import Tensor, new
from rushlight.core.settings.state import state
from rushlight.errors.explained import explained
from rushlight.ops.machine.transforms.level import (
    BY_PYTHON,
    FORWARD,
    Level,
    belong,
    holds,
    is_followed,
    is_lifted,
    note_views,
    whole_of,
)
from rushlight.ops.machine.transforms.lifting import invoke, mapped
from rushlight.ops.machine.transforms.tangents import derivative

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


class Forward(Level):
    """Runs each op below, and its derivative on the tangents."""

    def __init__(self, transforms: bool = True) -> None:
        # what forward_ad does is recorded as well
        super().__init__(FORWARD if transforms else BY_PYTHON)
        self.transforms = transforms

    def dual(self, primal: Tensor, tangent: Tensor | None) -> Tensor:
        """A tensor with a tangent; the primal alone if there is none."""
        if tangent is None:
            return primal
        made = new(Tensor)
        made._array = lift(self, primal, tangent)
        show_history(made, primal)
        return made

    def shown(self, tensor: Tensor, default_dtype: Any, prefix: str) -> str:
        from rushlight.core.object.printing import repr_tensor

        if self.transforms:
            return super().shown(tensor, default_dtype, prefix)
        array: Any = tensor._array
        return repr_tensor(array.inner, default_dtype, prefix, [f"tangent={array.aside}"])

    def detached(self, tensor: Tensor) -> Tensor:
        return tensor._array.inner.detach()

    def fresh(self, plain: Tensor) -> Tensor:
        return plain

    def tangent_of(self, value: Any) -> Any:
        """The tangent of a tensor of this level, those of a list, or None."""
        if isinstance(value, Tensor):
            array = value._array
            return array.aside if type(array) is Lifted and array.level is self else None
        if type(value) in (list, tuple) and any([holds(each) is self for each in value]):
            return [self.tangent_of(each) for each in value]
        return None

    def call(self, op: Op, arguments: tuple) -> Any:
        primals = self.lowered(op, arguments)
        found = invoke(op, primals)
        tangents, needs = {}, 0
        for place in op.tensors:
            moved = self.tangent_of(arguments[place])
            if moved is not None:
                tangents[place] = moved
                needs |= 1 << place
        needs &= op.differentiable
        if not needs or not state.forward:
            return found
        slopes = derivative(op, primals, tangents, needs, found)
        if type(found) is Tensor:
            duals = self.dual(found, slopes[0])
        else:
            waiting = iter(slopes)
            duals = mapped(lambda each: self.dual(each, next(waiting)), found)
        if op.is_view:
            note_views(op, arguments[0], duals)
        if not self.transforms and state.grad:
            self.record(op, arguments, duals)
        return duals

    def record(self, op: Op, arguments: tuple, duals: Any) -> None:
        """Let the node of a result hold dual tensors, so that a backward moves along with the tangents too."""
        needs = 0
        for position in op.tensors:
            value = arguments[position]
            many = value if isinstance(value, (list, tuple)) else (value,)
            needs |= any([isinstance(each, Tensor) and each.requires_grad for each in many]) << position
        needs &= op.differentiable
        results = duals if isinstance(duals, tuple) else (duals,)
        if needs:
            node = op.node_for(needs, arguments, results)
            for number, each in enumerate(results):
                if holds(each) is self:
                    each._node, each._output, each._requires_grad = node, number, True

    def call_inplace(self, op: Op, arguments: tuple) -> Tensor:
        target = arguments[0]
        moved = self.moved_by(op, arguments)
        from rushlight.ops.machine.inplace import call_inplace, written

        own = holds(target) is self
        primal, base = target._array.inner if own else target, whole_of(target)
        call_inplace(op, (primal, *[self.lower(each) for each in arguments[1:]]))
        if own:
            held = target._array.aside
            if moved is not None and holds(moved) is not holds(held):
                # the derivative of a derivative follows it, which was a constant so far
                held = moved
            else:
                held.zero_() if moved is None else held.copy_(moved)
            target._array = lift(self, primal, held)
            target._array.whole = base
            written(target)
            show_history(target, primal)
        elif moved is not None:
            self.give(target, moved, base)
        return target

    def moved_by(self, op: Op, arguments: tuple) -> Tensor | None:
        """The tangent that a write leaves in its target."""
        target = arguments[0]
        if op.name not in ("_copy", "_copy_itself"):
            given = functional(op, arguments)
            if holds(target) is self and any([is_followed(self.lower(each)) for each in given if is_lifted(each)]):
                # a derivative of this one needs the numbers and the tangent that were there before
                given = (target.clone(), *given[1:])
            moved = self.tangent_of(self.call(op, given))
            return None if moved is None else moved.to(target.dtype)
        moved = self.tangent_of(arguments[1])
        if moved is None or not (target.is_floating_point() or target.is_complex()):
            return None
        moved = moved.real if moved.is_complex() and not target.is_complex() else moved
        # what was copied goes on moving by itself
        return moved.to(target.dtype).expand(target.shape).clone()

    def give(self, target: Tensor, moved: Tensor, base: Tensor | None) -> None:
        """Give a tensor that was written to a tangent, and zeros with it in their midst to what it is a view of."""
        inner = new(type(target))
        if base is None and holds(target) is not None and bottom(target)._base is not None:
            raise explained(
                RuntimeError,
                "inside of two levels of forward mode, a part of a tensor of the outer one cannot be written to: what "
                "it is a part of is not known there",
                fix="make a new tensor, with torch.cat, torch.where or index_copy",
            )
        for name in ("_array", "_storage", "_node", "_output", "_requires_grad", "_base", "_view_version", "_made"):
            setattr(inner, name, getattr(target, name))
        if base is not None:
            whole = base._array.inner if holds(base) is self else base
            # for each sample, where what is written differs from sample to sample
            above = base._array.aside if holds(base) is self else moved.new_zeros(base.shape, dtype=base.dtype)
            places = places_in(whole, inner)
            above = above.reshape(-1).scatter(0, places, moved.reshape(-1)).view(base.shape)
            if holds(base) is self:
                base._array = lift(self, whole, above)
            else:
                self.give(base, above, None)
            belong(inner, base._array.inner)
        target._array, target._base = lift(self, inner, moved), None
        target._array.whole = base

    def fill(self, array: Lifted, value: Any) -> None:
        array.inner.fill_(value)
        array.aside.zero_()


def bottom(tensor: Tensor) -> Tensor:
    """The plain tensor below all levels."""
    while type(tensor._array) is Lifted:
        tensor = tensor._array.inner
    return tensor


def places_in(base: Tensor, view: Tensor) -> Tensor:
    """Which elements of its base, counted one by one, a view shows."""
    from rushlight.core.creation.ranges import arange

    numbers = arange(base.numel()).view(base.shape)
    if not view.numel():
        return numbers[:0]
    laid_out = numbers.new_empty_strided(base.shape, base.stride()).copy_(numbers)
    first = (address_of(view._array) - address_of(base._array)) // base._array.itemsize
    return laid_out.as_strided(view.shape, view.stride(), first).reshape(-1)


def functional(op: Op, arguments: tuple) -> tuple:
    """The arguments of an in-place call for the op that returns a new tensor."""
    if "inplace" not in op.positions:
        return arguments
    return tuple([False if name == "inplace" else each for name, each in zip(op.names, arguments, strict=True)])


def show_history(made: Tensor, primal: Tensor) -> None:
    """Let a dual tensor have the history of its primal, from which a backward may start."""
    made._node, made._output, made._requires_grad = primal.grad_fn, primal._output, primal.requires_grad
