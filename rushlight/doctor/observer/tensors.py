"""Attributes of tensors that are no ops: reading numbers, indexing, conversions, `.data` and `.grad`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.events import Call, Cleared
from rushlight.doctor.observer.looking import is_looking
from rushlight.doctor.places import user_line

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer

METHODS = """
    item tolist numpy __array__ __float__ __int__ __bool__ __index__ __complex__
    __getitem__ __setitem__ detach detach_ copy_ fill_ zero_ index_put_ requires_grad_ new_tensor broadcast_to
    long int short char byte bool float double half bfloat16 to type type_as cpu
    backward __deepcopy__ unsqueeze_ squeeze_ transpose_ t_ square_ abs_ true_divide_ random_ set_
""".split()
VIEWS = ("T", "mT", "H", "mH", "real", "imag", "data")
# attributes of tensors whose writing is seen elsewhere
FIELDS = {"data", "grad", "names", "real", "imag"}


def install(observer: Observer) -> None:
    """Let the observer see them, where the program uses them and not the library."""
    for name in METHODS:
        observer.patches.replace(Tensor, name, method(observer, getattr(Tensor, name)))
    for name in VIEWS:
        observer.patches.replace(Tensor, name, view(observer, name, find(name)))
    observer.patches.replace(Tensor, "grad", gradient(observer, find("grad")))
    from rushlight import autograd
    from rushlight.autograd.function import Function

    for name in ("backward", "grad"):
        observer.patches.replace(autograd, name, method(observer, getattr(autograd, name)))
    observer.patches.replace(Tensor, "__setattr__", setting(observer))
    install_constructors(observer)
    observer.patches.replace(Function, "apply", custom(observer, vars(Function)["apply"].__func__))


def install_constructors(observer: Observer) -> None:
    """`Tensor(...)`, `FloatTensor(...)` and `Variable(...)`."""
    from rushlight.autograd.variable import Variable
    from rushlight.core.creation import legacy

    observer.patches.replace(legacy, "legacy_tensor", method(observer, legacy.legacy_tensor, "Tensor"))
    observer.patches.replace(legacy.TensorType, "__call__", typed(observer, legacy.TensorType.__call__))
    observer.patches.replace(Variable, "__new__", method(observer, Variable.__new__, "Variable"))


def typed(observer: Observer, function: Callable) -> Callable:
    """`FloatTensor(...)`, each under its own name."""

    @functools.wraps(function)
    def made(cls: Any, *data: Any, **kwargs: Any) -> Any:
        if not is_looking():
            return function(cls, *data, **kwargs)
        return observer.call(named(functools.partial(function, cls), cls.__name__), data, kwargs)

    return made


def named(function: Callable, name: str) -> Callable:
    function.__name__ = name
    return function


def setting(observer: Observer) -> Callable:
    """`p.requires_grad = False`, and attributes that tensors do not have."""
    known = object.__setattr__

    def __setattr__(self: Tensor, name: str, value: Any) -> None:
        known(self, name, value)
        if name[0] != "_" and is_looking() and name not in FIELDS:
            with observer.unseen():
                observer.watch.attribute_set(self, name, value, user_line())

    return __setattr__


def find(name: str) -> Any:
    """A field of Tensor as it stands in its class."""
    return next(vars(each)[name] for each in Tensor.__mro__ if name in vars(each))


def method(observer: Observer, function: Callable, name: str = "") -> Callable:
    name = name or function.__name__
    if name != function.__name__:
        function = named(functools.partial(function), name)

    @functools.wraps(function)
    def seen(*args: Any, **kwargs: Any) -> Any:
        if not is_looking():
            if name == "backward" and not observer.awake:
                return observer.watch.glance(function, args, kwargs)
            return function(*args, **kwargs)
        if name == "__setitem__":
            return write_item(observer, function, *args)
        if name == "zero_":
            clear_gradient(observer, args[0])
        result = observer.call(function, args, kwargs)
        if name == "requires_grad_" and not result.requires_grad:
            observer.watch.lives.of_parameter(result).frozen_at = user_line()
        return result

    return seen


def write_item(observer: Observer, function: Callable, tensor: Tensor, index: Any, value: Any) -> None:
    """`x[i] = y` gives nothing back: its record is that of x from now on."""
    inputs = observer.trace.inputs_of((tensor, index, value))
    observer.run("__setitem__", function, (tensor, index, value), {})
    place = user_line()
    record = observer.trace.note("__setitem_", inputs, tensor, place)
    record.bad = next((each.bad for each in inputs if each.bad is not None), None)
    args = tensor, index, value
    observer.watch.tell_call(Call("__setitem__", function, args, {}, tensor, place, record, inputs, None))


def clear_gradient(observer: Observer, tensor: Tensor) -> None:
    """`p.grad.zero_()` clears a gradient as zero_grad does."""
    owner = observer.watch.lives.owner_of_gradient(tensor)
    if owner is not None:
        observer.watch.clear(Cleared([owner], user_line()))


def view(observer: Observer, name: str, field: Any) -> property:
    reader = field_reader(name, field)

    def read(self: Tensor) -> Any:
        if not is_looking():
            return field.__get__(self)
        found = observer.call(reader, (self,), {})
        if name == "data":
            observer.memory.data_read(self, found)
        return found

    def write(self: Tensor, value: Any) -> None:
        field.__set__(self, value)
        if is_looking() and isinstance(value, Tensor):
            place, records = user_line(), [observer.trace.of(self), observer.trace.of(value)]
            record = observer.trace.note("data_", records[1:], None, place)
            if not self.requires_grad:
                observer.trace.attach(self, record)
            if "data_" in observer.watch.names_heard:
                observer.watch.tell_call(Call("data_", reader, (self, value), {}, None, place, record, records))

    return property(read, write, doc=field.__doc__)


def field_reader(name: str, field: Any) -> Callable:
    def reader(tensor: Tensor) -> Any:
        return field.__get__(tensor)

    reader.__name__ = name
    return reader


def gradient(observer: Observer, field: Any) -> property:
    """`.grad`: reading shows which values depend on gradients; assigning None clears."""

    def read(self: Tensor) -> Any:
        found = field.__get__(self)
        if is_looking():
            observer.watch.gradient_read(self, found)
        return found

    def write(self: Tensor, value: Any) -> None:
        field.__set__(self, value)
        if is_looking() and value is None:
            observer.watch.clear(Cleared([self], user_line()))

    def delete(self: Tensor) -> None:
        field.__delete__(self)
        if is_looking():
            observer.watch.clear(Cleared([self], user_line()))

    return property(read, write, delete, doc=field.__doc__)


def custom(observer: Observer, function: Callable) -> classmethod:
    """A program's own autograd.Function is one call, named after its class."""

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        if not is_looking():
            return function(cls, *args, **kwargs)

        def run(*args: Any, **kwargs: Any) -> Any:
            return function(cls, *args, **kwargs)

        run.__name__ = cls.__name__
        return observer.call(run, args, kwargs)

    return classmethod(apply)
