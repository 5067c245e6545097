"""Lifted arrays: what a tensor holds that takes part in a function transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.native import extension

ndarray = np.ndarray


class Lifted(ndarray):
    """An array with the shape, dtype and strides that users see, around the tensor of the level below.

    Nobody computes with it: the caller hands a call with a lifted tensor to its level. Native code does not know
    the class and leaves the work to Python.
    """

    # `origin`: for a part of a lifted array, which holds no tensor, the level of what it was taken from
    # `whole`: for a view in a level that records nothing, the tensor of that level that it is a view of
    __slots__ = ("aside", "inner", "level", "origin", "whole")
    level: Any
    inner: Any
    aside: Any
    origin: Any
    whole: Any

    def __array_finalize__(self, source: Any) -> None:
        if type(source) is Lifted:
            self.level = self.inner = self.aside = self.whole = None
            self.origin = source.level or source.origin

    def read(self) -> ndarray:
        """The elements, for Python or NumPy; refused where they stand for those of many samples."""
        if self.level is not None:
            return self.level.exported(self.inner)._array
        if not self.origin.outlived:
            self.origin.exported(None)
        return self.view(ndarray)

    def copy(self, order: Any = "C") -> Any:
        return lift(self.level, self.inner.clone(), None if self.aside is None else self.aside.clone())

    def __getitem__(self, index: Any) -> Any:
        return self.read()[index]

    def item(self, *args: Any) -> Any:
        return self.read().item(*args) if self.level is None else self.level.element(self.inner)

    def tolist(self) -> Any:
        return self.read().tolist()

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> ndarray:
        return self.read().astype(dtype, *args, **kwargs)

    def __array_ufunc__(self, ufunc: Any, method: Any, *inputs: Any, **options: Any) -> Any:
        if any([type(each) is Lifted for each in options.get("out", ())]):
            raise not_written()
        return getattr(ufunc, method)(*read_all(inputs), **options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return func(*read_all(args), **dict(zip(kwargs, read_all(kwargs.values()), strict=True)))

    def __bool__(self) -> bool:
        return bool(self.read() if self.level is None else self.level.truth(self.inner))

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        return int(self.item())

    def fill(self, value: Any) -> None:
        """Write one number over every element, of every sample."""
        self.level.fill(self, value.item() if isinstance(value, (ndarray, np.generic)) else value)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise not_written()


def lift(level: Any, inner: Any, aside: Any = None) -> ndarray:
    """The array of a tensor around `inner`, which has the same elements."""
    found = inner._array.view(Lifted)
    found.level, found.inner, found.aside, found.whole = level, inner, aside, None
    return found


def lift_first(level: Any, inner: Any) -> ndarray:
    """The array of a tensor around `inner`, which has one more dimension in front."""
    array = inner._array
    if array.shape[0]:
        found = array.view(ndarray)[0, ...].view(Lifted)
    else:
        found = np.empty(array.shape[1:], array.dtype).view(Lifted)
    found.level, found.inner, found.aside, found.whole = level, inner, None, None
    return found


if extension is not None:
    extension.set_lifted_class(Lifted)
    lift, lift_first = extension.lift, extension.lift_first


def not_written() -> TypeError:
    return TypeError("a tensor inside a function transform is written to by its own operations only")


def read_all(values: Any) -> list:
    """Lifted arrays as the plain ones that they stand for, also in tuples and lists; a refusal for those of a batch."""
    return [
        type(each)(read_all(each)) if type(each) in (tuple, list) else each.read() if type(each) is Lifted else each
        for each in values
    ]
