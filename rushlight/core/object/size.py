"""Size: the shape of a tensor, a tuple that knows its number of elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, SupportsIndex, overload


class Size(tuple[int, ...]):
    """A tensor's shape.

    >>> torch.zeros(2, 3).shape.numel()
    6
    >>> torch.Size([2, 3]) + torch.Size([4])
    torch.Size([2, 3, 4])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable = ()) -> Size:
        return tuple.__new__(cls, [plain(place, each) for place, each in enumerate(sizes)])

    def numel(self) -> int:
        """Number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple) -> Size:
        if isinstance(other, tuple):
            return Size(tuple.__add__(self, other))
        kind = type(other).__name__
        raise TypeError(f"can only concatenate tuple (not {kind}) to torch.Size: write tuple(...) around the {kind}")

    def __mul__(self, other: SupportsIndex) -> Size:
        if not hasattr(other, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(other).__name__}'")
        return Size(tuple.__mul__(self, other))

    __rmul__ = __mul__

    def __radd__(self, other: tuple) -> Size:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __reduce__(self):
        return Size, (tuple(self),)


def plain(place: int, size: Any) -> int:
    """One size as a Python integer."""
    if type(size) is int:
        return size
    if hasattr(size, "__index__"):
        return size.__index__()
    raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(size).__name__}')")
