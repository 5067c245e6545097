"""Pickling and deep copies: tensors that share memory still do afterwards."""

from __future__ import annotations

import copyreg
from copy import deepcopy
from typing import Any

import numpy as np

from rushlight.core.memory.deferred import deferred, flips_of, resolved
from rushlight.core.memory.meta import Meta
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import as_kind, bytes_of, contiguous_strides, copied, strided
from rushlight.core.numbers.dtypes import dtype, from_numpy
from rushlight.core.object.tensor import Tensor, geometry_of, method, new, storage_of


def build(
    cls: type, storage: Storage, geometry: tuple, requires_grad: bool, kind: np.dtype | None = None, flips: int = 0
) -> Tensor:
    """A leaf over a storage; of the dtype `kind` where that is not the storage's, as for `x.real`."""
    made: Tensor = new(cls)
    memory = storage.array if kind is None else as_kind(storage.array, kind)
    made._array = deferred(strided(memory, *geometry), flips)
    made._storage = storage
    made._requires_grad = requires_grad
    return made


@method
def __reduce_ex__(self: Tensor, protocol: Any) -> tuple:
    if type(self._array) is Meta:
        return rebuild_meta, (type(self), self._array, self.requires_grad), self.__dict__ or None
    # the storage is an object of the pickle: views of one storage find the same one again
    arguments = (type(self), storage_of(self), geometry_of(self), self.requires_grad, kind_of(self))
    return build, (*arguments, flips_of(self._array)), self.__dict__ or None


def rebuild_meta(cls: type, array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf without memory."""
    made: Tensor = new(cls)
    made._array = array
    made._requires_grad = requires_grad
    return made


def kind_of(tensor: Tensor) -> np.dtype | None:
    """The tensor's dtype if its storage has another."""
    own, stored = tensor._array.dtype, storage_of(tensor).array.dtype
    return None if own == stored else own


def rebuild_storage(memory: np.ndarray, kind: dtype | None = None) -> Storage:
    # what came out of band may be read-only, since others share it: it is kept, and whoever writes is told
    # NumPy unpickles a dtype object of its own each time; to all that compare by identity it would be another dtype
    return Storage(memory.view(np.dtype(memory.dtype.type) if kind is None else kind.numpy))


def reduce_storage(self: Storage) -> tuple:
    # as bytes, which NumPy leaves out of a pickle of protocol 5 whatever the dtype
    return rebuild_storage, (bytes_of(self.array), from_numpy(self.array.dtype))


copyreg.pickle(Storage, reduce_storage)


def resolved_copy(tensor: Tensor) -> tuple[Storage, tuple]:
    """A storage with the elements of a conjugate or negative, and their geometry in it."""
    elements = np.ascontiguousarray(resolved(tensor._array)).reshape(tensor._array.shape)
    return Storage(elements), (elements.shape, contiguous_strides(elements.shape), 0)


@method
def __deepcopy__(self: Tensor, memo: dict) -> Tensor:
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol. "
            "Write tensor.detach().clone() for a copy without history, tensor.clone() for one with it."
        )
    if flips_of(self._array):
        # torch's copy of a conjugate has memory of its own, with the elements in it
        made = build(type(self), *resolved_copy(self), self.requires_grad)
    else:
        storage = storage_of(self)
        key = ("storage", id(storage.array))
        if key not in memo:
            memo[key] = Storage(copied(storage.array))
        made = build(type(self), memo[key], geometry_of(self), self.requires_grad, kind_of(self))
    memo[id(self)] = made
    made._created = self._created
    if self._grad is not None:
        made._grad = self._grad.__deepcopy__(memo)
    for name, value in self.__dict__.items():
        setattr(made, name, deepcopy(value, memo))
    return made


@method
def __setstate__(self: Tensor, state: dict) -> None:
    self.__dict__.update(state)
