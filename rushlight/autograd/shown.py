"""What a node shows of itself: torch's `_saved_self` and kin, and a place for each of its inputs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from rushlight.autograd.graph import Node, OpNode
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
# overloads that take numbers where others take tensors: no places for those, nor for any where nothing is derived
WITH_NUMBERS = re.compile(
    r"(Clamp|Rsub|Copysign|Scatter|Normal|Xlogy|SpecialXlog1Py|SpecialZeta)Backward1|"
    r"(ClampMax|ClampMin|Fill|Fmod|IndexFill|MaskedFill|Pow|Remainder|Eq|Ne|Lt|Le|Gt|Ge)Backward0|"
    r"(Fill|Normal|Pow|SpecialXlog1Py|SpecialZeta|Xlogy)Backward2|NotImplemented"
)


def slots(node: OpNode) -> Sequence[int | None]:
    """Which edge stands in each place that users see; None for a tensor that needs no gradient."""
    kind = type(node).__name__
    if node.plan.has_lists or WITH_NUMBERS.fullmatch(kind):
        return range(len(node.edges))
    known = {position: place for place, position in enumerate(node.plan.inputs)}
    names = [name for name in node.op.gradients if not (kind == "LerpBackward0" and name == "weight")]
    return [known.get(node.op.positions[name]) for name in names]


def saved_value(node: OpNode, name: str) -> Any:
    """The value behind `_saved_x`, or the SavedTensor behind `_raw_saved_x`."""
    is_raw = name.startswith("_raw_")
    if not is_raw and (made := derived(node, name.removeprefix("_saved_"))) is not None:
        return made[0]
    wanted = ours(node, name.removeprefix("_raw").removeprefix("_saved_"))
    kind, position = node.op.source_of(wanted) or ("nothing", 0)
    is_tensor = kind in ("memory", "result") or (kind == "argument" and position in node.op.tensors)
    somewhere = wanted in node.op.plan(node.op.differentiable).names
    place = node.plan.names.index(wanted) if wanted in node.plan.names else None
    if place is None and not is_raw and (sizes := input_sizes(node, wanted)) is not None:
        return sizes
    # a tensor that only the gradients of other inputs would need is None, as in torch
    if (place is None and not (somewhere and is_tensor)) or (is_raw and not is_tensor):
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
    if is_raw:
        return SavedTensor(node, place)
    if place is None:
        return None
    found = node.value_at(place)
    if name == "_saved_p" and type(found) is int and type(node).__name__.startswith(("Pdist", "Cdist")):
        return float(found)
    if isinstance(found, list):
        found = tuple(found)
    return found if is_tensor and not is_number(found) else as_torch(node, wanted, found)


def derived(node: OpNode, name: str) -> tuple[Any] | None:
    """A value that torch's node keeps and ours has in another form, in a tuple; None if it is none of those."""
    if found := re.fullmatch(r"(\w+)_sym_argsize_(minus_)?(\d)", name):
        shape = input_sizes(node, ours(node, found[1]) + "_shape")
        return None if shape is None else (shape[-int(found[3]) if found[2] else int(found[3])],)
    kind = type(node).__name__
    if kind == "AsStridedBackward0" and name in GEOMETRY and "geometry" in node.plan.names:
        return (node.value_at(node.plan.names.index("geometry"))[GEOMETRY.index(name)],)
    if kind.startswith("Upsample") and name == "output_size":
        return (tuple(node.outputs[0][0][2:]),)
    if kind == "ConvolutionBackward0" and name == "bias_sym_sizes_opt":
        # torch has a size of 0 where there is no bias
        return (input_sizes(node, "bias_shape") or (0,),)
    return None


def input_sizes(node: OpNode, wanted: str) -> Any:
    """The shape of an input, or the number of its elements, from where its gradient goes; None if that is not asked."""
    name = wanted.removesuffix("_shape").removesuffix("_sym_numel")
    if name == wanted or node.op.positions.get(name) not in node.plan.inputs or node.plan.has_lists:
        return None
    place = node.plan.inputs.index(node.op.positions[name])
    target = node.edges[place]
    if target is None:
        return None
    number = 0 if node.numbers is None else node.numbers[place]
    shape = target.outputs[number][0] if isinstance(target, Node) else target._array.shape
    return shape if wanted.endswith("_shape") else math.prod(shape)


def shown_names(node: OpNode) -> list[str]:
    """The names under which `dir(node)` lists what it keeps."""
    found = []
    for wanted in node.op.plan(node.op.differentiable).names:
        name = torchs(node, wanted)
        kind, position = node.op.source_of(wanted) or ("nothing", 0)
        if kind in ("memory", "result") or (kind == "argument" and position in node.op.tensors):
            found.append(f"_raw_saved_{name}")
        elif wanted not in node.plan.names:
            continue
        found.append(f"_saved_{name}")
    return found


# what a view of strides is made of, in the order in which it is kept
GEOMETRY = ("size", "stride", "storage_offset")
# inputs that torch calls otherwise in a node than in the function's signature
OTHER_NAMES = {"MmBackward0": {"mat2": "other"}, "BmmBackward0": {"mat2": "other"}}


# functions of layers, whose first input is no `self`
CALLED_INPUT = re.compile("Native(Layer|Group|Batch)Norm|Convolution")


def torchs(node: OpNode, name: str) -> str:
    """torch's name of a saved value: the other way of `ours`."""
    is_shape = (node.op.source_of(name) or "?")[0] == "shape"
    name, shape = (name.removesuffix("_shape"), "_sym_sizes") if is_shape else (name, "")
    others = OTHER_NAMES.get(type(node).__name__, {})
    name = next((known for known, own in others.items() if own == name), name)
    returns = node.op.returns
    if returns is not None and name in returns:
        name = name if name in ("indices", "values") else f"result{returns.index(name)}"
    if name == node.op.names[0] == "input" and not CALLED_INPUT.match(type(node).__name__):
        name = "self"
    return name + shape


def ours(node: OpNode, name: str) -> str:
    """Our name of a saved value: torch calls the first input `self` and its shape `self_sym_sizes`."""
    name, _, part = name.partition("_sym_")
    if name not in node.op.positions:
        name = node.op.names[0] if name == "self" else OTHER_NAMES.get(type(node).__name__, {}).get(name, name)
    if part:
        return name + ("_shape" if part == "sizes" else "_sym_" + part)
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
        from rushlight.core.creation.creation import tensor

        return tensor(value)
    if name == "reduction":
        return REDUCTIONS.get(value, value)
    if isinstance(value, int) and not isinstance(value, bool):
        if name in LISTS and SEVERAL_DIMS.match(kind):
            value = (value,)
        elif name in WINDOW and (sides := re.search(r"(\d)D", kind)):
            value = (value,) * int(sides[1])
        elif name in WINDOW and kind == "ConvolutionBackward0":
            value = (value,) * (len(node.outputs[0][0]) - 2)
    return value if name in SCALARS else unsigned(value)


def unsigned(value: Any) -> Any:
    """Negative numbers of dimensions are shown modulo 2**64."""
    if isinstance(value, (tuple, list)):
        return tuple([unsigned(each) for each in value])
    return value + 2**64 if isinstance(value, int) and value < 0 else value
