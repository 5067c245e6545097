"""The hooks of a module: the user's functions around `forward` and around its backward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rushlight.autograd.function import Function
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.autograd.modes import state
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module

# hooks of every module, which run before a module's own
forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
forward_hooks: OrderedDict[int, Callable] = OrderedDict()
backward_hooks: OrderedDict[int, Callable] = OrderedDict()
backward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
# those among the backward hooks that are of the older kind
older_backward_hooks: set[int] = set()
always_called: set[int] = set()
with_kwargs_everywhere: set[int] = set()


class Hooks:
    """The part of a module that takes hooks."""

    _forward_hooks: OrderedDict[int, Callable]
    _forward_pre_hooks: OrderedDict[int, Callable]
    _backward_hooks: OrderedDict[int, Callable]
    _backward_pre_hooks: OrderedDict[int, Callable]
    # the hooks among these that get keyword arguments, and those that run after an exception too
    _hooks_with_kwargs: set[int]
    _hooks_always_called: set[int]
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns replaces the arguments.

        `with_kwargs=True` makes that `hook(module, args, kwargs)`, which returns both; `prepend=True` puts it
        before the hooks that are there already.
        """
        handle = put(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._hooks_with_kwargs.add(handle.id)
        return handle

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; what it returns replaces the output.

        `with_kwargs=True` makes that `hook(module, args, kwargs, output)`; `always_call=True` calls it also when
        `forward` has raised.
        """
        handle = put(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._hooks_with_kwargs.add(handle.id)
        if always_call:
            self._hooks_always_called.add(handle.id)
        return handle

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        What it returns replaces `grad_input`.
        """
        require_kind(self, full=True)
        return put(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the outputs are known.

        What it returns replaces `grad_output`.
        """
        return put(self._backward_pre_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """torch's older `register_full_backward_hook`: it sees the gradients of the last operation only."""
        require_kind(self, full=False)
        return add(self._backward_hooks, hook)


def put(hooks: OrderedDict, hook: Callable, prepend: bool) -> RemovableHandle:
    handle = add(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def require_kind(module: Hooks, full: bool) -> None:
    """A module's backward hooks are all full, or all of the older kind."""
    if module._is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one "
            "of them."
        )
    module._is_full_backward_hook = full


def call_with_hooks(module: Any, args: tuple, kwargs: dict) -> Any:
    """What calling a module does when there are hooks: each in its place around `forward`."""
    run: set[int] = set()
    try:
        return call_in_order(module, args, kwargs, run)
    except Exception:
        for number, hook in (*forward_hooks.items(), *module._forward_hooks.items()):
            if number not in run and number in (always_called | module._hooks_always_called):
                try:
                    call_hook(module, number, hook, args, kwargs, None)
                except Exception as error:
                    warn(
                        "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}"
                    )
        raise


def call_in_order(module: Any, args: tuple, kwargs: dict, run: set[int]) -> Any:
    for number, hook in (*forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        args, kwargs = call_pre_hook(module, number, hook, args, kwargs)
    crossing = None
    full = [hook for number, hook in backward_hooks.items() if number not in older_backward_hooks]
    if module._is_full_backward_hook is not False:
        full += module._backward_hooks.values()
    before = [*backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
    if full or before:
        crossing = BackwardHooks(module, full, before)
        args = crossing.watch_inputs(args)
    result = module.forward(*args, **kwargs)
    for number, hook in (*forward_hooks.items(), *module._forward_hooks.items()):
        run.add(number)
        changed = call_hook(module, number, hook, args, kwargs, result)
        result = result if changed is None else changed
    if crossing is not None:
        result = crossing.watch_outputs(result)
    older = [hook for number, hook in backward_hooks.items() if number in older_backward_hooks]
    if module._is_full_backward_hook is False:
        older += module._backward_hooks.values()
    if older:
        watch_last_node(module, result, older)
    return result


def call_pre_hook(module: Any, number: int, hook: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    if number not in module._hooks_with_kwargs:
        changed = hook(module, args)
        if changed is None:
            return args, kwargs
        return (changed if isinstance(changed, tuple) else (changed,)), kwargs
    changed = hook(module, args, kwargs)
    if changed is None:
        return args, kwargs
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    return changed


def call_hook(module: Any, number: int, hook: Callable, args: tuple, kwargs: dict, result: Any) -> Any:
    if number in module._hooks_with_kwargs or number in with_kwargs_everywhere:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def watch_last_node(module: Any, result: Any, hooks: list[Callable]) -> None:
    """Hang the older kind of backward hooks on the node that made the result."""
    while not isinstance(result, Tensor):
        result = next(iter(result.values())) if isinstance(result, dict) else result[0]
    node = result.grad_fn
    if node is not None:
        for hook in hooks:
            node.register_hook(partial(hook, module))


class BackwardHookFunction(Function):
    """Hands tensors on unchanged: a node at the border of a module, where its gradients can be seen."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*[each for each in tensors if not each.requires_grad])
        return tuple([each.view_as(each) for each in tensors])

    @staticmethod
    def backward(ctx, *grads):
        return grads


class BackwardHooks:
    """One call of a module whose gradients are watched where they enter and where they leave."""

    def __init__(self, module: Module, hooks: list[Callable], pre_hooks: list[Callable]):
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple | None = None
        # the places of tensors among inputs and outputs; None for inputs that need no gradient
        self.input_places: list[int] | None = None
        self.output_places: list[int] = []
        self.input_count = self.output_count = 0

    def watch_inputs(self, args: tuple) -> tuple:
        self.input_count = len(args)
        args, self.input_places, node = through_node(args)
        if node is not None:
            node.register_hook(self.at_inputs)
        return args

    def watch_outputs(self, result: Any) -> Any:
        outputs = result if isinstance(result, tuple) else (result,)
        self.output_count = len(outputs)
        outputs, places, node = through_node(outputs)
        if node is not None:
            self.output_places = places or []
            node.register_prehook(self.at_outputs)
        return outputs if isinstance(result, tuple) else outputs[0]

    def at_outputs(self, grads: tuple) -> tuple:
        """The gradients of the outputs have arrived."""
        self.grad_outputs = spread_out(grads, self.output_places, self.output_count)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is not None:
                self.grad_outputs = as_grads(changed, self.output_count, "grad_output")
        found = tuple([self.grad_outputs[place] for place in self.output_places])
        if self.input_places is None:
            self.call_without_inputs()
        return found

    def call_without_inputs(self) -> None:
        """No input needs a gradient, so the hooks run now; they have nothing to replace."""
        if self.hooks:
            warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients."
            )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.input_count, self.grad_outputs)
            if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None "
                    "for all gradients."
                )
        self.grad_outputs = None

    def at_inputs(self, grads: tuple, _: tuple) -> tuple | None:
        """The gradients of the inputs have been found."""
        if self.grad_outputs is None or self.input_places is None:
            return None
        grad_inputs = spread_out(grads, self.input_places, self.input_count)
        for hook in self.hooks:
            changed = hook(self.module, grad_inputs, self.grad_outputs)
            if changed is not None:
                grad_inputs = as_grads(changed, self.input_count, "grad_input")
        self.grad_outputs = None
        return tuple([grad_inputs[place] for place in self.input_places])


def through_node(values: tuple) -> tuple[tuple, list[int] | None, Any]:
    """The values with their tensors led through a node of the graph, the places of these, and the node."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not state.grad or not any(values[place].requires_grad for place in places):
        return values, None, None
    passed = BackwardHookFunction.apply(*[values[place] for place in places])
    found = list(values)
    for place, tensor in zip(places, passed, strict=True):
        found[place] = tensor
    node = next(each.grad_fn for each in passed if each.grad_fn is not None)
    return tuple(found), places, node


def spread_out(grads: tuple, places: list[int], count: int) -> tuple:
    """Gradients of tensors put among the other arguments, which have none."""
    found: list = [None] * count
    for place, grad in zip(places, grads, strict=True):
        found[place] = grad
    return tuple(found)


def as_grads(given: Any, count: int, what: str) -> tuple:
    given = given if isinstance(given, tuple) else (given,)
    if len(given) != count:
        raise RuntimeError(
            f"Backward hook returned an invalid number of {what}, got {len(given)}, but expected {count}"
        )
    return given


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, args)` before every module's `forward`."""
    return add(forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after every module's `forward`."""
    handle = add(forward_hooks, hook)
    if with_kwargs:
        with_kwargs_everywhere.add(handle.id)
    if always_call:
        always_called.add(handle.id)
    return handle


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` in the backward of every module."""
    require_kind_everywhere(full=True)
    return add(backward_hooks, hook)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """torch's older `register_module_full_backward_hook`: it sees the gradients of the last operation only."""
    require_kind_everywhere(full=False)
    handle = add(backward_hooks, hook)
    older_backward_hooks.add(handle.id)
    return handle


def require_kind_everywhere(full: bool) -> None:
    if any((number in older_backward_hooks) is full for number in backward_hooks):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_output)` at the beginning of the backward of every module."""
    return add(backward_pre_hooks, hook)
