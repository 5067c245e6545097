"""Signs: absolute values, signs, and numbers next to a number."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.object.tensor import Tensor, method
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import zeros
from rushlight.ops.machine.inplace import check_target
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import BOOL, FLOAT, PROMOTE, SAME, UNROUNDED
from rushlight.ops.machine.samples import binary, case, cases, corner, unary
from rushlight.ops.pointwise.where import choose


@op(dtype=SAME, samples=unary(complexes=True), aliases=["absolute"], operator="abs")
def abs(input, *, out=None):
    """Absolute value of each element.

    >>> torch.abs(torch.tensor([-2, 3])), abs(torch.tensor([3 + 4j]))
    (tensor([2, 3]), tensor([5.]))
    """
    if input.dtype.kind == "b":
        raise refuse("abs_cpu", input)
    return np.absolute(input, out)


abs.gradient(input=lambda grad, input: grad * input.sgn())


@method
def abs_(self):
    """Absolute value of each element, in place."""
    if self.is_complex():
        if self.requires_grad and state.grad:
            check_target(self)
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return abs.op.inplace(self)


Tensor.absolute_ = abs_


@op(dtype=PROMOTE, samples=unary(complexes=True))
def sign(input, *, out=None):
    """-1, 0 or 1 for each element, by its sign.

    >>> torch.sign(torch.tensor([-2.0, 0.0, 7.0]))
    tensor([-1.,  0.,  1.])
    """
    if input.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Use torch.sgn instead."
        )
    return signs(input)


sign.gradient(input=zeros)


def signs(array: np.ndarray) -> np.ndarray:
    # np.sign keeps NaN, torch makes it 0
    return array.copy() if array.dtype.kind == "b" else np.subtract(array > 0, array < 0, dtype=array.dtype)


@op(dtype=PROMOTE, samples=unary(complexes=True))
def sgn(input, *, out=None):
    """The sign of each element; of a complex number, the number of length 1 that points the same way.

    >>> torch.sgn(torch.tensor([3 + 4j, 0]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    return np.where(input == 0, 0, input / np.absolute(input)) if input.dtype.kind == "c" else signs(input)


sgn.gradient(input=lambda grad, input: sgn_gradient(grad, input) if input.is_complex() else zeros(grad))


def sgn_gradient(grad: Tensor, input: Tensor) -> Tensor:
    length, direction = input.abs(), input.sgn()
    return choose(length == 0, 0, grad / length - (grad / direction).real * direction / length)


@composed(samples=unary(complexes=True), operator="+x")
def positive(input):
    """The tensor itself; bools are refused.

    >>> x = torch.tensor([1.0, -2.0])
    >>> +x is x
    True
    """
    if input._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def signbit(input, *, out=None):
    """Which elements have their sign bit set; -0.0 has.

    >>> torch.signbit(torch.tensor([-1.0, -0.0, 0.0]))
    tensor([ True,  True, False])
    """
    if input.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    return np.signbit(input) if input.dtype.kind == "f" else np.less(input, 0)


@op(
    dtype=FLOAT,
    samples=binary(complexes=True),
    node=lambda other: f"CopysignBackward{0 if isinstance(other, Tensor) else 1}",
)
def copysign(input: Tensor, other, *, out=None):
    """The size of `input` with the sign of `other`.

    >>> torch.copysign(torch.tensor([1.0, -2.0]), torch.tensor([-0.0, 5.0]))
    tensor([-1.,  2.])
    """
    return np.copysign(input, other, out)


copysign.gradient(
    input=lambda grad, input, result: grad * choose(input == 0, 0, result / input),
    other=zeros,
)


@op(dtype=UNROUNDED, samples=binary(numbers=False, halves=False))
def nextafter(input: Tensor, other: Tensor, *, out=None):
    """The next number after `input` in the direction of `other`.

    >>> one = torch.tensor(1.0)
    >>> torch.nextafter(one, torch.tensor(2.0)) - one == torch.finfo(torch.float32).eps
    tensor(True)
    """
    if input.dtype.kind in "buic":
        raise refuse("nextafter_cpu", input)
    return np.nextafter(input, other, out)


nextafter.gradient(input=lambda grad, input, other: choose(input == other, 0, grad), other=zeros)


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            corner(make.ints(6, low=-2, high=3).astype("float32"), make.floats(6)),
            corner(make.ints(2, 3, low=-1, high=2), make.ints(3)),
            corner(make.bools(4), make.bools(4)),
            corner(make.floats(4, dtype="float16"), make.floats(dtype="float16")),
            corner(make.floats(4), make.ints(4)),
            corner(make.floats(0), make.floats(0)),
            corner(make.complexes(4), make.complexes(4)),
        ],
        pointwise=True,
    ),
    underivable="heaviside",
)
def heaviside(input: Tensor, values: Tensor, *, out=None):
    """0 for negative elements, 1 for positive ones, `values` at zero.

    >>> torch.heaviside(torch.tensor([-2.0, 0.0, 3.0]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    if "c" in (input.dtype.kind, values.dtype.kind):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype != values.dtype:
        raise RuntimeError(
            "heaviside is not yet implemented for tensors with different dtypes. Here they are "
            f"{input.dtype} and {values.dtype}."
        )
    return np.where(input == 0, values, (input > 0).astype(input.dtype))


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(np.array([1, np.nan, np.inf, -np.inf], "float32")),
            case(np.array([1, np.nan, np.inf, -np.inf], "float16"), 2.0),
            case(np.array([1, np.nan, np.inf, -np.inf], "float64"), nan=1.0, posinf=2, neginf=-3.5),
            case(np.array([1, complex(np.nan, np.inf)], "complex64")),
            case(make.ints(4)),
            case(make.bools(4)),
            case(make.floats(0)),
            case(make.floats()),
        ],
        pointwise=True,
    ),
)
def nan_to_num(input, nan=None, posinf=None, neginf=None, *, out=None):
    """NaN and infinities replaced: by zero and the largest and smallest numbers, unless given.

    >>> torch.nan_to_num(torch.tensor([math.nan, math.inf, 1.0]), nan=0.0, posinf=100.0)
    tensor([  0., 100.,   1.])
    """
    if input.dtype.kind in "bui":
        return input.copy()
    if input.dtype.kind == "c":
        found = np.empty_like(input)
        found.real = finite(input.real, nan, posinf, neginf)
        found.imag = finite(input.imag, nan, posinf, neginf)
        return found
    return finite(input, nan, posinf, neginf)


nan_to_num.gradient(input=lambda grad, input: grad * input.isfinite())
nan_to_num.op.refuse_complex_gradients()


@functools.cache
def limits_of(kind: np.dtype) -> tuple[float, float]:
    """The largest and the smallest number of a dtype; to look them up takes 4 us."""
    limits = dtypes.finfo(dtypes.from_numpy(kind))
    return limits.max, limits.min


def finite(array: np.ndarray, nan: Any, posinf: Any, neginf: Any) -> np.ndarray:
    kind = array.dtype
    largest, smallest = limits_of(kind)
    nan, posinf, neginf = (
        kind.type(default if given is None else given)
        for given, default in ((nan, 0), (posinf, largest), (neginf, smallest))
    )
    # NumPy's loops of half precision take 15 times as long as those of float32, which holds the same numbers
    wide = by_float32(array, np.dtype(np.float32)) if kind in dtypes.HALF else array
    found = wide.copy("K")
    found[np.isnan(wide)] = nan
    found[wide == np.inf] = posinf
    found[wide == -np.inf] = neginf
    return by_float32(found, kind) if kind in dtypes.HALF else found
