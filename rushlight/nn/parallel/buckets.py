"""Buckets: gradients laid end to end, so that one message carries many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.core.object.tensor import Tensor, wrap

# a gradient of this many bytes is sent from where it is: to copy it there and back takes longer than a message more
LARGE = 1024 * 1024


class Bucket:
    """Some parameters' gradients in one stretch of memory, and how far their reduction has come.

    A large one stands alone, and the memory is that of the gradient itself.
    """

    def __init__(self, index: int, parameters: Sequence[Tensor]):
        self.index = index
        self.parameters = list(parameters)
        self.is_alone = len(self.parameters) == 1 and self.parameters[0].nbytes >= LARGE
        ends = np.cumsum([each.numel() for each in parameters]).tolist()
        self.spans = list(zip([0, *ends[:-1]], ends, strict=True))
        self.kind = parameters[0]._array.dtype
        self.memory = np.zeros(0 if self.is_alone else ends[-1], self.kind)
        self.places = {id(each): number for number, each in enumerate(self.parameters)}
        # parameters whose gradients are not here yet
        self.missing = len(self.parameters)
        # the work, or the future, of its reduction
        self.underway: Any = None

    def reset(self) -> None:
        self.missing = len(self.parameters)
        self.underway = None

    def view(self, parameter: Tensor) -> np.ndarray:
        """The part of the memory that belongs to a parameter."""
        start, end = self.spans[self.places[id(parameter)]]
        return self.memory[start:end].reshape(parameter.shape)

    def put(self, parameter: Tensor, factor: float) -> None:
        """Take a parameter's gradient, times a factor."""
        self.missing -= 1
        grad = parameter.grad
        assert grad is not None
        array = grad._array
        if self.is_alone:
            in_place = array.flags.c_contiguous and array.flags.writeable and array.dtype == self.kind
            self.memory = array.reshape(-1) if in_place else np.empty(array.size, self.kind)
        view = self.view(parameter)
        if factor != 1.0:
            np.multiply(array, view.dtype.type(factor), out=view)
        elif not same_memory(array, view):
            view[...] = array

    def put_zeros(self, parameter: Tensor) -> None:
        """Take nothing for a parameter that was not used."""
        self.missing -= 1
        if self.is_alone:
            self.memory = np.zeros(parameter.numel(), self.kind)
        else:
            self.view(parameter)[...] = 0


def same_memory(one: np.ndarray, two: np.ndarray) -> bool:
    return one.ctypes.data == two.ctypes.data and one.strides == two.strides


class GradBucket:
    """What a communication hook gets: the gradients of a bucket, not yet divided by the number of processes."""

    def __init__(self, bucket: Bucket, count: int):
        self._bucket = bucket
        self._count = count
        self._buffer = wrap(bucket.memory)

    def index(self) -> int:
        """Its number, in the order in which buckets are reduced."""
        return self._bucket.index

    def buffer(self) -> Tensor:
        """All gradients as one vector."""
        return self._buffer

    def set_buffer(self, tensor: Tensor) -> None:
        """Let another tensor of the same size take the buffer's place."""
        self._buffer = tensor

    def gradients(self) -> list[Tensor]:
        """The gradients one by one, as views of the buffer."""
        parts = torch.split(self._buffer, [each.numel() for each in self._bucket.parameters])
        return [part.view(each.shape) for part, each in zip(parts, self._bucket.parameters, strict=True)]

    def parameters(self) -> list[Tensor]:
        """The parameters whose gradients these are."""
        return list(self._bucket.parameters)

    def is_last(self) -> bool:
        """Whether it is the last one to be reduced."""
        return self._bucket.index == self._count - 1


GradBucket.__module__ = "torch.distributed"


def assign(parameters: Sequence[Tensor], first: int, size: int) -> list[list[Tensor]]:
    """Parameters in their order, cut into lists of one dtype each, of about `size` bytes; the first one of `first`.

    A large one is a list by itself. Lists stand in the order in which they are full, since none is sent before those
    in front of it.
    """
    places = {id(each): place for place, each in enumerate(parameters)}
    made: list[list[Tensor]] = []
    filling: dict[Any, tuple[list[Tensor], int]] = {}
    for each in parameters:
        if each.nbytes >= LARGE:
            made.append([each])
            continue
        held, room = filling.get(each.dtype, ([], 0))
        if not held:
            room = size if made else first
            made.append(held)
        held.append(each)
        room -= each.nbytes
        filling[each.dtype] = (held, room) if room > 0 else ([], 0)
    return sorted(made, key=lambda each: places[id(each[-1])])
