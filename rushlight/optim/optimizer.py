"""Optimizer: parameters in groups with options, state for each, and a step."""

from __future__ import annotations

import copy
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.autograd.hooks import RemovableHandle, add
from rushlight.core.location import user_line
from rushlight.core.tensor import Tensor, storage_of, wrap
from rushlight.optim.flat import Flat, flat_for


class Optimizer:
    """The base of all methods.

    A method says what it remembers of one parameter (`state_for`) and how one parameter moves (`step_for`),
    both on arrays; a program's own method may override `step` instead.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}"
            )
        self.defaults = defaults
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self.pre_hooks: OrderedDict = OrderedDict()
        self.post_hooks: OrderedDict = OrderedDict()
        self.flats: dict[int, Flat] = {}
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        """What the method remembers of a parameter, before its first step."""
        raise NotImplementedError

    def step_for(self, array: np.ndarray, grad: np.ndarray, state: dict, group: dict[str, Any], first: bool) -> None:
        """Move one parameter in place; `first` says that its state is new."""
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = list(params)
        if params and isinstance(params[0], tuple):
            param_group["param_names"] = [name for name, _ in params]
            params = [param for _, param in params]
        param_group["params"] = params
        for each in params:
            if not isinstance(each, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(each).__name__}")
            if not (self.defaults.get("differentiable") or each.is_leaf or each.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.check_group(params)
        self.param_groups.append(param_group)

    def check_group(self, params: list[Tensor]) -> None:
        """No parameter may be in two groups, and none should be listed twice."""
        if len({id(each) for each in params}) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                UserWarning,
                stacklevel=4,
            )
        known = {id(each) for group in self.param_groups for each in group["params"]}
        if any(id(each) in known for each in params):
            raise ValueError("some parameters appear in more than one parameter group")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient; `closure` computes the loss anew first."""
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        for hook in list(self.pre_hooks.values()):
            hook(self, (closure,), {})
        place = user_line(2)
        with np.errstate(all="ignore"):
            for group in self.param_groups:
                self.step_group(group, place)
        for hook in list(self.post_hooks.values()):
            hook(self, (closure,), {})
        return loss

    def step_group(self, group: dict[str, Any], place: Any) -> None:
        """Move a group's parameters: in one call if they are small, else one by one."""
        params = [each for each in group["params"] if each._grad is not None]
        flat = flat_for(self, group, params)
        if flat is not None:
            flat.step(self.step_for, group)
        for param in params:
            if flat is None:
                self.move(param, group)
            storage = param._storage or storage_of(param)
            storage.version += 1
            storage.writer = place

    def move(self, param: Tensor, group: dict[str, Any]) -> None:
        """One parameter's step: arrays out of tensors."""
        state = self.state.get(param)
        array, grad = real(param._array), real(param._grad._array)
        if first := not state:
            state = {name: wrap(each) for name, each in self.state_for(param._array, group).items()}
            if state:
                self.state[param] = state
        if group.get("maximize"):
            grad = -grad
        arrays = {name: real(each._array) for name, each in state.items()}
        self.step_for(array, grad, arrays, group, first)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param._grad = None
                elif param._grad is not None:
                    if param._grad._node is not None:
                        param._grad.detach_()
                    else:
                        param._grad.requires_grad_(False)
                    param._grad.zero_()

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step."""
        return add(self.pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return add(self.post_hooks, hook)

    def state_dict(self) -> dict[str, Any]:
        """State and options, with parameters replaced by their numbers; torch's layout."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[id(param)] for param in group["params"]]})
        state = {
            (numbers[id(param)] if isinstance(param, Tensor) else param): value for param, value in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and options, copied; nothing changes if they do not fit."""
        given = [dict(group) for group in state_dict["param_groups"]]
        if len(given) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(given, self.param_groups, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        numbers = chain.from_iterable(group["params"] for group in given)
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        by_number = dict(zip(numbers, params, strict=True))
        state: defaultdict = defaultdict(dict)
        for number, value in state_dict["state"].items():
            param = by_number.get(number)
            state[number if param is None else param] = copy.deepcopy(value) if param is None else taken(param, value)
        for group, new in zip(self.param_groups, given, strict=True):
            kept = {name: group[name] for name in ("params", "param_names") if name in group}
            group.clear()
            group.update(copy.deepcopy({name: value for name, value in new.items() if name != "params"}) | kept)
        self.state = state

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.pre_hooks, self.post_hooks, self.flats = OrderedDict(), OrderedDict(), {}
        self.__dict__.update(state)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines.extend(f"    {name}: {group[name]}" for name in sorted(group) if name != "params")
        return "\n".join([*lines, ")"])


def real(array: np.ndarray) -> np.ndarray:
    """Complex parameters move as pairs of real numbers."""
    if array.dtype.kind != "c":
        return array
    return array.view(array.real.dtype) if array.ndim else array.reshape(1).view(array.real.dtype)


def taken(param: Tensor, value: Any, name: str | None = None) -> Any:
    """A copy of loaded state in the parameter's dtype; the count of steps keeps its own."""
    if isinstance(value, Tensor):
        if name == "step" or not param.is_floating_point():
            return value.detach().clone()
        return value.detach().to(param.dtype, copy=True)
    if isinstance(value, dict):
        return {key: taken(param, each, key) for key, each in value.items()}
    return copy.deepcopy(value)


def require(condition: bool, message: str, value: Any) -> None:
    """Refuse an option in torch's words."""
    if not condition:
        raise ValueError(message.format(value))


def require_rate(lr: Any) -> None:
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    require(0.0 <= float(lr), "Invalid learning rate: {}", lr)


def count_step(state: dict[str, np.ndarray]) -> float:
    """Count a step; the number of this one."""
    step = state["step"]
    step += 1
    return float(step)


def started(array: np.ndarray, *names: str) -> dict[str, np.ndarray]:
    """State that begins at zero: the count of steps, and arrays like the parameter."""
    state = {"step": np.zeros((), np.float32)}
    return state | {name: np.zeros_like(array) for name in names}


def refuse_differentiable(differentiable: bool) -> None:
    if differentiable:
        raise NotImplementedError("differentiable=True is not in Rushlight yet: write the update with tensor operations")


__all__ = ["Optimizer"]
