"""Replay: the values that a checkpointed call saved, made again at the first use in backward."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.autograd import modes
from rushlight.autograd.function import Function
from rushlight.autograd.hooks import saved_tensors_hooks
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface import overriding
from rushlight.errors import location
from rushlight.errors.explained import explained


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first one did."""


class Settings(threading.local):
    """What `set_checkpoint_early_stop` and `set_checkpoint_debug_enabled` ask for; None: nothing."""

    early_stop: bool | None = None
    debug: bool | None = None


settings = Settings()


class Stop(Exception):
    """Ends a second run when all values are there."""


class Holder:
    """The place of one saved value: the node has it, and a second run fills it."""

    __slots__ = ("__weakref__", "dtype", "line", "shape", "value")

    def __init__(self, tensor: Tensor):
        self.shape, self.dtype = tensor.shape, tensor.dtype
        self.line = location.user_line()
        self.value: Tensor | None = None


class KeptInputs(Function):
    """Keeps the arguments as a node does: an outer checkpoint's hooks see them, and changes to them are noticed."""

    @staticmethod
    def forward(ctx: Any, start: Tensor, *tensors: Tensor) -> Tensor:
        ctx.save_for_backward(*tensors)
        return start.new_zeros(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("Did not expect to backward on this graph")


class Replay:
    """One checkpointed call, to be run again."""

    early_stop = True
    compares = True
    debug = False

    def __init__(self, function: Callable, args: tuple, kwargs: dict, context: Any, preserve: bool):
        self.function, self.kwargs, self.context = function, kwargs, context
        tensors = [each for each in args if isinstance(each, Tensor)]
        start = Tensor([]).requires_grad_()
        self.inputs = KeptInputs.apply(start, *tensors).grad_fn
        self.args = [None if isinstance(each, Tensor) else each for each in args]
        self.places = [place for place, each in enumerate(args) if isinstance(each, Tensor)]
        self.rng = rng_state() if preserve else None
        self.cast = autocast_options()
        self.holders: list[weakref.ref[Holder]] = []
        # what the second run saved: (shape, dtype, line) of each
        self.again: list[tuple] = []

    def hooks(self) -> saved_tensors_hooks:
        """For the first run: places in the nodes instead of tensors."""
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Tensor) -> Holder:
        holder = Holder(tensor)
        self.holders.append(weakref.ref(holder))
        return holder

    def unpack(self, holder: Holder) -> Tensor:
        if holder.value is None:
            self.run_again()
            try:
                self.check()
            except CheckpointError as error:
                raise self.explained(error) if self.debug else error from None
        found, holder.value = holder.value, None
        assert found is not None
        return found

    def run_again(self) -> None:
        """Run the function once more, and put what it saves into the places that are still held."""
        self.again.clear()
        args = list(self.args)
        for place, tensor in zip(self.places, self.inputs.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        saving = saved_tensors_hooks(self.fill, lambda kept: kept)
        with (
            contextlib.suppress(Stop),
            forked_rng(self.rng),
            modes.enable_grad(),
            cast_as(self.cast),
            self.context,
            saving,
        ):
            self.function(*args, **self.kwargs)

    def fill(self, tensor: Tensor) -> Tensor:
        number = len(self.again)
        if number >= len(self.holders):
            raise explained(
                CheckpointError,
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                "forward pass.",
                fix="the function must do the same each time: no counters, no random choice of path",
            )
        self.again.append((tensor.shape, tensor.dtype, location.user_line()))
        holder = self.holders[number]()
        value = tensor.detach()
        if holder is not None:
            holder.value = value
        if self.early_stop and number + 1 == len(self.holders):
            raise Stop
        return value

    def check(self) -> None:
        """Whether the second run saved what the first did."""
        if len(self.again) != len(self.holders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.holders)}\n"
                f"Number of tensors saved during recomputation: {len(self.again)}."
            )
        if not self.compares:
            return
        different = []
        for place, (weak, (shape, dtype, _)) in enumerate(zip(self.holders, self.again, strict=True)):
            holder = weak()
            if holder is not None and (holder.shape != shape or holder.dtype != dtype):
                different.append(
                    f"tensor at position {place}:\nsaved metadata: {metadata(holder.shape, holder.dtype)}\n"
                    f"recomputed metadata: {metadata(shape, dtype)}"
                )
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                "during the forward pass.\n" + "\n".join(different)
            )

    def explained(self, error: CheckpointError) -> CheckpointError:
        """The error with the lines that saved in both runs."""
        known = [weak() for weak in self.holders]
        first = [f"  {location.describe(each.line)}" for each in known if each is not None]
        second = [f"  {location.describe(line)}" for _, _, line in self.again]
        return CheckpointError(
            " An error happened while unpacking tensors; dumping logs of latest computation\nbecause you passed "
            "`debug=True` to `torch.utils.checkpoint.checkpoint()`.\nThe lines that saved in the first run:\n"
            + "\n".join(first)
            + "\nand in the second:\n"
            + "\n".join(second)
            + f"\n{error}"
        )


def metadata(shape: Any, dtype: Any) -> str:
    return f"{{'shape': {shape}, 'dtype': {dtype}, 'device': device(type='cpu')}}"


def autocast_options() -> dict[str, Any] | None:
    """What autocast is given at the moment; None if it is off, as without a look at its package."""
    if overriding.modes.casting is None:
        return None
    from rushlight.amp.autocast_mode import current_options

    return current_options()


def cast_as(options: dict[str, Any] | None) -> contextlib.AbstractContextManager:
    """Autocast as it was at the first run, which may be off now, or on."""
    if options is None and overriding.modes.casting is None:
        return contextlib.nullcontext()
    from rushlight.amp import autocast

    return autocast("cpu", **(options or {"enabled": False}))


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
