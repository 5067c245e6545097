"""Reductions: how tensors and storages travel between processes, which is by the descriptor of their shared memory.

Python's queues, pipes and process arguments are pickled by `ForkingPickler`, which finds these functions here. What
is sent moves into shared memory, in place, if it was not there.
"""

from __future__ import annotations

import warnings
import weakref
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from rushlight.core.memory.deferred import deferred, flips_of, raw
from rushlight.core.memory.public_storage import UntypedStorage, untyped_of
from rushlight.core.memory.shared import block_behind, block_of, flat, memory_of, share, share_storage
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import contiguous_strides, memory_extent, strided
from rushlight.core.object.tensor import Tensor, geometry_of, new, storage_of
from rushlight.multiprocessing.handoff import redeem, ticket_for
from rushlight.multiprocessing.parcel import passing
from rushlight.nn.parameter import Buffer, Parameter

__all__ = ["StorageWeakRef", "init_reductions", "rebuild_tensor", "reduce_storage", "reduce_tensor"]

BYTE = np.dtype(np.uint8)


def reduce_storage(storage: Storage) -> tuple:
    """A storage as the descriptor of its block, and its place in it."""
    parcel = passing.parcel
    block = block_of(storage.array)
    if parcel is not None and block is None:
        memory = flat(storage.array, memory_extent(storage.array))
        return storage_in, (parcel.add(memory.view(np.uint8)), memory.dtype)
    block = share_storage(storage)
    array = storage.array
    place = array.__array_interface__["data"][0] - block.address
    ticket = ticket_for(block.descriptor) if parcel is None else parcel.add_block(block)
    return rebuild_storage, (ticket, block.size, place, memory_extent(array), array.dtype)


def rebuild_storage(ticket: Any, size: int, place: int, count: int, kind: np.dtype) -> Storage:
    """The storage that was sent, over the same memory."""
    arrival = passing.arrival
    block = block_behind(redeem(ticket), size) if arrival is None else arrival.block(ticket, size)
    return Storage(np.ndarray((count,), kind, memory_of(block, BYTE), place))


def storage_in(entry: tuple[int, int, int], kind: np.dtype) -> Storage:
    """A storage whose bytes came with the message."""
    arrival = passing.arrival
    assert arrival is not None
    return Storage(arrival.memory(entry).view(kind))


def reduce_tensor(tensor: Tensor) -> tuple:
    """A tensor as its storage and its geometry; what has a history stays at home."""
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries: send tensor.detach() for its values"
        )
    warn_of_hooks(tensor)
    if passing.parcel is None:
        share(tensor)
    storage, geometry = storage_of(tensor), geometry_of(tensor)
    if passing.parcel is not None and is_small_view(tensor, storage):
        # a row of a large dataset travels alone
        elements = raw(tensor._array).copy()
        storage, geometry = Storage(elements), (elements.shape, contiguous_strides(elements.shape), 0)
    own = tensor._array.dtype
    kind = None if own == storage.array.dtype else own
    return rebuild_tensor, (type(tensor), storage, geometry, tensor.requires_grad, kind, flips_of(tensor._array))


def is_small_view(tensor: Tensor, storage: Storage) -> bool:
    """Whether a tensor is less than half of memory that is not shared."""
    return 2 * tensor._array.nbytes < memory_extent(storage.array) * storage.array.itemsize and (
        block_of(storage.array) is None
    )


def rebuild_tensor(
    cls: type, storage: Storage, geometry: tuple, requires_grad: bool, kind: np.dtype | None = None, flips: int = 0
) -> Tensor:
    """The tensor that was sent: a leaf over the same memory."""
    made: Tensor = new(cls)
    memory = storage.array if kind is None else flat(storage.array, memory_extent(storage.array)).view(kind)
    made._array = deferred(strided(memory, *geometry), flips)
    made._storage = storage
    made._requires_grad = requires_grad
    return made


def warn_of_hooks(tensor: Tensor) -> None:
    """Hooks stay at home; `torch.utils.hooks.unserializable_hook` marks those that are meant to."""
    for hook in (tensor._hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized: it stays here", stacklevel=2)


def reduce_public(storage: UntypedStorage) -> tuple:
    """What users see of a storage, by what is inside; storages with a dtype hold one of these."""
    if passing.parcel is None:
        storage.share_memory_()
    return rebuild_public, (Storage(storage._block),)


def rebuild_public(storage: Storage) -> UntypedStorage:
    """The storage that was sent."""
    return untyped_of(storage)


class StorageWeakRef:
    """A storage as a key that does not keep it: `expired` tells whether it is gone."""

    def __init__(self, storage: Any):
        self.ref = weakref.ref(storage.untyped())
        self.cdata = storage._cdata

    def expired(self) -> bool:
        """Whether the memory is no longer there."""
        return self.ref() is None

    def __hash__(self) -> int:
        return self.cdata

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, StorageWeakRef) and self.cdata == other.cdata)


def init_reductions() -> None:
    """Tell Python's pickler for other processes how tensors travel."""
    for kind in (Tensor, Parameter, Buffer):
        ForkingPickler.register(kind, reduce_tensor)
    ForkingPickler.register(Storage, reduce_storage)
    ForkingPickler.register(UntypedStorage, reduce_public)


init_reductions()
