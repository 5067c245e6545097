"""Division: quotients, remainders and what divides what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.object.tensor import Tensor, attribute, method
from rushlight.core.surface.overriding import overridable
from rushlight.errors.explained import KERNEL, explained
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate, zeros
from rushlight.ops.machine.kinds import kind_of, refuse
from rushlight.ops.machine.rules import FLOAT, PROMOTE, UNROUNDED
from rushlight.ops.machine.samples import binary, case, cases, corners, joined, unary
from rushlight.ops.machine.straight import straightened
from rushlight.ops.machine.transforms.words import ELEMENTWISE

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def QUOTIENT(op: Op, arrays: list) -> np.dtype:
    """True division gives floats; a rounded one keeps the common dtype."""
    return (FLOAT if arrays[op.positions["rounding_mode"]] is None else ROUNDED)(op, arrays)


def ROUNDED(op: Op, arrays: list) -> np.dtype:
    """The common dtype; by a tensor half precision is divided in itself, as torch does, by a number in float32."""
    by_tensor = isinstance(arrays[1], np.ndarray) and arrays[1].ndim
    return (UNROUNDED if by_tensor else PROMOTE)(op, arrays)


@op(
    dtype=QUOTIENT,
    batch=ELEMENTWISE,
    samples=joined(
        binary(complexes=True, divisor=True),
        cases(
            lambda make: [
                case(make.floats(3), make.floats(3, low=0.5), rounding_mode="floor"),
                case(make.floats(3), make.floats(3, low=0.5), rounding_mode="trunc"),
                case(make.ints(5), 2, rounding_mode="floor"),
                case(make.ints(5), make.ints(5, low=1), rounding_mode="trunc"),
                case(make.ints(5), 0, rounding_mode="trunc"),
                case(make.floats(3), 2, rounding_mode="up"),
            ]
        ),
    ),
    operator="/",
    aliases=["divide"],
    node=lambda rounding_mode: "DivBackward0" if rounding_mode is None else "DivBackward2",
)
def div(input, other, *, rounding_mode=None, out=None):
    """Quotient of two tensors; `rounding_mode` "trunc" rounds it towards zero, "floor" down.

    >>> torch.div(torch.tensor([-7, 7]), 2, rounding_mode="floor")
    tensor([-4,  3])
    """
    if rounding_mode is None:
        return np.true_divide(input, other, out)
    if rounding_mode == "floor":
        return floored(input, other)
    if rounding_mode == "trunc":
        return truncated(input, other)
    raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


div.gradient(
    input=lambda grad, other, rounding_mode: grad / conjugate(other) if rounding_mode is None else zeros(grad),
    other=lambda grad, input, other, rounding_mode: (
        -grad * conjugate(input / other / other) if rounding_mode is None else zeros(grad)
    ),
)


def floored(input: Any, other: Any) -> np.ndarray:
    check_divisor("div_floor_cpu", input, other)
    if isinstance(other, np.ndarray) and other.dtype in dtypes.HALF:
        return floored_half(input, other)
    return np.floor_divide(input, other)


def floored_half(input: Any, other: np.ndarray) -> np.ndarray:
    """The quotient rounded down by way of the remainder, in half precision, where each step is rounded.

    Each step is one of float32, which has so many digits that rounding its result again gives the same number: a tenth
    of the time of NumPy's own loops.
    """
    kind, wide = other.dtype, np.dtype(np.float32)

    def rounded(array: np.ndarray) -> np.ndarray:
        return by_float32(by_float32(array, kind), wide)

    dividend = by_float32(np.asarray(input, kind), wide)
    divisor = by_float32(other, wide)
    left, exact = straightened(fmod, dividend, divisor), rounded(dividend / divisor)
    quotient = rounded(rounded(dividend - left) / divisor)
    quotient = np.where((left != 0) & ((divisor < 0) != (left < 0)), rounded(quotient - 1), quotient)
    down = np.floor(quotient)
    down = np.where(rounded(quotient - down) > 0.5, rounded(down + 1), down)
    down = np.where(quotient == 0, np.copysign(np.float32(0), exact), down)
    return by_float32(np.where(divisor == 0, exact, down), kind)


def truncated(input: Any, other: Any) -> np.ndarray:
    check_divisor("div_trunc_cpu", input, other)
    if kind_of(input, other) not in "ui":
        return np.trunc(np.true_divide(input, other))
    return np.floor_divide(np.subtract(input, np.fmod(input, other)), other)


def check_divisor(kernel: str, input: Any, other: Any) -> None:
    """Integers are not divided by zero; bools and complex numbers have no remainders."""
    kind = kind_of(input, other)
    if kind in "bc":
        raise refuse(kernel, input, other)
    if kind in "ui" and not np.all(other) and np.size(input):
        raise explained(RuntimeError, "ZeroDivisionError: an integer tensor is divided by zero", stage=KERNEL)


@composed(samples=binary(complexes=True, divisor=True))
def true_divide(input, other, *, out=None):
    """Quotient of two tensors, never rounded.

    >>> torch.true_divide(torch.tensor([6, 7]), 2)
    tensor([3.0000, 3.5000])
    """
    return div(input, other, out=out)


@method
def true_divide_(self, other):
    """Quotient of two tensors, in place."""
    return self.div_(other)


@method
@overridable
def __rdiv__(self, other):
    """A number over a tensor; the name is that of Python 2, under which modes see it."""
    # not `*`, which would ask a string or a list to repeat itself
    return self.reciprocal().__mul__(other)


attribute("__rtruediv__", __rdiv__)


@op(
    dtype=ROUNDED,
    samples=corners(binary(divisor=True, bools=False)),
    operator="//",
    underivable="floor_divide",
)
def floor_divide(input, other, *, out=None):
    """Quotient of two tensors, rounded down.

    >>> torch.tensor([-7, 7]) // 2
    tensor([-4,  3])
    """
    if type(input) is not np.ndarray and type(other) is not np.ndarray:
        # a truth value beside a number is one
        input = np.asarray(int(input) if type(input) is bool is not type(other) else input)
    return floored(input, other)


@op(
    dtype=PROMOTE,
    samples=binary(low=0.5, high=3, bools=False),
    operator="%",
    node=lambda input, other: remainder_node("Remainder", input, other),
)
def remainder(input, other, *, out=None):
    """What a division rounded down leaves; it has the divisor's sign.

    >>> torch.remainder(torch.tensor([-7, 7]), 3)
    tensor([2, 1])
    """
    check_divisor("remainder_cpu", input, other)
    if kind_of(input, other) in "ui":
        return np.remainder(input, other, out)
    found = np.asarray(np.fmod(input, other, out))
    # a zero keeps the dividend's sign, which NumPy's remainder does not
    np.add(found, other, found, where=(found != 0) & (np.less(other, 0) != (found < 0)))
    return found


remainder.gradient(
    input=lambda grad: grad,
    other=lambda grad, input, other: -grad * div(input, other, rounding_mode="floor"),
)


@op(
    dtype=PROMOTE,
    samples=binary(low=0.5, high=3, bools=False),
    node=lambda input, other: remainder_node("Fmod", input, other),
)
def fmod(input: Tensor, other, *, out=None):
    """What a division rounded towards zero leaves; it has the dividend's sign.

    >>> torch.fmod(torch.tensor([-7, 7]), 3)
    tensor([-1,  1])
    """
    check_divisor("fmod_cpu", input, other)
    return np.fmod(input, other, out)


fmod.gradient(
    input=lambda grad: grad,
    other=lambda grad, input, other: -grad * div(input, other, rounding_mode="trunc"),
)


def remainder_node(name: str, input: Any, other: Any) -> str:
    if not isinstance(input, Tensor):
        return "NotImplemented"
    return f"{name}Backward1" if isinstance(other, Tensor) else f"{name}Backward0"


@op(dtype=FLOAT, samples=unary(low=0.2, high=3, complexes=True))
def reciprocal(input, *, out=None):
    """One over each element.

    >>> torch.reciprocal(torch.tensor([2.0, -0.5, 0.0]))
    tensor([ 0.5000, -2.0000,     inf])
    """
    return np.true_divide(1, input, out)


reciprocal.gradient(input=lambda grad, result: -grad * conjugate(result * result))


whole = cases(
    lambda make: [
        case(make.ints(6, low=-30, high=31), make.ints(6, low=-30, high=31)),
        case(make.ints(3, 1), make.ints(4)),
        case(make.ints(4, dtype="int32"), make.ints(4, dtype="uint8", low=0)),
        case(make.ints(), make.ints(4)),
        case(make.ints(0), make.ints(0)),
        case(make.bools(4), make.bools(4)),
        case(make.floats(4), make.floats(4)),
    ],
    pointwise=True,
)


@op(dtype=PROMOTE, samples=whole)
def gcd(input: Tensor, other: Tensor, *, out=None):
    """Greatest common divisor of whole numbers.

    >>> torch.gcd(torch.tensor([12, 17, 0]), torch.tensor([18, 5, 4]))
    tensor([6, 1, 4])
    """
    if kind_of(input, other) not in "ui":
        raise refuse("gcd_cpu", input, other)
    return np.gcd(input, other, out)


@op(dtype=PROMOTE, samples=whole)
def lcm(input: Tensor, other: Tensor, *, out=None):
    """Least common multiple of whole numbers.

    >>> torch.lcm(torch.tensor([4, 3, 0]), torch.tensor([6, 5, 4]))
    tensor([12, 15,  0])
    """
    if kind_of(input, other) not in "ui":
        raise refuse("lcm_cpu", input, other)
    return np.absolute(np.lcm(input, other))
