"""Overriding: who has a word in a call, by a mode or by an argument's `__torch_function__`, and asking them in turn."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from rushlight.core.settings.state import state
from rushlight.core.surface.making_names import MAKING
from rushlight.native import extension

Function = TypeVar("Function", bound=Callable)


class Modes(threading.local):
    """The modes that this thread has entered, innermost last, and below them autocast, if it is on."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        # sees what runs after all modes and arguments had their word: observer(function, args, kwargs)
        self.observer: Callable | None = None
        # chooses dtypes inside of autocast: casting(function, args, kwargs)
        self.casting: Callable | None = None


modes = Modes()


class Disabled:
    """The `__torch_function__` of classes whose objects functions treat as plain tensors; known by its identity."""

    __name__ = __qualname__ = "_disabled_torch_function_impl"

    def __call__(self, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with DisableTorchFunctionSubclass():
            return func(*args, **({} if kwargs is None else kwargs))

    def __repr__(self) -> str:
        return "<built-in function _disabled_torch_function_impl>"

    def __reduce__(self) -> str:
        return "DISABLED"


DISABLED = Disabled()


class DisableTorchFunctionSubclass:
    """Inside, arguments have no word: functions treat subclasses as plain tensors."""

    def __enter__(self) -> None:
        self.before = state.no_overrides, state.no_modes
        state.no_overrides = True

    def __exit__(self, *exception: object) -> None:
        state.no_overrides, state.no_modes = self.before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """Inside, neither arguments nor modes have a word."""

    def __enter__(self) -> None:
        super().__enter__()
        state.no_modes = True


class EnableTorchFunction(DisableTorchFunctionSubclass):
    """Inside, arguments and modes have their word again."""

    def __enter__(self) -> None:
        self.before = state.no_overrides, state.no_modes
        state.no_overrides = state.no_modes = False


def overrides(value: Any) -> bool:
    """Whether an object's class has a `__torch_function__` that is to be asked."""
    kind = type(value)
    if kind in PLAIN:
        return False
    for each in kind.__mro__:
        found = vars(each).get("__torch_function__")
        if found is not None:
            return found is not DISABLED
    return False


# kinds of which nothing has to be looked up; Tensor is added where it is defined
PLAIN: set[type] = {int, float, bool, complex, str, type(None), slice, type(...), dict, bytes}


def relevant(args: Iterable[Any]) -> list[Any]:
    """Those among the arguments that have a word, one of each class: subclasses first, then left to right."""
    asked: list[Any] = []
    for value in args:
        for each in value if type(value) in (list, tuple) else (value,):
            if overrides(each) and type(each) not in map(type, asked):
                place = next((at for at, one in enumerate(asked) if isinstance(each, type(one))), len(asked))
                asked.insert(place, each)
    return asked


def has_word(*args: Any) -> bool:
    """Whether one of the arguments, or an element of one, is to be asked."""
    return not state.no_overrides and not PLAIN.issuperset(map(type, args)) and bool(relevant(args))


# what is made of data asks the modes, but nobody in the data
MODES_ONLY = ("tensor", "as_tensor", "asarray")
# what has nobody to ask, as in torch; the doctor sees it
UNASKED = ("from_numpy", "broadcast_shapes")


def divert(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """What a mode, or somebody among the arguments, makes of a call; NotImplemented if nobody has a word."""
    # formulas ask nobody; what records inside of a backward is the user's, such as a checkpointed function
    if state.backward and not state.grad:
        return NotImplemented
    observer = modes.observer
    if observer is not None and not modes.stack and PLAIN.issuperset(map(type, args)):
        return observer(function, args, kwargs)
    if state.levels and function.__name__ in MAKING:
        from rushlight.ops.machine.transforms.making import divert_making

        found = divert_making(function, args, kwargs)
        if found is not NotImplemented:
            return found
    unasked = function.__name__ in UNASKED
    silent = state.no_overrides or unasked or function.__name__ in MODES_ONLY
    asked = [] if silent else relevant((*args, *kwargs.values()))
    if not asked and (not modes.stack or state.no_modes or unasked):
        last = observer or modes.casting
        return NotImplemented if last is None else last(function, args, kwargs)
    from rushlight.core.surface.passing import as_passed, is_written_in_python

    return ask(function, asked, *as_passed(function, args, kwargs), is_written_in_python(function))


def ask(function: Callable, asked: list[Any], args: tuple, kwargs: dict[str, Any] | None, in_python: bool) -> Any:
    """The answer of the first that has one: the innermost mode, then the arguments."""
    kinds = tuple([type(each) for each in asked])
    if modes.stack and not state.no_modes:
        mode = modes.stack.pop()
        try:
            found = mode.__torch_function__(function, kinds, args, kwargs)
        finally:
            modes.stack.append(mode)
        if found is not NotImplemented:
            return found
    for each in asked:
        # on the object: a plain method is allowed, as in torch
        found = each.__torch_function__(function, kinds, args, kwargs)
        if found is not NotImplemented:
            return found
    raise nobody_answered(function, asked, in_python)


def nobody_answered(function: Callable, asked: list[Any], in_python: bool) -> TypeError:
    from rushlight.core.surface.overridable_names import names

    name = names().get(function) or getattr(function, "__name__", "")
    if in_python:
        kinds = [type(each) for each in asked]
        return TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {kinds}")
    listed = "".join(f"\n  - tensor subclass {type(each)}" for each in asked)
    return TypeError(
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n{listed}"
    )


def overridable(function: Function) -> Function:
    """The function, where arguments and modes have their word before it runs."""
    if extension is not None:
        return extension.overridable(function)

    makes = function.__name__ in MAKING

    @functools.wraps(function, updated=())
    def asked(*args, **kwargs):
        somebody = modes.stack or modes.observer or modes.casting or (makes and state.levels)
        if somebody or kwargs or not PLAIN.issuperset(map(type, args)):
            found = divert(asked, args, kwargs)
            if found is not NotImplemented:
                return found
        return function(*args, **kwargs)

    for name in ("__signature__", "__kwdefaults__"):
        if getattr(function, name, None) is not None:
            setattr(asked, name, getattr(function, name))
    made: Any = asked
    return made


def watch_modes(change: int) -> None:
    """Count a mode that was entered (1) or left (-1)."""
    if extension is not None:
        extension.watch_modes(change)


if extension is not None:
    extension.connect(divert=divert, disabled=DISABLED, making=MAKING)
