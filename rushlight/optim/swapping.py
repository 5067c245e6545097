"""Swapping: an optimizer that for a while moves other parameters, with other state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer

NAME = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Let an optimizer move other parameters, whose state is given as `state_dict()` gives it; then all is as before.

    The parameters are those of all groups, in their order. Tensors of the given state are written to.

    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, others, state_dict):
    ...     optimizer.step()
    """
    groups = checked_groups(optimizer, swapin_parameters, swapin_optim_state)
    numbers = [number for group in groups for number in group["params"]]
    owners = dict(zip(numbers, swapin_parameters.values(), strict=True))
    unknown = [number for number in swapin_optim_state["state"] if number not in owners]
    if unknown:
        raise RuntimeError(f"{NAME} requires state of parameters that are in param_groups; got extra keys {unknown}")
    kept_state, kept_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    optimizer.state = defaultdict(dict)
    for number, state in swapin_optim_state["state"].items():
        optimizer.state[owners[number]] = dict(state)
    try:
        for group, given in zip(optimizer.param_groups, groups, strict=True):
            group.update({**given, "params": [owners[number] for number in given["params"]]})
        optimizer._flats.clear()
        yield
    finally:
        optimizer.state = kept_state
        optimizer._flats.clear()
        for group, kept in zip(optimizer.param_groups, kept_groups, strict=True):
            group.clear()
            group.update(kept)


def checked_groups(optimizer: Optimizer, params: dict[str, Tensor], given: dict[str, Any]) -> list[dict[str, Any]]:
    """The groups of a state that fits the optimizer."""
    if not optimizer.state:
        raise RuntimeError(f"{NAME} requires initialized optimizer state: take a step before")
    if not isinstance(given, dict) or not isinstance(given.get("state"), dict):
        raise RuntimeError(f"{NAME} requires what optimizer.state_dict() gives: {{'state': ..., 'param_groups': ...}}")
    groups = given.get("param_groups")
    if not isinstance(groups, list) or len(groups) != len(optimizer.param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    for number, (group, new) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        if not isinstance(new, dict) or set(new) != set(group) or len(new["params"]) != len(group["params"]):
            raise RuntimeError(f"{NAME} requires the options and the number of parameters of group {number}")
    if sum(len(group["params"]) for group in groups) != len(params):
        raise RuntimeError(f"{NAME} requires the explicit parameter state to match optimizer.param_groups ordering.")
    return groups


__all__ = ["swap_in_optimizer_params_and_state"]
