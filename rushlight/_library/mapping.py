"""Custom functions inside of `vmap`: by the rule that was registered for a batch, or sample by sample."""

from __future__ import annotations

from typing import Any

from rushlight._library.custom_ops import Declared, flattened, gathered
from rushlight.autograd.lifted_function import VmapInfo, each_output, lowered
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.level import holds
from rushlight.ops.machine.transforms.lifting import highest, settled
from rushlight.ops.machine.transforms.making import below
from rushlight.ops.machine.transforms.mapping import Mapping
from rushlight.ops.shape.joining import stack


def mapping_of(given: list[Any]) -> Mapping | None:
    """The innermost `vmap`, where one of the arguments stands for its samples."""
    level = highest(settled(tuple(flattened(given)[0])))
    return level if isinstance(level, Mapping) else None


def run_mapped(declared: Declared, given: list[Any], named: dict[str, Any], level: Mapping) -> Any:
    """What the function gives for a batch."""
    flat, form = flattened(given)
    arguments = settled(tuple(flat))
    in_dims = [0 if holds(each) is level else None for each in arguments]
    whole = lowered(level, arguments)
    if declared.vmap is None:
        return run_each(declared, [in_dims, whole, form], named, level)
    with below(level):
        info = VmapInfo(level.size, level.randomness)
        found, out_dims = declared.vmap(info, tuple(gathered(in_dims, form)), *gathered(whole, form), **named)

    def result(number: int, value: Any) -> Any:
        dim = out_dims[number] if isinstance(out_dims, tuple) else out_dims
        return value if dim is None or not isinstance(value, Tensor) else level.lift(value.movedim(dim, 0))

    return each_output(result, found)


def run_each(declared: Declared, batch: list[Any], named: dict[str, Any], level: Mapping) -> Any:
    """One call for each sample, and their results stacked."""
    in_dims, whole, form = batch

    def sample(number: int) -> list[Any]:
        values = [each if dim is None else each[number] for each, dim in zip(whole, in_dims, strict=True)]
        return gathered(values, form)

    with below(level):
        found = [declared.run(*sample(number), **named) for number in range(level.size)]
        joined = each_output(
            lambda number, each: (
                stack([one[number] if isinstance(one, tuple) else one for one in found])
                if isinstance(each, Tensor)
                else each
            ),
            found[0],
        )
    return each_output(lambda _, each: level.lift(each) if isinstance(each, Tensor) else each, joined)
