"""Powers: raising to a power, roots, and powers of two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import compute_dtype
from rushlight.core.object.tensor import Tensor, method
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate, zeros
from rushlight.ops.machine.kinds import kind_of, refuse
from rushlight.ops.machine.layouts import COMMON, ROWS
from rushlight.ops.machine.rules import FLOAT, PROMOTE, SAME
from rushlight.ops.machine.samples import binary, case, cases, corner, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.pointwise.where import choose

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

exponents = cases(
    lambda make: [
        case(make.floats(3, 4, low=0.1), make.floats(3, 4)),
        case(make.floats(3, 1, low=0.1), make.floats(4)),
        case(make.floats(3, low=0.1), make.floats()),
        case(make.floats(3), 2),
        case(make.floats(3), 3),
        case(make.floats(3, low=0.1), -0.5),
        case(make.floats(3), 0),
        case(make.floats(3, low=0.1, dtype="float16"), 1.5),
        case(make.ints(4), 2),
        case(make.ints(4), make.ints(4, low=0)),
        case(make.ints(4), make.ints(4)),
        case(make.ints(4), -1),
        case(make.ints(4, low=1), 0.5),
        case(make.bools(4), 2),
        case(make.bools(4), make.bools(4)),
        case(2, make.floats(3)),
        case(2.5, make.ints(3)),
        case(make.complexes(3), 2),
        case(make.complexes(3), make.complexes(3)),
        case(make.floats(0, 3), 2.0),
        case(make.floats(4, 2).T, 2.0),
    ],
    pointwise=True,
)


def power_node(input: Any, exponent: Any) -> str:
    if not isinstance(input, Tensor):
        return "PowBackward2"
    return "PowBackward1" if isinstance(exponent, Tensor) else "PowBackward0"


def power_layout(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """As pointwise ops; powers of one number are by rows, whatever the exponents are."""
    return (COMMON if type(arrays[0]) is np.ndarray else ROWS)(op, arrays, result)


@op(dtype=PROMOTE, layout=power_layout, samples=exponents, operator="**", node=power_node)
def pow(input, exponent, *, out=None):
    """Each element of `input` to the power of `exponent`, a tensor or a number.

    >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    kind = kind_of(input, exponent)
    if type(exponent) is not np.ndarray and exponent == 2:
        return np.multiply(input, input, out)
    if kind in "bui":
        return integer_power(input, exponent, kind)
    if kind == "c":
        return complex_power(input, exponent)
    return np.power(input, exponent, out)


pow.gradient(
    input=lambda grad, input, exponent: power_of_input(grad, input, exponent),
    exponent=lambda grad, input, exponent, result: power_of_exponent(grad, input, exponent, result),
)


def complex_power(input: Any, exponent: Any) -> np.ndarray:
    """Powers of complex numbers; where the way by products has no answer, torch's, by way of the logarithm."""
    if type(exponent) is not np.ndarray and exponent in EASY_POWERS:
        return EASY_POWERS[exponent](input)
    found = np.power(input, exponent)
    usual = np.isfinite(input) & np.not_equal(input, 0) & np.isfinite(found)
    if np.all(usual):
        return found
    logarithm = np.log(np.asarray(input, found.dtype))
    power = exponent * logarithm
    # C multiplies an infinite number as if the part that is NaN were not there
    lost = np.isnan(power.real) & np.isnan(power.imag) & np.isinf(logarithm.real)
    power = np.where(lost, np.real(exponent) * logarithm.real + complex(0, math.nan), power)
    return np.where(usual, found, np.exp(power))


# the exponents that torch has formulas for, if they are numbers
EASY_POWERS: dict[Any, Any] = {
    0: np.ones_like,
    1: np.copy,
    0.5: np.sqrt,
    3: lambda input: input * input * input,
    -0.5: lambda input: 1 / np.sqrt(input),
    -1: lambda input: 1 / input,
    -2: lambda input: 1 / (input * input),
}


def integer_power(input: Any, exponent: Any, kind: str) -> np.ndarray:
    """Powers of whole numbers; a negative exponent leaves 0, 1 or -1."""
    if kind == "b":
        if type(exponent) is np.ndarray:
            raise refuse("pow", input, exponent)
        return np.logical_or(input, not exponent)
    if type(exponent) is not np.ndarray and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed. Convert the tensor with .float() first."
        )
    negative = np.less(exponent, 0)
    if not negative.any():
        return np.power(input, exponent)
    odd = np.bitwise_and(exponent, 1) == 1
    unit = np.where(np.equal(input, 1), 1, np.where(np.equal(input, -1), np.where(odd, -1, 1), 0))
    return np.where(negative, unit, np.power(input, np.where(negative, 0, exponent)))


def power_of_input(grad: Tensor, input: Tensor, exponent: Any) -> Tensor:
    if not isinstance(exponent, Tensor):
        if exponent == 0:
            return zeros(grad)
        # a square is cheaper without powers; on the way to further derivatives torch's steps show
        straight = exponent == 2 and not state.grad and not is_recorded_below(input)
        return grad * conjugate(input * exponent if straight else input ** (exponent - 1) * exponent)
    slope = conjugate(exponent * input ** (exponent - 1))
    # x ** 0 is flat, also at 0 where the slope would be 0 * inf
    return choose(exponent == 0, 0, grad * slope)


def is_recorded_below(tensor: Tensor) -> bool:
    """Whether the level below a transform, where one has lifted a tensor, records what is done to it."""
    array = tensor._array
    return type(array) is Lifted and array.inner is not None and array.inner.requires_grad


def power_of_exponent(grad: Tensor, input: Any, exponent: Tensor, result: Tensor) -> Tensor:
    base = input if isinstance(input, Tensor) else grad.new_tensor(input)
    slope = conjugate(result * base.log())
    # 0 ** y is flat where y >= 0, although log(0) is not finite
    flat = base == 0
    if not exponent.is_complex():
        flat = flat & (exponent >= 0)
    return grad * choose(flat, 0, slope)


@composed(samples=exponents)
def float_power(input, exponent, *, out=None):
    """Powers computed in double precision, whatever the dtype of the input.

    >>> torch.float_power(torch.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=torch.float64)
    """
    return pow(doubled(input), doubled(exponent), out=out)


@method
def float_power_(self, exponent):
    """Powers computed in double precision, in place; the tensor must have that already."""
    wanted = dtypes.complex128 if self.is_complex() or is_complex(exponent) else dtypes.float64
    if self.dtype is not wanted:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype} but the operation's result requires dtype {wanted}"
        )
    return self.pow_(doubled(exponent))


def is_complex(value: Any) -> bool:
    return value.is_complex() if isinstance(value, Tensor) else isinstance(value, complex)


def doubled(value: Any) -> Any:
    """A tensor or number in double precision."""
    if not isinstance(value, Tensor):
        return value if isinstance(value, complex) else float(value)
    return value.to(dtypes.complex128 if value.is_complex() else dtypes.float64)


@composed(samples=unary(complexes=True))
def square(input, *, out=None):
    """Each element times itself.

    >>> torch.square(torch.tensor([-3, 2]))
    tensor([9, 4])
    """
    return pow(input, 2, out=out)


@method
def square_(self):
    """Each element times itself, in place."""
    return self.pow_(2)


@op(dtype=FLOAT, samples=unary(low=0.1, high=4, complexes=True))
def sqrt(input, *, out=None):
    """Square root of each element; NaN for negative numbers.

    >>> torch.sqrt(torch.tensor([9.0, 2.0, -1.0]))
    tensor([3.0000, 1.4142,    nan])
    """
    return np.sqrt(input, out)


sqrt.gradient(input=lambda grad, result: grad / conjugate(result * 2))


@op(dtype=FLOAT, samples=unary(low=0.2, high=4, complexes=True))
def rsqrt(input, *, out=None):
    """One over the square root of each element.

    >>> torch.rsqrt(torch.tensor([4.0, 0.25, 0.0]))
    tensor([0.5000, 2.0000,    inf])
    """
    return np.true_divide(1, np.sqrt(input), out)


rsqrt.gradient(input=lambda grad, result: grad * conjugate(result**3) * -0.5)


@op(dtype=PROMOTE, samples=binary(numbers=False))
def hypot(input: Tensor, other: Tensor, *, out=None):
    """The hypotenuse: square root of the sum of two squares.

    >>> torch.hypot(torch.tensor([3.0, 1e30]), torch.tensor([4.0, 1e30]))
    tensor([5.0000e+00, 1.4142e+30])
    """
    if kind_of(input, other) != "f":
        raise refuse("hypot_cpu", input, other)
    return np.hypot(input, other, out)


hypot.gradient(
    input=lambda grad, input, result: grad * (input / result),
    other=lambda grad, other, result: grad * (other / result),
)


def SCALE(op: Op, arrays: list) -> np.dtype:
    """Like FLOAT, but the exponent stays as it is."""
    input, exponent = arrays[0], arrays[1]
    if exponent.dtype.kind == "b" and dtypes.from_numpy(input.dtype).is_floating_point:
        raise refuse("ldexp_cpu_exp", exponent)
    kind = FLOAT(op, arrays)
    arrays[1] = exponent
    return kind


@op(dtype=SCALE, samples=binary(low=0, numbers=False, complexes=True))
def ldexp(input: Tensor, other: Tensor, *, out=None):
    """`input` times two to the power of `other`.

    >>> torch.ldexp(torch.tensor([1.5, 1.5]), torch.tensor([3, -1]))
    tensor([12.0000,  0.7500])
    """
    if other.dtype.kind not in "bui":
        # torch rounds the power to the dtype of the exponent
        return np.multiply(input, np.exp2(other.astype(compute_dtype(other.dtype))).astype(other.dtype), out)
    if input.dtype.kind == "f":
        return np.ldexp(input, other.astype(np.int64))
    return np.multiply(input, np.exp2(other.astype(input.dtype)), out)


ldexp.gradient(
    input=lambda grad, other: ldexp(grad, conjugate(other)),
    other=lambda grad, result: grad * conjugate(result) * math.log(2),
)


@op(
    dtype=SAME,
    batch=ELEMENTWISE,
    layout=COMMON,
    returns=("mantissa", "exponent"),
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, dtype="float64")),
            case(make.floats(3, dtype="float16")),
            corner(np.float32([0, 1, -8, np.inf])),
            case(make.floats(0)),
            case(make.floats()),
            case(make.ints(3)),
        ]
    ),
)
def frexp(input, *, out=None):
    """Each element as a mantissa of size 1/2 to 1 times two to the power of a whole exponent.

    >>> torch.frexp(torch.tensor([12.0, 0.1875]))
    torch.return_types.frexp(
    mantissa=tensor([0.7500, 0.7500]),
    exponent=tensor([ 4, -2], dtype=torch.int32))
    """
    if input.dtype.kind in "buic":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes: convert with .float() first")
    return np.frexp(input)


frexp.gradient(input=lambda grad, exponent: ldexp(grad, -exponent))
