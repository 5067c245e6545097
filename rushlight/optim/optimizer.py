"""Optimizer: parameters in groups with options, what is remembered of each, and a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

import numpy as np

from rushlight.autograd import modes
from rushlight.core.object.conversion import typename
from rushlight.core.object.replacements import followers
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.errors import steps
from rushlight.errors.location import user_line
from rushlight.errors.warning import warn
from rushlight.native import extension, shortcut
from rushlight.optim import checkpoint
from rushlight.optim.clipping import clipped
from rushlight.optim.flat import Flat
from rushlight.optim.for_packages import DeviceDict, DeviceDtypeDict, StateDict  # noqa: F401
from rushlight.optim.for_packages import capturable_devices as _get_capturable_supported_devices  # noqa: F401
from rushlight.optim.for_packages import default_to_fused_or_foreach as _default_to_fused_or_foreach  # noqa: F401
from rushlight.optim.for_packages import device_dtype_check_for_fused as _device_dtype_check_for_fused  # noqa: F401
from rushlight.optim.for_packages import disable_dynamo_if_unsupported as _disable_dynamo_if_unsupported  # noqa: F401
from rushlight.optim.for_packages import get_scalar_dtype as _get_scalar_dtype  # noqa: F401
from rushlight.optim.for_packages import get_value as _get_value  # noqa: F401
from rushlight.optim.for_packages import group_tensors as _group_tensors
from rushlight.optim.for_packages import stack_if_compiling as _stack_if_compiling  # noqa: F401
from rushlight.optim.for_packages import to_scalar as _to_scalar  # noqa: F401
from rushlight.optim.for_packages import use_grad_for_differentiable as _use_grad_for_differentiable  # noqa: F401
from rushlight.optim.for_packages import view_as_real as _view_as_real  # noqa: F401
from rushlight.optim.hooks import (
    Hooks,
    hooked,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from rushlight.optim.options import require
from rushlight.optim.scaling import Told
from rushlight.optim.stepping import Array, State, has_twin, step_group

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]


class Required:
    """Stands for an option that every group must give; many programs write `lr=required`."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = Required()


class Optimizer(Hooks):
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

    # numbers that a state which is loaded has to have
    counted: tuple[str, ...] = ()

    # options that a step reads before it looks at the parameters, and after that: another method's group may lack them
    read_first: tuple[str, ...] = ()
    read_last: tuple[str, ...] = ()

    # of those, the ones that are pairs in this method and numbers in others
    pairs: tuple[str, ...] = ()

    # what a state may lack until a step needs it, by name
    begins_late = ""

    # methods of other packages call it on themselves
    _group_tensors_by_device_and_dtype = staticmethod(_group_tensors)

    # whether a step of joined parameters is that of each one; not where it asks for a norm or a shape
    elementwise = True

    # programs' own methods may set these before they call __init__
    _clip_norm: float | None = None
    _clip_value: float | None = None
    # what a scaler has told, by name
    _scaling: dict[str, Tensor | None] = {}  # noqa: RUF012  (replaced, never changed)
    found_inf = Told()
    grad_scale = Told()

    def __init__(
        self,
        params: ParamsT | None,
        defaults: dict[str, Any],
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{params.type()}: put it into a list"
            )
        self.defaults = defaults
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._prepare()
        if clip_norm is not None:
            self.clip_norm = clip_norm
        if clip_value is not None:
            self.clip_value = clip_value
        groups: list = [] if params is None else list(params)
        if not groups and params is not None:
            raise ValueError("optimizer got an empty parameter list")
        if groups and not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _prepare(self) -> None:
        """What is not part of a pickle: hooks, and the flat form of groups."""
        self._prepare_hooks()
        self._flats: dict[int, Flat] = {}
        self._replaced: list[tuple[Tensor, Tensor | None, str]] = []
        # whether Python looks at the next step before it is taken, see errors/steps.py; native code declines it then
        self._looks = True
        followers.add(self)
        cls = type(self)
        # at the first object of a class, so that hooks also run around a step that a program wrote
        if not getattr(cls.step, "hooked", False):
            cls.step = hooked(cls.step)  # type: ignore[method-assign]

    @property
    def _step_supports_amp_scaling(self) -> bool:
        """Whether a scaler may leave the scale to the step."""
        return bool(self.defaults.get("fused"))

    @property
    def clip_norm(self) -> float | None:
        """The largest norm that the gradients of all parameters together may have, or None."""
        return self._clip_norm

    @clip_norm.setter
    def clip_norm(self, value: float | None) -> None:
        require(value is None or value >= 0, "Invalid clip_norm value: {}", value)
        self._clip_norm = value

    @property
    def clip_value(self) -> float | None:
        """The largest value that an element of a gradient may have, either way, or None."""
        return self._clip_value

    @clip_value.setter
    def clip_value(self, value: float | None) -> None:
        require(value is None or value >= 0, "Invalid clip_value value: {}", value)
        self._clip_value = value

    def _hear_replaced(self, old: Tensor, new: Tensor | None, name: str) -> None:
        """Hear from a module that `new` has taken the place of `old`."""
        if any([old is param for group in self.param_groups for param in group["params"]]):
            self._replaced.append((old, new, name))
            self._looks = True

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        """What the method remembers of a parameter, before its first step."""
        return {}

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        """Move one parameter in place; `first` says that its state is new.

        All are arrays; or tensors, where the step is to be differentiated: so formulas are written with operators
        and the functions of `parts.py`.
        """

    def writes_for(self, group: dict[str, Any]) -> int:
        """How often a step writes to a parameter."""
        return 1

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient; `closure` computes the loss anew first, and is returned."""
        if type(self).step_for is Optimizer.step_for:
            raise NotImplementedError(f"{type(self).__name__} must define step(), or state_for() and step_for()")
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        # native code clips by itself, and leaves alone what is to be refused or warned about
        if not self._looks and extension is not None and extension.step(self):
            return loss
        finds_gradients = self._look()
        place = user_line(2)
        with clipped(self):
            self._move(place)
        # a step that was in order is not looked at again where native code can take the next ones alone
        self._looks = not (finds_gradients and has_twin(self) and not self._scaling)
        return loss

    def _look(self) -> bool:
        """Refuse or warn about what a step cannot do; whether a parameter has a gradient."""
        if not self.param_groups:
            name = type(self).__name__
            raise RuntimeError(
                f"{name} has no parameters to move: give them with {name}(model.parameters()), attach(model) or "
                "add_param_group({'params': ...})"
            )
        steps.check_rates(self.param_groups)
        found = steps.check_gradients(self)
        if found and self._replaced:
            steps.check_replaced(self)
        return found

    def _move(self, place: Any) -> None:
        """Move every parameter that has a gradient."""
        token = floating_point.set(QUIET)
        try:
            for number, group in enumerate(self.param_groups):
                step_group(self, number, group, place)
        finally:
            floating_point.reset(token)

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
        if len(set(params)) != len(params):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                "error; see github.com/pytorch/pytorch/issues/40967 for more information. Listed again: parameter "
                f"{steps.repeated(added)}"
            )
        self._check_others({**param_group, **added})
        param_group.update(added)
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self.param_groups.append(param_group)

    def attach(self, module: Any, **options: Any) -> Self:
        """Add the parameters of a module with their names, as a group with its own options.

        >>> optimizer = torch.optim.Adam(lr=1e-3).attach(model)
        """
        self.add_param_group({"params": list(module.named_parameters()), **options})
        return self

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
        twice = [place for place, param in enumerate(added["params"]) if param in known]
        if twice:
            shown = ", ".join([steps.name_of(added, place) for place in twice])
            raise ValueError(
                "some parameters appear in more than one parameter group: of the one that is added, parameter "
                f"{shown} is in another already"
            )

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
        kept = ("defaults", "state", "param_groups", "_clip_norm", "_clip_value")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_flats" not in self.__dict__:
            self._prepare()
        self._flats.clear()
        # an optimizer of before this option was there; groups that are added later have it
        self.defaults.setdefault("differentiable", False)
        if type(self).step_for is Optimizer.step_for:
            return
        for group in self.param_groups:
            for name, value in self.younger_options.items():
                group.setdefault(name, value)
            checkpoint.renew(self, group)

    def __repr__(self) -> str:
        shown = ""
        for number, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            shown += f"\nParameter Group {number}\n{''.join(options)}"
        return f"{type(self).__name__} ({shown})"


__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]
