"""Grad modes: the lines of the `no_grad` and `inference_mode` that are on, and seeds."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.autograd import modes as grad_modes
from rushlight.doctor.events import Restored, Seeded
from rushlight.doctor.places import line_of_asking, user_line
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer


def install(observer: Observer) -> None:
    replace = observer.patches.replace
    for kind in (grad_modes.no_grad, grad_modes.inference_mode):
        replace(kind, "__enter__", entering(observer, kind.__name__, kind.__enter__))
        replace(kind, "__exit__", leaving(observer, kind.__name__, kind.__exit__))
    switch = grad_modes.set_grad_enabled
    replace(switch, "__init__", switching(observer, switch.__init__))
    replace(switch, "__exit__", leaving(observer, "set_grad_enabled", switch.__exit__))
    import rushlight
    import rushlight.random

    seeding = seeded(observer, rushlight.manual_seed)
    replace(rushlight, "manual_seed", seeding)
    replace(rushlight.random, "manual_seed", seeding)
    replace(rushlight.random, "set_state", restored(observer, rushlight.random.set_state))


def entering(observer: Observer, name: str, function: Callable) -> Callable:
    @functools.wraps(function)
    def entered(self: Any) -> Any:
        result = function(self)
        observer.trace.blocks.append((name, line_of_mode()))
        return result

    return entered


def line_of_mode() -> Location | None:
    """The line of a `with`, or of the function that is decorated."""
    frame: Any = sys._getframe(2)
    if frame.f_code.co_name == "inside" and "function" in frame.f_locals:
        code = getattr(frame.f_locals["function"], "__code__", None)
        return None if code is None else (code, -1)
    return user_line()


def leaving(observer: Observer, name: str, function: Callable) -> Callable:
    @functools.wraps(function)
    def left(self: Any, *exception: Any) -> Any:
        blocks = observer.trace.blocks
        if blocks and blocks[-1][0] == name:
            blocks.pop()
        return function(self, *exception)

    return left


def switching(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def switched(self: Any, mode: bool) -> None:
        function(self, mode)
        blocks = observer.trace.blocks
        if not mode:
            blocks.append(("set_grad_enabled", user_line()))
        else:
            blocks[:] = [each for each in blocks if each[0] != "set_grad_enabled"]

    return switched


def seeded(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def manual_seed(seed: int) -> Any:
        result = function(seed)
        observer.watch.tell(Seeded(int(seed), line_of_asking()))
        return result

    return manual_seed


def restored(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def set_state(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        observer.watch.tell(Restored(user_line()))
        return result

    return set_state
