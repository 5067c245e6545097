"""Saving: where the values go that a backward needs, and the count of writes that guards them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.autograd import hooks, modes
from rushlight.core.memory.storage import count_write
from rushlight.core.object.tensor import Tensor, storage_of


class save_on_cpu(hooks.saved_tensors_hooks):
    """Inside, saved tensors are kept on the CPU, as copies: where they are anyway."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda tensor: tensor.detach().clone(), lambda kept: kept)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` is refused with this message."""
    if modes.state.saved_hooks:
        raise RuntimeError(error_message)
    before = hooks.refusal.message
    hooks.refusal.message = error_message
    try:
        yield
    finally:
        hooks.refusal.message = before


class Mutation(threading.local):
    """The block in which this thread may change saved tensors."""

    current: _AllowMutationOnSavedContext | None = None


mutation = Mutation()


class _AllowMutationOnSavedContext:
    """The saved tensors of one block: copies, so that writes to the originals do no harm."""

    def __init__(self) -> None:
        self.copies: dict[int, Tensor] = {}

    def pack(self, tensor: Tensor) -> int:
        number = len(self.copies)
        self.copies[number] = tensor.detach().clone()
        return number

    def unpack(self, number: int) -> Tensor:
        if mutation.current is not self or number not in self.copies:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return self.copies[number]

    def clear(self) -> None:
        """Forget all copies: what was recorded in the block cannot be run backward any more."""
        self.copies.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Any]:
    """Inside, tensors that backward needs may be changed in place: it uses the values of before."""
    if mutation.current is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    block = _AllowMutationOnSavedContext()
    with hooks.saved_tensors_hooks(block.pack, block.unpack):
        mutation.current = block
        try:
            yield block
        finally:
            mutation.current = None
            block.clear()


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a write to a tensor, or to each of several, that was made behind the library's back."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for each in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        count_write(storage_of(each))
