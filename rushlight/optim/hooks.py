"""Hooks of optimizers: around a step, around checkpoints, of one optimizer or of all."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable
from itertools import chain
from typing import Any

from rushlight.autograd.handles import RemovableHandle, add
from rushlight.native import extension, shortcut

# hooks of all optimizers
_global_optimizer_pre_hooks: OrderedDict = OrderedDict()
_global_optimizer_post_hooks: OrderedDict = OrderedDict()
if extension is not None:
    extension.connect_hooks(_global_optimizer_pre_hooks, _global_optimizer_post_hooks)


class Hooks:
    """The part of an optimizer that keeps its hooks."""

    def _prepare_hooks(self) -> None:
        self._optimizer_step_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict = OrderedDict()
        self._optimizer_state_dict_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_state_dict_post_hooks: OrderedDict = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_load_state_dict_post_hooks: OrderedDict = OrderedDict()

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return new `(args, kwargs)`."""
        return add(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return add(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before `state_dict`."""
        return placed(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after `state_dict`; it may return another one."""
        return placed(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before `load_state_dict`; it may return another one."""
        return placed(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after `load_state_dict`."""
        return placed(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def placed(hooks: OrderedDict, hook: Callable, first: bool) -> RemovableHandle:
    """Add a hook after the others, or before them."""
    handle = add(hooks, hook)
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


def hooked(step: Callable) -> Callable:
    """A step with the hooks around it."""

    @functools.wraps(step)
    def call(self: Hooks, *args: Any, **kwargs: Any) -> Any:
        given = (self, *args)
        for hook in chain(_global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
            changed = hook(self, given, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}: this "
                        "is what a hook before the step returned"
                    )
                given, kwargs = changed
        result = step(*given, **kwargs)
        # a list: a hook may take itself away
        for hook in [*self._optimizer_step_post_hooks.values(), *_global_optimizer_post_hooks.values()]:
            hook(self, given, kwargs)
        return result

    call.hooked = True  # type: ignore[attr-defined]
    # the native way is that of the step all methods share
    return shortcut(call) if step.__module__ == "rushlight.optim.optimizer" else call


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of any optimizer."""
    return add(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of any optimizer."""
    return add(_global_optimizer_post_hooks, hook)
