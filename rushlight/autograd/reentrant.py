"""Reentrant backwards: those that run inside the backward of another, to any depth."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rushlight.autograd import modes
from rushlight.native import extension

# so many run inside each other in one thread; then a new one goes on, with a stack of its own
DEEP = 40
SWITCHES = ("grad", "backward", "inference", "anomaly", "check_anomaly", "saved_hooks")


class Depth(threading.local):
    """How many of Python's backwards run inside each other in this thread."""

    count = 0


depth = Depth()


def is_deep() -> bool:
    """Whether a backward had better go on in another thread."""
    return depth.count + (0 if extension is None else extension.current_depth()) >= DEEP


def in_new_thread(function: Callable, *args: Any) -> Any:
    """The result of a call that another thread makes under the modes of this one."""
    state = modes.state
    switches = {name: getattr(state, name) for name in SWITCHES}
    outcome: dict[str, Any] = {}

    def call() -> None:
        for name, value in switches.items():
            setattr(modes.state, name, value)
        try:
            outcome["result"] = function(*args)
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=call, name="backward")
    thread.start()
    thread.join()
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
