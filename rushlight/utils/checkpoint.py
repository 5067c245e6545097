"""Checkpointing: intermediate values are computed again in backward instead of kept."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.autograd import entry, hooks, modes
from rushlight.autograd.function import Function
from rushlight.core.tensor import Tensor


def no_contexts() -> tuple:
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable = no_contexts,
    determinism_check: str = "default",
    debug: bool = False,
    preserve_rng_state: bool = True,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run `function(*args)` without keeping what backward needs; backward runs it again."""
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
            "recommended.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return Reentrant.apply(function, preserve_rng_state, *args)
    return recomputed(function, args, kwargs, context_fn, preserve_rng_state)


class Replay:
    """The values one checkpointed call saved, by their order; made again at the first use in backward."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict, context: Any, preserve: bool):
        self.function, self.args, self.kwargs, self.context = function, args, kwargs, context
        self.rng = rng_state() if preserve else None
        self.count = 0
        self.values: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> int:
        self.count += 1
        return self.count - 1

    def unpack(self, place: int) -> Tensor:
        if place not in self.values:
            self.run_again()
        if place not in self.values:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {self.count}\n"
                f"Number of tensors saved during recomputation: {len(self.values)}"
            )
        return self.values.pop(place)

    def run_again(self) -> None:
        numbers = iter(range(10**9))

        def keep(tensor: Tensor) -> int:
            place = next(numbers)
            self.values[place] = tensor.detach()
            return place

        saving = hooks.saved_tensors_hooks(keep, lambda place: self.values[place])
        with forked_rng(self.rng), modes.enable_grad(), self.context, saving:
            self.function(*self.args, **self.kwargs)


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first one did."""


def recomputed(function: Callable, args: tuple, kwargs: dict, context_fn: Callable, preserve: bool) -> Any:
    first, second = context_fn()
    replay = Replay(function, args, kwargs, second, preserve)
    with first, hooks.saved_tensors_hooks(replay.pack, replay.unpack):
        return function(*args, **kwargs)


class Reentrant(Function):
    """The older way: the whole call is one node, whose backward runs a graph of its own."""

    @staticmethod
    def forward(ctx: Any, function: Callable, preserve: bool, *args: Any) -> Any:
        ctx.run, ctx.args = function, args
        ctx.rng = rng_state() if preserve else None
        ctx.save_for_backward(*[each if isinstance(each, Tensor) else None for each in args])
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        saved = ctx.saved_tensors
        points = [
            each if tensor is None else tensor.detach().requires_grad_(tensor.requires_grad)
            for each, tensor in zip(ctx.args, saved, strict=True)
        ]
        with forked_rng(ctx.rng), modes.enable_grad():
            results = ctx.run(*points)
        many = results if isinstance(results, tuple) else (results,)
        pairs = [(o, g) for o, g in zip(many, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        entry.backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *[each.grad if isinstance(each, Tensor) else None for each in points])


def rng_state() -> Any:
    import rushlight

    return rushlight.get_rng_state()


@contextlib.contextmanager
def forked_rng(state: Any) -> Iterator[None]:
    """Random numbers as they were at the first run; the stream goes on afterwards as if nothing had been drawn."""
    import rushlight

    if state is None:
        yield
        return
    now = rushlight.get_rng_state()
    rushlight.set_rng_state(state)
    try:
        yield
    finally:
        rushlight.set_rng_state(now)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Checkpoint a sequence of modules in `segments` parts."""
    modules = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(modules) // segments

    def run(start: int, end: int) -> Callable:
        def forward(value: Any) -> Any:
            for each in modules[start:end]:
                value = each(value)
            return value

        return forward

    for number in range(segments - 1):
        input = checkpoint(run(number * size, (number + 1) * size), input, use_reentrant=use_reentrant, **kwargs)
    return run((segments - 1) * size, len(modules))(input)
