"""Hooks: the user's functions that see, or replace, gradients on their way."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from rushlight.autograd import modes
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.core.object.tensor import Tensor, attribute, has_history, method


def output_hooks(tensor: Tensor) -> dict:
    """The hooks on a non-leaf's gradient; they live on its node."""
    node = tensor.grad_fn
    assert node is not None
    if node.tensor_hooks is None:
        node.tensor_hooks = {}
    return node.tensor_hooks.setdefault(tensor._output, {})


@method
def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """Call `hook(grad)` when this tensor's gradient is known; what it returns replaces the gradient."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        return add(output_hooks(self), hook)
    if self._hooks is None:
        self._hooks = {}
    return add(self._hooks, hook)


def hooks_of(self: Tensor) -> OrderedDict | None:
    """The hooks on this tensor's gradient by number, None if there are none."""
    hooks = self._hooks if self.grad_fn is None else (self.grad_fn.tensor_hooks or {}).get(self._output)
    found = OrderedDict([(number, hook) for number, hook in (hooks or {}).items() if number != "retain"])
    return found or None


def replace_hooks(self: Tensor, hooks: dict | None) -> None:
    if hooks is not None and not isinstance(hooks, dict):
        raise TypeError(f"_backward_hooks must be a dict or None, not {type(hooks).__name__}")
    if self.grad_fn is None:
        self._hooks = None if hooks is None else dict(hooks)
        return
    present = output_hooks(self)
    for number in [each for each in present if each != "retain"]:
        del present[number]
    present.update(hooks or {})


def refuse_to_forget(self: Tensor) -> None:
    raise RuntimeError("Deletion of _backwards_hooks not allowed! Set them to None.")


attribute("_backward_hooks", property(hooks_of, replace_hooks, refuse_to_forget))


@method
def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """Call `hook(param)` after a gradient has been added to this leaf's `.grad`."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    if self.grad_fn is not None:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_hooks is None:
        self._post_hooks = {}
    return add(self._post_hooks, hook)


@method
def retain_grad(self: Tensor) -> None:
    """Keep this non-leaf's gradient in `.grad` after backward."""
    if not self.requires_grad:
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if not has_history(self) or self._retains:
        return
    # the node must not keep the tensor alive: the tensor keeps the node
    owner = weakref.ref(self)

    def keep(grad: Tensor) -> None:
        tensor = owner()
        if tensor is not None:
            if tensor._grad is None:
                tensor._grad = grad.clone()
            else:
                tensor._grad = tensor._grad + grad

    output_hooks(self)["retain"] = keep
    self._retains = True


def follow(tensor: Tensor, before: Any, output: int) -> None:
    """After a write gave a tensor another node: a retained gradient is that of the new value; other hooks stay."""
    hooks = None if before is None or before.tensor_hooks is None else before.tensor_hooks.get(output)
    if hooks is None or "retain" not in hooks or tensor._node is None:
        return
    if tensor._node.tensor_hooks is None:
        tensor._node.tensor_hooks = {}
    tensor._node.tensor_hooks.setdefault(tensor._output, {})["retain"] = hooks.pop("retain")


class Refusal(threading.local):
    """Why this thread may not use `saved_tensors_hooks`; None if it may."""

    message: str | None = None


refusal = Refusal()


class saved_tensors_hooks:
    """Inside, saved tensors pass through `pack_hook` when saved and `unpack_hook` when used."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if not callable(self.hooks[0]) or not callable(self.hooks[1]):
            raise TypeError("_push_saved_tensors_default_hooks(): incompatible function arguments: hooks are callable")
        if refusal.message is not None:
            raise RuntimeError(refusal.message)
        modes.state.saved_hooks = (*modes.state.saved_hooks, self.hooks)

    def __exit__(self, *exception: object) -> None:
        modes.state.saved_hooks = modes.state.saved_hooks[:-1]
