"""Reductions: sums, products, means and counts over dimensions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.settings.state import state
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.calling import not_given
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axes, axis
from rushlight.ops.machine.gradients import conjugate, reduced_dims, spread, widened
from rushlight.ops.machine.rules import ACCUMULATE, AVERAGE, FLOAT, INDEX, SAME
from rushlight.ops.machine.samples import case, cases, corner, reduction
from rushlight.ops.machine.transforms.level import may_hold
from rushlight.ops.machine.transforms.words import ALONG, OVER
from rushlight.ops.reductions.folding import fold, in_c_order
from rushlight.ops.reductions.recurrences import product_of_others

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


@op(
    dtype=ACCUMULATE,
    batch=OVER,
    linear=True,
    samples=reduction(),
    node=lambda dim: "SumBackward0" if dim is None else "SumBackward1",
)
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Sum of the elements, over every dimension or over `dim`.

    >>> torch.tensor([[1, 2], [3, 4]]).sum()
    tensor(10)
    >>> torch.tensor([[1, 2], [3, 4]]).sum(dim=0)
    tensor([4, 6])
    """
    return fold(np.add, input, axes(dim, input.ndim), keepdim)


sum.gradient(input=lambda grad, input_shape, dim, keepdim: spread(grad, input_shape, dim, keepdim))


@op(
    dtype=AVERAGE,
    batch=OVER,
    linear=True,
    samples=reduction(ints=False),
    node=lambda dim: "MeanBackward0" if dim is None else "MeanBackward1",
)
def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean of the elements, over every dimension or over `dim`.

    >>> torch.tensor([[1.0, 2.0], [3.0, 6.0]]).mean(dim=1, keepdim=True)
    tensor([[1.5000],
            [4.5000]])
    """
    require_inexact(input, "mean(): could not infer output dtype. Input dtype must be either a floating point")
    total = fold(np.add, input, axes(dim, input.ndim), keepdim)
    return total / (input.size // (total.size or 1))


mean.gradient(
    input=lambda grad, input_shape, dim, keepdim: (
        spread(grad, input_shape, dim, keepdim) / reduced_count(input_shape, dim)
    )
)


def require_inexact(input, words):
    """Refuse integers, in the words of the torch function."""
    if input.dtype not in dtypes.DIFFERENTIABLE:
        kind = dtypes.from_numpy(input.dtype).scalar
        raise RuntimeError(f"{words} or complex dtype. Got: {kind}; convert first, for example with .float()")


def reduced_count(shape, dim):
    """How many elements of the input go into one of the result, at least 1."""
    return math.prod([shape[each] for each in reduced_dims(dim, len(shape))] if shape else ()) or 1


@op(
    dtype=ACCUMULATE,
    batch=OVER,
    samples=cases(
        lambda make: [
            *reduction(several=False)(1),
            case(np.array([[2.0, 0, 3], [0, 0, 4]], "float32"), 1),
            case(np.array([[2.0, 5, 3], [1, 0, 4]], "float32")),
            case(make.bools(3)),
            case(make.floats(2, 3), (0, 1)),
        ]
    ),
    node=lambda dim: "ProdBackward0" if dim is None else "ProdBackward1",
)
def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Product of the elements, over every dimension or over `dim`.

    >>> torch.tensor([[1, 2], [3, 4]]).prod(dim=1)
    tensor([ 2, 12])
    """
    along = None if dim is None else axis(dim, input.ndim)
    return in_c_order(np.multiply.reduce(input, along if input.ndim else None, dtype, keepdims=keepdim))


prod.gradient(
    input=lambda grad, input, result, dim, keepdim: prod_gradient(
        widened(grad, input.shape, dim, keepdim), input, widened(result, input.shape, dim, keepdim), dim
    )
)


def prod_gradient(grad, input, result, dim):
    """The gradient times the product of all the others; by division only where no element is zero."""
    if not input.ndim:
        return grad
    # in running transforms never by division, as in torch: no infinite product is divided by an infinite one
    if not state.birth and not may_hold(input == 0):
        return grad * conjugate(result / input)
    if (input.numel() if dim is None else input.shape[dim]) <= 1:
        return grad.expand(input.shape)  # there are no others
    if dim is None:
        return grad * conjugate(product_of_others(input.reshape(-1), 0).reshape(input.shape))
    return grad * conjugate(product_of_others(input, dim))


def prod_tangent(op, primals, tangents, results):
    """Each tangent times the product of the others, added up: through the result, which a backward may free."""
    input, dim, keepdim = primals[0].to(results.dtype), primals[1], primals[2]
    ones = widened(results.new_ones(results.shape), input.shape, dim, keepdim)
    slopes = prod_gradient(ones, input, widened(results, input.shape, dim, keepdim), dim)
    return (slopes.conj() * tangents[0]).sum(dim, keepdim)


prod.op.tangent = prod_tangent


def with_nans(make, *extra):
    """Samples of a reduction that leaves NaNs out."""
    x = make.floats(3, 4)
    x[0, 1] = x[2, 3] = np.nan
    return [
        case(x),
        case(x, 1),
        case(x, (0, 1), True),
        case(make.floats(0, 3), 0),
        case(make.floats()),
        *extra,
    ]


def ACCUMULATE_NUMBERS(op: Op, arrays: list) -> np.dtype:
    """Like ACCUMULATE, where NaN becomes zero before integers are made of floats."""
    wanted = arrays[op.positions["dtype"]]
    if arrays[0].dtype.kind == "c" or getattr(wanted, "is_complex", False):
        axes(arrays[op.positions["dim"]], arrays[0].ndim)  # which is refused first
    if arrays[0].dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    is_float = dtypes.from_numpy(arrays[0].dtype).is_floating_point
    if getattr(wanted, "is_complex", False) and is_float and arrays[0].size:
        raise no_kernel("nansum_cpu", wanted.scalar)
    if wanted is not None and arrays[0].dtype not in (np.bool_, np.int64):
        arrays[0] = np.where(arrays[0] == arrays[0], arrays[0], 0).astype(arrays[0].dtype)
    return ACCUMULATE(op, arrays)


@op(
    dtype=ACCUMULATE_NUMBERS,
    batch=OVER,
    samples=cases(
        lambda make: with_nans(
            make,
            case(make.ints(3, 4), 1),
            case(make.complexes(3)),
            case(np.array([1.5, np.nan, 2.5], "float32"), dtype=dtypes.int64),
        )
    ),
)
def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Sum of the elements that are not NaN.

    >>> torch.tensor([1.0, math.nan, 2.0]).nansum()
    tensor(3.)
    """
    found = fold(np.add, input, axes(dim, input.ndim), keepdim)
    if input.dtype.kind != "f" or (found == found).all():
        # no sum is NaN, so that no element is
        return found
    return fold(np.add, np.where(input == input, input, 0), axes(dim, input.ndim), keepdim)


nansum.gradient(input=lambda grad, input, dim, keepdim: spread(grad, input.shape, dim, keepdim) * (input == input))


@composed(samples=cases(lambda make: with_nans(make, case(make.ints(3)))))
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Mean of the elements that are not NaN.

    >>> torch.tensor([[1.0, math.nan], [2.0, 4.0]]).nanmean(dim=1)
    tensor([1., 3.])
    """
    if out is not None and input._array.dtype not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(
            "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors: "
            "convert first, for example with .float()"
        )
    require_inexact(input._array, "nanmean(): expected input to have floating point")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.scalar}"
        )
    if out is not None and out._array.dtype not in dtypes.DIFFERENTIABLE and not input.is_complex():
        raise no_kernel("nansum_cpu", out.dtype.scalar)
    count = (input == input).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype).div(count, out=out)


def truth_samples(make):
    x = make.ints(3, 4, low=-1, high=2)
    return [
        case(x),
        case(x, 1),
        case(x, dim=(0, 1), keepdim=True),
        case(x, dim=()),
        case(make.bools(3, 4), -1, True),
        case(make.floats(0, 3), 0),
        case(make.floats()),
        case(x.astype("uint8"), 0),
        case(x.astype("float16"), 0),
        case(make.complexes(2, 2), 1),
    ]


@op(dtype=SAME, batch=OVER, samples=cases(truth_samples))
def any(input, dim=None, keepdim=False, *, out=None):
    """Whether any element is true.

    >>> torch.tensor([[False, True], [False, False]]).any(dim=1)
    tensor([ True, False])
    """
    return truth(input, np.logical_or.reduce(input, truth_axes(dim, input.ndim), keepdims=keepdim))


@op(dtype=SAME, batch=OVER, samples=cases(truth_samples))
def all(input, dim=None, keepdim=False, *, out=None):
    """Whether all elements are true.

    >>> torch.tensor([[True, True], [False, True]]).all(dim=0)
    tensor([False,  True])
    """
    return truth(input, np.logical_and.reduce(input, truth_axes(dim, input.ndim), keepdims=keepdim))


def truth_axes(dim, ndim):
    """Unlike elsewhere, an empty list of dimensions means none of them."""
    return () if isinstance(dim, (tuple, list)) and not dim else axes(dim, ndim)


def truth(input, found):
    # torch answers uint8 with uint8, from the time before it had bool
    return in_c_order(found.astype("uint8") if input.dtype == np.uint8 else found)


@op(
    dtype=INDEX,
    batch=OVER,
    samples=cases(
        lambda make: [
            case(make.ints(3, 4, low=-1, high=2)),
            case(make.ints(3, 4, low=-1, high=2), 1),
            case(make.bools(3, 4), dim=(0, 1)),
            case(make.floats(0, 3), 0),
            case(make.floats(), 0),
        ]
    ),
)
def count_nonzero(input, dim=None):
    """How many elements are not zero.

    >>> torch.tensor([[0, 1, 2], [0, 0, 3]]).count_nonzero(dim=1)
    tensor([2, 1])
    """
    return np.add.reduce(input != 0, axes(dim, input.ndim), np.int64)


@op(
    dtype=FLOAT,
    batch=ALONG,
    aliases=["special.logsumexp"],
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1),
            case(make.floats(3, 4, 2), (0, -1), True),
            corner(np.array([[-np.inf, -np.inf], [np.inf, 1], [np.nan, 0]], "float32"), 1),
            case(make.floats(0, 3), 0),
            case(make.floats(), 0),
            case(make.ints(3, 4), dim=0),
            case(make.floats(3, 4), 2),
            case(make.floats(3, 4)),
        ]
    ),
)
def logsumexp(input, dim: tuple, keepdim=False, *, out=None):
    """Logarithm of the sum of the exponentials over `dim`, without overflow.

    >>> torch.full((3,), 100.0).logsumexp(0)  # exp(100) would be infinite
    tensor(101.0986)
    """
    if dim is None:
        raise not_given("logsumexp", "dim")
    along = axes(dim, input.ndim)
    real = input.real if input.dtype.kind == "c" else input
    largest = np.maximum.reduce(real, along, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, 0)
    total = fold(np.add, np.exp(input - largest), along, keepdim)
    return in_c_order(np.log(total) + largest.reshape(total.shape))


logsumexp.gradient(
    input=lambda grad, input, result, dim, keepdim: (
        widened(grad, input.shape, dim, keepdim) * conjugate((input - widened(result, input.shape, dim, keepdim)).exp())
    )
)
