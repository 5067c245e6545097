"""Creation: tensors from numbers, lists and arrays, and tensors of a given shape."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from rushlight.core import dtypes
from rushlight.core.device import check_device
from rushlight.core.location import user_line
from rushlight.core.tensor import Tensor, new, require_differentiable


def finish(array: np.ndarray, device: Any, requires_grad: bool) -> Tensor:
    """A leaf around the array, which remembers the user's line."""
    if device is not None:
        check_device(device)
    made = new(Tensor)
    made._array = array
    made._created = user_line()
    if requires_grad:
        require_differentiable(array.dtype)
        made._requires_grad = True
    return made


def numpy_dtype(dtype: dtypes.dtype | None) -> np.dtype:
    """The NumPy dtype to create, torch's default if none is given."""
    return (dtypes.default if dtype is None else dtype).numpy


def tensor(data: Any, *, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A new tensor with a copy of the data."""
    return finish(array_from(data, dtype), device, requires_grad)


def array_from(data: Any, dtype: dtypes.dtype | None) -> np.ndarray:
    if isinstance(data, Tensor):
        data = data._array
    if isinstance(data, (np.ndarray, np.generic)):
        return np.array(data, dtype.numpy if dtype is not None else None)
    array = np.array(data)
    if dtype is None:
        kind = array.dtype.kind
        wanted = dtypes.default.numpy if kind == "f" else dtypes.default.to_complex().numpy if kind == "c" else array.dtype
    else:
        wanted = dtype.numpy
    return array.astype(wanted)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on the same memory as the array."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.from_numpy(array.dtype)
    return finish(array, None, False)


def shape_from(size: tuple) -> tuple[int, ...]:
    if len(size) == 1 and not isinstance(size[0], (int, np.integer, Tensor)):
        size = tuple(size[0])
    return tuple([operator.index(each) for each in size])


def zeros(*size: Any, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros."""
    return finish(np.zeros(shape_from(size), numpy_dtype(dtype)), device, requires_grad)


def ones(*size: Any, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones."""
    return finish(np.ones(shape_from(size), numpy_dtype(dtype)), device, requires_grad)


def legacy_tensor(cls: type, data: tuple, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    raise NotImplementedError
