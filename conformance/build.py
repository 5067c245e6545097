"""Builders: records become a library's own arguments, and its tensors become NumPy arrays."""

from typing import Any

import numpy as np

from conformance.libraries import Library, dtype_name
from conformance.records import (
    CARRIERS,
    DTYPES,
    CallableRecord,
    GeneratorRecord,
    NamedRecord,
    OptionsRecord,
    SizeRecord,
    TensorRecord,
    Unrepresentable,
)
from conformance.translate import translate

# a library without one of these is at fault; without any other, the sample is skipped
REQUIRED = {*DTYPES, "strided"}


class Builder:
    """Builds arguments for one call and remembers its tensors, so that aliasing can be seen afterwards."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.module = library.module
        self.tensors: list[Any] = []
        self.records: list[TensorRecord] = []
        self.memories: list[Any] = []

    def build(self, value: Any) -> Any:
        """The library's form of a record."""
        if isinstance(value, TensorRecord):
            return self.build_tensor(value)
        if isinstance(value, NamedRecord):
            return self.build_named(value)
        if isinstance(value, SizeRecord):
            return self.module.Size(value.lengths)
        if isinstance(value, GeneratorRecord):
            return self.module.Generator().manual_seed(value.seed)
        if isinstance(value, OptionsRecord):
            return getattr(self.module.nn, value.kind)(**self.build(value.fields))
        if isinstance(value, CallableRecord):
            return translate(value.function, self.library)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.build(item) for item in value))
        if isinstance(value, list | tuple):
            return type(value)(self.build(item) for item in value)
        if isinstance(value, dict):
            return {key: self.build(item) for key, item in value.items()}
        if isinstance(value, slice):
            return slice(self.build(value.start), self.build(value.stop), self.build(value.step))
        return value.copy() if isinstance(value, np.ndarray) else value

    def build_named(self, value: NamedRecord) -> Any:
        if value.kind == "device":
            return self.module.device(value.name)
        found = getattr(self.module, value.name, None)
        if found is not None:
            return found
        if value.name in REQUIRED or value.kind == "memory_format":
            raise AttributeError(f"{self.library.name} has no {value.kind} {value.name}")
        raise Unrepresentable(f"{self.library.name} has no {value.kind} {value.name}")

    def build_tensor(self, value: TensorRecord) -> Any:
        """A fresh tensor with the record's strides and offset, or a contiguous copy if the library cannot."""
        dtype = self.build_named(NamedRecord("dtype", value.dtype))
        plain = value.is_plain
        source = value.memory.reshape(value.shape) if plain else value.memory
        # from_numpy keeps NumPy's memory, which torch then refuses to resize: hence the clone
        memory = self.module.from_numpy(source.copy()).clone()
        if value.dtype in CARRIERS:
            memory = memory.to(dtype)
        tensor = memory
        if not plain:
            try:
                tensor = memory.as_strided(value.shape, value.strides, value.offset)
            except (AttributeError, NotImplementedError):
                memory = tensor = self.module.from_numpy(contiguous(value)).clone().to(dtype)
        if value.requires_grad:
            tensor = tensor.detach().requires_grad_()
        self.memories.append(memory)
        self.tensors.append(tensor)
        self.records.append(value)
        return tensor

    def owner(self, tensor: Any) -> int | None:
        """The number of the argument in whose memory the tensor lies, or None for memory of its own."""
        if tensor.numel() == 0:
            return None
        address = tensor.data_ptr()
        for number, memory in enumerate(self.memories):
            start = memory.data_ptr()
            if memory.numel() and start <= address < start + memory.numel() * memory.element_size():
                return number
        return None


def contiguous(value: TensorRecord) -> np.ndarray:
    """The record's elements as a contiguous NumPy array of its own."""
    size = value.memory.itemsize
    strides = tuple(step * size for step in value.strides)
    return np.lib.stride_tricks.as_strided(value.memory[value.offset :], value.shape, strides).copy()


def to_numpy(tensor: Any, library: Library) -> np.ndarray:
    """A copy of the tensor's values, through a wider dtype where NumPy lacks the tensor's own."""
    plain = tensor.detach()
    for bit, resolve in (("is_conj", "resolve_conj"), ("is_neg", "resolve_neg")):
        if hasattr(plain, bit) and getattr(plain, bit)():
            plain = getattr(plain, resolve)()
    carrier = CARRIERS.get(dtype_name(plain.dtype))
    if carrier is not None:
        plain = plain.to(getattr(library.module, carrier))
    return np.array(plain.numpy())
