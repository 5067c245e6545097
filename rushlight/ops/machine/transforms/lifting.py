"""Lifting: a call with a lifted tensor goes to the highest level among its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.native import extension
from rushlight.ops.machine.transforms.level import Level, is_lifted

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def call_lifted(op: Op, arguments: tuple, out: Any = None) -> Any:
    """As `call`, where a tensor among the arguments is lifted."""
    if extension is not None and out is None:
        # the same in one frame
        found = extension.step_of_level(op, arguments)
        if found is not NotImplemented:
            return found
    level = highest(arguments)
    if level is not None and not level.alive:
        arguments = settled(arguments)
        level = highest(arguments)
    if out is not None:
        return into(out, op, arguments)
    if level is None:
        return invoke(op, arguments)
    return below(level, level.call, op, arguments)


def call_inplace_lifted(op: Op, arguments: tuple) -> Tensor:
    """As `call_inplace`, where a tensor among the arguments is lifted."""
    target = arguments[0]
    if is_lifted(target) and not target._array.level.alive:
        # who holds it may go on with what it held
        become(target, settled((target,))[0])
    arguments = (target, *settled(arguments[1:]))
    level = highest(arguments)
    if level is None:
        from rushlight.ops.machine.inplace import call_inplace

        return call_inplace(op, arguments)
    return below(level, level.call_inplace, op, arguments)


def below(level: Level, function: Callable, op: Op, arguments: tuple) -> Any:
    """A call where only the levels below one are there: what is made on the way belongs to them."""
    before, state.levels = state.levels, level.outside
    try:
        return function(op, arguments)
    finally:
        state.levels = before


def become(tensor: Tensor, other: Tensor) -> None:
    """Let one tensor hold what another one does."""
    tensor._array, tensor._storage = other._array, other._storage
    tensor._node, tensor._output, tensor._requires_grad = other._node, other._output, other._requires_grad


def into(out: Any, op: Op, arguments: tuple) -> Any:
    """The results, written into tensors that were given for them."""
    found = invoke(op, arguments)
    if isinstance(found, tuple):
        for target, each in zip(out, found, strict=True):
            target.copy_(each)
        return type(found)(*out) if hasattr(found, "_fields") else tuple(out)
    return out.copy_(found)


def tensors_of(arguments: tuple) -> Iterator[Tensor]:
    """The tensors of a call, also those in lists."""
    for each in arguments:
        if isinstance(each, Tensor):
            yield each
        elif type(each) in (list, tuple):
            for one in each:
                if isinstance(one, Tensor):
                    yield one


def highest(arguments: tuple | list) -> Level | None:
    """The innermost level that a tensor among the arguments belongs to; one that has ended, if there is such a one."""
    found = None
    for each in arguments:
        if isinstance(each, Tensor):
            array = each._array
            own = array.level if type(array) is Lifted else None
        elif type(each) is list or type(each) is tuple:
            own = highest(each)
        else:
            continue
        if own is not None:
            if not own.alive:
                return own
            if found is None or own.number > found.number:
                found = own
    return found


def settled(arguments: tuple) -> tuple:
    """The arguments, where what belonged to a level that has ended is what it held."""
    if all([each._array.level.alive for each in tensors_of(arguments) if type(each._array) is Lifted]):
        return arguments
    return tuple([settled_one(each) for each in arguments])


def settled_one(value: Any) -> Any:
    if type(value) in (list, tuple):
        return [settled_one(each) for each in value]
    while is_lifted(value) and not value._array.level.alive:
        if not value._array.level.outlived:
            raise RuntimeError(
                "Either your tensor may have escaped from inside a function being vmapped and this is a user error: "
                "return it from the function, or compute with it there"
            )
        value = value._array.inner
    return value


def invoke(op: Op, arguments: tuple | list) -> Any:
    """The op once more, natively where it can be; modes and arguments had their word before."""
    if extension is not None:
        return extension.invoke(op.function, op, tuple(arguments))
    from rushlight.ops.machine.call import call

    return call(op, tuple(arguments))


def mapped(function: Callable[[Tensor], Any], results: Any) -> Any:
    """A function over the results of an op: one tensor, or several, named where torch names them."""
    if not isinstance(results, tuple):
        return function(results)
    found = [function(each) for each in results]
    return type(results)(*found) if hasattr(results, "_fields") else type(results)(found)
