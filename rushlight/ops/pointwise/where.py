"""Where: elements of one tensor or another, chosen by a condition."""

from __future__ import annotations

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import require_fitting
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import PROMOTE, SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.machine.writing import number_for, scalar_name

choices = cases(
    lambda make: [
        case(make.bools(3, 4), make.floats(3, 4), make.floats(3, 4)),
        case(make.bools(3, 1), make.floats(4), make.floats()),
        case(make.bools(4), make.floats(4), 0.5),
        case(make.bools(4), 2, make.floats(4)),
        case(make.bools(4), 1, 2.5),
        case(make.bools(4), make.floats(4), make.ints(4)),
        case(make.bools(4), make.floats(4, dtype="float16"), make.floats(4, dtype="float64")),
        case(make.bools(4), make.complexes(4), make.floats(4)),
        case(make.bools(4, 2).T, make.ints(2, 4), 3),
        case(make.bools(0, 4), make.floats(4), make.floats(4)),
        case(make.bools(), make.floats(), make.floats()),
        case(make.ints(4), make.floats(4), make.floats(4)),
        case(make.bools(3), make.floats(4), make.floats(4)),
    ]
)


@op(
    dtype=PROMOTE,
    batch=ELEMENTWISE,
    linear=True,
    layout=COMMON,
    operands=["input", "other"],
    name="_where",
    node="WhereBackward0",
    samples=None,
)
def choose(condition, input, other, *, out=None):
    """`input` where the condition holds, `other` elsewhere."""
    if condition.dtype.kind != "b":
        if condition.dtype != np.uint8:
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{scalar_name(condition)}: compare it first, for example condition != 0"
            )
        condition = condition != 0
    for number, beside in ((input, other), (other, input)):
        if type(beside) is np.ndarray:
            if type(number) is int and beside.dtype.kind in "iu":
                number_for(number, beside.dtype)
            elif type(number) is float and beside.dtype == np.float32:
                require_fitting(number, beside.dtype)
    return np.where(condition, input, other)


choose.gradient(
    input=lambda grad, condition: choose(condition, grad, 0),
    other=lambda grad, condition: choose(condition, 0, grad),
)


@op(dtype=SAME, batch=ELEMENTWISE, operands=["input"], saves=("guide",), name="_tied", samples=None)
def tied_op(input, guide):
    """`input` itself, with a gradient of zeros for what decided about it."""
    return input.copy()


tied_op.gradient(input=lambda grad: grad, guide=lambda grad, guide: zeros_like(guide))


def tied(slope, guide):
    """A slope that jumps where `guide` does: while it is recorded its second derivative is zero, not absent."""
    # a slope without a history gets its own by Flat
    if state.grad and isinstance(slope, Tensor) and slope.requires_grad and guide.requires_grad:
        return tied_op(slope, guide)
    return slope


@composed(samples=choices, method=False)
def where(condition, input=None, other=None, *, out=None):
    """`input` where the condition holds, `other` elsewhere; with the condition alone, where that holds.

    >>> torch.where(torch.tensor([True, False]), torch.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(condition, Tensor) or input is None or other is None:
        given = ", ".join(type(each).__name__ for each in (condition, input, other))
        raise TypeError(
            f"where() received an invalid combination of arguments - got ({given}), but expected a bool "
            "tensor and two tensors or numbers, or a tensor alone"
        )
    return choose(condition, input, other, out=out)


def where_method(self, condition, other):
    """The tensor's own elements where the condition holds, `other` elsewhere."""
    return where(condition, self, other)


Tensor.where = where_method
