"""Activations: the smooth nonlinearities of neural networks, and what stands in for them piece by piece."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.kinds import refuse, require_floats
from rushlight.ops.machine.layouts import LIKE, ROWS
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.machine.samples import activation, case, cases
from rushlight.ops.machine.transforms.words import ALONG, ELEMENTWISE
from rushlight.ops.pointwise.where import choose, tied

ROOT_HALF = math.sqrt(0.5)
ROOT_2_BY_PI = math.sqrt(2 / math.pi)
CUBIC = 0.044715


@op(
    dtype=PROMOTE,
    name="nn.functional.gelu",
    inplace=False,
    samples=activation({"approximate": "tanh"}, {"approximate": "other"}),
)
def gelu(input, *, approximate="none", out=None):
    """x times the probability that a standard normal number is below x; "tanh" approximates that.

    >>> F.gelu(torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0]))
    tensor([-0.0455, -0.1587,  0.0000,  0.8413,  1.9545])
    """
    require_floats("GeluKernelImpl", input)
    if approximate == "tanh":
        # 1 + tanh(y) = 2 / (1 + exp(-2y)), which keeps its digits below zero
        return input / (1 + np.exp(-2 * ROOT_2_BY_PI * (input + CUBIC * input * input * input)))
    if approximate != "none":
        raise RuntimeError(f"approximate argument must be either none or tanh, not {approximate!r}.")
    from scipy.special import ndtr

    return input * ndtr(input)


gelu.gradient(
    input=lambda grad, input, approximate: (
        grad * (gelu_slope(input) if approximate == "none" else gelu_tanh_slope(input))
    )
)


def gelu_slope(x: Tensor) -> Tensor:
    density = (x * x * -0.5).exp() * (ROOT_2_BY_PI / 2)
    return (x * ROOT_HALF).erf() * 0.5 + 0.5 + x * density


def gelu_tanh_slope(x: Tensor) -> Tensor:
    bent = ((x + x * x * x * CUBIC) * ROOT_2_BY_PI).tanh()
    return (bent + 1) * 0.5 + x * (1 - bent * bent) * (x * x * (3 * CUBIC) + 1) * (ROOT_2_BY_PI / 2)


@op(dtype=PROMOTE, name="nn.functional.silu", samples=activation())
def silu(input, inplace=False):
    """x * sigmoid(x) for each element x.

    >>> F.silu(torch.tensor([-4.0, -1.0, 0.0, 1.0, 4.0]))
    tensor([-0.0719, -0.2689,  0.0000,  0.7311,  3.9281])
    """
    if input.dtype.kind not in "fc":
        raise refuse("silu_cpu", input)
    return input / (np.exp(-input) + 1)


silu.gradient(input=lambda grad, input: grad * conjugate(silu_slope(input, input.sigmoid())))
silu.op.refuse_complex_gradients()


def silu_slope(x: Tensor, gate: Tensor) -> Tensor:
    return gate * (x * (1 - gate) + 1)


@op(dtype=PROMOTE, name="nn.functional.mish", samples=activation())
def mish(input, inplace=False):
    """x * tanh(softplus(x)) for each element x.

    >>> F.mish(torch.tensor([-4.0, -1.0, 0.0, 1.0, 4.0]))
    tensor([-0.0726, -0.3034,  0.0000,  0.8651,  3.9974])
    """
    require_floats("mish_cpu", input)
    return input * np.tanh(np.logaddexp(input, 0))


mish.gradient(input=lambda grad, input: grad * mish_slope(input))


def mish_slope(x: Tensor) -> Tensor:
    bent = softplus(x).tanh()
    return bent + x * x.sigmoid() * (1 - bent * bent)


@op(
    dtype=PROMOTE,
    name="nn.functional.softplus",
    inplace=False,
    samples=activation({"beta": 2, "threshold": 1}),
)
def softplus(input, beta=1, threshold=20, *, out=None):
    """log(1 + exp(beta x)) / beta for each element x, a smooth ReLU; x where beta x is above `threshold`.

    >>> F.softplus(torch.tensor([-5.0, 0.0, 5.0]))
    tensor([0.0067, 0.6931, 5.0067])
    """
    require_floats("softplus_cpu", input)
    steep = input * beta
    smooth = np.maximum(steep, 0) + np.log1p(np.exp(-np.absolute(steep)))
    return np.where(steep > threshold, input, smooth / beta)


softplus.gradient(
    input=lambda grad, input, beta, threshold: choose(input * beta > threshold, grad, grad * (input * beta).sigmoid())
)


@op(
    dtype=PROMOTE,
    layout=ROWS,
    name="nn.functional.logsigmoid",
    inplace=False,
    node="LogSigmoidBackward0",
    samples=activation(),
)
def logsigmoid(input, *, out=None):
    """log(sigmoid(x)) for each element x, without overflow.

    >>> F.logsigmoid(torch.tensor([-100.0, 0.0, 1.0]))
    tensor([-100.0000,   -0.6931,   -0.3133])
    """
    require_floats("log_sigmoid_cpu", input)
    return np.minimum(input, 0) - np.log1p(np.exp(-np.absolute(input)))


logsigmoid.gradient(input=lambda grad, input: grad * (-input).sigmoid())


@op(dtype=PROMOTE, name="nn.functional.hardswish", samples=activation())
def hardswish(input, inplace=False):
    """x times `hardsigmoid` of x.

    >>> F.hardswish(torch.tensor([-4.0, -1.5, 1.5, 4.0]))
    tensor([-0.0000, -0.3750,  1.1250,  4.0000])
    """
    require_floats("hardswish_cpu", input)
    return input * np.minimum(np.maximum(input + 3, 0), 6) / 6


hardswish.gradient(input=lambda grad, input: grad * choose(input <= -3, 0, choose(input < 3, input / 3 + 0.5, 1)))


@op(dtype=PROMOTE, name="nn.functional.hardsigmoid", samples=activation())
def hardsigmoid(input, inplace=False):
    """A straight line from 0 at -3 to 1 at 3.

    >>> F.hardsigmoid(torch.tensor([-4.0, -1.5, 0.0, 4.0]))
    tensor([0.0000, 0.2500, 0.5000, 1.0000])
    """
    require_floats("hardsigmoid_cpu", input)
    return np.minimum(np.maximum(input + 3, 0), 6) / 6


hardsigmoid.gradient(input=lambda grad, input: choose((input > -3) & (input < 3), grad / 6, 0))


@op(
    dtype=PROMOTE,
    inplace=False,
    samples=activation({"lambd": 1.5}),
    aliases=["nn.functional.hardshrink"],
    fused=True,
)
def hardshrink(input, lambd=0.5, *, out=None):
    """Each element, or zero where it is between -`lambd` and `lambd`.

    >>> F.hardshrink(torch.tensor([-2.0, -0.3, 0.3, 2.0]))
    tensor([-2.,  0.,  0.,  2.])
    """
    require_floats("hardshrink_cpu", input)
    return np.where((input >= -lambd) & (input <= lambd), 0, input)


hardshrink.gradient(input=lambda grad, input, lambd: tied(choose(within(input, lambd), 0, grad), input))


@op(
    dtype=PROMOTE,
    name="nn.functional.softshrink",
    inplace=False,
    samples=activation({"lambd": 1.5}, {"lambd": -1.0}),
    fused=True,
)
def softshrink(input, lambd=0.5, *, out=None):
    """Each element moved towards zero by `lambd`, at most to it.

    >>> F.softshrink(torch.tensor([-2.0, -0.3, 0.3, 2.0]))
    tensor([-1.5000, -0.0000,  0.0000,  1.5000])
    """
    require_floats("softshrink_check", input)
    if lambd < 0:
        raise RuntimeError(
            f"lambda must be in range [0, {np.finfo(input.dtype).max:g}] for input dtype "
            f"{dtypes.from_numpy(input.dtype).scalar}, but found {lambd:g}"
        )
    return np.where(input > lambd, input - lambd, np.where(input < -lambd, input + lambd, input * 0))


softshrink.gradient(input=lambda grad, input, lambd: tied(choose(within(input, lambd), 0, grad), input))


def within(input: Tensor, lambd: float) -> Tensor:
    return (input >= -lambd) & (input <= lambd)


@composed(name="nn.functional.softsign", samples=activation())
def softsign(input):
    """x / (1 + |x|) for each element x.

    >>> F.softsign(torch.tensor([-3.0, 0.0, 1.0, 99.0]))
    tensor([-0.7500,  0.0000,  0.5000,  0.9900])
    """
    return input / (input.abs() + 1)


@composed(name="nn.functional.tanhshrink", samples=activation())
def tanhshrink(input):
    """x - tanh(x) for each element x.

    >>> F.tanhshrink(torch.tensor([-2.0, 0.0, 0.5, 2.0]))
    tensor([-1.0360,  0.0000,  0.0379,  1.0360])
    """
    # half precision rounds after each step, as torch does
    return bend(input) if input._array.dtype.char in "fd" else input - input.tanh()


@op(dtype=PROMOTE, batch=ELEMENTWISE, name="_tanhshrink", node="SubBackward0", samples=None)
def bend(input):
    """x - tanh(x), which nearly cancel: in double precision, and close to zero by its series."""
    wide = input.astype(np.float64, copy=False)
    square = wide * wide
    series = wide * square * (1 / 3 - square * (2 / 15 - square * (17 / 315 - square * (62 / 2835))))
    return np.where(square < 4e-4, series, wide - np.tanh(wide)).astype(input.dtype, copy=False)


bend.gradient(input=lambda grad, input: grad * input.tanh().square())


@op(
    dtype=PROMOTE,
    batch=ALONG,
    layout=LIKE,
    name="nn.functional.glu",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(4, 3), 0),
            case(make.floats(2, 6, 3, dtype="float64"), dim=1),
            case(make.floats(4, 2).T),
            case(make.floats(0, 4)),
            case(make.floats(3)),
            case(make.floats()),
            case(make.ints(4)),
        ]
    ),
)
def glu(input, dim=-1):
    """The first half of a dimension, times the sigmoid of the second half.

    >>> F.glu(torch.tensor([1.0, 2.0, 0.0, -100.0]))
    tensor([0.5000, 0.0000])
    """
    if not input.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = axis(dim, input.ndim)
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    require_floats("glu_cpu", input)
    first, second = halves(input, dim)
    gate = np.exp(np.negative(second))
    gate += 1
    return np.true_divide(first, gate, gate)


glu.gradient(input=lambda grad, input, dim: glu_gradient(grad, input, dim))


def halves(values: Any, dim: int) -> tuple[Any, Any]:
    """Both halves along a dimension, of an array or a tensor."""
    middle = values.shape[dim] // 2
    before = (slice(None),) * (dim % values.ndim)
    return values[(*before, slice(None, middle))], values[(*before, slice(middle, None))]


def glu_gradient(grad: Tensor, input: Tensor, dim: int) -> Tensor:
    from rushlight.ops.shape.joining import cat

    first, second = halves(input, dim)
    gate = second.sigmoid()
    return cat([grad * gate, grad * first * gate * (1 - gate)], dim)
