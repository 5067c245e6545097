"""Trigonometric: sine, cosine and tangent, their inverses, and angles."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import FLOAT
from rushlight.ops.machine.samples import binary, unary
from rushlight.ops.pointwise.where import choose


def refuse_complex(input: np.ndarray, name: str) -> None:
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name} is not supported for complex tensors.")


@op(dtype=FLOAT, samples=unary(complexes=True))
def sin(input, *, out=None):
    """Sine of each element.

    >>> torch.sin(torch.tensor([0.0, math.pi / 6, math.pi / 2]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return np.sin(input, out)


sin.gradient(input=lambda grad, input: grad * conjugate(input.cos()))


@op(dtype=FLOAT, samples=unary(complexes=True))
def cos(input, *, out=None):
    """Cosine of each element.

    >>> torch.cos(torch.tensor([0.0, math.pi / 3, math.pi]))
    tensor([ 1.0000,  0.5000, -1.0000])
    """
    return np.cos(input, out)


cos.gradient(input=lambda grad, input: grad * -conjugate(input.sin()))


@op(dtype=FLOAT, samples=unary(low=-1.2, high=1.2, complexes=True))
def tan(input, *, out=None):
    """Tangent of each element.

    >>> torch.tan(torch.tensor([0.0, math.pi / 4, 1.0]))
    tensor([0.0000, 1.0000, 1.5574])
    """
    return np.tan(input, out)


tan.gradient(input=lambda grad, result: grad * conjugate(1 + result * result))


@op(dtype=FLOAT, samples=unary(low=-0.9, high=0.9, complexes=True), aliases=["arcsin"])
def asin(input, *, out=None):
    """The angle whose sine is each element; NaN outside [-1, 1].

    >>> torch.asin(torch.tensor([0.5, 1.0, 2.0]))
    tensor([0.5236, 1.5708,    nan])
    """
    return np.arcsin(input, out)


asin.gradient(input=lambda grad, input: grad * conjugate((1 - input * input).rsqrt()))


@op(dtype=FLOAT, samples=unary(low=-0.9, high=0.9, complexes=True), aliases=["arccos"])
def acos(input, *, out=None):
    """The angle whose cosine is each element; NaN outside [-1, 1].

    >>> torch.acos(torch.tensor([0.5, 0.0, -1.0]))
    tensor([1.0472, 1.5708, 3.1416])
    """
    return np.arccos(input, out)


acos.gradient(input=lambda grad, input: grad * -conjugate((1 - input * input).rsqrt()))


@op(dtype=FLOAT, samples=unary(complexes=True), aliases=["arctan"])
def atan(input, *, out=None):
    """The angle whose tangent is each element.

    >>> torch.atan(torch.tensor([0.0, 1.0, math.inf]))
    tensor([0.0000, 0.7854, 1.5708])
    """
    return np.arctan(input, out)


atan.gradient(input=lambda grad, input: grad / conjugate(input * input + 1))


@op(dtype=FLOAT, samples=binary(numbers=False), aliases=["arctan2"])
def atan2(input: Tensor, other: Tensor, *, out=None):
    """The angle of the point (other, input), between -pi and pi.

    >>> torch.atan2(torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854,  2.3562, -2.3562])
    """
    return np.arctan2(input, other, out)


atan2.gradient(
    input=lambda grad, input, other: turn(grad * other, input, other),
    other=lambda grad, input, other: turn(grad * -input, input, other),
)


def turn(grad: Tensor, input: Tensor, other: Tensor) -> Tensor:
    """Nothing turns at the origin."""
    square = input * input + other * other
    return grad * square.reciprocal().masked_fill(square == 0, 0)


@op(dtype=FLOAT, samples=unary(complexes=True), aliases=["special.sinc"])
def sinc(input, *, out=None):
    """sin(pi x) / (pi x) for each element x, and 1 at 0.

    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122])
    """
    angle = np.asarray(input * math.pi)
    found = np.asarray(np.sin(angle))
    np.divide(found, angle, found)
    found[angle == 0] = 1
    return found


sinc.gradient(input=lambda grad, input: grad * conjugate(sinc_slope(input)))


def sinc_slope(x: Tensor) -> Tensor:
    angle = x * math.pi
    area = x * angle
    return choose(area == 0, 0, (angle * angle.cos() - angle.sin()) / area)


@op(dtype=FLOAT, samples=unary(low=-180, high=180))
def deg2rad(input, *, out=None):
    """Degrees as radians.

    >>> torch.deg2rad(torch.tensor([0.0, 90.0, 180.0]))
    tensor([0.0000, 1.5708, 3.1416])
    """
    refuse_complex(input, "deg2rad")
    return np.multiply(input, math.pi / 180, out)


deg2rad.gradient(input=lambda grad: grad * (math.pi / 180))


@op(dtype=FLOAT, samples=unary(low=-4, high=4))
def rad2deg(input, *, out=None):
    """Radians as degrees.

    >>> torch.rad2deg(torch.tensor([0.0, 1.0, math.pi / 2]))
    tensor([ 0.0000, 57.2958, 90.0000])
    """
    refuse_complex(input, "rad2deg")
    return np.multiply(input, 180 / math.pi, out)


rad2deg.gradient(input=lambda grad: grad * (180 / math.pi))
