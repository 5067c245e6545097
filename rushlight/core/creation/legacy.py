"""Legacy constructors: `Tensor(2, 3)`, and the types such as `FloatTensor` that say a dtype."""

from __future__ import annotations

import copyreg
from typing import Any

import numpy as np

from rushlight.core.creation.creation import copy_of, is_storage, on_storage
from rushlight.core.creation.options import allocate, checked_size, finish
from rushlight.core.memory.layout import strided
from rushlight.core.numbers import dtypes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor, method
from rushlight.core.settings.device import check_device

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


def legacy_tensor(cls: type, data: tuple, dtype: Any, device: Any, requires_grad: bool) -> Any:
    """`Tensor(...)` of the default dtype: sizes make an uninitialised tensor, data a copy of itself."""
    if dtype is not None or requires_grad:
        raise TypeError(
            "new() received an invalid combination of arguments: Tensor(...) takes no dtype and no "
            "requires_grad; write torch.tensor(data, dtype=...)"
        )
    if len(data) == 1 and isinstance(data[0], Tensor):
        made = data[0][...]  # whatever its dtype
    else:
        made = construct(data, dtypes.default, device)
    if cls is not Tensor:
        made.__class__ = cls
    return made


def construct(data: tuple, kind: dtypes.dtype, device: Any = None) -> Tensor:
    """A tensor of the given dtype from sizes or data, as the old constructors take them."""
    if device is not None:
        check_device(device)
    if not data:
        return finish(np.empty((0,), kind.numpy))
    first = data[0]
    if len(data) == 1 and not is_size(first):
        return from_data(first, kind)
    if len(data) == 1 and isinstance(first, Size):
        data = tuple(first)
    for each in data:
        if not is_size(each):
            raise TypeError(
                f"new(): argument 'size' must be tuple of ints, but found element of type {type(each).__name__}"
            )
    return finish(allocate(np.empty, checked_size(tuple(data), "new"), kind.numpy))


def is_size(value: Any) -> bool:
    if isinstance(value, Size):
        return True
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def from_data(data: Any, kind: dtypes.dtype) -> Tensor:
    if isinstance(data, Tensor):
        if data.dtype is not kind:
            raise TypeError(
                f"expected {kind.scalar} (got {data.dtype.scalar}): write tensor.to({kind!r}) to convert a tensor"
            )
        return data[...]
    if is_storage(data):
        return on_storage(data, kind)
    if isinstance(data, (bool, float, complex, np.generic, str, bytes)) or data is None:
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__}); write torch.tensor({data!r})")
    return copy_of(data, kind, None, False, "Tensor")


class TensorType(type):
    """The type of `FloatTensor` and kin: they make tensors of one dtype and know their own."""

    dtype: dtypes.dtype
    is_cuda, is_sparse, layout = False, False, strided

    def __call__(cls, *data: Any, device: Any = None) -> Tensor:
        return construct(data, cls.dtype, device)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor) and value.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


def tensor_type(kind: dtypes.dtype) -> TensorType:
    """The class whose instances are the tensors of a dtype."""
    made = TensorType(f"{kind.scalar}Tensor", (), {"__doc__": f"Tensors of {kind.name}.", "__module__": "torch"})
    made.dtype = kind
    return made


def named(name: str) -> TensorType:
    """The class of a name, for pickle: its module, `torch`, may not be there."""
    return globals()[name]


copyreg.pickle(TensorType, lambda kind: (named, (kind.__name__,)))

BoolTensor = tensor_type(dtypes.bool_)
ByteTensor = tensor_type(dtypes.uint8)
CharTensor = tensor_type(dtypes.int8)
ShortTensor = tensor_type(dtypes.int16)
IntTensor = tensor_type(dtypes.int32)
LongTensor = tensor_type(dtypes.int64)
HalfTensor = tensor_type(dtypes.float16)
BFloat16Tensor = tensor_type(dtypes.bfloat16)
FloatTensor = tensor_type(dtypes.float32)
DoubleTensor = tensor_type(dtypes.float64)


@method
def new(self: Tensor, *data: Any, device: Any = None) -> Tensor:
    """A tensor of the same dtype, from sizes or data as the old constructors take them.

    >>> torch.zeros(2, dtype=torch.int64).new([7, 8])
    tensor([7, 8])
    """
    return construct(data, self.dtype, device)
