"""What a node shows of its saved values: torch's `_saved_self` and kin."""

from __future__ import annotations

import re
from typing import Any

from rushlight.autograd import explain
from rushlight.autograd.graph import OpNode
from rushlight.autograd.saved import SavedTensor

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
# ops whose one dim is a list of dims in torch, and whose number is a tensor
LISTS = {"dims", "shifts", "dim"}
SEVERAL_DIMS = re.compile(
    "(Sum|Nansum|Amax|Amin|Mean|Std|Var|StdMean|VarMean|LinalgVectorNorm|Norm|Logsumexp|Roll)Back"
)
WRAPS_NUMBERS = re.compile("(Mul|Div)Backward0")
# Python numbers of any kind in torch: shown as they are
SCALARS = {"alpha", "beta", "min", "max", "value", "exponent", "other", "weight", "threshold", "p", "ord", "scale"}
WINDOW = {"kernel_size", "stride", "padding", "dilation"}


def saved_value(node: OpNode, name: str) -> Any:
    """The value behind `_saved_x`, or the SavedTensor behind `_raw_saved_x`."""
    is_raw = name.startswith("_raw_")
    wanted = ours(node, name.removeprefix("_raw").removeprefix("_saved_"))
    kind, position = node.op.source_of(wanted) or ("nothing", 0)
    is_tensor = kind == "result" or (kind == "argument" and position in node.op.tensors)
    somewhere = wanted in node.op.plan(node.op.differentiable).names
    place = node.plan.names.index(wanted) if wanted in node.plan.names else None
    # a tensor that only the gradients of other inputs would need is None, as in torch
    if (place is None and not (somewhere and is_tensor)) or (is_raw and not is_tensor):
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
    if is_raw:
        return SavedTensor(node, place)
    if place is None:
        return freed_or_none(node)
    found = node.value_at(place)
    return found if is_tensor and not is_number(found) else as_torch(node, wanted, found)


def freed_or_none(node: OpNode) -> None:
    if node.freed is not None:
        raise explain.freed(node)


def ours(node: OpNode, name: str) -> str:
    """Our name of a saved value: torch calls the first input `self` and its shape `self_sym_sizes`."""
    if name == "self" or name.startswith("self_"):
        name = name.replace("self", node.op.names[0], 1)
    if name.endswith("_sym_sizes"):
        return name.removesuffix("_sym_sizes") + "_shape"
    returns = node.op.returns
    if returns is not None and re.fullmatch(r"result\d", name) and int(name[6:]) < len(returns):
        return returns[int(name[6:])]
    return name


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex))


def as_torch(node: OpNode, name: str, value: Any) -> Any:
    """A plain value as torch's node has it: unsigned, in lists where torch takes lists, reductions by number."""
    kind = type(node).__name__
    if is_number(value) and name == "other" and WRAPS_NUMBERS.fullmatch(kind):
        from rushlight.core.creation import tensor

        return tensor(value)
    if name == "reduction":
        return REDUCTIONS.get(value, value)
    if isinstance(value, int) and not isinstance(value, bool):
        if name in LISTS and SEVERAL_DIMS.match(kind):
            value = (value,)
        elif name in WINDOW and (sides := re.search(r"(\d)D", kind)):
            value = (value,) * int(sides[1])
    return value if name in SCALARS else unsigned(value)


def unsigned(value: Any) -> Any:
    """Negative numbers of dimensions are shown modulo 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple([unsigned(each) for each in value])
    return value + 2**64 if isinstance(value, int) and value < 0 else value
