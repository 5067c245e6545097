"""Handles: what registering a hook gives back, to remove it again."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from weakref import ref


class RemovableHandle:
    """Removes a hook again; also a context manager. It does not keep the hooks alive."""

    numbers = itertools.count()

    def __init__(self, hooks_dict: dict, *, extra_dict: Any = None):
        self.hooks_dict_ref = reference(hooks_dict)
        self.id = next(self.numbers)
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        # the dictionaries that say of some hooks what else they want
        self.extra_dict_ref = tuple([reference(each) for each in extra])

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        for each in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = each()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple:
        return self.hooks_dict_ref(), self.id, tuple([each() for each in self.extra_dict_ref])

    def __setstate__(self, state: tuple) -> None:
        # hooks that are gone are none
        self.hooks_dict_ref = reference({} if state[0] is None else state[0])
        self.id = state[1]
        self.extra_dict_ref = tuple([reference({} if each is None else each) for each in state[2]])

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def reference(hooks: dict) -> Callable[[], dict | None]:
    """A weak reference to a dictionary, or a strong one to a plain dict, of which there is no other."""
    return (lambda: hooks) if type(hooks) is dict else ref(hooks)


def add(hooks: dict, hook: Callable, *, marked: tuple[dict, ...] = ()) -> RemovableHandle:
    """Put a hook among others, and its number into the dictionaries that say what else it wants."""
    if not callable(hook):
        raise TypeError(f"a hook must be callable, not {type(hook).__name__}")
    handle = RemovableHandle(hooks, extra_dict=list(marked))
    hooks[handle.id] = hook
    for each in marked:
        each[handle.id] = True
    return handle
