"""Rectifiers: activations that treat negative elements, or those beyond a limit, differently."""

from __future__ import annotations

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random import random
from rushlight.core.random.streams import Generator
from rushlight.errors.explained import KERNEL, explained
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import refuse, require_floats
from rushlight.ops.machine.layouts import ROWS
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.machine.samples import activation, case, cases, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.machine.writing import number_for
from rushlight.ops.pointwise.bounds import bounded
from rushlight.ops.pointwise.where import choose, tied


@op(dtype=PROMOTE, samples=unary(complexes=True), aliases=["nn.functional.relu"], fused=True)
def relu(input, inplace=False):
    """Each element, but zero where it is negative.

    >>> F.relu(torch.tensor([-2.0, 0.0, 3.0]))
    tensor([0., 0., 3.])
    """
    if input.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu: convert them first, for example with .float()")
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types, and so relu is not")
    return bounded(np.maximum, input, 0)


# the result is saved, not the input, so that relu_ costs no copy
relu.gradient(input=lambda grad, result: tied(choose(result <= 0, 0, grad), result))


@op(
    dtype=PROMOTE,
    name="nn.functional.leaky_relu",
    samples=activation(negative_slope=0.2),
    inplace_node="LeakyReluBackward1",
    fused=True,
)
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """Each element, times `negative_slope` where it is negative.

    >>> F.leaky_relu(torch.tensor([-2.0, 0.0, 3.0]), negative_slope=0.1)
    tensor([-0.2000,  0.0000,  3.0000])
    """
    require_floats("leaky_relu_cpu", input)
    return np.where(input > 0, input, input * negative_slope)


leaky_relu.gradient(
    input=lambda grad, input, negative_slope: tied(choose(input > 0, grad, grad * negative_slope), input)
)


@op(dtype=PROMOTE, batch=ELEMENTWISE, name="_prelu_kernel", samples=None, fused=True, saves=("input", "weight"))
def prelu_kernel(input, weight):
    """Each element, times the weight where it is negative."""
    require_floats("prelu_cpu", input)
    return np.where(input > 0, input, input * weight)


prelu_kernel.gradient(
    input=lambda grad, input, weight: tied(choose(input > 0, grad, grad * weight), input),
    weight=lambda grad, input: choose(input > 0, 0, grad * input),
)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 4), make.floats(3)),
            case(make.floats(2, 3), make.floats(1)),
            case(make.floats(4), make.floats(1)),
            case(make.floats(4), make.floats()),
            case(make.floats(), make.floats(1)),
            case(make.floats(0, 3), make.floats(3)),
            case(make.floats(2, 3), make.floats(2)),
            case(make.floats(2, 3), make.floats(1, 3)),
            case(make.floats(2, 3), make.floats(3, dtype="float64")),
        ]
    ),
    aliases=["nn.functional.prelu"],
)
def prelu(input, weight):
    """Each element, times a learned `weight` where it is negative: one weight, or one a channel.

    >>> one_a_channel = torch.tensor([0.1, 0.5])
    >>> F.prelu(torch.tensor([[-2.0, -2.0], [2.0, 2.0]]), one_a_channel)
    tensor([[-0.2000, -1.0000],
            [ 2.0000,  2.0000]])
    """
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype} and {weight.dtype}")
    if weight.numel() != 1:
        if not input.ndim:
            raise RuntimeError("Not allow zero-dim input tensor: it has no channels, and there are several weights")
        channels = input.shape[1] if input.ndim > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.numel() != 1:
        weight = weight.reshape([-1 if dim == 1 else 1 for dim in range(input.ndim)])
    elif weight.ndim != input.ndim:
        weight = weight.reshape([1] * input.ndim)
    return prelu_kernel(input, weight)


@op(
    dtype=PROMOTE,
    batch=ELEMENTWISE,
    operands=["input"],
    layout=ROWS,
    name="_rrelu_with_noise",
    node="RreluWithNoiseBackward0",
    inplace_node="RreluWithNoiseBackward1",
    samples=None,
    inplace=True,
    fused=True,
)
def rrelu_with_noise(input, noise):
    """Each element, times the noise where it is not positive."""
    return np.where(input > 0, input, input * noise)


rrelu_with_noise.gradient(input=lambda grad, input, noise: tied(choose(input > 0, grad, grad * noise), input))


def leaky(
    input: Tensor, lower: float, upper: float, training: bool, inplace: bool, generator: Generator | None = None
) -> Tensor:
    """What `rrelu` gives; only elements that are not positive take a number from the generator."""
    array = input._array
    if array.dtype.char not in ("fdE" if training else "fdeE"):
        raise refuse("rrelu_with_noise_out_cpu" if training else "leaky_relu_cpu", array)
    if lower > upper:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}")
    slopes = np.full(array.shape, (lower + upper) / 2, array.dtype)
    if training:
        if input.requires_grad and state.grad:
            # a view whose history is gone is refused before numbers are drawn for it
            _ = input.grad_fn
        chosen = array <= 0
        slopes[chosen] = random.uniform((int(chosen.sum()),), np.dtype("float64"), lower, upper, generator)
    return (rrelu_with_noise.op.inplace if inplace else rrelu_with_noise)(input, wrap(slopes))


SLOPES = cases(
    lambda make: [
        case(make.floats(3, 4)),
        case(make.floats(3, 4), 0.1, 0.3),
        case(make.floats(4, dtype="float64"), 0.2, 0.2, True),
        case(make.floats(3, 4).T, 0.1, 0.3, True),
        case(make.floats(3, dtype="float16"), 0.1, 0.3, True),
        case(make.floats(0)),
        case(make.ints(3)),
        case(make.floats(3), 0.3, 0.1),
    ]
)


@composed(name="nn.functional.rrelu", samples=SLOPES)
def functional_rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """Each element, times a slope where it is negative: a random one in training, else the mean one.

    >>> F.rrelu(torch.tensor([-2.0, 3.0]), lower=0.1, upper=0.3)
    tensor([-0.4000,  3.0000])
    """
    return leaky(input, lower, upper, training, inplace)


@composed(samples=SLOPES, method=False)
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, generator=None):
    """Each element, times a slope where it is negative: a random one in training, else the mean one.

    >>> _ = torch.manual_seed(0)
    >>> torch.rrelu(torch.tensor([-1.0, -1.0, 3.0]), lower=0.1, upper=0.3, training=True)
    tensor([-0.2940, -0.2416,  3.0000])
    """
    return leaky(input, lower, upper, training, False, generator)


def rrelu_(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """`rrelu` in place."""
    return leaky(input, lower, upper, training, True, generator)


for namespace in ("", "nn.functional"):
    NAMESPACES[namespace]["rrelu_"] = rrelu_


@op(
    dtype=PROMOTE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0.1, 20.0),
            case(make.floats(3, 4).T, -0.5, 0),
            case(make.ints(5), 1, 2),
            case(make.floats(0), 0.1, 2),
            case(make.floats(), 0.1, 2),
            case(make.floats(3, dtype="float16"), 0.1, 2),
        ],
        pointwise=True,
    ),
    method=False,
    aliases=["nn.functional.threshold"],
    inplace_node="ThresholdBackward1",
    fused=True,
)
def threshold(input, threshold: float, value: float, inplace=False):
    """Each element, or `value` where it is not above the threshold.

    >>> F.threshold(torch.tensor([0.5, 1.0, 1.5]), threshold=1.0, value=-9.0)
    tensor([-9.0000, -9.0000,  1.5000])
    """
    if input.dtype.kind in "bc":
        raise refuse("threshold_cpu", input)
    if input.dtype.kind in "iu":
        threshold, value = [number_for(int(each), input.dtype) for each in (threshold, value)]
    return np.where(input <= threshold, value, input)


threshold.gradient(input=lambda grad, input, threshold: tied(choose(input <= threshold, 0, grad), input))


@op(dtype=PROMOTE, name="nn.functional.elu", samples=activation(alpha=0.5), inplace_node="EluBackward1")
def elu(input, alpha=1.0, inplace=False):
    """Each element, or alpha * (exp(x) - 1) where it is negative.

    >>> F.elu(torch.tensor([-100.0, -1.0, 0.0, 2.0]))
    tensor([-1.0000, -0.6321,  0.0000,  2.0000])
    """
    require_floats("elu_cpu", input)
    return np.where(input <= 0, np.expm1(input) * alpha, input)


elu.gradient(input=lambda grad, input, alpha: elu_gradient(grad, input, alpha, 1, 1))


def elu_gradient(grad: Tensor, input: Tensor, alpha: float, scale: float, rate: float) -> Tensor:
    # exp(x) only where x <= 0: an infinite slope in the branch not taken makes gradients of gradients NaN
    slope = (input.clamp_max(0) * rate).exp() * (alpha * scale)
    return grad * choose(input <= 0, slope, scale)


# the fixed point of mean 0 and variance 1
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


@op(
    dtype=PROMOTE,
    samples=activation(),
    method=False,
    aliases=["nn.functional.selu"],
    node="EluBackward0",
    inplace_node="EluBackward1",
)
def selu(input, inplace=False):
    """The ELU with the constants that keep mean 0 and variance 1 from layer to layer.

    >>> F.selu(torch.tensor([-100.0, -1.0, 0.0, 1.0]))
    tensor([-1.7581, -1.1113,  0.0000,  1.0507])
    """
    require_floats("elu_cpu", input)
    return np.where(input <= 0, np.expm1(input) * (SELU_ALPHA * SELU_SCALE), input * SELU_SCALE)


selu.gradient(input=lambda grad, input: elu_gradient(grad, input, SELU_ALPHA, SELU_SCALE, 1))


@op(
    dtype=PROMOTE,
    samples=activation(alpha=0.5),
    method=False,
    aliases=["nn.functional.celu"],
    inplace_node="CeluBackward1",
)
def celu(input, alpha=1.0, inplace=False):
    """Each element, or alpha * (exp(x / alpha) - 1) where it is negative.

    >>> F.celu(torch.tensor([-100.0, -2.0, 0.0, 2.0]), alpha=2.0)
    tensor([-2.0000, -1.2642,  0.0000,  2.0000])
    """
    if alpha == 0:
        raise explained(RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU", stage=KERNEL)
    require_floats("elu_cpu", input)
    return np.where(input <= 0, np.expm1(input / alpha) * alpha, input)


celu.gradient(input=lambda grad, input, alpha: elu_gradient(grad, input, 1, 1, 1 / alpha))


@op(
    dtype=PROMOTE,
    name="nn.functional.hardtanh",
    samples=activation({"min_val": -0.5, "max_val": 2.0}, {"min_val": 1, "max_val": 0}),
    fused=True,
)
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """Each element kept between two limits.

    >>> F.hardtanh(torch.tensor([-3.0, 0.5, 7.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types, and so hardtanh is not")
    if input.dtype.kind in "ui":
        # torch cuts the limits down to whole numbers here
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype.kind == "u" and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return bounded(np.minimum, bounded(np.maximum, input, min_val), max_val)


# unlike clamp, nothing flows at the limits
hardtanh.gradient(
    input=lambda grad, input, min_val, max_val: tied(choose((input <= min_val) | (input >= max_val), 0, grad), input)
)


@composed(name="nn.functional.relu6", samples=activation())
def relu6(input, inplace=False):
    """Each element kept between 0 and 6.

    >>> F.relu6(torch.tensor([-3.0, 0.5, 7.0]))
    tensor([0.0000, 0.5000, 6.0000])
    """
    return hardtanh(input, 0.0, 6.0, inplace)
