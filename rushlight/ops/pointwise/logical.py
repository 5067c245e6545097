"""Logical: and, or, not, of truth values and of bits; shifts of bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor, method
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.kinds import kind_of, refuse
from rushlight.ops.machine.rules import BOOL, PROMOTE
from rushlight.ops.machine.samples import binary, case, cases, unary

truths = binary(numbers=False, complexes=True)


@op(dtype=BOOL, samples=truths)
def logical_and(input: Tensor, other: Tensor, *, out=None):
    """Where both are not zero.

    >>> torch.logical_and(torch.tensor([0, 1, 2]), torch.tensor([3, 0, 4]))
    tensor([False, False,  True])
    """
    return np.logical_and(input, other)


@op(dtype=BOOL, samples=truths)
def logical_or(input: Tensor, other: Tensor, *, out=None):
    """Where one of the two is not zero.

    >>> torch.logical_or(torch.tensor([True, False]), torch.tensor([[False], [True]]))
    tensor([[ True, False],
            [ True,  True]])
    """
    return np.logical_or(input, other)


@op(dtype=BOOL, samples=truths)
def logical_xor(input: Tensor, other: Tensor, *, out=None):
    """Where one of the two is zero and the other is not.

    >>> torch.logical_xor(torch.tensor([0, 1, 2, 0]), torch.tensor([3, 0, 4, 0]))
    tensor([ True,  True, False, False])
    """
    return np.logical_xor(input, other)


@op(dtype=BOOL, samples=unary(complexes=True))
def logical_not(input, *, out=None):
    """Where the element is zero.

    >>> torch.logical_not(torch.tensor([0.0, 0.5, math.nan]))
    tensor([ True, False, False])
    """
    return np.logical_not(input)


bits = binary(floats=False)


@op(dtype=PROMOTE, samples=bits, operator="&")
def bitwise_and(input, other, *, out=None):
    """The bits that both whole numbers have; of bools, where both are True.

    >>> torch.tensor([0b1100, 7]) & torch.tensor([0b1010, 1])
    tensor([8, 1])
    """
    require_bits("bitwise_and_cpu", input, other)
    return np.bitwise_and(input, other, out)


@op(dtype=PROMOTE, samples=bits, operator="|")
def bitwise_or(input, other, *, out=None):
    """The bits that one of the whole numbers has; of bools, where one is True.

    >>> torch.tensor([True, False]) | torch.tensor([False, False])
    tensor([ True, False])
    """
    require_bits("bitwise_or_cpu", input, other)
    return np.bitwise_or(input, other, out)


@op(dtype=PROMOTE, samples=bits, operator="^")
def bitwise_xor(input, other, *, out=None):
    """The bits in which two whole numbers differ; of bools, where just one is True.

    >>> torch.tensor([0b1100, 5]) ^ torch.tensor([0b1010, 5])
    tensor([6, 0])
    """
    require_bits("bitwise_xor_cpu", input, other)
    return np.bitwise_xor(input, other, out)


@op(
    dtype=PROMOTE,
    samples=cases(
        lambda make: [
            case(make.ints(3, 4)),
            case(make.ints(4, 2, dtype="uint8", low=0).T),
            case(make.bools(4)),
            case(make.ints()),
            case(make.ints(0)),
            case(make.floats(3)),
        ],
        pointwise=True,
    ),
)
def bitwise_not(input, *, out=None):
    """Every bit turned over; of bools, their opposite.

    >>> torch.bitwise_not(torch.tensor([0, 5])), ~torch.tensor([True, False])
    (tensor([-1, -6]), tensor([False,  True]))
    """
    require_bits("bitwise_not_cpu", input, input)
    return np.invert(input, out)


@method
def __invert__(self):
    """`~x`: every bit turned over."""
    if self._array.dtype.kind not in "bui":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(self)


shifts = cases(
    lambda make: [
        case(make.ints(3, 4), make.ints(4, low=0)),
        case(make.ints(4, dtype="int8"), make.ints(4, low=-2, high=12, dtype="int8")),
        case(make.ints(4, dtype="uint8", low=0), 2),
        case(make.ints(4), 70),
        case(3, make.ints(4, low=0)),
        case(make.ints(), make.ints(4, low=0, dtype="int16")),
        case(make.ints(0), 1),
        case(make.bools(4), make.bools(4)),
        case(make.floats(4), 1),
    ],
    pointwise=True,
)


@op(dtype=PROMOTE, samples=shifts, operator="<<")
def bitwise_left_shift(input, other, *, out=None):
    """Bits moved up by `other` places.

    >>> 1 << torch.arange(5)
    tensor([ 1,  2,  4,  8, 16])
    """
    require_bits("lshift_cpu", input, other, kinds="ui")
    return np.left_shift(input, other, out)


@op(dtype=PROMOTE, samples=shifts, operator=">>")
def bitwise_right_shift(input, other, *, out=None):
    """Bits moved down by `other` places, keeping the sign.

    >>> torch.tensor([20, -20]) >> 2
    tensor([ 5, -5])
    """
    require_bits("rshift_cpu", input, other, kinds="ui")
    return np.right_shift(input, other, out)


def require_bits(kernel: str, input: Any, other: Any, kinds: str = "bui") -> None:
    if kind_of(input, other) not in kinds:
        raise refuse(kernel, input, other)
