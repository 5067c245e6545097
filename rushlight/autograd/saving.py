"""Saving: where the values go that a backward needs, and the count of writes that guards them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rushlight.autograd import hooks
from rushlight.core.tensor import Tensor, storage_of


class save_on_cpu(hooks.saved_tensors_hooks):
    """Inside, saved tensors are kept on the CPU, as copies: where they are anyway."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach().clone(), lambda kept: kept)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` is refused with this message."""
    before = hooks.refusal.message
    hooks.refusal.message = error_message
    try:
        yield
    finally:
        hooks.refusal.message = before


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write to a tensor, or to each of several, that was made behind the library's back."""
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        storage_of(each).version += 1
