"""The hooks of a module: the user's functions around `forward` and around its backward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rushlight.autograd.function import Function
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module

# hooks of every module, which run before a module's own. `nn.modules.module` has them too, by these names, and there
# others may be put in their place: see module_globals.py
_global_forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_forward_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_backward_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_backward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
# whether the backward hooks are full ones or of the older kind
_global_is_full_backward_hook: bool | None = None
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()


class Hooks:
    """The part of a module that takes hooks."""

    _forward_hooks: OrderedDict[int, Callable]
    _forward_pre_hooks: OrderedDict[int, Callable]
    _backward_hooks: OrderedDict[int, Callable]
    _backward_pre_hooks: OrderedDict[int, Callable]
    # the hooks among these that get keyword arguments, and those that run after an exception too
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _is_full_backward_hook: bool | None

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns replaces the arguments.

        `with_kwargs=True` makes that `hook(module, args, kwargs)`, which returns both; `prepend=True` puts it
        before the hooks that are there already.
        """
        marked = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        return put(self._forward_pre_hooks, hook, prepend, marked)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; what it returns replaces the output.

        `with_kwargs=True` makes that `hook(module, args, kwargs, output)`; `always_call=True` calls it also when
        `forward` has raised.
        """
        wanted = (with_kwargs, self._forward_hooks_with_kwargs), (always_call, self._forward_hooks_always_called)
        return put(self._forward_hooks, hook, prepend, tuple([each for asked, each in wanted if asked]))

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

    def _get_backward_hooks(self) -> tuple[list[Callable], list[Callable]]:
        """The full backward hooks, those of all modules first, and those of the older kind."""
        every, own = list(_global_backward_hooks.values()), list(self._backward_hooks.values())
        full = (every if _global_is_full_backward_hook else []) + (own if self._is_full_backward_hook else [])
        older = every if _global_is_full_backward_hook is False else []
        return full, older + (own if self._is_full_backward_hook is False else [])

    def _get_backward_pre_hooks(self) -> list[Callable]:
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]


def put(hooks: OrderedDict, hook: Callable, prepend: bool, marked: tuple[dict, ...] = ()) -> RemovableHandle:
    handle = add(hooks, hook, marked=marked)
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


class HookedCall:
    """One call of a module with hooks: what was passed to `forward`, what came of it, and which hooks have run."""

    def __init__(self, module: Any, args: tuple, kwargs: dict):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result: Any = None
        self.run: set[int] = set()

    def call(self) -> Any:
        """Each hook in its place around `forward`."""
        module = self.module
        for number, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            self.args, self.kwargs = call_pre_hook(module, number, hook, self.args, self.kwargs)
        full, older = module._get_backward_hooks()
        before = module._get_backward_pre_hooks()
        crossing = BackwardHooks(module, full, before) if full or before else None
        if crossing is not None:
            self.args = crossing.watch_inputs(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        for number, hook in self.forward_hooks():
            self.run.add(number)
            changed = self.call_hook(number, hook)
            self.result = self.result if changed is None else changed
        if crossing is not None:
            self.result = crossing.watch_outputs(self.result)
        if older:
            watch_last_node(module, self.args, self.result, older)
        return self.result

    def forward_hooks(self) -> list[tuple[int, Callable]]:
        return [*_global_forward_hooks.items(), *self.module._forward_hooks.items()]

    def call_hook(self, number: int, hook: Callable) -> Any:
        if number in self.module._forward_hooks_with_kwargs or number in _global_forward_hooks_with_kwargs:
            return hook(self.module, self.args, self.kwargs, self.result)
        return hook(self.module, self.args, self.result)

    def after_failure(self) -> None:
        """Run the hooks that are always called and were not yet; an error of theirs is told, not raised."""
        always = {**_global_forward_hooks_always_called, **self.module._forward_hooks_always_called}
        for number, hook in self.forward_hooks():
            if number in always and number not in self.run:
                try:
                    changed = self.call_hook(number, hook)
                    self.result = self.result if changed is None else changed
                except Exception as error:
                    kind = "global module" if number in _global_forward_hooks_always_called else "module"
                    warn(
                        f"{kind} forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}"
                    )


def call_with_hooks(module: Any, args: tuple, kwargs: dict) -> Any:
    """What calling a module does when there are hooks."""
    call = HookedCall(module, args, kwargs)
    try:
        return call.call()
    except Exception:
        call.after_failure()
        raise


def call_pre_hook(module: Any, number: int, hook: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    if number not in module._forward_pre_hooks_with_kwargs:
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


def watch_last_node(module: Any, args: tuple, result: Any, hooks: list[Callable]) -> None:
    """Hang the older kind of backward hooks on the node that made the result."""
    last = result
    while not isinstance(last, Tensor):
        last = next(iter(last.values())) if isinstance(last, dict) else last[0]
    node = last.grad_fn
    if node is not None:
        for hook in hooks:
            node.register_hook(partial(hook, module))
        what, lost = what_is_missed(args, result, node)
        if what:
            warn(
                f"Using {what} is deprecated and will be removed in future versions. This hook will be missing some "
                f"{lost}. Please use register_full_backward_hook to get the documented behavior.",
                FutureWarning,
            )


def what_is_missed(args: tuple, result: Any, node: Any) -> tuple[str, str]:
    """Where a backward hook of the older kind does not see all gradients: the case in torch's words, and which."""
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(each, Tensor) for each in results):
        case = "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors"
        return case, "of the grad_output"
    if not all(isinstance(each, Tensor) for each in args):
        case = "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        return case, "of the grad_input"
    last = {each.grad_fn for each in results} - {None}
    if len(last) > 1:
        return "a non-full backward hook when outputs are generated by different autograd Nodes", "grad_output"
    if {each.grad_fn for each in args} - {None} != {each for each, _ in node.following()}:
        return "a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input"
    return "", ""


class BackwardHookFunction(Function):
    """Hands tensors on unchanged: a node at the border of a module, where its gradients can be seen."""

    @staticmethod
    def forward(ctx, *tensors):
        passed = tuple([each.view_as(each) for each in tensors])
        pairs = zip(passed, tensors, strict=True)
        ctx.mark_non_differentiable(*[each for each, given in pairs if not given.requires_grad])
        return passed

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
        if not isinstance(result, (tuple, Tensor)):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}"
            )
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
                require_count(changed, self.output_count, "pre hook", "grad_output")
                self.grad_outputs = changed
        found = tuple([self.grad_outputs[place] for place in self.output_places])
        if self.input_places is None:
            self.call_without_inputs()
        return found

    def call_without_inputs(self) -> None:
        """No input needs a gradient, so the hooks run now; they have nothing to replace."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients."
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
                require_count(changed, self.input_count, "hook", "grad_input")
                grad_inputs = changed
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


def require_count(given: Any, count: int, who: str, what: str) -> None:
    if len(given) != count:
        raise RuntimeError(
            f"Backward {who} returned an invalid number of {what}, got {len(given)}, but expected {count}: return a "
            "tuple with a gradient or None for each"
        )


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, args)` before every module's `forward`."""
    return add(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after every module's `forward`."""
    wanted = (with_kwargs, _global_forward_hooks_with_kwargs), (always_call, _global_forward_hooks_always_called)
    return add(_global_forward_hooks, hook, marked=tuple([each for asked, each in wanted if asked]))


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` in the backward of every module."""
    require_kind_everywhere(full=True)
    return add(_global_backward_hooks, hook)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """torch's older `register_module_full_backward_hook`: it sees the gradients of the last operation only."""
    require_kind_everywhere(full=False)
    return add(_global_backward_hooks, hook)


def require_kind_everywhere(full: bool) -> None:
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
            "one of them."
        )
    _global_is_full_backward_hook = full


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_output)` at the beginning of the backward of every module."""
    return add(_global_backward_pre_hooks, hook)


def _has_any_global_hook() -> Any:
    return (
        _global_backward_pre_hooks
        or _global_backward_hooks
        or _global_forward_pre_hooks
        or _global_forward_hooks
        or _global_forward_hooks_always_called
        or _global_forward_hooks_with_kwargs
    )
