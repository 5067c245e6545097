"""Comparison: which elements are equal, larger or smaller, not a number, infinite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.memory.layout import empty_like_array
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.callsite import position_words
from rushlight.errors.explained import explained
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import refuse, require_tensor
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import BOOL, SAME
from rushlight.ops.machine.samples import binary, case, cases, unary
from rushlight.ops.machine.transforms.layer_words import AMONG
from rushlight.ops.machine.transforms.level import is_lifted, is_mapped
from rushlight.ops.machine.transforms.words import ELEMENTWISE

# elements that are worth a look at the first few before all of them
MANY = 4096
# elements up to which they are compared with one after the other
FEW = 8


def compared(name: str) -> Callable:
    """The name of the node of an in-place comparison, by what it compares with."""
    return lambda other: f"{name}Backward{int(isinstance(other, Tensor))}"


@op(dtype=BOOL, node=compared("Eq"), samples=binary(complexes=True), operator="==")
def eq(input: Tensor, other, *, out=None):
    """Which elements are equal.

    >>> torch.tensor([1, 2, 3]) == torch.tensor([1, 0, 3])
    tensor([ True, False,  True])
    """
    if input.dtype.kind in "ui" and type(other) is int:
        other = wrapped(input, other)
    return np.equal(input, other)


@op(dtype=BOOL, node=compared("Ne"), samples=binary(complexes=True), operator="!=", aliases=["not_equal"])
def ne(input: Tensor, other, *, out=None):
    """Which elements differ.

    >>> torch.tensor([1, 2, 1]) != 1
    tensor([False,  True, False])
    """
    if input.dtype.kind in "ui" and type(other) is int:
        other = wrapped(input, other)
    return np.not_equal(input, other)


@op(dtype=BOOL, node=compared("Lt"), samples=binary(), operator="<", aliases=["less"])
def lt(input: Tensor, other, *, out=None):
    """Where `input` is smaller than `other`.

    >>> x = torch.tensor([3.0, -1.0, 2.0])
    >>> x[x < 2.5]
    tensor([-1.,  2.])
    """
    if input.dtype.kind in "uic":
        other = ordered("lt", input, other)
    return np.less(input, other)


@op(dtype=BOOL, node=compared("Le"), samples=binary(), operator="<=", aliases=["less_equal"])
def le(input: Tensor, other, *, out=None):
    """Where `input` is at most `other`.

    >>> torch.le(torch.tensor([1.0, 2.0, math.nan]), 2.0)
    tensor([ True,  True, False])
    """
    if input.dtype.kind in "uic":
        other = ordered("le", input, other)
    return np.less_equal(input, other)


@op(dtype=BOOL, node=compared("Gt"), samples=binary(), operator=">", aliases=["greater"])
def gt(input: Tensor, other, *, out=None):
    """Where `input` is larger than `other`.

    >>> scores = torch.tensor([0.2, 0.9, 0.6])
    >>> (scores > 0.5).sum()
    tensor(2)
    """
    if input.dtype.kind in "uic":
        other = ordered("gt", input, other)
    return np.greater(input, other)


@op(dtype=BOOL, node=compared("Ge"), samples=binary(), operator=">=", aliases=["greater_equal"])
def ge(input: Tensor, other, *, out=None):
    """Where `input` is at least `other`.

    >>> torch.arange(3)[:, None] >= torch.arange(3)
    tensor([[ True, False, False],
            [ True,  True, False],
            [ True,  True,  True]])
    """
    if input.dtype.kind in "uic":
        other = ordered("ge", input, other)
    return np.greater_equal(input, other)


for each in (eq, ne, lt, le, gt, ge):
    # of the in-place forms, whose results are floats: steps, with a slope of zero
    each.gradient(
        input=lambda grad: grad.new_zeros(grad.shape), other=lambda grad, other_shape: grad.new_zeros(other_shape)
    )


def wrapped(array: np.ndarray, number: int) -> Any:
    """The number in the array's dtype, where torch lets it wrap around and NumPy would not."""
    if array.itemsize == 8:
        return number
    return np.array(number & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(array.dtype)


def ordered(name: str, array: np.ndarray, other: Any) -> Any:
    """What the array is compared with; complex numbers have no order."""
    if array.dtype.kind == "c":
        raise refuse(f"{name}_cpu", array)
    return wrapped(array, other) if type(other) is int else other


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isnan(input):
    """Which elements are not a number.

    >>> torch.isnan(torch.tensor([1.0, 0.0, -1.0]).log())
    tensor([False, False,  True])
    """
    return np.isnan(input)


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isinf(input):
    """Which elements are infinite.

    >>> torch.isinf(torch.tensor([1.0, 0.0, -1.0]).log())
    tensor([False,  True, False])
    """
    return np.isinf(input)


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isfinite(input):
    """Which elements are neither infinite nor NaN.

    >>> torch.isfinite(torch.tensor([1.0, math.inf, math.nan]))
    tensor([ True, False, False])
    """
    return np.isfinite(input)


def everywhere(answer: bool, input: np.ndarray) -> np.ndarray:
    """One answer for all elements, in the order that the result has in memory."""
    found = empty_like_array(input, np.dtype(bool))
    found.fill(answer)
    return found


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isposinf(input, *, out=None):
    """Which elements are plus infinity.

    >>> torch.isposinf(torch.tensor([math.inf, -math.inf, 0.0]))
    tensor([ True, False, False])
    """
    refuse_complex("isposinf", input)
    return np.equal(input, np.inf) if input.dtype.kind == "f" else everywhere(False, input)


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isneginf(input, *, out=None):
    """Which elements are minus infinity.

    >>> torch.isneginf(torch.tensor([math.inf, -math.inf, 0.0]))
    tensor([False,  True, False])
    """
    refuse_complex("isneginf", input)
    return np.equal(input, -np.inf) if input.dtype.kind == "f" else everywhere(False, input)


def refuse_complex(name: str, input: np.ndarray) -> None:
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name} does not support complex inputs.")


@op(dtype=BOOL, samples=unary(complexes=True), inplace=False)
def isreal(input):
    """Which elements have no imaginary part.

    >>> torch.isreal(torch.tensor([1 + 0j, 1 + 2j]))
    tensor([ True, False])
    """
    return np.equal(input.imag, 0) if input.dtype.kind == "c" else everywhere(True, input)


near = cases(
    lambda make: [
        case(np.float32([1, 2, 3]), np.float32([1, 2.00001, 3.1])),
        case(np.float32([1, 2, 3]), np.float32([1, 2.1, 3.5]), 0.1),
        case(np.float32([1, 2, 3]), np.float32([1, 2.1, 3.5]), atol=0.2, rtol=0),
        case(np.float32([np.nan, np.inf, -np.inf]), np.float32([np.nan, np.inf, np.inf])),
        case(np.float32([np.nan, 1]), np.float32([np.nan, 2]), equal_nan=True),
        case(make.ints(4), make.ints(4)),
        case(make.ints(4), make.ints(4), rtol=0.5),
        case(make.bools(4), make.bools(4)),
        case(make.complexes(4), make.complexes(4)),
        case(make.floats(3, 1), make.floats(4)),
        case(make.floats(0), make.floats(0)),
        case(make.floats(3), make.floats(3, dtype="float64")),
        case(make.floats(3), make.floats(3), rtol=-1.0),
        case(make.floats(3), make.floats(3), atol=-1.0),
    ]
)


@op(dtype=SAME, batch=ELEMENTWISE, layout=COMMON, samples=near)
def isclose(input: Tensor, other: Tensor, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Which elements differ by at most `atol` + `rtol` * |other|.

    >>> torch.isclose(torch.tensor([1.0, 1000.0]), torch.tensor([1.01, 1000.001]))
    tensor([False,  True])
    """
    if input.dtype != other.dtype:
        one, two = (dtypes.from_numpy(each.dtype).scalar for each in (input, other))
        raise RuntimeError(f"{one} did not match {two}: convert one with .to(other.dtype)")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value}")
    found = input == other
    if equal_nan:
        found |= (input != input) & (other != other)
    if input.dtype.kind != "c":
        input, other = input.astype("float64"), other.astype("float64")
    distance = np.absolute(input - other)
    return found | (np.isfinite(distance) & (distance <= atol + np.absolute(rtol * other)))


@composed(samples=near)
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements differ by at most `atol` + `rtol` * |other|.

    >>> torch.allclose(torch.tensor([0.1]) * 3, torch.tensor([0.3]))
    True
    """
    close = isclose(input, other, rtol, atol, equal_nan)
    if is_lifted(close) and is_mapped(close):
        raise explained(
            RuntimeError, "vmap over torch.allclose isn't supported yet.", fix="torch.isclose(a, b).all() is a tensor"
        )
    return bool(close._array.all())


@composed(
    samples=cases(
        lambda make: [
            case(np.float32([1, 2]), np.float32([1, 2])),
            case(np.float32([1, 2]), np.int64([1, 2])),
            case(np.float32([1, 2]), np.float32([1])),
            case(np.float32([np.nan]), np.float32([np.nan])),
            case(make.floats(0), make.floats(0)),
            case(make.floats(3), 1.0),
        ]
    )
)
def equal(input, other):
    """Whether two tensors have the same shape and the same elements.

    >>> torch.equal(torch.zeros(2), torch.zeros(2)), torch.equal(torch.zeros(2), torch.zeros(1, 2))
    (True, False)
    """
    for position, (name, value) in enumerate((("input", input), ("other", other)), 1):
        if not isinstance(value, Tensor):
            where = f"equal(): argument '{name}'{position_words(name, position)}"
            raise TypeError(f"{where} must be Tensor, not {type(value).__name__}")
    one, two = input._array, other._array
    if one.shape != two.shape:
        return False
    if one.size > MANY and one.dtype == two.dtype and one.shape[0] > 1 and type(one) is type(two) is np.ndarray:
        # mostly what differs does so at once
        return bool(eq(input[:1], other[:1])._array.all()) and bool(eq(input, other)._array.all())
    return bool(eq(input, other)._array.all())


def of_ordered(op, arrays):
    """BOOL, of numbers with an order: torch refuses truths and complex numbers beside others too."""
    for each in arrays:
        if isinstance(each, np.ndarray) and each.dtype.kind in "bc":
            kind = dtypes.from_numpy(each.dtype).scalar
            raise RuntimeError(f"Unsupported input type encountered for isin(): {kind}")
    return BOOL(op, arrays)


@op(
    dtype=of_ordered,
    batch=AMONG,
    method=False,
    samples=cases(
        lambda make: [
            case(make.ints(3, 4), make.ints(3)),
            case(make.ints(5), make.ints(2, 2), assume_unique=False, invert=True),
            case(make.ints(5), 3),
            case(3, make.ints(5)),
            case(make.ints(5).astype("float32"), make.ints(3)),
            case(make.floats(0), make.floats(3)),
            case(make.ints(5), make.ints(0)),
            case(make.bools(3), make.bools(2)),
        ]
    ),
)
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """Which elements are among `test_elements`.

    >>> torch.isin(torch.tensor([[1, 2], [3, 4]]), torch.tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    require_tensor(elements, test_elements)
    if type(elements) is type(test_elements) is np.ndarray and test_elements.size <= FEW:
        # as NumPy does too, after it has looked at other ways for 12 us
        found = np.zeros(elements.shape, bool)
        for each in test_elements.reshape(-1):
            found |= elements == each
        return np.logical_not(found, found) if invert else found
    return np.isin(elements, test_elements, assume_unique, invert)
