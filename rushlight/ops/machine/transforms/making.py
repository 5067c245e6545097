"""Making: tensors that are made inside of a transform, and random numbers that are drawn there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface.making_names import FACTORIES, LIKE, OTHERS, SIZED
from rushlight.errors.explained import explained
from rushlight.ops.machine.transforms.level import Level, holds, is_lifted, is_mapped
from rushlight.ops.machine.transforms.mapping import Mapping
from rushlight.ops.machine.transforms.tracking import Tracking

# what takes tensors as its ends
BETWEEN = ("linspace", "logspace")


def innermost() -> Mapping | None:
    """The `vmap` that a draw meets first."""
    return next((each for each in reversed(state.levels) if isinstance(each, Mapping)), None)


@contextmanager
def below(level: Level) -> Iterator[None]:
    """Only the levels outside of one."""
    before, state.levels = state.levels, level.outside
    try:
        yield
    finally:
        state.levels = before


def stripped(tensor: Tensor, level: Level) -> Tensor:
    """A tensor without the layers of levels inside of one."""
    while is_lifted(tensor) and tensor._array.level.number > level.number:
        tensor = tensor._array.inner
    return tensor


def drawn(function: Callable[[Tensor], Tensor], tensor: Tensor, rows: bool = False) -> Tensor:
    """What `function` draws for a tensor, of which it reads the shape alone; with `rows` for each sample by itself."""
    level = innermost()
    if level is None:
        return function(tensor)
    level.require_randomness()
    tensor = stripped(tensor, level)
    with below(level):
        if level.randomness == "same":
            return drawn(function, tensor._array.inner.select(0, 0) if holds(tensor) is level else tensor, rows)
        whole = level.batch_of(tensor)
        if not rows:
            return level.lift(drawn(function, whole))
        from rushlight.ops.shape.joining import stack

        return level.lift(stack([drawn(function, each, rows) for each in whole.unbind(0)]))


def check_filling(target: Tensor) -> None:
    """Refuse to fill what is no batch with random numbers where each sample should get its own."""
    level = innermost()
    if level is None or holds(stripped(target, level)) is level:
        return
    level.require_randomness()
    if level.randomness == "different":
        raise explained(
            RuntimeError,
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            "randomness",
            fix="torch.rand and kin draw for each sample; or fill a tensor that is made of the batch, by empty_like",
        )


def divert_making(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a call that makes a tensor gives inside of transforms; NotImplemented where that is nothing special."""
    name = function.__name__
    if name in BETWEEN and any([is_lifted(each) and is_mapped(each) for each in (*args, *kwargs.values())]):
        return each_between(function, args, kwargs)
    found = divert_draw(name, function, args, kwargs)
    top = state.levels[-1]
    if found is not NotImplemented or not isinstance(top, Tracking) or name not in FACTORIES:
        return found
    with below(top):
        found = function(*args, **kwargs)
    return top.lift(found) if isinstance(found, Tensor) and holds(found) is not top else found


def each_between(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Tensor:
    """The numbers between ends that differ from sample to sample, for each sample by itself."""
    from rushlight.ops.shape.joining import stack

    level = innermost()
    assert level is not None

    def one(value: Any, number: int) -> Any:
        value = stripped(value, level) if is_lifted(value) else value
        return value._array.inner.select(0, number) if holds(value) is level else value

    with below(level):
        rows = [
            function(*[one(each, number) for each in args], **{key: one(each, number) for key, each in kwargs.items()})
            for number in range(level.size)
        ]
        return level.lift(stack(rows))


def divert_draw(name: str, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a call that draws gives inside of `vmap`; NotImplemented for one that does not, or is not inside."""
    level = innermost() if name in SIZED or name in LIKE or name in OTHERS else None
    if level is None:
        return NotImplemented
    if name in LIKE:
        return drawn(lambda each: function(each, *args[1:], **kwargs), args[0])
    if any([is_lifted(each) for each in (*args, *kwargs.values())]):
        # an op with a batch among its arguments
        return NotImplemented
    level.require_randomness()
    with below(level):
        if level.randomness == "same":
            return function(*args, **kwargs)
        if name in SIZED:
            size = kwargs.pop("size", None) or args
            size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
            return level.lift(function((level.size, *size), **kwargs))
        from rushlight.ops.shape.joining import stack

        return level.lift(stack([function(*args, **kwargs) for _ in range(level.size)]))
