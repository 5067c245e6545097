"""A level: one function transform that is running, and what it does with the calls of its tensors."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any, Self

from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.lifted import Lifted, lift
from rushlight.core.object.tensor import Tensor, storage_of, wrap
from rushlight.core.settings.state import state
from rushlight.native import extension

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


class PlainLevel:
    """The fields of a level, where there is no native base type."""


# how native code takes a step: it leaves all of it to Python, records, runs the op on a batch, or on tangents too
BY_PYTHON, TRACKING, MAPPING, FORWARD = range(4)
# those of torch.func that differentiate: what was there before is not written to
DIFFERENTIATING = (TRACKING, FORWARD)

births = itertools.count(1)


class Level(PlainLevel if extension is None else extension.Level):
    """What all levels have; as a context manager it runs from `with` to its end."""

    # whether tensors that outlive it may be used as what they held
    outlived = True
    # whether it was begun by a function of torch.func
    transforms = True

    def __init__(self, kind: int = BY_PYTHON) -> None:
        self.kind = kind
        self.alive, self.number = False, 0
        # the levels that were there before it
        self.outside: tuple[Level, ...] = ()
        # outer levels record, or do not, as when this one began
        self.recording = True
        # whether a backward of its own is under way
        self.running = False
        # when it began, and what went on then
        self.birth: int | None = None
        self.birth_before = 0

    def __enter__(self) -> Self:
        self.outside = state.levels
        state.levels = (*self.outside, self)
        self.number = len(state.levels)
        self.alive, self.recording = True, state.grad
        self.birth_before = state.birth
        if self.kind in DIFFERENTIATING:
            # a backward after the end of the function is no part of it: it has captured what those around it have
            state.birth = self.birth = next(births) if self.birth is None else state.birth
        return self

    def __exit__(self, *exception: object) -> None:
        self.alive = False
        if self.kind in DIFFERENTIATING:
            state.birth = self.birth_before
        state.levels = tuple([each for each in state.levels if each is not self])

    def lift(self, inner: Tensor) -> Tensor:
        """A tensor of this level around one of a level below."""
        return wrap(lift(self, inner)) if extension is None else extension.lift_tensor(self, inner, False)

    def lower(self, value: Any) -> Any:
        """What stands below a tensor of this level, also in lists; anything else as it is."""
        if isinstance(value, Tensor):
            array = value._array
            return array.inner if type(array) is Lifted and array.level is self else value
        if type(value) in (list, tuple) and any([holds(each) is self for each in value]):
            return [self.lower(each) for each in value]
        return value

    def lowered(self, op: Op, arguments: tuple) -> list:
        """The arguments of a call below."""
        found = [self.lower(each) for each in arguments]
        if op.name == "_strided_view":
            found[1:] = restrided(arguments[0], found[0], arguments[2])
        return found

    def call(self, op: Op, arguments: tuple) -> Any:
        """An op on tensors of which at least one is of this level."""
        raise NotImplementedError

    def call_inplace(self, op: Op, arguments: tuple) -> Tensor:
        """The same, written into the first of them."""
        raise NotImplementedError

    def around(self, op: Op, arguments: tuple, needs: int, found: Any) -> Any:
        """Tensors of this level around the results of a call below; `needs` has a bit for each that requires grad."""
        raise NotImplementedError

    def element(self, inner: Tensor) -> Any:
        """The only element, as a number."""
        return inner.item()

    def truth(self, inner: Tensor) -> Any:
        """What `if` asks for."""
        return inner.item()

    def exported(self, inner: Tensor) -> Tensor:
        """The tensor whose elements leave for Python or NumPy."""
        return self.settle(inner)

    def settle(self, inner: Tensor) -> Tensor:
        array = inner._array
        return array.level.exported(array.inner) if type(array) is Lifted else inner

    def shown(self, tensor: Tensor, default_dtype: Any, prefix: str) -> str:
        """The text of a tensor, around that of the tensor below."""
        inside = repr(tensor._array.inner).replace("\n", "\n    ")
        number = self.number if self.alive else -2
        return f"{self.title}(lvl={number}, {self.told}value=\n    {inside}\n)"

    # what the text begins with, as in torch, and what it tells besides the value
    title, told = "GradTrackingTensor", ""

    def detached(self, tensor: Tensor) -> Tensor:
        """The tensor without a history, here and below."""
        made = self.lift(tensor._array.inner.detach())
        made._storage = storage_of(tensor)
        return made

    def fresh(self, plain: Tensor) -> Tensor:
        """A tensor that was made like one of this level."""
        return self.lift(plain)

    def fill(self, array: Lifted, value: Any) -> None:
        """Write one number over every element."""
        array.inner.fill_(value)


def restrided(tensor: Tensor, below: Tensor, geometry: tuple) -> list:
    """What shows the same part of the memory of a tensor below: that memory, and the geometry counted there."""
    from rushlight.core.memory.growth import memory_of

    size, stride, offset = geometry
    return [memory_of(below), (size, stride, offset - tensor.storage_offset() + below.storage_offset())]


def whole_of(tensor: Tensor) -> Tensor | None:
    """What a tensor is a view of, also in a level that records nothing; None if it is none."""
    array = tensor._array
    return array.whole if type(array) is Lifted and array.whole is not None else tensor._base


def belong(view: Tensor, whole: Tensor) -> None:
    """Let a tensor be a view of another one, of the same level."""
    if type(view._array) is Lifted and view._array.whole is not None:
        view._array.whole = whole
    else:
        view._base = whole


def note_views(op: Op, source: Tensor, made: Any) -> Any:
    """The results of an op, which remember what they are views of."""
    if op.is_view and type(source._array) is Lifted:
        whole = whole_of(source)
        for each in made if isinstance(made, tuple) else (made,):
            if type(each._array) is Lifted:
                each._array.whole = source if whole is None else whole
    return made


def is_mapped(tensor: Tensor) -> bool:
    """Whether its numbers differ from sample to sample, in this level or below."""
    while type(tensor._array) is Lifted:
        if not tensor._array.level.outlived:
            return True
        tensor = tensor._array.inner
    return False


def all_numbers(tensor: Tensor) -> Any:
    """The elements of all samples, for checks that have to hold for each."""
    while type(tensor._array) is Lifted:
        tensor = tensor._array.inner
    return resolved(tensor._array)


def may_hold(condition: Tensor) -> bool:
    """Whether a condition holds anywhere; True where that differs from sample to sample."""
    return is_mapped(condition) or bool(condition.any())


@functools.cache
def reads_first(op: Op) -> bool:
    """Whether a gradient of the op reads its first argument, which a write would change."""
    return any([op.source_of(name) == ("argument", 0) for name in op.saved_names()])


def is_followed(tensor: Tensor) -> bool:
    """Whether a derivative may be asked for: it requires grad, or takes part in a function transform."""
    return type(tensor._array) is Lifted or (tensor.requires_grad and state.grad)


def holds(value: Any) -> Any:
    """The level of a tensor; None for a plain one and for anything else."""
    if isinstance(value, Tensor) and type(value._array) is Lifted:
        return value._array.level
    return None


def is_lifted(value: Any) -> bool:
    return isinstance(value, Tensor) and type(value._array) is Lifted
