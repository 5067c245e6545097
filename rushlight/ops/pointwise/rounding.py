"""Rounding: whole numbers near each element."""

from __future__ import annotations

import numpy as np

from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import zeros
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.naming import renamed
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.machine.samples import case, cases, corner, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE


def is_whole(name: str, array: np.ndarray) -> bool:
    """Whether the elements are integers already; bools and complex numbers are refused."""
    kind = array.dtype.kind
    if kind == "c" and name != "round":
        raise NotImplementedError(f"{name} is not supported for complex inputs")
    if kind in "bc":
        raise refuse(f"{name}_vml_cpu", array)
    return kind != "f"


@op(dtype=PROMOTE, samples=unary(complexes=True))
def floor(input, *, out=None):
    """The largest whole number at or below each element.

    >>> torch.floor(torch.tensor([-1.5, 1.5]))
    tensor([-2.,  1.])
    """
    return input.copy() if is_whole("floor", input) else np.floor(input, out)


floor.gradient(input=zeros)


@op(dtype=PROMOTE, samples=unary(complexes=True))
def ceil(input, *, out=None):
    """The smallest whole number at or above each element.

    >>> torch.ceil(torch.tensor([-1.5, 1.5]))
    tensor([-1.,  2.])
    """
    return input.copy() if is_whole("ceil", input) else np.ceil(input, out)


ceil.gradient(input=zeros)


@op(dtype=PROMOTE, samples=unary(complexes=True), aliases=["fix"])
def trunc(input, *, out=None):
    """Each element without what stands behind the point.

    >>> torch.trunc(torch.tensor([-1.7, 1.7]))
    tensor([-1.,  1.])
    """
    return input.copy() if is_whole("trunc", input) else np.trunc(input, out)


trunc.gradient(input=zeros)


@op(
    dtype=PROMOTE,
    batch=ELEMENTWISE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4, low=-9, high=9)),
            corner(np.array([0.5, 1.5, -2.5, 3.5], "float32")),
            case(make.floats(3, 4, low=-9, high=9), decimals=2),
            case(make.floats(4, low=-900, high=900, dtype="float64"), decimals=-2),
            case(make.floats(4, dtype="float16")),
            case(make.ints(4)),
            case(make.ints(4), decimals=1),
            case(make.bools(4)),
            case(make.complexes(4)),
            case(make.floats(0, 3)),
            case(make.floats(4, 2).T),
            case(make.floats()),
        ],
        pointwise=True,
    ),
    node=lambda decimals: "RoundBackward1" if decimals else "RoundBackward0",
)
def round(input, *, decimals=0, out=None):
    """The nearest whole number, or number with `decimals` places; halves go to the even one.

    >>> torch.round(torch.tensor([0.5, 1.5, 2.5]))
    tensor([0., 2., 2.])
    """
    if is_whole("round", input):
        if decimals:
            raise refuse("round_cpu", input)
        return input.copy()
    if not decimals:
        return np.rint(input, out)
    scale = 10.0 ** (decimals if decimals > 0 else -decimals)
    return np.rint(input * scale) / scale if decimals > 0 else np.rint(input / scale) * scale


round.gradient(input=zeros)
# torch has the form with decimals only
rounded = renamed(round, "RoundBackward1")


@composed(
    name="special.round",
    samples=cases(lambda make: [case(make.floats(3, 4)), case(make.floats(4), decimals=1)]),
)
def special_round(input, *, decimals=0, out=None):
    """The nearest whole number, or number with `decimals` places; halves go to the even one.

    >>> torch.special.round(torch.tensor([3.14159, 1234.5]), decimals=2)
    tensor([   3.1400, 1234.5000])
    """
    if not decimals and not input.requires_grad:
        # no node will tell one from the other, and this one has a kernel
        return round(input, out=out)
    return rounded(input, decimals=decimals, out=out)


@op(dtype=PROMOTE, samples=unary(complexes=True))
def frac(input, *, out=None):
    """What stands behind the point of each element, with its sign.

    >>> torch.frac(torch.tensor([1.25, -1.25]))
    tensor([ 0.2500, -0.2500])
    """
    if input.dtype.kind != "f":
        raise refuse("frac_cpu", input)
    return np.subtract(input, np.trunc(input), out)


frac.gradient(input=lambda grad: grad)
