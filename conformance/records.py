"""Records: arguments in a form that belongs to neither library, from which each builds its own."""

import functools
import types
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from conformance.libraries import dtype_name

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip

# NumPy has no bfloat16 or complex32: a wider dtype holds their values exactly on the way through
CARRIERS = {"bfloat16": "float32", "complex32": "complex64"}

FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    functools.partial,
)


class Unrepresentable(Exception):
    """An argument that has no counterpart in the other library; its sample is skipped."""


@dataclass(frozen=True)
class TensorRecord:
    """A strided tensor: its flat memory and the way it is laid over it."""

    memory: np.ndarray
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str
    requires_grad: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the tensor is contiguous and covers its memory, so that no view is needed to build it."""
        size = int(np.prod(self.shape, dtype=np.int64))
        return self.offset == 0 and size == self.memory.size and self.strides == row_strides(self.shape)

    @property
    def is_floating(self) -> bool:
        return self.dtype.startswith(("float", "bfloat"))

    @property
    def is_complex(self) -> bool:
        return self.dtype.startswith("complex")


@dataclass(frozen=True)
class NamedRecord:
    """A constant that each library holds under the same name: a dtype, layout or memory format."""

    kind: str
    name: str


@dataclass(frozen=True)
class SizeRecord:
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class GeneratorRecord:
    seed: int


@dataclass(frozen=True)
class CallableRecord:
    """A function among the arguments, such as the distance of a loss; translated when built."""

    function: Any


@dataclass(frozen=True)
class OptionsRecord:
    """A dataclass of options that each library has in `nn`."""

    kind: str
    fields: dict[str, Any]


def record(value: Any, arrays_are_tensors: bool = False) -> Any:
    """The record of any argument; containers are followed, plain Python values stay as they are."""
    again = functools.partial(record, arrays_are_tensors=arrays_are_tensors)
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        return record_array(value) if arrays_are_tensors else value.copy()
    if isinstance(value, np.generic) or value is None or isinstance(value, bool | int | float | complex | str):
        return value
    if kind == "Size":
        return SizeRecord(tuple(value))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(again(item) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(again(item) for item in value)
    if isinstance(value, dict):
        return {key: again(item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(again(value.start), again(value.stop), again(value.step))
    if hasattr(value, "data_ptr") and hasattr(value, "requires_grad"):
        return record_tensor(value)
    if kind in NAMED and not isinstance(value, np.dtype):
        return record_named(kind, value)
    if is_dataclass(value) and hasattr(value, "__slots__"):
        return OptionsRecord(kind, {each.name: again(getattr(value, each.name)) for each in fields(value)})
    if isinstance(value, range | types.EllipsisType):
        return value
    if isinstance(value, FUNCTIONS):
        return CallableRecord(value)
    raise Unrepresentable(f"argument of type {type(value).__module__}.{kind}")


NAMED = {"dtype", "layout", "memory_format", "device", "Generator"}


def record_named(kind: str, value: Any) -> NamedRecord | GeneratorRecord:
    """The record of what each library has a class of its own for."""
    if kind == "Generator":
        return GeneratorRecord(value.initial_seed())
    if kind != "device":
        return NamedRecord(kind, dtype_name(value))
    if value.type != "cpu":
        raise Unrepresentable(f"device {value}")
    return NamedRecord("device", "cpu")


def record_tensor(tensor: Any) -> TensorRecord:
    """The record of a library's tensor, with its memory up to the last element it reaches."""
    if dtype_name(tensor.layout) != "strided":
        raise Unrepresentable(f"layout {tensor.layout}")
    if tensor.device.type != "cpu":
        raise Unrepresentable(f"device {tensor.device}")
    dtype = dtype_name(tensor.dtype)
    if dtype.startswith(("q", "float8", "float4")) or dtype in {"uint16", "uint32", "uint64"}:
        raise Unrepresentable(f"dtype {dtype}")
    if type(tensor).__name__ not in {"Tensor", "Parameter"}:
        raise Unrepresentable(f"tensor of type {type(tensor).__name__}")
    if any(name is not None for name in getattr(tensor, "names", ())):
        raise Unrepresentable("named dimensions")
    plain = tensor.detach().resolve_conj().resolve_neg()
    shape, strides, offset = tuple(plain.shape), tuple(plain.stride()), int(plain.storage_offset())
    reach = 0 if 0 in shape else offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    flat = plain.as_strided((reach,), (1,), 0)
    if dtype in CARRIERS:
        flat = flat.cfloat() if dtype == "complex32" else flat.float()
    offset = offset if reach else 0
    return TensorRecord(np.array(flat.numpy()), shape, strides, offset, dtype, bool(tensor.requires_grad))


def row_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor, in elements, as torch gives them for empty ones too."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def record_array(array: np.ndarray) -> TensorRecord:
    """The record of a NumPy array that stands for a tensor, non-contiguous ones included."""
    dtype = array.dtype.name
    if dtype == "bfloat16":
        array = array.astype(np.float32)
    if any(step < 0 or step % array.itemsize for step in array.strides):
        array = array.copy()
    if array.size == 0:
        return TensorRecord(array.reshape(-1), array.shape, row_strides(array.shape), 0, dtype)
    strides = tuple(step // array.itemsize for step in array.strides)
    reach = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    memory = np.lib.stride_tricks.as_strided(array, (reach,), (array.itemsize,)).copy()
    return TensorRecord(memory, array.shape, strides, 0, dtype)


def tensors_in(value: Any) -> list[TensorRecord]:
    """The tensor records inside a record, in the order in which a Builder meets them."""
    if isinstance(value, TensorRecord):
        return [value]
    if isinstance(value, dict):
        return [found for item in value.values() for found in tensors_in(item)]
    if isinstance(value, list | tuple):
        return [found for item in value for found in tensors_in(item)]
    if isinstance(value, slice):
        return tensors_in((value.start, value.stop, value.step))
    return []


def map_tensors(value: Any, change: Any) -> Any:
    """The same record with `change` applied to each tensor record inside it."""
    if isinstance(value, TensorRecord):
        return change(value)
    if isinstance(value, dict):
        return {key: map_tensors(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(map_tensors(item, change) for item in value))
    if isinstance(value, list | tuple):
        return type(value)(map_tensors(item, change) for item in value)
    if isinstance(value, slice):
        parts = (map_tensors(part, change) for part in (value.start, value.stop, value.step))
        return slice(*parts)
    return value


def without_grad(value: Any) -> Any:
    return map_tensors(value, lambda tensor: replace(tensor, requires_grad=False))


def interleaved(value: Any) -> Any:
    """The same tensors with gaps between their elements, so that none of them is contiguous."""
    return map_tensors(value, interleave)


def interleave(tensor: TensorRecord) -> TensorRecord:
    memory = np.zeros(2 * tensor.memory.size, tensor.memory.dtype)
    memory[::2] = tensor.memory
    strides = tuple(2 * step for step in tensor.strides)
    return replace(tensor, memory=memory, strides=strides, offset=2 * tensor.offset)


def describe(value: Any) -> str:
    """A short text for reports: tensors by dtype and shape, everything else as Python writes it."""
    if isinstance(value, TensorRecord):
        note = "" if value.is_plain else f", strides {list(value.strides)}"
        return f"{value.dtype}{list(value.shape)}{note}"
    if isinstance(value, dict):
        return ", ".join(f"{key}={describe(item)}" for key, item in value.items())
    if isinstance(value, list):
        return f"[{', '.join(map(describe, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(describe, value))})"
    if isinstance(value, NamedRecord):
        return value.name
    if isinstance(value, SizeRecord):
        return f"Size{list(value.lengths)}"
    if isinstance(value, CallableRecord):
        return getattr(value.function, "__name__", type(value.function).__name__)
    return repr(value)
