"""Special functions: the error function, the gamma function and their families; SciPy computes them."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import underivable
from rushlight.ops.machine.kinds import require_floats, require_tensor
from rushlight.ops.machine.layouts import ROWS
from rushlight.ops.machine.rules import PROMOTE, REAL_FLOAT
from rushlight.ops.machine.samples import binary, case, cases, corners, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.pointwise.exponential import product_node
from rushlight.ops.pointwise.where import choose

# of derivatives of digamma: the factorial of more is beyond all numbers
HIGHEST = 1000


@op(dtype=REAL_FLOAT, samples=unary(), aliases=["special.erf"])
def erf(input, *, out=None):
    """The error function: the probability that a normal number of variance 1/2 lies between -x and x.

    >>> torch.erf(torch.tensor([-1.0, 0.0, math.inf]))
    tensor([-0.8427,  0.0000,  1.0000])
    """
    from scipy.special import erf

    return erf(input)


erf.gradient(input=lambda grad, input: grad * (-input * input).exp() * (2 / math.sqrt(math.pi)))


@op(dtype=REAL_FLOAT, samples=unary(), aliases=["special.erfc"])
def erfc(input, *, out=None):
    """One minus the error function, exact where that is close to one.

    >>> x = torch.tensor(6.0)
    >>> torch.erfc(x), 1 - torch.erf(x)
    (tensor(2.1520e-17), tensor(0.))
    """
    from scipy.special import erfc

    return erfc(input)


erfc.gradient(input=lambda grad, input: grad * (-input * input).exp() * (-2 / math.sqrt(math.pi)))


@op(dtype=REAL_FLOAT, samples=unary(low=-0.9, high=0.9), aliases=["special.erfinv"])
def erfinv(input, *, out=None):
    """The number whose error function is each element.

    >>> torch.erfinv(torch.tensor([0.0, 0.8427, 1.0]))
    tensor([0.0000, 1.0000,    inf])
    """
    from scipy.special import erfinv

    # in double precision: SciPy's float32 form is off by 2 units; it drops the sign of -0
    return np.copysign(erfinv(input.astype(np.float64)), input).astype(input.dtype)


erfinv.gradient(input=lambda grad, result: grad * (result * result).exp() * (math.sqrt(math.pi) / 2))


@op(dtype=REAL_FLOAT, samples=unary(halves=False), name="special.erfcx", inplace=False)
def erfcx(input, *, out=None):
    """exp(x * x) * erfc(x) for each element x.

    >>> x = torch.tensor(30.0)
    >>> torch.special.erfcx(x), torch.erfc(x)
    (tensor(0.0188), tensor(0.))
    """
    from scipy.special import erfcx

    return erfcx(input)


erfcx.gradient(input=lambda grad, input, result: grad * (input * result * 2 - 2 / math.sqrt(math.pi)))


@op(dtype=REAL_FLOAT, samples=unary(), name="special.ndtr", node="MulBackward1", inplace=False)
def ndtr(input, *, out=None):
    """The probability that a standard normal number is below each element.

    >>> torch.special.ndtr(torch.tensor([-1.96, 0.0, 1.96]))
    tensor([0.0250, 0.5000, 0.9750])
    """
    from scipy.special import ndtr

    return ndtr(input)


ndtr.gradient(input=lambda grad, input: grad * (input * input * -0.5).exp() / math.sqrt(2 * math.pi))


@op(dtype=REAL_FLOAT, samples=unary(low=0.1, high=0.9, halves=False), name="special.ndtri", inplace=False)
def ndtri(input, *, out=None):
    """The number below which a standard normal one lies with the given probability.

    >>> torch.special.ndtri(torch.tensor([0.0, 0.5, 0.975]))
    tensor([  -inf, 0.0000, 1.9600])
    """
    from scipy.special import ndtri

    return ndtri(input)


ndtri.gradient(input=lambda grad, result: grad * (result * result * 0.5).exp() * math.sqrt(2 * math.pi))


@op(dtype=REAL_FLOAT, samples=unary(halves=False), name="special.log_ndtr", inplace=False)
def log_ndtr(input, *, out=None):
    """The logarithm of the probability that a standard normal number is below each element.

    >>> torch.special.log_ndtr(torch.tensor([-20.0, 0.0])), torch.special.ndtr(torch.tensor([-20.0, 0.0])).log()
    (tensor([-203.9172,   -0.6931]), tensor([   -inf, -0.6931]))
    """
    from scipy.special import log_ndtr

    return log_ndtr(input)


log_ndtr.gradient(input=lambda grad, input: grad / erfcx(input * -math.sqrt(0.5)) * math.sqrt(2 / math.pi))


@op(dtype=REAL_FLOAT, samples=unary(low=0.1, high=3), name="special.entr", inplace=False)
def entr(input, *, out=None):
    """-x log(x) for each element x: the entropy it adds; -inf for negative ones.

    >>> torch.special.entr(torch.tensor([0.5, 0.25, 0.25, 0.0])).sum()
    tensor(1.0397)
    """
    from scipy.special import entr

    return entr(input)


entr.gradient(input=lambda grad, input: grad * (-input.log() - 1))


@op(dtype=REAL_FLOAT, samples=unary(low=0.2, high=4), aliases=["special.gammaln"])
def lgamma(input, *, out=None):
    """Logarithm of the size of the gamma function.

    >>> torch.lgamma(torch.tensor([1.0, 5.0])), math.log(1 * 2 * 3 * 4)
    (tensor([0.0000, 3.1781]), 3.1780538303479458)
    """
    return log_gamma(input)


def log_gamma(x: np.ndarray) -> np.ndarray:
    """SciPy's, but for -inf: there it says -inf, and torch, as C does, inf."""
    from scipy.special import gammaln

    return np.where(np.isneginf(x), -x, gammaln(x))


lgamma.gradient(input=lambda grad, input: grad * input.digamma())


@op(dtype=REAL_FLOAT, samples=unary(low=0.2, high=4), aliases=["special.digamma", "special.psi"])
def digamma(input, *, out=None):
    """The slope of `lgamma`.

    >>> torch.digamma(torch.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """
    from scipy.special import psi

    return psi(input)


digamma.gradient(input=lambda grad, input: grad * higher_digamma(input, 1))


@op(
    dtype=REAL_FLOAT,
    batch=ELEMENTWISE,
    name="_polygamma",
    node="PolygammaBackward0",
    inplace_node="PolygammaBackward1",
    samples=None,
    inplace=True,
)
def higher_digamma(input, n: int, *, out=None):
    """The `n`-th derivative of `digamma`."""
    from scipy.special import psi, zeta

    if type(n) is not int:
        raise TypeError(f"polygamma(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return psi(input)
    if n > HIGHEST:
        raise RuntimeError(f"polygamma: n = {n} is too high, its factorial is beyond all numbers")
    return zeta(n + 1, input) * ((-1) ** (n + 1) * math.factorial(n))


higher_digamma.gradient(input=lambda grad, n, input: grad * higher_digamma(input, n + 1))


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(0, make.floats(3, 4, low=0.2, high=4)),
            case(1, make.floats(3, 4, low=0.2, high=4)),
            case(2, make.floats(4, low=0.2, high=4, dtype="float64")),
            case(1, make.ints(4, low=1)),
            case(1, make.floats(0)),
            case(-1, make.floats(3, low=1)),
        ]
    ),
    aliases=["special.polygamma"],
)
def polygamma(n, input, *, out=None):
    """The `n`-th derivative of `digamma`.

    >>> torch.polygamma(1, torch.tensor(1.0)), math.pi**2 / 6
    (tensor(1.6449), 1.6449340668482264)
    """
    return higher_digamma(input, n, out=out)


# as a method the tensor comes first
Tensor.polygamma = higher_digamma
Tensor.polygamma_ = higher_digamma.op.inplace


@op(
    dtype=REAL_FLOAT,
    layout=ROWS,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4, low=2, high=4), 3),
            case(make.floats(4, low=1, dtype="float64"), 1),
            case(make.ints(4, low=2), p=2),
            case(make.floats(0), 1),
            case(make.floats(3, low=1), 0),
        ],
        pointwise=True,
    ),
    aliases=["special.multigammaln"],
)
def mvlgamma(input, p: int, *, out=None):
    """Logarithm of the gamma function of `p` dimensions.

    >>> x = torch.tensor([3.0])
    >>> torch.mvlgamma(x, p=1), torch.mvlgamma(x, p=2)
    (tensor([0.6931]), tensor([1.5502]))
    """
    if p < 1:
        raise RuntimeError(f"p has to be greater than or equal to 1, but got {p}")
    shifts = np.arange(p) / 2
    found = log_gamma(input[..., None] - shifts).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
    return found.astype(input.dtype)


mvlgamma.gradient(input=lambda grad, input, p: grad * mvlgamma_slope(input, p))


def mvlgamma_slope(x: Tensor, p: int) -> Tensor:
    slope = x.digamma()
    for place in range(1, p):
        slope = slope + (x - place / 2).digamma()
    return slope


@op(dtype=REAL_FLOAT, samples=unary(), aliases=["special.i0"])
def i0(input, *, out=None):
    """The modified Bessel function of the first kind and order 0.

    >>> torch.i0(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 1.2661, 1.2661])
    """
    from scipy.special import i0

    return i0(input)


i0.gradient(input=lambda grad, input: grad * i1(input))


@op(dtype=REAL_FLOAT, samples=unary(), name="special.i0e", inplace=False)
def i0e(input, *, out=None):
    """`i0` times exp(-|x|), which does not overflow.

    >>> x = torch.tensor(100.0)
    >>> torch.special.i0e(x), torch.i0(x)
    (tensor(0.0399), tensor(inf))
    """
    from scipy.special import i0e

    return i0e(input)


i0e.gradient(input=lambda grad, input, result: grad * (i1e(input) - input.sgn() * result))


@op(dtype=REAL_FLOAT, samples=unary(), name="special.i1", inplace=False)
def i1(input, *, out=None):
    """The modified Bessel function of the first kind and order 1.

    >>> torch.special.i1(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.5652, -0.5652])
    """
    from scipy.special import i1

    return i1(input)


i1.gradient(input=lambda grad, input, result: grad * i1_slope(input, result))


def i1_slope(x: Tensor, result: Tensor) -> Tensor:
    zero = x == 0
    return choose(zero, 0.5, x.i0() - result / choose(zero, 1, x))


@op(dtype=REAL_FLOAT, samples=unary(), name="special.i1e", inplace=False)
def i1e(input, *, out=None):
    """`i1` times exp(-|x|), which does not overflow.

    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 100.0]))
    tensor([0.0000, 0.2079, 0.0397])
    """
    from scipy.special import i1e

    return i1e(input)


i1e.gradient(input=lambda grad, input, result: grad * i1e_slope(input, result))


def i1e_slope(x: Tensor, result: Tensor) -> Tensor:
    zero = x == 0
    return choose(zero, 0.5, i0e(x) - result * (x.sgn() + 1 / choose(zero, 1, x)))


@op(
    dtype=REAL_FLOAT,
    samples=corners(binary(low=1.5, high=4, bools=False, halves=False)),
    name="special.zeta",
    inplace=False,
    node=lambda input, other: product_node("SpecialZeta", input, other),
)
def zeta(input, other, *, out=None):
    """Hurwitz's zeta function: the sum of 1 / (k + other) ** input over k = 0, 1, 2, ...

    >>> torch.special.zeta(torch.tensor([2.0, 2.0]), torch.tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])
    """
    from scipy.special import zeta

    require_tensor(input, other)
    return zeta(input, other)


zeta.gradient(
    input=underivable("the derivative for 'zeta'", NotImplementedError),
    other=lambda grad, input, other: grad * -input * zeta(input + 1, other),
)


@op(dtype=PROMOTE, samples=corners(binary(low=0.2, high=4, numbers=False)), aliases=["special.gammainc"])
def igamma(input: Tensor, other: Tensor, *, out=None):
    """The lower incomplete gamma function, from 0 to `other`, divided by the whole one.

    >>> torch.igamma(torch.tensor([1.0, 1.0]), torch.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6321])
    """
    from scipy.special import gammainc

    require_floats("igamma_cpu", input)
    return gammainc(input, other)


igamma.gradient(
    input=underivable("the derivative for 'igamma: input'", NotImplementedError),
    other=lambda grad, input, other: grad * ((input - 1) * other.log() - other - input.lgamma()).exp(),
)


@op(dtype=PROMOTE, samples=corners(binary(low=0.2, high=4, numbers=False)), aliases=["special.gammaincc"])
def igammac(input: Tensor, other: Tensor, *, out=None):
    """The upper incomplete gamma function, from `other` on, divided by the whole one.

    >>> a, x = torch.tensor([3.0]), torch.tensor([2.0])
    >>> torch.igammac(a, x), 1 - torch.igamma(a, x)
    (tensor([0.6767]), tensor([0.6767]))
    """
    from scipy.special import gammaincc

    require_floats("igammac_cpu", input)
    return gammaincc(input, other)


igammac.gradient(
    input=underivable("the derivative for 'igammac: input'", NotImplementedError),
    other=lambda grad, input, other: -grad * ((input - 1) * other.log() - other - input.lgamma()).exp(),
)
