"""Watching: what a program should know about a step that does not do what it seems to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer

# names beyond these are counted
SHOWN = 4


def name_of(group: dict[str, Any], place: int) -> str:
    """A parameter in words: its name if the program gave names, else its place and shape."""
    names = group.get("param_names")
    if names is not None and place < len(names):
        return f"'{names[place]}'"
    return f"number {place} of shape {tuple(group['params'][place].shape)}"


def names_of(groups: list[dict[str, Any]]) -> str:
    """The first few parameters in words."""
    names = [
        f"{name_of(group, place)}" + (f" in group {number}" if len(groups) > 1 else "")
        for number, group in enumerate(groups)
        for place in range(len(group["params"]))
    ]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def repeated(group: dict[str, Any]) -> str:
    """The parameters that a group lists more than once, in words."""
    seen: set[Tensor] = set()
    found = []
    for place, param in enumerate(group["params"]):
        if param in seen:
            found.append(name_of(group, place))
        seen.add(param)
    return ", ".join(found)


def check_rates(groups: list[dict[str, Any]]) -> None:
    """Refuse a step that would make every parameter of a group NaN."""
    for number, group in enumerate(groups):
        lr = group.get("lr", 0.0)
        if lr != lr:
            raise ValueError(
                f"Invalid learning rate: {lr} in group {number}: the step would make its parameters NaN "
                f"({names_of([group])})"
            )


def check_gradients(optimizer: Optimizer) -> bool:
    """Warn if no parameter has a gradient; whether one has."""
    groups = optimizer.param_groups
    if any([param._grad is not None for group in groups for param in group["params"]]):
        return True
    # a program that draws a schedule takes such steps, since schedulers ask for them; they mark the groups
    if any(["initial_lr" in group for group in groups]):
        return False
    advice = "call backward() before it, on a loss that is computed from these parameters"
    if not any([param.requires_grad for group in groups for param in group["params"]]):
        advice = "none of them requires one, see requires_grad_()"
    warn(
        f"{type(optimizer).__name__}.step() moves nothing, since none of its parameters has a gradient "
        f"({names_of(groups)}): {advice}"
    )
    return False


def check_replaced(optimizer: Optimizer) -> None:
    """Warn about parameters in whose place the model has others, which do not move."""
    groups = optimizer.param_groups
    places = {param: name_of(group, place) for group in groups for place, param in enumerate(group["params"])}
    for old, new, name in optimizer._replaced:
        # what still gets gradients has kept another place in the model
        if old._grad is None and old in places and new not in places:
            warn(
                f"parameter {places[old]} was replaced in the model after {type(optimizer).__name__} was built: what "
                f"the model now calls '{name}' does not move. Build the optimizer again, or give it the new "
                "parameter with add_param_group()"
            )
    optimizer._replaced.clear()
