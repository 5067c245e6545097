"""Buffers: the memory of a tensor as MPI reads and writes it, without a copy where its elements lie in a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.meta import Meta
from rushlight.core.object.tensor import Tensor
from rushlight.distributed import mpi

# MPI's name for elements of each dtype; what it has no name for travels as 16 bits
MPI_TYPES = {
    "bool": "C_BOOL",
    "uint8": "UINT8_T",
    "int8": "INT8_T",
    "int16": "INT16_T",
    "int32": "INT32_T",
    "int64": "INT64_T",
    "uint16": "UINT16_T",
    "uint32": "UINT32_T",
    "uint64": "UINT64_T",
    "float16": "UINT16_T",
    "bfloat16": "UINT16_T",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "complex64": "C_FLOAT_COMPLEX",
    "complex128": "C_DOUBLE_COMPLEX",
}

# MPI's datatypes by NumPy's, found when first asked for
known: dict[np.dtype, Any] = {}
BITS = np.dtype(np.uint16)
ndarray = np.ndarray


def array_of(tensor: Tensor) -> np.ndarray:
    """The tensor's elements as a plain array; of a conjugate or negative view a copy."""
    array = tensor._array
    if type(array) is ndarray:
        return array
    if type(array) is Meta:
        raise RuntimeError("torch.distributed: a tensor on device 'meta' has no elements to send")
    return resolved(array)


def in_a_row(array: np.ndarray) -> np.ndarray:
    """The same elements one after the other: the array itself, or a copy of it."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def datatype(kind: np.dtype) -> Any:
    """MPI's datatype for elements of a dtype."""
    try:
        return known[kind]
    except KeyError:
        found = known[kind] = getattr(mpi.load(), MPI_TYPES[kind.name])
        return found


def message(array: np.ndarray) -> tuple:
    """What mpi4py sends or fills: the memory of an array whose elements lie in a row, and the name of their kind."""
    kind = array.dtype
    found = known.get(kind)
    if found is None:
        found = datatype(kind)
    if kind.itemsize == 2:
        array = array.view(BITS)
    return array, found


def writes_to(tensor: Tensor, array: np.ndarray) -> bool:
    """Whether what MPI puts into this array is in the tensor at once; else it has to be written there."""
    return array is tensor._array


def write(tensor: Tensor, array: np.ndarray) -> None:
    """Put the elements of a copy back into the tensor's memory, whatever their layout."""
    tensor._array[...] = array.reshape(tensor._array.shape)
