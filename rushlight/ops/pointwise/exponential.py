"""Exponential: powers of e and 2, logarithms, and the sigmoid between them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.kinds import kind_of, refuse
from rushlight.ops.machine.rules import FLOAT, PROMOTE, REAL_FLOAT
from rushlight.ops.machine.samples import binary, case, cases, corner, unary
from rushlight.ops.pointwise.where import choose


@op(dtype=FLOAT, samples=unary(complexes=True))
def exp(input, *, out=None):
    """e to the power of each element.

    >>> torch.exp(torch.tensor([0.0, 1.0, -math.inf]))
    tensor([1.0000, 2.7183, 0.0000])
    """
    return np.exp(input, out)


exp.gradient(input=lambda grad, result: grad * conjugate(result))


@op(dtype=FLOAT, samples=unary(complexes=True), aliases=["special.exp2"])
def exp2(input, *, out=None):
    """2 to the power of each element.

    >>> torch.exp2(torch.tensor([-1, 0, 8]))
    tensor([  0.5000,   1.0000, 256.0000])
    """
    return np.exp2(input, out)


exp2.gradient(input=lambda grad, result: grad * conjugate(result) * math.log(2))


@op(dtype=FLOAT, samples=unary(complexes=True), aliases=["special.expm1"])
def expm1(input, *, out=None):
    """exp(x) - 1 for each element x, exact for small ones too.

    >>> tiny = torch.tensor(1e-10)
    >>> torch.expm1(tiny), tiny.exp() - 1
    (tensor(1.0000e-10), tensor(0.))
    """
    return np.expm1(input, out)


expm1.gradient(input=lambda grad, result: grad * conjugate(result + 1))


@op(dtype=FLOAT, samples=unary(low=0.1, high=4, complexes=True))
def log(input, *, out=None):
    """Natural logarithm of each element; -inf at 0, NaN below.

    >>> torch.log(torch.tensor([1.0, 10.0, 0.0, -1.0]))
    tensor([0.0000, 2.3026,   -inf,    nan])
    """
    return np.log(input, out)


log.gradient(input=lambda grad, input: grad / conjugate(input))


@op(dtype=FLOAT, samples=unary(low=0.1, high=4, complexes=True))
def log2(input, *, out=None):
    """Logarithm to the base 2 of each element.

    >>> torch.log2(torch.tensor([1.0, 3.0, 1024.0]))
    tensor([ 0.0000,  1.5850, 10.0000])
    """
    return np.log2(input, out)


log2.gradient(input=lambda grad, input: grad / conjugate(input * math.log(2)))


@op(dtype=FLOAT, samples=unary(low=0.1, high=4, complexes=True))
def log10(input, *, out=None):
    """Logarithm to the base 10 of each element.

    >>> torch.log10(torch.tensor([1, 20, 1000]))
    tensor([0.0000, 1.3010, 3.0000])
    """
    # NumPy's log10 of float32 says 2.9999998 for 1000
    return np.log10(input, dtype=np.float64 if input.dtype == np.float32 else None)


log10.gradient(input=lambda grad, input: grad / conjugate(input * math.log(10)))


@op(dtype=FLOAT, samples=unary(low=-0.9, high=4, complexes=True), aliases=["special.log1p"])
def log1p(input, *, out=None):
    """log(1 + x) for each element x, exact for small ones too.

    >>> tiny = torch.tensor(1e-10)
    >>> torch.log1p(tiny), (1 + tiny).log()
    (tensor(1.0000e-10), tensor(0.))
    """
    return np.log1p(input, out)


log1p.gradient(input=lambda grad, input: grad / conjugate(input + 1))


@op(dtype=PROMOTE, samples=binary(numbers=False, complexes=True), inplace=False)
def logaddexp(input: Tensor, other: Tensor, *, out=None):
    """log(exp(input) + exp(other)), without overflow.

    >>> x = torch.tensor([0.0, 200.0])
    >>> torch.logaddexp(x, x), (x.exp() + x.exp()).log()
    (tensor([  0.6931, 200.6931]), tensor([0.6931,    inf]))
    """
    kind = kind_of(input, other)
    if kind == "c":
        return complex_logaddexp(input, other)
    if kind != "f":
        raise refuse("logaddexp_cpu", input, other)
    return np.logaddexp(input, other, out)


logaddexp.gradient(
    input=lambda grad, input, other: grad / conjugate(1 + (other - input).exp()),
    other=lambda grad, input, other: grad / conjugate(1 + (input - other).exp()),
)


def complex_logaddexp(input: np.ndarray, other: np.ndarray) -> np.ndarray:
    larger = input.real >= other.real
    big, small = np.where(larger, input, other), np.where(larger, other, input)
    found = big + np.log1p(np.exp(small - big))
    # what is no number in either part makes both parts none, also beside an infinity
    return np.where(np.isnan(input) | np.isnan(other), found.dtype.type(complex(np.nan, np.nan)), found)


@op(dtype=PROMOTE, samples=binary(numbers=False), inplace=False)
def logaddexp2(input: Tensor, other: Tensor, *, out=None):
    """log2(2 ** input + 2 ** other), without overflow.

    >>> torch.logaddexp2(torch.tensor([1.0, 200.0]), torch.tensor([2.0, 200.0]))
    tensor([  2.5850, 201.0000])
    """
    if kind_of(input, other) != "f":
        raise refuse("logaddexp2_cpu", input, other)
    return np.logaddexp2(input, other, out)


logaddexp2.gradient(
    input=lambda grad, input, other: grad / (1 + (other - input).exp2()),
    other=lambda grad, input, other: grad / (1 + (input - other).exp2()),
)


positive = cases(
    lambda make: [
        case(make.floats(3, 4), make.floats(3, 4, low=0.1)),
        case(make.floats(3, 1), make.floats(4, low=0.1)),
        case(make.floats(4), 2.5),
        case(2, make.floats(4, low=0.1)),
        case(0, make.floats(4, low=0.1)),
        corner(np.zeros(3, "float32"), np.array([0, 1, np.nan], "float32")),
        case(make.ints(4), make.ints(4, low=1)),
        case(make.floats(4, dtype="float16"), make.floats(4, low=0.1, dtype="float16")),
        case(make.bools(4), make.floats(4, low=0.1)),
        case(make.floats(0), make.floats(0)),
    ],
    pointwise=True,
)


def product_node(name: str, input: Any, other: Any) -> str:
    """torch numbers these nodes by which operand is a number."""
    if not isinstance(input, Tensor):
        return f"{name}Backward1"
    return f"{name}Backward0" if isinstance(other, Tensor) else f"{name}Backward2"


@op(
    dtype=REAL_FLOAT,
    samples=positive,
    aliases=["special.xlogy"],
    node=lambda input, other: product_node("Xlogy", input, other),
)
def xlogy(input, other, *, out=None):
    """input * log(other), and 0 where `input` is 0.

    >>> torch.xlogy(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 10.0]))
    tensor([0.0000, 4.6052])
    """
    if kind_of(input, other) == "c":
        raise refuse("xlogy_cpu", input, other)
    if type(other) is not np.ndarray:
        other = input.dtype.type(other)  # infinite where the dtype ends
    return np.where(np.equal(input, 0) & ~np.isnan(other), 0, input * np.log(other))


xlogy.gradient(
    input=lambda grad, input, other: choose((input == 0) & (other <= 0), 0, xlogy(grad, other)),
    other=lambda grad, input, other: grad * input / other,
)


@op(
    dtype=REAL_FLOAT,
    samples=positive,
    name="special.xlog1py",
    inplace=False,
    node=lambda input, other: product_node("SpecialXlog1Py", input, other),
)
def xlog1py(input, other, *, out=None):
    """input * log1p(other), and 0 where `input` is 0.

    >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 9.0]))
    tensor([0.0000, 4.6052])
    """
    if kind_of(input, other) == "c":
        raise refuse("xlogy_cpu", input, other)
    if type(other) is not np.ndarray:
        other = input.dtype.type(other)  # infinite where the dtype ends
    return np.where(np.equal(input, 0) & ~np.isnan(other), 0, input * np.log1p(other))


xlog1py.gradient(
    input=lambda grad, input, other: choose((input == 0) & (other <= -1), 0, xlog1py(grad, other)),
    other=lambda grad, input, other: grad * input / (other + 1),
)


@op(dtype=FLOAT, samples=unary(complexes=True), aliases=["special.expit", "nn.functional.sigmoid"])
def sigmoid(input, *, out=None):
    """1 / (1 + exp(-x)) for each element x: a number between 0 and 1.

    >>> torch.sigmoid(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.1192, 0.5000, 0.8808])
    """
    return np.true_divide(1, np.exp(-input) + 1, out)


sigmoid.gradient(input=lambda grad, result: grad * conjugate((1 - result) * result))


@op(
    dtype=REAL_FLOAT,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4, low=0.05, high=0.95)),
            corner(make.floats(3, 4, low=-1), eps=0.1),
            corner(make.floats(3, low=-1)),
            case(make.floats(3, low=0.1, high=0.9, dtype="float16")),
            case(make.ints(4)),
            case(make.bools(4)),
            case(make.floats(0)),
            case(make.floats(low=0.1, high=0.9)),
        ],
        pointwise=True,
    ),
    aliases=["special.logit"],
)
def logit(input, eps=None, *, out=None):
    """log(x / (1 - x)) for each element x, kept between `eps` and 1 - `eps` if that is given.

    >>> torch.logit(torch.tensor([0.5, 0.9, 1.0]), eps=1e-6)
    tensor([ 0.0000,  2.1972, 13.8023])
    """
    if eps is not None:
        input = np.minimum(np.maximum(input, eps), 1 - eps)
    return np.log(input / (1 - input), out)


logit.gradient(input=lambda grad, input, eps: logit_gradient(grad, input, eps))


def logit_gradient(grad: Tensor, x: Tensor, eps: float | None) -> Tensor:
    outside = (x < (eps or 0)) | (x > 1 - (eps or 0))
    # the size of x: from -0 it climbs as from 0
    return choose(outside, math.nan if eps is None else 0, grad / (x.abs() * (1 - x)))
