"""Calls: a function of a library, applied to recorded arguments, and everything that can be seen of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance.build import Builder, to_numpy
from conformance.libraries import Library
from conformance.outcomes import Outcome, attempt, flatten, freeze
from conformance.records import TensorRecord, Unrepresentable, describe


@dataclass(frozen=True)
class Arguments:
    """The recorded arguments of one sample."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [describe(item) for item in self.args]
        return ", ".join(parts + ([describe(self.kwargs)] if self.kwargs else []))


def observe(library: Library, function: Callable | None, arguments: Arguments) -> Outcome:
    """Calls the function on freshly built arguments, seeded, and freezes what comes back."""

    def act() -> tuple[Builder, Any, Any]:
        builder = Builder(library)
        args, kwargs = builder.build(arguments.args), builder.build(arguments.kwargs)
        library.seed()
        raw = function(*args, **kwargs)
        return builder, raw, raw

    return conclude(library, function, act)


def observe_inplace(library: Library, function: Callable | None, arguments: Arguments) -> Outcome:
    """The same on a clone of the first argument; the result must be that very clone."""

    def act() -> tuple[Builder, Any, Any]:
        builder = Builder(library)
        args, kwargs = builder.build(arguments.args), builder.build(arguments.kwargs)
        target = args[0].clone()
        library.seed()
        raw = function(target, *args[1:], **kwargs)
        return builder, raw, [target, raw is target]

    return conclude(library, function, act)


def observe_out(
    library: Library, function: Callable | None, arguments: Arguments, expected: Outcome, empty: bool
) -> Outcome:
    """The same into tensors given as `out=`, of torch's shapes or empty; they must be what comes back."""

    def act() -> tuple[Builder, Any, Any]:
        builder = Builder(library)
        args, kwargs = builder.build(arguments.args), builder.build(arguments.kwargs)
        targets = [make_target(library, tensor, empty) for tensor in flatten(expected.result)]
        single = not isinstance(expected.raw, list | tuple)
        library.seed()
        raw = function(*args, **kwargs, out=targets[0] if single else tuple(targets))
        given = [raw] if single or raw is None else list(raw)
        return builder, raw, [targets, [one is other for one, other in zip(given, targets, strict=False)]]

    return conclude(library, function, act)


def make_target(library: Library, tensor: Any, empty: bool) -> Any:
    """A tensor to write a result into, holding ones so that an untouched target shows."""
    dtype = getattr(library.module, tensor.dtype)
    return library.module.empty(0, dtype=dtype) if empty else library.module.ones(tensor.shape, dtype=dtype)


def conclude(library: Library, function: Callable | None, act: Callable) -> Outcome:
    """The outcome of `act`, which gives the builder, the result and what to freeze of it.

    What the other library cannot represent skips the sample.
    """
    if function is None:
        return Outcome(error=AttributeError(f"{library.name} has no such form"))
    outcome = attempt(lambda: look(library, *act()))
    if isinstance(outcome.error, Unrepresentable):
        raise outcome.error
    return outcome if outcome.error is not None else outcome.raw


def look(library: Library, builder: Builder, raw: Any, seen: Any) -> Outcome:
    """What the call left behind: `seen` frozen, and the memory of its arguments."""
    memories = [to_numpy(memory, library) for memory in builder.memories]
    return Outcome(freeze(seen, library, builder), None, raw, memories)


def first_is_tensor(arguments: Arguments) -> bool:
    return bool(arguments.args) and isinstance(arguments.args[0], TensorRecord)
