"""Hooks: the user's functions that see, or replace, gradients on their way."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from rushlight.autograd import modes
from rushlight.autograd.graph import AccumulateGrad, Node
from rushlight.core.tensor import Tensor, method


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
    if not callable(hook):
        raise TypeError(f"a hook must be callable, not {type(hook).__name__}")
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


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
    if self.grad_fn is None or self._retains:
        return
    # the node must not keep the tensor alive: the tensor keeps the node
    owner = weakref.ref(self)

    def keep(grad: Tensor) -> None:
        tensor = owner()
        if tensor is not None:
            if tensor._grad is None:
                tensor._grad = grad if modes.state.grad else grad.clone()
            else:
                tensor._grad = tensor._grad + grad

    output_hooks(self)["retain"] = keep
    self._retains = True


def retains_grad(self: Tensor) -> bool:
    """Whether this non-leaf keeps its gradient."""
    return self._retains


Tensor.retains_grad = property(retains_grad)


def keep_alive(node: Node) -> None:
    """A leaf's accumulator is made on demand: once it has hooks its leaf must hold it."""
    if isinstance(node, AccumulateGrad):
        node.variable._accumulate = lambda: node


def register_node_hook(self: Node, hook: Callable[[tuple, tuple], Any]) -> RemovableHandle:
    """Call `hook(grad_inputs, grad_outputs)` after the node has run; what it returns replaces grad_inputs."""
    if self.post_hooks is None:
        self.post_hooks = {}
    keep_alive(self)
    return add(self.post_hooks, hook)


def register_node_prehook(self: Node, hook: Callable[[tuple], Any]) -> RemovableHandle:
    """Call `hook(grad_outputs)` before the node runs; what it returns replaces grad_outputs."""
    if self.pre_hooks is None:
        self.pre_hooks = {}
    keep_alive(self)
    return add(self.pre_hooks, hook)


Node.register_hook = register_node_hook
Node.register_prehook = register_node_prehook


class saved_tensors_hooks:
    """Inside, saved tensors pass through `pack_hook` when saved and `unpack_hook` when used."""

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        modes.state.saved_hooks = (*modes.state.saved_hooks, self.hooks)

    def __exit__(self, *exception: object) -> None:
        modes.state.saved_hooks = modes.state.saved_hooks[:-1]
