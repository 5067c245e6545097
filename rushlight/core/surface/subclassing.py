"""Subclassing: attributes and methods of a tensor's subclass that its `__torch_function__` has a word in.

Ops ask for themselves. What else Tensor has is put on the subclass in a form that asks, so that plain tensors pay
nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, GetSetDescriptorType, MethodDescriptorType, MethodType
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import divert, overridable

SPECIAL = (
    "__len__ __getitem__ __setitem__ __float__ __int__ __bool__ __index__ __complex__ __contains__ __reversed__ "
    "__array__ __repr__ __format__ __deepcopy__ __reduce_ex__ __invert__ __dlpack__ "
    "__dlpack_device__ __setstate__ _version"
).split()
# torch does not ask for these
SILENT = {"as_subclass", "ndimension", "nelement", "volatile"}


def prepare(cls: type) -> None:
    """Give a new subclass of Tensor the attributes that ask, where it has none of its own."""
    for name, form in asking().items():
        if inherits(cls, name):
            setattr(cls, name, form)


ABSENT = object()
# how many modes are entered, in all threads, and what stood on Tensor before
entered = 0
plain: dict[str, Any] = {}


def show_to_modes(change: int) -> None:
    """Count a mode that was entered (1) or left (-1): as long as there is one, Tensor itself has the forms that ask."""
    global entered
    entered += change
    if entered == 1 and change == 1:
        for name, form in asking().items():
            plain[name] = vars(Tensor).get(name, ABSENT)
            setattr(Tensor, name, form)
    elif not entered:
        for name, before in plain.items():
            if before is ABSENT:
                delattr(Tensor, name)
            else:
                setattr(Tensor, name, before)
        plain.clear()


def inherits(cls: type, name: str) -> bool:
    """Whether a subclass has an attribute from Tensor itself."""
    for each in cls.__mro__:
        if name in vars(each):
            return issubclass(Tensor, each)
    return False


@functools.cache
def asking() -> dict[str, Any]:
    """The attributes of Tensor in a form that asks, by name."""
    from rushlight.ops.machine.late_names import METHODS

    found: dict[str, Any] = {}
    own = {name: value for each in reversed(Tensor.__mro__[:-1]) for name, value in vars(each).items()}
    for name, value in own.items():
        if (name.startswith("_") and name not in SPECIAL) or name in SILENT or name in METHODS:
            continue
        if isinstance(value, (property, GetSetDescriptorType)):
            found[name] = AskingField(value)
        elif isinstance(value, (FunctionType, MethodDescriptorType)) or type(value).__name__ == "wrapper_descriptor":
            found[name] = AskingMethod(getattr(Tensor, name))
        elif type(value).__name__ == "Shortcut":
            overridable(value)
    return found


class AskingField:
    """A field of Tensor that asks before it is read, written or deleted; the class itself shows the plain one."""

    def __init__(self, field: Any):
        self.field = field
        self.__doc__ = field.__doc__

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        if tensor is None:
            return self.field
        found = NotImplemented if state.no_overrides else divert(self.field.__get__, (tensor,), {})
        return self.field.__get__(tensor) if found is NotImplemented else found

    def __set__(self, tensor: Any, value: Any) -> None:
        if state.no_overrides or divert(self.field.__set__, (tensor, value), {}) is NotImplemented:
            self.field.__set__(tensor, value)

    def __delete__(self, tensor: Any) -> None:
        if state.no_overrides or divert(self.field.__delete__, (tensor,), {}) is NotImplemented:
            self.field.__delete__(tensor)


class AskingMethod:
    """A method that asks before it runs the one of Tensor, which is what the class itself shows."""

    def __init__(self, function: Callable):
        self.function = function

        @functools.wraps(function)
        def asked(*args: Any, **kwargs: Any) -> Any:
            found = NotImplemented if state.no_overrides else divert(function, args, kwargs)
            return function(*args, **kwargs) if found is NotImplemented else found

        self.asked = asked

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        return self.function if tensor is None else MethodType(self.asked, tensor)
