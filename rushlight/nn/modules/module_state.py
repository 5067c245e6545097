"""The state of a module: its parameters and buffers as a dictionary, and back."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import rushlight.__future__ as flags
from rushlight.autograd.handles import RemovableHandle, add
from rushlight.autograd.modes import no_grad
from rushlight.core.object.swapping import swap_tensors
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn.parameter import Parameter, is_lazy

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module

EXTRA_STATE = "_extra_state"


class Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(Keys):
    """What a state dict lacked and what it had too much; torch's name."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


class State:
    """The part of a module that saves and loads what it has learned."""

    # the version of what a class saves; a class that changes it reads older ones in `_load_from_state_dict`
    _version: int = 1

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: dict[int, Callable]
    _state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_pre_hooks: dict[int, Callable]
    _load_state_dict_post_hooks: dict[int, Callable]
    if TYPE_CHECKING:
        _modules: dict[str, Module | None]

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """All parameters and persistent buffers by their dotted paths; the tensors share the module's memory.

        `keep_vars=True` gives the parameters themselves instead of tensors without history.
        """
        if args:
            warn(
                "Positional args are being deprecated, use kwargs instead: state_dict(destination=..., prefix=..., "
                "keep_vars=...).",
                FutureWarning,
            )
            given = itertools.zip_longest(args, (destination, prefix, keep_vars))
            destination, prefix, keep_vars = [second if first is None else first for first, second in given]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        local_metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = local_metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, local_metadata)
            destination = destination if changed is None else changed
        return destination

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        """Put the module's own state, without its submodules', into `destination`; subclasses may add to it."""
        for name, value in own_state(self):
            destination[prefix + name] = value if keep_vars else value.detach()
        if has_extra_state(self):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """What else a subclass wants saved; overridden together with `set_extra_state`."""
        raise RuntimeError(
            f"{type(self).__name__} does not define get_extra_state, which would be called by state_dict()"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError(
            f"{type(self).__name__} does not define set_extra_state, which is called by load_state_dict() where the "
            "state dict has an _extra_state"
        )

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copy parameters and buffers from a state dict into the module's own.

        `strict=False` tolerates missing and unexpected keys, which are returned; `assign=True` puts the
        given tensors in place of the module's own instead of copying.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        given: Any = OrderedDict(state_dict)
        metadata = getattr(state_dict, "_metadata", None)
        if metadata is not None:
            given._metadata = metadata
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []

        def load(module: Any, part: Any, prefix: str) -> None:
            local_metadata = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local_metadata["assign_to_params_buffers"] = True
            module._load_from_state_dict(part, prefix, local_metadata, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {key: value for key, value in part.items() if key.startswith(below)}, below)
            keys = _IncompatibleKeys(missing, unexpected)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, keys) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                        "values: change the lists of keys in place instead."
                    )

        load(self, given, "")
        if strict:
            if unexpected:
                errors.insert(0, f"Unexpected key(s) in state_dict: {quoted(unexpected)}. ")
            if missing:
                errors.insert(0, f"Missing key(s) in state_dict: {quoted(missing)}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return _IncompatibleKeys(missing, unexpected)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take the module's own state, without its submodules', out of a state dict; subclasses may change it."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        known = dict(own_state(self))
        for name, own in known.items():
            if prefix + name in state_dict:
                load_tensor(self, name, own, state_dict[prefix + name], prefix, assign, error_msgs)
            elif strict:
                missing_keys.append(prefix + name)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                name, dot, _ = key.removeprefix(prefix).partition(".")
                if key.startswith(prefix) and key != extra and name not in (self._modules if dot else known):
                    unexpected_keys.append(key)

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict()` gathers."""
        return add(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after `state_dict()`; it changes that in place."""
        return add(self._state_dict_hooks, PublicHook(hook))

    def _register_state_dict_hook(self, hook: Callable) -> RemovableHandle:
        if any(getattr(each, "hook", None) is hook for each in self._state_dict_hooks.values()):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return add(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, ...)` before this module's state is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook: Callable, with_module: bool = False) -> RemovableHandle:
        return add(self._load_state_dict_pre_hooks, BoundHook(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after the state of this module and those below it is loaded."""
        return add(self._load_state_dict_post_hooks, hook)


class BoundHook:
    """A hook that gets its module first, which it does not keep alive; copied and pickled along with it."""

    def __init__(self, hook: Callable, module: Any):
        self.hook = hook
        self.module = ref(module)

    def __call__(self, *args: Any) -> Any:
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args)

    def __getstate__(self) -> dict:
        return {"hook": self.hook, "module": self.module()}

    def __setstate__(self, state: dict) -> None:
        self.hook, self.module = state["hook"], ref(state["module"])


class PublicHook:
    """A hook of `register_state_dict_post_hook`, which has nothing to return."""

    def __init__(self, hook: Callable):
        self.hook = hook

    def __call__(self, module: Any, state_dict: dict, prefix: str, local_metadata: dict) -> None:
        if self.hook(module, state_dict, prefix, local_metadata) is not None:
            raise RuntimeError("state_dict post-hook must return None: change the state dict in place instead")


def own_state(module: Any) -> list[tuple[str, Tensor]]:
    """The module's parameters and persistent buffers by name, without its submodules'."""
    temporary = module._non_persistent_buffers_set
    buffers = [(name, buffer) for name, buffer in module._buffers.items() if name not in temporary]
    return [(name, value) for name, value in (*module._parameters.items(), *buffers) if value is not None]


def has_extra_state(module: State) -> bool:
    return type(module).get_extra_state is not State.get_extra_state


def load_tensor(
    module: Any, name: str, own: Tensor, given: Any, prefix: str, assign: bool, error_msgs: list[str]
) -> None:
    """Copy one tensor into the module's own, or note why that is impossible."""
    key = prefix + name
    if not isinstance(given, Tensor):
        error_msgs.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(given)}"
        )
        return
    if not is_lazy(own) and own.ndim == 0 and given.ndim == 1 and not assign:
        given = given[0]  # torch before 0.4 had no 0-dim tensors
    if is_lazy(own):
        # a lazy module has given it a shape, unless there is none to be had
        if is_lazy(given):
            return
    elif own.shape != given.shape:
        error_msgs.append(
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {own.shape}."
        )
        return
    try:
        if not assign:
            if own.is_meta and not given.is_meta:
                warn(
                    f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the "
                    "current model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state "
                    "dictionary to their corresponding key in the module instead of copying them in place?)"
                )
            with no_grad():
                own.copy_(given)
            return
        swaps = flags.get_swap_module_params_on_conversion()
        if isinstance(own, Parameter):
            if isinstance(given, Parameter) and not swaps:
                given.requires_grad_(own.requires_grad)
            else:
                given = Parameter(given.detach() if swaps else given, own.requires_grad)
        if swaps:
            swap_tensors(own, given)
        else:
            setattr(module, name, given)
    except Exception as error:
        error_msgs.append(
            f'While {"assigning" if assign else "copying"} the parameter named "{key}", whose dimensions in the model '
            f"are {own.shape} and whose dimensions in the checkpoint are {given.shape}, an exception occurred : "
            f"{error.args}."
        )


def quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)
