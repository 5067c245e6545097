"""torch._C._functorch: the function transforms that run, by number, and tensors inside of them."""

from __future__ import annotations

from typing import Any

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface.lazy import names_of

__all__ = [
    "_add_batch_dim",
    "_grad_decrement_nesting",
    "_grad_increment_nesting",
    "_remove_batch_dim",
    "_unwrap_batched",
    "_unwrap_for_grad",
    "_vmap_decrement_nesting",
    "_vmap_increment_nesting",
    "_wrap_for_grad",
    "current_level",
    "get_dynamic_layer_stack_depth",
    "get_unwrapped",
    "is_batchedtensor",
    "is_dead_tensor_wrapper",
    "is_functionaltensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "is_legacy_batchedtensor",
    "maybe_current_level",
    "maybe_get_bdim",
    "maybe_get_level",
    "unwrap_if_dead",
]


def level_of(tensor: Any) -> Any:
    """The transform that a tensor takes part in; None for a plain one."""
    array = tensor._array if isinstance(tensor, Tensor) else None
    return array.level if type(array) is Lifted else None


def is_batchedtensor(tensor: Any) -> bool:
    """Whether a tensor stands for a batch inside `vmap`."""
    return getattr(level_of(tensor), "title", "") == "BatchedTensor"


def is_legacy_batchedtensor(tensor: Any) -> bool:
    """Whether a tensor stands for a batch inside the old `vmap`: no."""
    return False


def is_gradtrackingtensor(tensor: Any) -> bool:
    """Whether a tensor is wrapped by `func.grad` or `func.jvp`."""
    return getattr(level_of(tensor), "title", "") == "GradTrackingTensor"


def is_functionaltensor(tensor: Any) -> bool:
    """Whether writes to a tensor are recorded as new tensors: no."""
    return False


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    """Whether a tensor is wrapped by a transformed function."""
    return level_of(tensor) is not None


def is_dead_tensor_wrapper(tensor: Any) -> bool:
    """Whether the transform that a tensor takes part in has ended."""
    level = level_of(tensor)
    return level is not None and not level.alive


def get_unwrapped(tensor: Any) -> Any:
    """The tensor below a wrapped one: inside `vmap` the whole batch."""
    if level_of(tensor) is None:
        raise RuntimeError("No wrappers present!")
    return tensor._array.inner


def unwrap_if_dead(tensor: Any) -> Any:
    """A tensor without the layers of transforms that have ended."""
    while is_dead_tensor_wrapper(tensor):
        tensor = tensor._array.inner
    return tensor


def maybe_get_level(tensor: Any) -> int:
    """The number of the transform that a tensor takes part in: -1 for none, -2 for one that has ended."""
    level = level_of(tensor)
    if level is None:
        return -1
    return level.number if level.alive else -2


def maybe_get_bdim(tensor: Any) -> int:
    """The dimension of a batch: the first one; -1 if there is none."""
    return 0 if is_batchedtensor(tensor) else -1


def maybe_current_level() -> int | None:
    """The number of the innermost transform; None if none runs."""
    return state.levels[-1].number if state.levels else None


def current_level() -> int:
    """The number of the innermost transform."""
    found = maybe_current_level()
    if found is None:
        raise RuntimeError("no function transform is running: there is no level")
    return found


def get_dynamic_layer_stack_depth() -> int:
    """How many transforms run inside each other."""
    return len(state.levels)


def numbered(level: int) -> Any:
    """The transform of a number."""
    found = next((each for each in state.levels if each.number == level), None)
    if found is None:
        raise RuntimeError(f"no function transform of level {level} is running")
    return found


def begin(level: Any) -> int:
    return level.__enter__().number


def end(kind: Any) -> int:
    """End the innermost transform, which has to be of a kind; the number that it had."""
    level: Any = state.levels[-1] if state.levels else None
    if not isinstance(level, kind):
        raise RuntimeError(f"the innermost function transform is no {kind.__name__}, so that one cannot be ended")
    level.__exit__(None, None, None)
    return level.number


def _vmap_increment_nesting(batch_size: int, randomness: str) -> int:
    """Begin a `vmap` of so many samples; its number."""
    from rushlight.ops.machine.transforms.mapping import Mapping

    return begin(Mapping(batch_size, randomness))


def _vmap_decrement_nesting() -> int:
    """End the innermost `vmap`; the number that it had."""
    from rushlight.ops.machine.transforms.mapping import Mapping

    return end(Mapping)


def _add_batch_dim(self: Tensor, batch_dim: int, level: int) -> Tensor:
    """One sample of a batch along a dimension, inside the `vmap` of a number."""
    return numbered(level).lift(self.movedim(batch_dim, 0))


def _remove_batch_dim(self: Tensor, level: int, batch_size: int, out_dim: int) -> Tensor:
    """The whole batch of which a tensor is one sample, along a dimension; repeated if it is the same for all."""
    mapping = level_of(self)
    if mapping is not None and mapping.number == level and is_batchedtensor(self):
        return get_unwrapped(self).movedim(0, out_dim)
    return self.expand(batch_size, *self.shape).movedim(0, out_dim)


def _unwrap_batched(tensor: Tensor, level: int) -> tuple[Tensor, int | None]:
    """What stands below a tensor in the `vmap` of a number, and the dimension of its batch there."""
    if maybe_get_level(tensor) == level and is_batchedtensor(tensor):
        return get_unwrapped(tensor), 0
    return tensor, None


def _grad_increment_nesting() -> int:
    """Begin a `grad`; its number."""
    from rushlight.ops.machine.transforms.tracking import Tracking

    return begin(Tracking())


def _grad_decrement_nesting() -> int:
    """End the innermost `grad`; the number that it had."""
    from rushlight.ops.machine.transforms.tracking import Tracking

    return end(Tracking)


def _wrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    """A tensor inside the `grad` of a number."""
    return numbered(level).lift(tensor)


def _unwrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    """What stands below a tensor in the `grad` of a number; others as they are."""
    return get_unwrapped(tensor) if maybe_get_level(tensor) == level else tensor


__getattr__ = names_of("rushlight._C._functorch")
