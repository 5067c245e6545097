"""Handles: what registering a hook gives back, to remove it again."""

from __future__ import annotations

import itertools
from collections.abc import Callable


class RemovableHandle:
    """Removes a hook again; also a context manager."""

    numbers = itertools.count()

    def __init__(self, hooks: dict):
        self.hooks = hooks
        self.id = next(self.numbers)

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def add(hooks: dict, hook: Callable) -> RemovableHandle:
    """Put a hook among others."""
    if not callable(hook):
        raise TypeError(f"a hook must be callable, not {type(hook).__name__}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
