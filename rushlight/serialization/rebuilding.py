"""Rebuilding: the functions that files name, which make tensors of storages, sizes and strides.

The same ones serve trusted files and others, so they believe nothing: a tensor never reaches beyond its storage, and
no attribute of a file takes the place of a field.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.creation.creation import from_numpy
from rushlight.core.memory import layout as layouts
from rushlight.core.memory.deferred import CONJUGATE, NEGATIVE, deferred
from rushlight.core.memory.public_storage import UntypedStorage
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import as_kind, memory_extent, strided
from rushlight.core.memory.typed_storage import TypedStorage
from rushlight.core.numbers import dtypes
from rushlight.core.object.fields import NAMES
from rushlight.core.object.tensor import Tensor, require_differentiable, wrap

if TYPE_CHECKING:
    from rushlight.nn.parameter import Parameter

FIELDS = frozenset(NAMES)
# bits of a tensor, by their names in files
FLIPS = {"conj": CONJUGATE, "neg": NEGATIVE}


def _rebuild_tensor(storage: TypedStorage, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor over a storage, of its dtype."""
    if not isinstance(storage, TypedStorage):
        raise TypeError(f"a tensor is made over a typed storage, not over a {type(storage).__name__}")
    return over(storage.untyped(), storage.dtype, storage_offset, size, stride)


def over(storage: UntypedStorage, kind: dtypes.dtype, offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor over a storage, all of which lies in it."""
    numbers = (*size, *stride, offset)
    if len(size) != len(stride) or not all([type(each) is int for each in numbers]):
        raise TypeError("a tensor has as many strides as sizes, and all of them are integers")
    if numbers and not 0 <= min(numbers) <= max(numbers) < 2**62:
        raise RuntimeError(f"sizes {list(size)}, strides {list(stride)} and offset {offset} are no tensor's")
    block, wanted = storage._block, kind.numpy
    memory = block if block.dtype == wanted else as_kind(block, wanted)
    needed = 0 if 0 in size else 1 + offset + sum((many - 1) * step for many, step in zip(size, stride, strict=True))
    if needed > memory_extent(memory):
        raise RuntimeError(
            f"Trying to resize storage that is not resizable: sizes {list(size)}, strides {list(stride)} and offset "
            f"{offset} need {needed} elements, and the storage has {memory_extent(memory)}"
        )
    try:
        made = wrap(strided(memory, tuple(size), tuple(stride), offset))
    except ValueError as error:
        raise RuntimeError(f"sizes {list(size)} are no tensor's here: {error}") from None
    made._storage = Storage(block)
    return made


def _rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """A tensor over a storage, with its flags; hooks are not saved."""
    return with_flags(_rebuild_tensor(storage, storage_offset, size, stride), requires_grad, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: dtypes.dtype,
    metadata: Any = None,
) -> Tensor:
    """A tensor over bytes, of a dtype that has no kind of storage."""
    if not isinstance(storage, (TypedStorage, UntypedStorage)):
        raise TypeError(f"a tensor is made over a storage, not over a {type(storage).__name__}")
    made = over(storage.untyped(), checked_dtype(dtype), storage_offset, size, stride)
    return with_flags(made, requires_grad, metadata)


def checked_dtype(kind: Any) -> dtypes.dtype:
    if not isinstance(kind, dtypes.dtype):
        raise TypeError(f"expected a dtype, not a {type(kind).__name__}")
    return kind


def with_flags(tensor: Tensor, requires_grad: bool, metadata: Any) -> Tensor:
    if metadata:
        if type(metadata) is not dict:
            raise TypeError(f"the bits of a tensor stand in a dict, not in a {type(metadata).__name__}")
        flips = sum(bit for name, bit in FLIPS.items() if metadata.get(name))
        tensor._array = deferred(tensor._array, flips)
    if requires_grad:
        require_differentiable(tensor._array.dtype)
        tensor._requires_grad = True
    return tensor


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    """A parameter on the memory of a tensor."""
    from rushlight.nn.parameter import Parameter

    if not isinstance(data, Tensor):
        raise TypeError(f"a parameter is made of a tensor, not of a {type(data).__name__}")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Parameter:
    """A parameter with attributes that somebody gave it."""
    return set_attributes(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Tensor:
    """A tensor of a subclass, or with attributes that somebody gave it."""
    made = func(*args)
    if not isinstance(made, Tensor) or not (isinstance(new_type, type) and issubclass(new_type, Tensor)):
        raise TypeError(f"{new_type!r} is no class of tensors")
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    # a subclass may know better what to do with its attributes
    if new_type.__setstate__ is not Tensor.__setstate__ and state is not None:
        made.__setstate__(state)
        return made
    return set_attributes(made, state)


def set_attributes(made: Any, state: Any) -> Any:
    """Give a tensor the attributes of a file: what somebody put there, never its fields."""
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    for name, value in {**(state or {}), **(slots or {})}.items():
        if type(name) is not str or name in FIELDS or (name.startswith("__") and name.endswith("__")):
            shown = repr(name[:100]) if type(name) is str else type(name).__name__
            raise TypeError(f"{shown} cannot be an attribute of a tensor in a file")
        if slots is not None and name in slots:
            setattr(made, name, value)
        else:
            made.__dict__[name] = value
    return made


def _rebuild_device_tensor_from_numpy(data: np.ndarray, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """A tensor of an array, as files hold those of other devices."""
    return from_numpy(data).to(checked_dtype(dtype)).requires_grad_(requires_grad)


def _rebuild_device_tensor_from_cpu_tensor(data: Tensor, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """A tensor that was on another device."""
    if not isinstance(data, Tensor):
        raise TypeError(f"expected a tensor, not a {type(data).__name__}")
    return data.to(checked_dtype(dtype)).requires_grad_(requires_grad)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    """A tensor without memory."""
    from rushlight.core.creation.filled import empty_strided

    made = empty_strided(size, stride, dtype=dtype, device="meta")
    return made.requires_grad_(requires_grad)


def refused(kind: str, instead: str) -> Any:
    def refuse(*args: Any) -> Any:
        raise RuntimeError(f"the file holds a {kind}, which Rushlight has none of: {instead}")

    return refuse


_rebuild_sparse_tensor = refused("sparse tensor", "save tensor.to_dense() from torch")
_rebuild_nested_tensor = refused("nested tensor", "save tensor.to_padded_tensor(0) and the lengths from torch")
_rebuild_qtensor = refused("quantized tensor", "save tensor.dequantize() from torch")
_rebuild_wrapper_subclass = refused("tensor of a wrapping class", "save the tensors inside of it")


def _get_layout(name: str) -> layouts.layout:
    """The layout of a name such as 'torch.strided'."""
    found = getattr(layouts, name.removeprefix("torch."), None) if type(name) is str else None
    if not isinstance(found, layouts.layout):
        raise RuntimeError("the file names a layout that Rushlight has not: tensors are strided")
    return found


def state_of(tensor: Tensor) -> Any:
    """The attributes that somebody gave a tensor, as files hold them; None if there are none."""
    own = dict(tensor.__dict__)
    slots = {}
    for kind in type(tensor).__mro__:
        if kind is not Tensor and issubclass(kind, Tensor):
            names = kind.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                if hasattr(tensor, name):
                    slots[name] = getattr(tensor, name)
    if slots:
        return own, slots
    return own or None


def no_hooks() -> OrderedDict:
    return OrderedDict()
