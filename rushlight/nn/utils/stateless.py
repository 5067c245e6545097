"""Calls of a module with other parameters and buffers than its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn.modules.module import Module

__all__ = ["functional_call"]

State = dict[str, Tensor]


def functional_call(
    module: Module,
    parameters_and_buffers: State,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The older place of `torch.func.functional_call`."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead.",
        FutureWarning,
    )
    return call_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def call_with(
    module: Module,
    state: State,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with these tensors in place of its own; a buffer that it changes is changed in `state`."""
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    # _reparametrize_module without a generator: 3 us less
    places = places_of(module)
    own = put_in(module, places, state, tie_weights, strict)
    try:
        return module(*args, **(kwargs or {}))
    finally:
        put_back(module, places, state, own)


_functional_call = call_with


@contextlib.contextmanager
def _reparametrize_module(
    module: Module, parameters_and_buffers: State, tie_weights: bool = False, strict: bool = False
) -> Iterator[None]:
    """Inside, the module has these tensors in place of its own."""
    places = places_of(module)
    own = put_in(module, places, parameters_and_buffers, tie_weights, strict)
    try:
        yield
    finally:
        put_back(module, places, parameters_and_buffers, own)


def put_in(module: Module, places: Places, state: State, tie_weights: bool, strict: bool) -> dict[str, Any]:
    """Put tensors in place of a module's own, which are returned; all or, with an error, none."""
    given = spread_to_tied(places, state) if tie_weights else state
    if strict:
        require_all(module, given)
    own: dict[str, Any] = {}
    try:
        for path, tensor in given.items():
            try:
                own[path] = swap(module, places, path, tensor)
            except AttributeError:
                # a name that the module lacks is passed over
                continue
    except BaseException:
        put_back(module, places, state, own)
        raise
    return own


def put_back(module: Module, places: Places, state: State, own: dict[str, Any]) -> None:
    """Give a module its own tensors again, and `state` what stands in their places now."""
    for path, tensor in own.items():
        left = swap(module, places, path, tensor)
        if path in state:
            state[path] = left


# the dictionary of a module that holds a tensor, and its name there
Places = dict[str, tuple[dict[str, Any], str]]


def places_of(module: Module) -> Places:
    """Where the parameters and buffers of a module are, by their paths."""
    found: Places = {}
    waiting = [("", module)]
    while waiting:
        prefix, each = waiting.pop()
        for kind in (each._parameters, each._buffers):
            for name in kind:
                found[prefix + name] = kind, name
        for name, child in each._modules.items():
            if child is not None:
                waiting.append((f"{prefix}{name}.", child))
    return found


def swap(module: Module, places: Places, path: str, tensor: Any) -> Any:
    """Put a tensor at a path, past all checks and hooks, and give back what was there."""
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    place = places.get(path)
    if place is not None:
        kind, name = place
        old = kind[name]
        kind[name] = tensor
        return old
    prefix, _, name = path.rpartition(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    holder = module.get_submodule(prefix)
    if not hasattr(holder, name):
        raise AttributeError(f"{holder._get_name()} has no attribute `{name}`")
    old = getattr(holder, name)
    if not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    # computed by a parametrization, for example
    setattr(holder, name, tensor)
    return old


def spread_to_tied(places: Places, given: State) -> State:
    """The tensors also under the other names of those that share one."""
    names: dict[int, list[str]] = {}
    for path, (kind, name) in places.items():
        if kind[name] is not None:
            names.setdefault(id(kind[name]), []).append(path)
    found = dict(given)
    for tied in names.values():
        values = [given[path] for path in tied if path in given]
        if len(tied) == 1 or not values:
            continue
        if any(each is not values[0] for each in values):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider using "
                "tie_weights=False"
            )
        found.update(dict.fromkeys(tied, values[0]))
    return found


def require_all(module: Module, given: State) -> None:
    """Refuse a state that lacks a tensor of the module, or has another one."""
    known = [
        path
        for listing in (module.named_parameters, module.named_buffers)
        for path, _ in listing(remove_duplicate=False)
    ]
    words = []
    unexpected = sorted(path for path in given if path not in known)
    missing = sorted(path for path in known if path not in given)
    if unexpected:
        words.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        words.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
    if words:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(words))


def joined(given: State | Sequence[State]) -> State:
    """One dictionary of several."""
    if isinstance(given, dict):
        return given
    if not isinstance(given, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got " + str(type(given))
        )
    if not all(isinstance(each, dict) for each in given):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    paths = [path for each in given for path in each]
    repeated = [path for path in dict.fromkeys(paths) if paths.count(path) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {path: tensor for each in given for path, tensor in each.items()}
