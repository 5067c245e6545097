"""Cumulative operations: each element of the result sums up those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.halves import chosen_in_float32
from rushlight.ops.machine.inplace import call_inplace
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import ACCUMULATE, AVERAGE, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.level import may_hold
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.folding import in_c_order
from rushlight.ops.reductions.recurrences import chain, product_of_earlier

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def in_own_dtype(op: Op, arguments: tuple) -> Tensor:
    """The in-place form: integers are summed up in their own dtype, not in int64."""
    position = op.positions["dtype"]
    if arguments[position] is None and isinstance(arguments[0], Tensor):
        arguments = (*arguments[:position], arguments[0].dtype, *arguments[position + 1 :])
    return call_inplace(op, arguments)


def refuse_bools(kernel: str, input: np.ndarray) -> None:
    """torch has no such kernel for bools, but needs none for a single number."""
    if input.dtype.kind == "b" and input.ndim and input.size:
        raise refuse(kernel, input)


# as in torch, running sums keep more digits than their elements
WIDE = {np.dtype("float32"): np.dtype("float64"), np.dtype("complex64"): np.dtype("complex128")}


def running(make, *extra):
    """Samples of an op along one dimension."""
    return [
        case(make.floats(3, 4), 1),
        case(make.floats(3, 4), dim=-2),
        case(make.floats(4, 2).T, 0),
        case(make.floats(0, 3), 0),
        case(make.floats(), 0),
        case(make.floats(5, dtype="float64"), 0),
        case(make.floats(3, 4), 2),
        case(make.floats(3, 4)),
        *extra,
    ]


@op(
    dtype=ACCUMULATE,
    batch=ALONG,
    linear=True,
    inplace=in_own_dtype,
    samples=cases(
        lambda make: running(
            make,
            case(make.ints(3, 4, dtype="int32"), 0),
            case(make.complexes(3), 0),
            case(make.floats(5, dtype="float16"), 0),
        )
    ),
)
def cumsum(input, dim: int, *, dtype=None, out=None):
    """Running sum along `dim`.

    >>> torch.tensor([[1, 2, 3], [10, 20, 30]]).cumsum(1)
    tensor([[ 1,  3,  6],
            [10, 30, 60]])
    """
    along = axis(dim, input.ndim)
    refuse_bools("cumsum_out_cpu", input)
    return np.add.accumulate(in_c_order(input), along, WIDE.get(dtype, dtype)) if input.ndim else input.copy()


cumsum.gradient(input=lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad.ndim else grad)


@op(
    dtype=ACCUMULATE,
    batch=ALONG,
    inplace=in_own_dtype,
    samples=cases(
        lambda make: running(
            make,
            case(make.ints(3, 4, dtype="int32"), 0),
            case(make.complexes(3), 0),
            case(np.array([[2.0, 0, 3, 5], [0, 3, 0, 4]], "float32"), 1),
        )
    ),
)
def cumprod(input, dim: int, *, dtype=None, out=None):
    """Running product along `dim`.

    >>> torch.full((4,), 0.5).cumprod(0)  # discounts
    tensor([0.5000, 0.2500, 0.1250, 0.0625])
    """
    along = axis(dim, input.ndim)
    refuse_bools("cumprod_out_cpu", input)
    if input.dtype.kind == "f" and not is_straight(input):
        return straightened(cumprod, input, along)
    return np.multiply.accumulate(input, along, WIDE.get(dtype, dtype)) if input.ndim else input.copy()


def cumprod_gradient(grad, input, result, dim):
    """By division where no element is zero, else the product of those before times a sum over those after."""
    if not input.ndim or not input.numel() or input.shape[dim] == 1:
        return grad
    if not may_hold(input == 0):
        return (grad * conjugate(result)).flip(dim).cumsum(dim).flip(dim) / conjugate(input)
    factors = conjugate(input)
    after = chain(grad, factors.narrow(dim, 1, input.shape[dim] - 1), dim, True)
    return product_of_earlier(factors, dim) * after


cumprod.gradient(input=cumprod_gradient)


def extremes(make):
    nans = np.array([[1, np.nan, 3], [4, 2, 0]], "float32")
    ties = make.ints(3, 6, low=0, high=3).astype("float32")
    return running(make, corner(nans, 1), corner(ties, 1), case(make.bools(5), 0), case(make.complexes(3), 0))


@op(dtype=SAME, batch=ALONG, returns=("values", "indices"), samples=cases(extremes))
def cummax(input, dim: int, *, out=None):
    """Running maximum along `dim`, and where it last stood.

    >>> torch.tensor([3, 1, 4, 4, 2]).cummax(0)
    torch.return_types.cummax(
    values=tensor([3, 3, 4, 4, 4]),
    indices=tensor([0, 0, 2, 3, 3]))
    """
    return running_extreme(input, "cummax", dim, np.maximum)


@op(dtype=SAME, batch=ALONG, returns=("values", "indices"), samples=cases(extremes))
def cummin(input, dim: int, *, out=None):
    """Running minimum along `dim`, and where it last stood.

    >>> torch.tensor([3, 1, 4, 1]).cummin(0).indices
    tensor([0, 1, 1, 3])
    """
    return running_extreme(input, "cummin", dim, np.minimum)


def running_extreme(input, name, dim, larger):
    if not input.size and isinstance(dim, int):
        # torch does not look at the dimension then
        return input.copy(), np.zeros(input.shape, np.int64)
    if not input.ndim:
        if dim not in (-1, 0):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        return input.copy(), np.zeros((), np.int64)
    dim = axis(dim, input.ndim)
    if input.dtype.kind == "c":
        raise refuse(f"{name}_cpu", input)
    if input.dtype in dtypes.HALF:
        return chosen_in_float32(cummax if larger is np.maximum else cummin, input, dim)
    values = larger.accumulate(input, dim)
    places = np.arange(input.shape[dim]).reshape((-1,) + (1,) * (input.ndim - 1 - dim))
    current = (input == values) | (input != input)
    return values, np.maximum.accumulate(np.where(current, places, 0), dim)


def add_at(grad, indices, input_shape, dim):
    """Each gradient added where its value came from."""
    return grad.new_zeros(input_shape).scatter_add(dim, indices, grad)


cummax.gradient(input=add_at)
cummin.gradient(input=add_at)


@op(
    dtype=AVERAGE,
    batch=ALONG,
    samples=cases(
        lambda make: running(
            make,
            corner(np.array([-np.inf, -np.inf, 1, np.inf, 2], "float32"), 0),
            case(make.floats(6, low=-300, high=300), 0),
            case(make.floats(5, dtype="float16"), 0),
            case(make.ints(3), 0),
        )
    ),
)
def logcumsumexp(input, dim: int, *, out=None):
    """Logarithm of the running sum of the exponentials along `dim`, without overflow.

    >>> torch.tensor([100.0, 102.0]).logcumsumexp(0)
    tensor([100.0000, 102.1269])
    """
    dim = axis(dim, input.ndim)
    if input.dtype not in dtypes.DIFFERENTIABLE:
        raise no_kernel("logcumsumexp_out_cpu", dtypes.from_numpy(input.dtype).scalar)
    if not input.size or not input.ndim:
        return input.copy()
    if input.dtype.kind == "c":
        return log_of_sums(input, dim)
    return np.logaddexp.accumulate(input, dim, np.float64).astype(input.dtype)


def log_of_sums(input, dim):
    """The same for complex numbers, whose phase may wind around more than once."""
    found = input.copy()
    places = np.moveaxis(found, dim, 0)
    for place in range(1, len(places)):
        before, here = places[place - 1], places[place]
        first = before.real >= here.real
        large, small = np.where(first, before, here), np.where(first, here, before)
        places[place] = large + np.log1p(np.exp(small - large))
    return found


def log_gradient(grad, input, result, dim):
    """The later gradients, each times the share that the place has in its sum; no share overflows."""
    if grad.numel() <= 1:
        return grad
    rest = result.shape[dim] - 1
    earlier, later = result.narrow(dim, 0, rest), result.narrow(dim, 1, rest)
    shares = (earlier - later).masked_fill(earlier == later, 0).exp()
    return conjugate((input - result).exp()) * chain(grad, conjugate(shares), dim, True)


logcumsumexp.gradient(input=log_gradient)
