"""The storages of tensors: methods that show the memory which a tensor shares with its views."""

from __future__ import annotations

import rushlight
from rushlight.core.object.tensor import Tensor, attribute, method, storage_of

# loaded when somebody asks for a storage, which few programs do: 3 ms


@method
def untyped_storage(self: Tensor) -> rushlight.UntypedStorage:
    """The memory that the tensor shares with its views, as bytes.

    >>> x = torch.zeros(4)
    >>> x.untyped_storage().nbytes(), x[2:].untyped_storage().nbytes()
    (16, 16)
    """
    from rushlight.core.memory.public_storage import untyped_of

    return untyped_of(storage_of(self))


@method
def storage(self: Tensor) -> rushlight.TypedStorage:
    """The memory that the tensor shares with its views, as numbers of its dtype.

    >>> torch.tensor([1.0, 2.0]).storage().tolist()
    [1.0, 2.0]
    """
    from rushlight.core.memory.typed_storage import TypedStorage

    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype)


attribute("_typed_storage", storage)


@method
def storage_type(self: Tensor) -> type:
    """The kind of its storage, such as `torch.FloatStorage`.

    >>> torch.zeros(2).storage_type()
    <class 'torch.FloatStorage'>
    """
    from rushlight.core.memory.typed_storage import KINDS, TypedStorage

    return KINDS.get(self.dtype, TypedStorage)
