"""Optimizer: parameters in groups with options, what is remembered of each, and a step."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.core.conversion import typename
from rushlight.core.location import user_line
from rushlight.core.quiet import QUIET, floating_point
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.native import core, shortcut
from rushlight.optim import checkpoint
from rushlight.optim.flat import Flat
from rushlight.optim.stepping import Array, State, step_group

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

# hooks of all optimizers
_global_optimizer_pre_hooks: OrderedDict = OrderedDict()
_global_optimizer_post_hooks: OrderedDict = OrderedDict()


class Required:
    """Stands for an option that every group must give; many programs write `lr=required`."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = Required()


class Optimizer:
    """The base of all methods.

    A method says what it remembers of one parameter (`state_for`) and how one parameter moves (`step_for`);
    a program's own method may write `step` itself instead.

    >>> class Descent(torch.optim.Optimizer):
    ...     def __init__(self, params, lr):
    ...         super().__init__(params, {"lr": lr})
    ...
    ...     @torch.no_grad()
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for param in group["params"]:
    ...                 param -= group["lr"] * param.grad
    """

    # options that a checkpoint of an older version may lack
    younger_options: dict[str, Any] = {}  # noqa: RUF012  (each method states its own)

    def __init__(self, params: ParamsT, defaults: dict[str, Any]):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}: put it into a list"
            )
        self.defaults = defaults
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._prepare()
        groups: list = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _prepare(self) -> None:
        """What is not part of a pickle: hooks, and the flat form of groups."""
        self._optimizer_step_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_step_post_hooks: OrderedDict = OrderedDict()
        self._optimizer_state_dict_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_state_dict_post_hooks: OrderedDict = OrderedDict()
        self._optimizer_load_state_dict_pre_hooks: OrderedDict = OrderedDict()
        self._optimizer_load_state_dict_post_hooks: OrderedDict = OrderedDict()
        self._flats: dict[int, Flat] = {}
        cls = type(self)
        # at the first object of a class, so that hooks also run around a step that a program wrote
        if not getattr(cls.step, "hooked", False):
            cls.step = hooked(cls.step)  # type: ignore[method-assign]

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        """What the method remembers of a parameter, before its first step."""
        return {}

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        """Move one parameter in place; `first` says that its state is new.

        All are arrays; or tensors, where the step is to be differentiated: so formulas are written with operators
        and the functions of `parts.py`.
        """

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient; `closure` computes the loss anew first, and is returned."""
        if type(self).step_for is Optimizer.step_for:
            raise NotImplementedError(f"{type(self).__name__} must define step(), or state_for() and step_for()")
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        if core is not None and core.step(self):
            return loss
        place = user_line(2)
        token = floating_point.set(QUIET)
        try:
            for number, group in enumerate(self.param_groups):
                step_group(self, number, group, place)
        finally:
            floating_point.reset(token)
        return loss

    @shortcut
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param._grad = None
                elif param._grad is not None:
                    if param._grad.grad_fn is not None:
                        param._grad.detach_()
                    else:
                        param._grad.requires_grad_(False)
                    param._grad.zero_()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        added = self._named(param_group["params"])
        params = added["params"]
        for each in params:
            if not isinstance(each, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(each)}")
            if not (self.defaults.get("differentiable") or each.is_leaf or each.retains_grad):
                raise ValueError(
                    "can't optimize a non-leaf Tensor: give the tensor it was computed from, or a detached copy "
                    "that requires grad"
                )
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
        self._check_others({**param_group, **added})
        if len(set(params)) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                "error; see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        param_group.update(added)
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def _named(self, params: Any) -> dict[str, Any]:
        """A group's parameters as a list, and their names if it gives pairs."""
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        params = list(params)
        names = [each[0] for each in params if isinstance(each, tuple)]
        if not names:
            return {"params": params}
        if len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        return {"params": [each[1] for each in params], "param_names": names}

    def _check_others(self, added: dict[str, Any]) -> None:
        """A group that is added must have names if the others have, and other parameters than those."""
        known = set()
        for group in self.param_groups:
            known.update(group["params"])
            if ("param_names" in added) != ("param_names" in group):
                given = "with names" if "param_names" in added else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {given} to the optimizer"
                )
        if not known.isdisjoint(added["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

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

    def state_dict(self) -> dict[str, Any]:
        """State and options, with parameters replaced by their numbers; torch's layout."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        packed = checkpoint.pack(self.state, self.param_groups)
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            replaced = hook(self, packed)
            packed = packed if replaced is None else replaced
        return packed

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options; nothing changes if they do not fit.

        As in torch, tensors of the right dtype are not copied: pass a deep copy of what is to stay as it is.
        """
        state_dict = state_dict.copy()
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        self.__setstate__(checkpoint.unpack(state_dict, self.param_groups))
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_flats" not in self.__dict__:
            self._prepare()
        self._flats.clear()
        if type(self).step_for is Optimizer.step_for:
            return
        for group in self.param_groups:
            for name, value in self.younger_options.items():
                group.setdefault(name, value)
            checkpoint.renew(self.state, group)

    def __repr__(self) -> str:
        shown = ""
        for number, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            shown += f"\nParameter Group {number}\n{''.join(options)}"
        return f"{type(self).__name__} ({shown})"


def placed(hooks: OrderedDict, hook: Callable, first: bool) -> RemovableHandle:
    """Add a hook after the others, or before them."""
    handle = add(hooks, hook)
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


def hooked(step: Callable) -> Callable:
    """A step with the hooks around it."""

    @functools.wraps(step)
    def call(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
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
        for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
            hook(self, given, kwargs)
        return result

    call.hooked = True  # type: ignore[attr-defined]
    return shortcut(call)


def register_optimizer_step_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of any optimizer."""
    return add(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of any optimizer."""
    return add(_global_optimizer_post_hooks, hook)


__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]
