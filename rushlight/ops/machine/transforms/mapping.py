"""Mapping: the level of `vmap`, whose tensors are whole batches of which the user sees one sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rushlight.core.memory.lifted import Lifted, lift_first
from rushlight.core.object.tensor import Tensor, geometry_of, wrap
from rushlight.core.settings.state import state
from rushlight.errors.explained import explained
from rushlight.errors.location import file_and_line, user_line
from rushlight.native import extension
from rushlight.ops.machine.transforms.forward import functional
from rushlight.ops.machine.transforms.level import (
    MAPPING,
    Level,
    holds,
    is_followed,
    is_lifted,
    note_views,
    reads_first,
)
from rushlight.ops.machine.transforms.lifting import mapped
from rushlight.ops.machine.transforms.words import EXACTLY, RANDOM, Batch, ReachesBatch, each_sample

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# ops that ran one sample after the other, and how often
looped: dict[str, int] = {}

# whose results have as many elements as the numbers say
UNKNOWN_SIZES = {
    "_rows_nonzero": "nonzero", "_distinct": "_unique2",
}  # fmt: skip


class Mapping(Level):
    """Runs each op once for the batch, as the op's word says."""

    outlived = False
    title, told = "BatchedTensor", "bdim=0, "

    def __init__(self, size: int, randomness: str = "error"):
        super().__init__(MAPPING)
        self.size, self.randomness = size, randomness

    def lift(self, inner: Tensor) -> Tensor:
        return wrap(lift_first(self, inner)) if extension is None else extension.lift_tensor(self, inner, True)

    def batch_of(self, value: Tensor) -> Tensor:
        """The whole batch, also of a tensor that is the same for all samples."""
        if holds(value) is self:
            return value._array.inner
        return value.expand(self.size, *value.shape)

    def call(self, op: Op, arguments: tuple) -> Any:
        word = op.batch
        if word is not None and op.name not in RANDOM:
            found = self.said(word, op, arguments)
            if type(found) is Tensor:
                return note_views(op, arguments[0], self.lift(found)) if op.is_view else self.lift(found)
            if found is not NotImplemented:
                return self.around(op, arguments, 0, found)
        if op.made is not None and (op.name not in EXACTLY or self.gathered(op, arguments).fits()):
            return self.composed(op, arguments)
        if op.name == "_strided_view":
            return note_views(op, arguments[0], self.strided(arguments[0], arguments[2]))
        batch = self.gathered(op, arguments)
        if op.name in RANDOM:
            return mapped(self.lift, self.drawn(batch))
        if op.name in UNKNOWN_SIZES:
            raise unknown_size(op)
        looped[op.name] = looped.get(op.name, 0) + 1
        return mapped(self.lift, each_sample(batch))

    def said(self, word: Any, op: Op, arguments: tuple) -> Any:
        """What the op's word makes of the batch; where it would take that for a part of a sample, each by itself."""
        batch = self.gathered(op, arguments)
        try:
            return word(batch) if batch.fits() else each_sample(batch)
        except ReachesBatch:
            return each_sample(self.gathered(op, arguments))

    def composed(self, op: Op, arguments: tuple) -> Any:
        """The same of other ops, each of which is mapped by itself."""
        assert op.made is not None
        before, state.levels = state.levels, (*self.outside, self)
        try:
            return op.made(*arguments)
        finally:
            state.levels = before

    def around(self, op: Op, arguments: tuple, needs: int, found: Any) -> Any:
        return note_views(op, arguments[0], mapped(self.lift, found))

    def strided(self, tensor: Tensor, geometry: tuple) -> Tensor:
        """A part of the memory of each sample, by any geometry."""
        require_reach(tensor, geometry)
        whole, (size, stride, offset) = self.lower(tensor), geometry
        return self.lift(whole.as_strided((self.size, *size), (whole.stride(0), *stride), offset))

    def gathered(self, op: Op, arguments: tuple) -> Batch:
        """The call for the whole batch."""
        inside: dict[int, Any] = {}
        given = list(arguments)
        for place in op.tensors:
            value = arguments[place]
            if isinstance(value, Tensor):
                array = value._array
                if type(array) is Lifted and array.level is self:
                    given[place], inside[place] = array.inner, True
            elif place in op.lists and type(value) in (list, tuple):
                inside[place] = [holds(each) is self for each in value]
                given[place] = [self.lower(each) for each in value]
        return Batch(op, given, inside, self.size)

    def call_inplace(self, op: Op, arguments: tuple) -> Tensor:
        target = arguments[0]
        if holds(target) is not self:
            if op.name == "_drawn":
                raise refused_randomness()
            raise not_mapped(op)
        given = functional(op, arguments)
        if reads_first(op) and any([is_lifted(each) and is_followed(each._array.inner) for each in given]):
            # a gradient below needs the numbers that were there before
            given = (target.clone(), *given[1:])
        found = self.call(op, given)
        if isinstance(found, tuple):
            found = found[0]
        from rushlight.ops.machine.inplace import require_castable, require_shape, written

        kept = target._array
        if found._array.shape != kept.shape:
            require_shape(kept, found._array.shape)
            found = found.expand(kept.shape)
        require_castable(found._array.dtype, kept)
        kept.inner.copy_(found._array.inner)
        target._array = lift_first(self, kept.inner)
        target._array.whole = kept.whole
        written(target)
        return target

    def drawn(self, batch: Batch) -> Any:
        """Random numbers for the batch, as the option `randomness` says."""
        self.require_randomness()
        if self.randomness == "same":
            if batch.op.name != "_drawn":
                raise RuntimeError(
                    "Vmap does not currently support same randomness with a batched tensor input: draw outside of the "
                    "function, or set randomness='different'"
                )
            one = batch.arguments[0].select(0, 0)
            batch.arguments[0] = one
            return batch.spread(batch.call())
        batch.fill(*batch.tensors())
        return batch.call()

    def require_randomness(self) -> None:
        if self.randomness == "error":
            raise refused_randomness()

    def fresh(self, plain: Tensor) -> Tensor:
        """A tensor that was made for one sample, for each of them."""
        return self.lift(plain.expand(self.size, *plain.shape).clone())

    def element(self, inner: Tensor) -> Any:
        raise explained(
            RuntimeError,
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
            "Tensor, please try to rewrite what you're doing with other operations.",
            fix="compute with the tensor itself: it stands for one number of each sample",
        )

    def truth(self, inner: Tensor) -> Any:
        raise explained(
            RuntimeError,
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't "
            "support that yet",
            lines=[f"the condition stands at {file_and_line(user_line())}"],
            fix="the condition differs from sample to sample: write torch.where(condition, a, b), not `a if condition "
            "else b`",
        )

    def exported(self, inner: Tensor) -> Tensor:
        raise RuntimeError(
            "Cannot access data pointer of Tensor that doesn't have storage: inside of vmap a tensor stands for one "
            "sample of many; return it from the function first"
        )

    def fill(self, array: Lifted, value: Any) -> None:
        with_grad = state.grad
        state.grad = False
        try:
            array.inner.fill_(value)
        finally:
            state.grad = with_grad


def refused_randomness() -> Exception:
    return explained(
        RuntimeError,
        "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
        "randomness flags on vmap or perform the randomness operation out of vmap",
        fix="vmap(..., randomness='different') draws for each sample, 'same' once for all of them",
    )


def require_reach(tensor: Tensor, geometry: tuple) -> None:
    """Refuse a part of memory that lies beyond that of a sample."""
    first, last = reach(*geometry_of(tensor))
    wanted, end = reach(*geometry)
    if not math.prod(geometry[0]) or (math.prod(tensor.shape) and first <= wanted and end <= last):
        return
    size, stride, offset = geometry
    raise explained(
        RuntimeError,
        f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of `tensor`. "
        f"`result` can access some memory in range [{wanted}, {end}], but `tensor` can only access some memory in "
        f"range [{first}, {last}]. This is not supported inside of vmap",
        fix="write it with views: narrow, select, unfold, diagonal",
    )


def reach(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> tuple[int, int]:
    """Where the memory that a geometry shows begins and ends."""
    return offset, offset + 1 + sum([(count - 1) * step for count, step in zip(size, stride, strict=True)])


def not_mapped(op: Op) -> Exception:
    plain = op.is_pointwise or op.name.startswith("_copy")
    name = "inplace arithmetic" if plain else f"{op.name.lstrip('_')}_"
    return explained(
        RuntimeError,
        f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
        "has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
        "over in a vmap.",
        fix="write the result to a new tensor (y = y + x, not y += x), or make y with zeros_like(x)",
    )


def unknown_size(op: Op) -> Exception:
    return RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{UNKNOWN_SIZES[op.name]}: each sample would give another number of elements"
    )
