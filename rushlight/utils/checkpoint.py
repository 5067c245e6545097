"""Checkpointing: intermediate values are computed again in backward instead of kept."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rushlight.autograd import engine, entry, modes
from rushlight.autograd.function import Function
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.utils.replay import (
    CheckpointError,
    Replay,
    autocast_options,
    cast_as,
    forked_rng,
    rng_state,
    settings,
)

EXPLICIT = (
    "the use_reentrant parameter should be passed explicitly. In version 2.9 we will raise an exception if "
    "use_reentrant is not passed. use_reentrant=False is recommended; use_reentrant=True is what happens without it."
)


def noop_context_fn() -> tuple:
    """No contexts around the first run and the second."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Run `function(*args)` without keeping what backward needs; backward runs it again.

    `preserve_rng_state=False` leaves the random numbers of the second run to chance. `context_fn()` gives two contexts,
    for the first run and the second, which ends as soon as all values are there unless `early_stop=False`.
    """
    if use_reentrant is None:
        warnings.warn(f"torch.utils.checkpoint: {EXPLICIT}", UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    debug = debug if settings.debug is None else settings.debug
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn()
    if not modes.state.grad:
        with first:
            return function(*args, **kwargs)
    replay = Replay(function, args, kwargs, second, preserve)
    replay.early_stop = early_stop if settings.early_stop is None else settings.early_stop
    replay.compares, replay.debug = determinism_check == "default", debug
    with replay.hooks(), first:
        return function(*args, **kwargs)


class CheckpointFunction(Function):
    """The older way: the whole call is one node, whose backward runs a graph of its own."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        engine.watch()
        ctx.run, ctx.args = run_function, [None if isinstance(each, Tensor) else each for each in args]
        ctx.rng = rng_state() if preserve_rng_state else None
        ctx.cast = autocast_options()
        ctx.save_for_backward(*[each if isinstance(each, Tensor) else None for each in args])
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        task = engine.running.task
        if task is not None and task[1] is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        points = detach_variable(
            tuple(each if tensor is None else tensor for each, tensor in zip(ctx.args, ctx.saved_tensors, strict=True))
        )
        with forked_rng(ctx.rng), modes.enable_grad(), cast_as(ctx.cast):
            results = ctx.run(*points)
        many = results if isinstance(results, tuple) else (results,)
        pairs = [(o, g) for o, g in zip(many, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        entry.backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *[each.grad if isinstance(each, Tensor) else None for each in points])


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Checkpoint a sequence of modules in `segments` parts; the last one is run as it is."""
    if use_reentrant is None:
        warnings.warn(f"torch.utils.checkpoint.checkpoint_sequential: {EXPLICIT}", UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    modules = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(modules) // segments
    if segments > 1 and size == 0:
        raise ValueError(
            f"range() arg 3 must not be zero: {len(modules)} functions cannot be cut into {segments} parts"
        )

    def run(start: int, end: int) -> Callable:
        def forward(value: Any) -> Any:
            for each in modules[start:end]:
                value = each(value)
            return value

        return forward

    for start in range(0, size * (segments - 1), size or 1):
        part = run(start, start + size)
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(size * (segments - 1), len(modules))(input)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Inside, second runs end as soon as all values are there, or run to their end; checkpoint's own option yields."""
    before, settings.early_stop = settings.early_stop, enable
    try:
        yield
    finally:
        settings.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Inside, errors list the lines of both runs, or do not; None leaves that to each checkpoint."""
    before, settings.debug = settings.debug, enabled
    try:
        yield
    finally:
        settings.debug = before


def detach_variable(inputs: tuple) -> tuple:
    """Tensors as new leaves with the same `requires_grad`; other values as they are."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each for each in inputs
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if nothing among the inputs requires grad: the older way then gives no gradients."""
    if not any([isinstance(each, Tensor) and each.requires_grad for each in inputs]):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices of the arguments beside the CPU, and their random states: there are none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Set the random states of devices beside the CPU."""
    if list(devices):
        raise RuntimeError("there is no device beside the CPU, whose state torch.set_rng_state sets")


class DefaultDeviceType:
    """The kind of device whose random state is kept beside the CPU's; the name is all there is to it."""

    _default_device_type = "cpu"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Note the name."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """The name that was noted."""
        return DefaultDeviceType._default_device_type


__getattr__ = names_of(__name__)

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "DefaultDeviceType",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]
