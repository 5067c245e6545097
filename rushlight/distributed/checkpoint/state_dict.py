"""torch.distributed.checkpoint.state_dict: states of models and optimizers by the names of parameters.

Wrappers for several processes leave no trace in these names, and an optimizer's state names parameters instead of
counting them: a checkpoint fits wherever the model does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.distributed.objects import broadcast_object_list
from rushlight.distributed.process_group import is_initialized
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.distributed import DistributedDataParallel
from rushlight.optim.optimizer import Optimizer

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]


@dataclass
class StateDictOptions:
    """What the states have in them; every tensor is whole and on the CPU in any case."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The state of a model, or of some modules in it."""
    given = checked(options)
    model = unwrapped(model)
    state: dict[str, Any] = model.state_dict()
    if given.ignore_frozen_params:
        for name, parameter in model.named_parameters(remove_duplicate=False):
            if not parameter.requires_grad:
                state.pop(name, None)
    if not submodules:
        return state
    kept: dict[str, Any] = {}
    for place, module in model.named_modules():
        if module in submodules:
            cut = 0 if given.keep_submodule_prefixes else len(f"{place}.")
            kept.update({name[cut:]: value for name, value in state.items() if name.startswith(f"{place}.")})
    return kept


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """The states of optimizers, by the names of parameters; one that has not stepped yet gets its first state."""
    given, names = checked(options), parameter_names(unwrapped(model))
    found: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in every(optimizers):
        _init_optim_state(optimizer)
        own = optimizer.state_dict()
        order = [names[each] for group in optimizer.param_groups for each in group["params"]]
        found["state"].update({order[number]: value for number, value in own["state"].items()})
        for group in own["param_groups"]:
            found["param_groups"].append({**group, "params": [order[number] for number in group["params"]]})
    return flat(found) if given.flatten_optimizer_state_dict else found


def get_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The states of a model and of its optimizers."""
    state = get_model_state_dict(model, submodules=submodules, options=options)
    return state, get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options)


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Let a model take up a state; returns what `load_state_dict` does."""
    given = checked(options)
    state = from_first(model_state_dict) if given.broadcast_from_rank0 else model_state_dict
    return unwrapped(model).load_state_dict(state, strict=given.strict)


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Let optimizers take up states that name parameters."""
    given, names = checked(options), parameter_names(unwrapped(model))
    state = from_first(optim_state_dict) if given.broadcast_from_rank0 else optim_state_dict
    for optimizer in every(optimizers):
        _init_optim_state(optimizer)
        whole = nested(state, optimizer, names) if given.flatten_optimizer_state_dict else state
        optimizer.load_state_dict(numbered(whole, optimizer, names))


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Let a model and its optimizers take up states; returns what the model's `load_state_dict` does."""
    keys = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return keys


def checked(options: StateDictOptions | None) -> StateDictOptions:
    given = options or StateDictOptions()
    if given.broadcast_from_rank0 and not given.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return given


def unwrapped(model: Module) -> Module:
    return model.module if isinstance(model, DistributedDataParallel) else model


def every(optimizers: Optimizer | Iterable[Optimizer]) -> Iterator[Optimizer]:
    yield from (optimizers,) if isinstance(optimizers, Optimizer) else optimizers


def parameter_names(model: Module) -> dict[Tensor, str]:
    return {parameter: name for name, parameter in model.named_parameters()}


def from_first(state: dict[str, Any]) -> dict[str, Any]:
    """The state that the first process has."""
    if not is_initialized():
        return state
    holder = [state]
    broadcast_object_list(holder, group_src=0)
    return holder[0]


def _init_optim_state(optim: Optimizer) -> None:
    """Give an optimizer its first state by a step of no length, unless gradients wait for a real one."""
    parameters = [each for group in optim.param_groups for each in group["params"]]
    if optim.state or any(each.grad is not None for each in parameters):
        return
    lengths = [group.get("lr") for group in optim.param_groups]
    for each in parameters:
        if each.requires_grad:
            each.grad = each.detach().new_zeros(each.shape)
    for group, length in zip(optim.param_groups, lengths, strict=True):
        if length is not None:
            group["lr"] = length.new_zeros(length.shape) if isinstance(length, Tensor) else 0.0
    optim.step(closure=None)
    for group, length in zip(optim.param_groups, lengths, strict=True):
        if length is not None:
            group["lr"] = length
    optim.zero_grad(set_to_none=True)


def numbered(state: dict[str, Any], optimizer: Optimizer, names: dict[Tensor, str]) -> dict[str, Any]:
    """A state that counts parameters, as the optimizer does."""
    states: dict[int, Any] = {}
    groups: list[dict[str, Any]] = []
    saved = {name: group for group in state["param_groups"] for name in group["params"]}
    number = 0
    for group in optimizer.param_groups:
        own = [names[each] for each in group["params"]]
        numbers = list(range(number, number + len(own)))
        number += len(own)
        states.update(
            {place: state["state"][name] for place, name in zip(numbers, own, strict=True) if name in state["state"]}
        )
        found = next((saved[name] for name in own if name in saved), None)
        if found is not None:
            groups.append({**found, "params": numbers})
    return {"state": states, "param_groups": groups}


def flat(state: dict[str, Any]) -> dict[str, Any]:
    """A state as one level of names, `state.layer.weight.exp_avg` and `param_groups.layer.weight.lr`."""
    found = {f"state.{name}.{key}": value for name, content in state["state"].items() for key, value in content.items()}
    for group in state["param_groups"]:
        for name in group["params"]:
            found.update({f"param_groups.{name}.{key}": value for key, value in group.items() if key != "params"})
    return found


def nested(state: dict[str, Any], optimizer: Optimizer, names: dict[Tensor, str]) -> dict[str, Any]:
    """The state of an optimizer out of one level of names."""
    found: dict[str, Any] = {"state": {}, "param_groups": []}
    for group in optimizer.param_groups:
        own = [names[each] for each in group["params"]]
        for name in own:
            content = below(state, f"state.{name}.")
            if content:
                found["state"][name] = content
        found["param_groups"].append({**(below(state, f"param_groups.{own[0]}.") if own else {}), "params": own})
    return found


def below(state: dict[str, Any], prefix: str) -> dict[str, Any]:
    # a name of a state has no dots: `0.weight.step` is not one of `0`
    return {
        key[len(prefix) :]: value
        for key, value in state.items()
        if key.startswith(prefix) and "." not in key[len(prefix) :]
    }
