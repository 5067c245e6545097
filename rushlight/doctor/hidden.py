"""Hidden parameters: leaves that learn inside of a module and that its `parameters()` do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rushlight.core.object.tensor import Tensor
from rushlight.errors.location import Location
from rushlight.errors.lost import leaves_behind
from rushlight.nn.modules.module import Module

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

CONTAINER, PLAIN, COMPUTED = "container", "plain", "computed"
# lists of lists of layers are looked into so deep
DEPTH = 4
OWN = set(vars(Module())) - {"training"}


class Holder(NamedTuple):
    """Where a leaf is hidden: the attribute of a module, in which of the ways, and the line that set it."""

    module: Any
    name: str
    way: str
    value: Any
    place: Location | None


def holder_of(watch: Watch, tensor: Tensor) -> Holder | None:
    """The module that keeps a leaf in a plain attribute."""
    for module in watch.lives.living_modules():
        held = {name: each for name, each in vars(module).items() if name not in OWN}
        held.update(vars(module).get("_buffers", {}))
        for name, value in held.items():
            way = way_of(value, tensor)
            if way is not None:
                return Holder(module, name, way, value, watch.lives.of_module(module).assigned.get(name))
    return None


def way_of(value: Any, tensor: Tensor) -> str | None:
    if isinstance(value, Tensor):
        if value is tensor:
            return PLAIN
        computed = value._base is None and value.requires_grad and not value.is_leaf
        return COMPUTED if computed and any(each is tensor for each in leaves_behind([value])) else None
    return CONTAINER if isinstance(value, (list, tuple, dict, set)) and contains(value, tensor, DEPTH) else None


def contains(value: Any, tensor: Tensor, depth: int) -> bool:
    if isinstance(value, Tensor):
        return value is tensor
    if isinstance(value, Module):
        return any(each is tensor for each in value.parameters())
    if depth and isinstance(value, (list, tuple, dict, set)):
        return any(contains(each, tensor, depth - 1) for each in (value.values() if isinstance(value, dict) else value))
    return False


def layers_in(value: Any, depth: int = DEPTH) -> list[Module]:
    """The modules of a container."""
    if isinstance(value, Module):
        return [value]
    if depth and isinstance(value, (list, tuple, dict, set)):
        inside = value.values() if isinstance(value, dict) else value
        return [one for each in inside for one in layers_in(each, depth - 1)]
    return []
