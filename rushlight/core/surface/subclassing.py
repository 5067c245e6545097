"""Subclassing: attributes and methods of a tensor's subclass that its `__torch_function__` has a word in.

Ops ask for themselves. What else Tensor has is put on the subclass in a form that asks, so that plain tensors pay
nothing for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, GetSetDescriptorType, MethodDescriptorType
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
            found[name] = asking_field(value)
        elif isinstance(value, (FunctionType, MethodDescriptorType)) or type(value).__name__ == "wrapper_descriptor":
            found[name] = asking_method(getattr(Tensor, name))
        elif type(value).__name__ == "Shortcut":
            overridable(value)
    return found


def asking_field(field: Any) -> property:
    """A property that asks before it reads, writes or deletes the field of Tensor."""

    def read(self: Any) -> Any:
        found = NotImplemented if state.no_overrides else divert(field.__get__, (self,), {})
        return field.__get__(self) if found is NotImplemented else found

    def write(self: Any, value: Any) -> None:
        if state.no_overrides or divert(field.__set__, (self, value), {}) is NotImplemented:
            field.__set__(self, value)

    def delete(self: Any) -> None:
        if state.no_overrides or divert(field.__delete__, (self,), {}) is NotImplemented:
            field.__delete__(self)

    return property(read, write, delete, field.__doc__)


def asking_method(function: Callable) -> Callable:
    """A method that asks before it runs the one of Tensor."""

    @functools.wraps(function)
    def asked(*args: Any, **kwargs: Any) -> Any:
        found = NotImplemented if state.no_overrides else divert(function, args, kwargs)
        return function(*args, **kwargs) if found is NotImplemented else found

    return asked
