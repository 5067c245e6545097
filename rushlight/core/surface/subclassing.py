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
from rushlight.core.surface.overriding import divert, has_word, modes, overridable

SPECIAL = (
    "__len__ __getitem__ __setitem__ __float__ __int__ __bool__ __index__ __complex__ __contains__ __reversed__ "
    "__array__ __repr__ __format__ __deepcopy__ __reduce_ex__ __invert__ __dlpack__ "
    "__dlpack_device__ __setstate__ _version"
).split()
# torch does not ask for these
SILENT = {"as_subclass", "ndimension", "nelement", "volatile"}
# the operators that a mode sees by their own names; for the others it sees the method behind them, `add` for `+`
OPERATORS = (
    "__eq__ __and__ __or__ __xor__ __iand__ __ior__ __ixor__ __lshift__ __rshift__ __ilshift__ __irshift__ "
    "__rlshift__ __rrshift__ __rsub__ __floordiv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__"
).split()


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
        for name, form in {**asking(), **asking_operators()}.items():
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


@functools.cache
def asking_operators() -> dict[str, Any]:
    """The operators of Tensor in a form that asks a mode, by name; subclasses are asked by the operators themselves."""
    return {name: AskingOperator(getattr(Tensor, name)) for name in OPERATORS} | {"__iter__": iterate}


def iterate(tensor: Tensor) -> Any:
    """The rows of a tensor, by the calls that a mode sees for them in torch."""
    return TENSOR_ITER(tensor) if tensor.dim() == 0 else iter(tensor.unbind(0))


TENSOR_ITER = Tensor.__iter__


class Again:
    """A function of Tensor as a mode gets it that is not the last to be asked: it asks the others when it is called.

    It equals the function itself and hashes like it, so that tables of functions find it.
    """

    __slots__ = ("asking", "function")

    def __init__(self, function: Callable, asking: Callable):
        self.function, self.asking = function, asking

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.asking(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return self.function == (other.function if type(other) is Again else other)

    def __hash__(self) -> int:
        return hash(self.function)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)


def asked(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What modes, or the classes of arguments, make of a function that does not ask by itself."""
    if state.no_overrides:
        return function(*args, **kwargs)
    others = len(modes.stack) > 1 or (modes.stack and has_word(*args))
    shown = Again(function, lambda *args, **kwargs: asked(function, args, kwargs)) if others else function
    found = divert(shown, args, kwargs)
    return function(*args, **kwargs) if found is NotImplemented else found


class AskingField:
    """A field of Tensor that asks before it is read, written or deleted; the class itself shows the plain one."""

    def __init__(self, field: Any):
        self.field = field
        self.__doc__ = field.__doc__

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        return self.field if tensor is None else asked(self.field.__get__, (tensor,), {})

    def __set__(self, tensor: Any, value: Any) -> None:
        asked(self.field.__set__, (tensor, value), {})

    def __delete__(self, tensor: Any) -> None:
        asked(self.field.__delete__, (tensor,), {})


class AskingMethod:
    """A method that asks before it runs the one of Tensor, which is what the class itself shows."""

    def __init__(self, function: Callable):
        self.function = function

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return asked(function, args, kwargs)

        self.call = call

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        return self.function if tensor is None else MethodType(self.call, tensor)


class AskingOperator(AskingMethod):
    """An operator that asks; where nobody knows the other operand, Python asks that one."""

    def __init__(self, function: Callable):
        super().__init__(function)

        @functools.wraps(function)
        def call(tensor: Tensor, other: Any) -> Any:
            try:
                return asked(function, (tensor, other), {})
            except TypeError:
                return NotImplemented

        self.call = call
