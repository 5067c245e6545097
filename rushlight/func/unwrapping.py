"""Unwrapping: what a tensor inside of a transform holds, for looking at it."""

from __future__ import annotations

from rushlight.core.memory.lifted import Lifted
from rushlight.core.object.tensor import Tensor


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor below a transform, such as the whole batch inside of `vmap`; only to look at.

    >>> def show(x):
    ...     print(torch.func.debug_unwrap(x))
    ...     return x
    >>> _ = torch.vmap(show)(torch.arange(3))
    tensor([0, 1, 2])
    """
    array = tensor._array
    if type(array) is not Lifted:
        return tensor
    return debug_unwrap(array.inner) if recurse else array.inner


__all__ = ["debug_unwrap"]
