"""Layers and parameters that a module cannot see, because they stand in a plain list or dictionary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn.parameter import Parameter

# a tuple stays silent: that is how to hide a layer on purpose
LISTS = {list: "List", dict: "Dict"}


def warn_of_hidden(module: Any, name: str, value: list | dict) -> None:
    """Warn if a list or dictionary that becomes an attribute holds parameters which the module will not find."""
    if name == "_modules":
        # a container that numbers its layers anew: these are found
        return
    from rushlight.nn.modules.module import Module

    held = list(value.values() if type(value) is dict else value)
    hidden = {id(each) for each in parameters_in(held)}
    if not hidden or hidden <= {id(each) for each in parameters_in([module])}:
        return
    what = "modules" if any(isinstance(each, Module) for each in held) else "parameters"
    kind = ("Module" if what == "modules" else "Parameter") + LISTS[type(value)]
    warn(
        f"the {what} in the plain {type(value).__name__} '{name}' of {type(module).__name__} are not found by "
        f"parameters(), state_dict() or to(): write self.{name} = nn.{kind}(...)"
    )


def parameters_in(values: list[Any]) -> Iterator[Parameter]:
    from rushlight.nn.modules.module import Module

    for each in values:
        if isinstance(each, Tensor) and isinstance(each, Parameter):
            yield each
        elif isinstance(each, Module) and "_parameters" in each.__dict__:
            yield from each.parameters()
