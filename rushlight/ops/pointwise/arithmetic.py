"""Arithmetic: sums, differences and products of tensors, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import KERNEL, explained
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.kinds import kind_of, plain_name, refuse, require_fitting
from rushlight.ops.machine.rules import BOOLEAN, PROMOTE
from rushlight.ops.machine.samples import binary, case, cases, joined, unary
from rushlight.ops.machine.transforms.words import ELEMENTWISE

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


terms = joined(
    binary(complexes=True),
    cases(
        lambda make: [
            case(make.floats(3), make.floats(3), alpha=0.5),
            case(make.floats(3), 2.0, alpha=-1),
            case(make.ints(3), make.ints(3), alpha=2),
            case(make.complexes(3), make.complexes(3), alpha=1j),
            case(make.bools(3), make.bools(3), alpha=True),
            case(make.ints(3), make.ints(3), alpha=0.5),
            case(make.floats(3), make.floats(3), alpha=True),
            case(make.floats(3), make.floats(3), alpha=1j),
        ]
    ),
)


def SUM(op: Op, arrays: list) -> np.dtype:
    """Like PROMOTE; torch multiplies complex numbers by `alpha` even where it is 1: an infinite one becomes NaN."""
    kind = PROMOTE(op, arrays)
    if kind.kind == "c":
        # a number on the left of a sum changes places with the tensor
        second = 0 if op.name == "rsub" or (op.name == "add" and type(arrays[0]) is not np.ndarray) else 1
        arrays[second] = arrays[second] * COMPLEX_ONE
    return kind


COMPLEX_ONE = np.complex64(1)


@op(dtype=SUM, samples=terms, operator="+")
def add(input, other, *, alpha=1, out=None):
    """Sum of two tensors, the second one times `alpha`.

    >>> torch.add(torch.tensor([1, 2]), torch.tensor([[10], [20]]), alpha=2)
    tensor([[21, 22],
            [41, 42]])
    """
    return np.add(input, other if alpha == 1 and alpha is not True else scaled(other, alpha, input), out)


add.gradient(
    input=lambda grad: grad,
    other=lambda grad, alpha: grad if alpha == 1 else grad * conjugate(alpha),
)


def DIFFERENCE(op: Op, arrays: list) -> np.dtype:
    """Like SUM, but masks are not subtracted."""
    one, two = arrays[0], arrays[1]
    if (one.dtype is BOOLEAN if type(one) is np.ndarray else type(one) is bool) or (
        two.dtype is BOOLEAN if type(two) is np.ndarray else type(two) is bool
    ):
        refuse_masks(one, two)
    return SUM(op, arrays)


def refuse_masks(one: Any, two: Any) -> None:
    if np.asarray(one).dtype == np.asarray(two).dtype:
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    raise RuntimeError(
        "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert "
        "a mask, use the `~` or `logical_not()` operator instead; the difference of two masks is `a ^ b`."
    )


@op(dtype=DIFFERENCE, samples=terms, operator="-", aliases=["subtract"])
def sub(input, other, *, alpha=1, out=None):
    """Difference of two tensors, the second one times `alpha`.

    >>> torch.tensor([5, 7]) - torch.tensor([1, 10])
    tensor([ 4, -3])
    """
    return np.subtract(input, other if alpha == 1 and alpha is not True else scaled(other, alpha, input), out)


sub.gradient(
    input=lambda grad: grad,
    other=lambda grad, alpha: -grad if alpha == 1 else grad * -conjugate(alpha),
)


@op(
    dtype=DIFFERENCE,
    samples=terms,
    inplace=False,
    operator="r-",
    node=lambda other: f"RsubBackward{0 if isinstance(other, Tensor) else 1}",
)
def rsub(input: Tensor, other, *, alpha=1):
    """`other` minus `input`, which is taken `alpha` times.

    >>> torch.rsub(torch.tensor([1, 2]), 10, alpha=3)
    tensor([7, 4])
    """
    return np.subtract(other, input if alpha == 1 and alpha is not True else scaled(input, alpha, other))


rsub.gradient(
    input=lambda grad, alpha: -grad if alpha == 1 else grad * -conjugate(alpha),
    other=lambda grad: grad,
)


def scaled(value: Any, alpha: Any, other: Any) -> Any:
    """`value` times `alpha`, which must fit the dtype of the result."""
    arrays = [each for each in (value, other) if type(each) is np.ndarray]
    kind = kind_of(value, other) if arrays else np.result_type(type(value), type(other)).kind
    if isinstance(alpha, bool) and kind != "b":
        raise explained(RuntimeError, "Boolean alpha only supported for Boolean results.", stage=KERNEL)
    if isinstance(alpha, float) and kind in "bui":
        raise explained(
            RuntimeError,
            f"For integral input tensors, argument alpha must not be a floating point number: {alpha} would be rounded",
            fix="convert the tensors first: x.float()",
            stage=KERNEL,
        )
    if isinstance(alpha, complex) and kind != "c":
        words = "For non-complex input tensors, argument alpha must not be a complex number."
        raise explained(RuntimeError, words, stage=KERNEL)
    if kind in "fc" and arrays:
        require_fitting(alpha, arrays[0].dtype)
    return value * (np.bool_(alpha) if kind == "b" else alpha)


@op(
    dtype=PROMOTE,
    batch=ELEMENTWISE,
    linear=("input", "other"),
    samples=binary(complexes=True),
    operator="*",
    aliases=["multiply"],
)
def mul(input, other, *, out=None):
    """Product of two tensors, element by element, with broadcasting.

    >>> torch.tensor([1, 2, 3]) * torch.tensor([[1], [10]])
    tensor([[ 1,  2,  3],
            [10, 20, 30]])
    """
    return np.multiply(input, other, out)


mul.gradient(
    input=lambda grad, other: grad * conjugate(other),
    other=lambda grad, input: grad * conjugate(input),
)


@op(dtype=PROMOTE, linear=True, samples=unary(complexes=True, bools=False), aliases=["negative"], operator="-x")
def neg(input, *, out=None):
    """Each element with its sign changed.

    >>> -torch.tensor([1.0, -2.0, math.inf])
    tensor([-1.,  2., -inf])
    """
    if input.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    if input.dtype.kind == "c" and out is None and input.ndim and input.flags.c_contiguous:
        # NumPy's loop of complex numbers takes five times as long as that of their parts
        return np.negative(input.view(input.real.dtype)).view(input.dtype)
    return np.negative(input, out)


neg.gradient(input=lambda grad: -grad)


threes = cases(
    lambda make: [
        case(make.floats(3, 4), make.floats(3, 4), make.floats(3, 4, low=0.5)),
        case(make.floats(3, 4), make.floats(4), make.floats(3, 1, low=0.5), value=0.5),
        case(make.floats(), make.floats(3), make.floats(low=0.5), value=-2),
        case(make.floats(3), make.floats(3, dtype="float64"), make.floats(3, low=0.5)),
        case(*[make.floats(3, low=0.5, dtype="float16") for _ in range(3)]),
        case(make.ints(3), make.ints(3), make.ints(3, low=1)),
        case(make.floats(3), make.ints(3), make.ints(3, low=1)),
        case(make.ints(3), make.floats(3), make.floats(3, low=0.5)),
        case(make.bools(3), make.bools(3), make.bools(3)),
        case(make.complexes(3), make.complexes(3), make.complexes(3), value=2),
        case(make.floats(0), make.floats(0), make.floats(0)),
    ],
    pointwise=True,
)


@op(dtype=PROMOTE, samples=threes)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1, out=None):
    """`input` plus `value` times the product of two tensors.

    >>> torch.addcmul(torch.tensor([1.0, 1.0]), torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0]), value=0.5)
    tensor([5.0000, 8.5000])
    """
    if input.dtype.kind == "b":
        raise refuse("addcmul_cpu_out", input)
    if value != 1:
        require_fitting(value, input.dtype)
    if input.dtype.kind in "ui":
        value = int(value)
    return np.add(input, tensor1 * tensor2 if value == 1 else tensor1 * value * tensor2, out)


addcmul.gradient(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conjugate(tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * conjugate(tensor1 * value),
)


def TRUE_QUOTIENT(op: Op, arrays: list) -> np.dtype:
    """Like PROMOTE, but two tensors of integers are not divided."""
    if arrays[1].dtype.kind in "bui" and arrays[2].dtype.kind in "bui":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported: convert a tensor with .float(), or use "
            "input + value * torch.div(tensor1, tensor2, rounding_mode='trunc')."
        )
    return PROMOTE(op, arrays)


@op(dtype=TRUE_QUOTIENT, samples=threes)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value=1, out=None):
    """`input` plus `value` times the quotient of two tensors.

    >>> weight, momentum, scale = torch.tensor([1.0, 1.0]), torch.tensor([2.0, -6.0]), torch.tensor([4.0, 2.0])
    >>> torch.addcdiv(weight, momentum, scale, value=-0.1)
    tensor([0.9500, 1.3000])
    """
    if value != 1:
        require_fitting(value, input.dtype)
    return np.add(input, tensor1 / tensor2 if value == 1 else tensor1 * value / tensor2, out)


addcdiv.gradient(
    input=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * conjugate(share_of(value, tensor2)),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * conjugate(tensor1 * value / (tensor2 * tensor2)),
)


def share_of(value: float, tensor: Tensor) -> Tensor:
    """A number divided by a tensor; torch's formula divides in the tensor's memory, where integers leave no room."""
    if tensor._array.dtype.kind in "biu":
        kind = dtypes.default.scalar
        raise RuntimeError(
            f"result type {kind} can't be cast to the desired output type {tensor.dtype.scalar}: the gradient of "
            "tensor1 needs floats; convert tensor2 with .float()"
        )
    return value / tensor


def ONE_DTYPE(op: Op, arrays: list) -> np.dtype:
    """Nothing is promoted: both ends, and a weight that has dimensions, must have the same dtype."""
    start, end, weight = arrays[:3]
    if end.dtype != start.dtype:
        raise RuntimeError(f"expected dtype {plain_name(start)} for `end` but got dtype {plain_name(end)}")
    if type(weight) is np.ndarray and weight.ndim and weight.dtype != start.dtype:
        raise RuntimeError(f"expected dtype {plain_name(start)} for `weight` but got dtype {plain_name(weight)}")
    return PROMOTE(op, arrays)


@op(
    dtype=ONE_DTYPE,
    operands=["input", "end"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(3, 4), 0.3),
            case(make.floats(3, 4), make.floats(4), 0.7),
            case(make.floats(3, 4), make.floats(4), make.floats(3, 1)),
            case(make.floats(3), make.floats(3), make.floats()),
            case(make.floats(3, dtype="float16"), make.floats(3, dtype="float16"), 0.5),
            case(make.complexes(3), make.complexes(3), 0.5),
            case(make.floats(0), make.floats(0), 0.5),
            case(make.floats(3), make.floats(3, dtype="float64"), 0.5),
            case(make.ints(3), make.ints(3), 1),
        ],
        pointwise=True,
    ),
    node=lambda weight: f"LerpBackward{1 if isinstance(weight, Tensor) else 0}",
)
def lerp(input: Tensor, end: Tensor, weight, *, out=None):
    """The point between `input` (weight 0) and `end` (weight 1).

    >>> torch.lerp(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 20.0]), 0.25)
    tensor([ 0.2500, 12.5000])
    """
    if input.dtype.kind not in "fc":
        raise refuse("lerp_kernel_scalar", input)
    # from the nearer end: rounding errors are as large as what one starts from
    near = np.absolute(weight) < 0.5
    if not isinstance(weight, np.ndarray):
        require_fitting(weight, input.dtype)
        return input + (end - input) * weight if near else end - (end - input) * (1 - weight)
    way = end - input
    return np.where(near, input + way * weight, end - way * (1 - weight))


lerp.gradient(
    input=lambda grad, weight: grad * (1 - conjugate(weight)),
    end=lambda grad, weight: grad * conjugate(weight),
    weight=lambda grad, input, end: grad * conjugate(end - input),
)
